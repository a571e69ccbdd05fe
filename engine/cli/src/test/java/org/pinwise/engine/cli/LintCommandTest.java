package org.pinwise.engine.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.json.JsonTree;

/** What {@code pinwise lint} returns to the shell, and to whom it speaks. */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class LintCommandTest {
  private static final String CORPUS = "../../testdata/config/";

  @Test
  void findingsFailFromTheSeverityThatIsNamed() {
    String pod = CORPUS + "kubernetes/no-ipc-lock.yaml";
    assertThat(Run.of("lint", pod).exit()).isEqualTo(ExitCode.OK);
    assertThat(Run.of("lint", pod, "--fail-on", "warning").exit()).isEqualTo(ExitCode.REJECTED);
    String wrong = CORPUS + "plans/mistakes.pinwise.json";
    assertThat(Run.of("lint", wrong).exit()).isEqualTo(ExitCode.REJECTED);
    assertThat(Run.of("lint", wrong, "--fail-on=never").exit()).isEqualTo(ExitCode.OK);
    assertThat(Run.of("lint", wrong).err()).isEmpty();
  }

  @Test
  void standardInputIsRead() throws IOException {
    String text = Files.readString(Path.of(CORPUS + "kubernetes/fraction.yaml"));
    Run ran = Run.reading(text, "lint", "-");
    assertThat(ran.exit()).isEqualTo(ExitCode.REJECTED);
    assertThat(ran.out()).startsWith("stdin:16:36: error CF006: ");
    assertThat(Run.reading("\ufeff" + text, "lint", "-").out()).isEqualTo(ran.out());
    Run latin = Run.reading("kind: Pod\nname: caf\u00e9\n".getBytes(ISO_8859_1), "lint", "-");
    assertThat(latin.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(latin.err()).isEqualTo("stdin:2:10: is not UTF-8 text; save it as UTF-8\n");
  }

  @Test
  void nothingToCheckFailsWhereSomethingIsRequired(@TempDir Path empty) {
    Run ran = Run.of("lint", empty.toString());
    assertThat(ran.exit()).isEqualTo(ExitCode.OK);
    assertThat(ran.out()).startsWith("nothing to check: ");
    assertThat(Run.of("lint", empty.toString(), "--require-match").exit())
        .isEqualTo(ExitCode.REJECTED);
  }

  @Test
  void whatCannotBeReadIsNoSuccess(@TempDir Path work) throws IOException {
    Files.writeString(work.resolve("a.pinwise.yaml"), "plan: {regions: [\n");
    Run ran = Run.of("lint", work.toString());
    assertThat(ran.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.out()).contains("a.pinwise.yaml:2:1: cannot be linted: ", "is not whole");
    assertThat(Run.of("lint").exit()).isEqualTo(ExitCode.USAGE);
    assertThat(Run.of("lint", "x", "--format", "sarfi").err()).contains("did you mean sarif?");
  }

  @Test
  void theSchemaOfPlansIsPrinted() {
    Run ran = Run.of("lint", "--plan-schema");
    assertThat(ran.exit()).isEqualTo(ExitCode.OK);
    assertThat(ran.out()).isEqualTo(JsonTree.schema("pinwise-plan-1")).contains("pinwise-plan/1");
    assertThat(Run.of("lint", "--plan-schema", CORPUS).exit()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aPlanServesCheckAndLint(@TempDir Path work) throws IOException {
    Run checked = Run.of("check", "--plan", CORPUS + "joined/pod/trainer.pinwise.yaml");
    assertThat(checked.err()).isEmpty();
    assertThat(checked.exit()).isEqualTo(ExitCode.OK);
    Files.writeString(work.resolve("host.yaml"), "host: {kernel: 6.12}\n");
    Path plan = work.resolve("a.pinwise.yaml");
    String text = "device: rxe\nhost: host.yaml\nplan: {regions: [{length: 1, access: 2}]}\n";
    Files.writeString(plan, text);
    assertThat(Run.of("check", "--plan", plan.toString()).out()).contains("MR001");
    assertThat(Run.of("lint", plan.toString()).out()).contains("MR001");
    Files.writeString(plan, "services: {a: {plan: {regions: 1}}}\n");
    assertThat(Run.of("check", "--plan", plan.toString()).err())
        .isEqualTo(
            plan
                + ":1:11: there are several programs here, and one is judged at a time; pinwise"
                + " lint judges them all, or move one to a file of its own\n");
  }

  @Test
  void whatATeamOrAProfileSaysIsSaidToBeTheirs(@TempDir Path work) throws IOException {
    String rules = work.resolve("rules.d").toString();
    Run.of("rules", "new", "ACME101", "regions-are-small", "--in", rules);
    Path plan = work.resolve("a.pinwise.yaml");
    Files.writeString(
        plan, "plan: {regions: [{length: 2GiB, access: [LOCAL_WRITE, REMOTE_WRITE, MW_BIND]}]}\n");
    assertThat(Run.of("lint", plan.toString(), "--rules", rules).out())
        .contains(": warning ACME101 (by a team's rule): 2GiB in one region");
    assertThat(Run.of("lint", plan.toString(), "--rules", rules, "--format=json").out())
        .containsPattern(
            "\"rule\" : \"ACME101\",\\s+\"severity\" : \"warning\",\\s+\"origin\" : \"team\"");
    assertThat(Run.of("lint", plan.toString(), "--rules", rules, "--format=sarif").out())
        .containsPattern("\"properties\" : \\{\\s+\"origin\" : \"team\"");
    assertThat(Run.of("lint", plan.toString(), "--rules", rules, "--format=github").out())
        .contains("title=ACME101 (by a team's rule)::");
    assertThat(Run.of("lint", plan.toString(), "--rules", rules, "--format=junit").out())
        .contains("warning ACME101 (by a team's rule) 2GiB");
    assertThat(Run.of("lint", CORPUS + "plans/mistakes.pinwise.json").out())
        .contains(": error MR001: access");
  }

  @Test
  void theBudgetSaysWhoSetsTheLimit() {
    Run ran = Run.of("lint", CORPUS + "joined", "--budget", "--fail-on=never");
    assertThat(ran.out())
        .containsPattern(
            "compose:store +1 +128MiB +64MiB +-64MiB +\\S+compose/compose.yaml:5:24, \\S+:3:5")
        .containsPattern("kubernetes:ml/trainer +65 +4098MiB +none: CAP_IPC_LOCK +- +\\S+:8:60")
        .contains("checkov.io/skip1: CKV_K8S_37=ibv_reg_mr locks 4098MiB of memory");
  }

  @Test
  void theBudgetNamesOnlyWhatLimitsIt(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("job.pinwise.yaml"),
        """
        schema: pinwise-plan/1
        workload: kubernetes:default/trainer
        plan:
          regions: [{length: 64MiB, access: [LOCAL_WRITE]}]
        """);
    Files.writeString(
        folder.resolve("pod.yaml"),
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: trainer, namespace: default}
        spec:
          containers:
            - name: trainer
              image: trainer
              securityContext: {runAsUser: 0, capabilities: {add: [IPC_LOCK]}}
              resources:
                limits: {rdma/hca: 1, hugepages-2Mi: 4Gi, memory: 4Gi}
        """);

    Run ran = Run.of("lint", folder.toString(), "--budget", "--fail-on=never");

    assertThat(ran.out()).containsPattern("none: CAP_IPC_LOCK +- +\\S+pod.yaml:8:\\d+\n");
  }
}

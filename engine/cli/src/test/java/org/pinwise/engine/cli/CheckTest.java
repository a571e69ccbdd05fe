package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.json.VerdictJson;

class CheckTest {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(VerdictJson.schema());

  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static String json(Run run) {
    assertThat(run.err()).isEmpty();
    assertThat(SCHEMA.validate(run.out(), InputFormat.JSON)).as(run.out()).isEmpty();
    return run.out().replaceAll("\\s+", "");
  }

  private static Run rxe(String access, String... more) {
    List<String> args =
        new java.util.ArrayList<>(
            List.of("check", "--device", "rxe", "--kernel", "6.12", "--length", "4KiB"));
    args.addAll(List.of("--access", access));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  @Test
  void aBatchIsJudgedLineByLine() {
    String[] check = {"check", "--batch", "--device", "rxe", "--kernel", "6.12"};
    String good = "{\"access\":\"LOCAL_WRITE\",\"length\":\"4KiB\"}\n";
    String wrong = "{\"access\":[\"REMOTE_WRITE\"],\"length\":4096}\n";

    Run run = Run.reading(good + wrong + "{]\n" + good, check);

    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isEqualTo(2);
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(2)).startsWith("{\"schema\":\"pinwise-error/1\",\"line\":3,");
    for (int judged : new int[] {0, 1, 3}) {
      assertThat(SCHEMA.validate(lines.get(judged), InputFormat.JSON)).isEmpty();
    }
    assertThat(lines.get(1)).contains("\"decision\":\"rejected\"");
    assertThat(Run.reading(good + wrong, check).exit()).isEqualTo(1);
    assertThat(Run.reading(good, check).exit()).isZero();
    assertThat(Run.reading("", check)).isEqualTo(new Run(0, "", ""));
  }

  @Test
  void aBatchTakesNoRequestOfTheCommandLine() {
    Run run = Run.reading("", "check", "--batch", "--access", "LOCAL_WRITE");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("--batch").contains("leave out what describes one");
  }

  @Test
  void rejectsRemoteWriteAloneAndCorrectsIt() {
    Run run = rxe("REMOTE_WRITE", "--format", "json");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(json(run))
        .contains("\"decision\":\"rejected\",\"errno\":[\"EINVAL\"]")
        .contains(
            "\"corrected\":{\"verb\":\"reg_mr\",\"access\":[\"LOCAL_WRITE\",\"REMOTE_WRITE\"]");
  }

  @Test
  void judgesWindowsWithTheirRegion() {
    String[] bind = {
      "check",
      "--verb",
      "bind_mw",
      "--device",
      "mlx5",
      "--kernel",
      "6.12",
      "--length",
      "4KiB",
      "--access",
      "REMOTE_WRITE|ZERO_BASED|LOCAL_WRITE"
    };
    Run alone = Run.of(bind);
    assertThat(alone.exit()).isEqualTo(1);
    assertThat(alone.out())
        .contains("undecided without --region-access:")
        .contains("\ncorrected --access 'REMOTE_WRITE' --length 4KiB --verb bind_mw\n");

    List<String> args = new java.util.ArrayList<>(List.of(bind));
    args.addAll(List.of("--region-access", "MW_BIND|REMOTE_READ"));
    Run run = Run.of(args.toArray(String[]::new));
    assertThat(run.out())
        .contains("warning MR023/bind: ", "its region [REMOTE_READ|MW_BIND], without LOCAL_WRITE")
        .contains("--verb bind_mw --region-access 'REMOTE_READ|MW_BIND'\n")
        .doesNotContain("undecided without --region-access");
    args.addAll(List.of("--format", "json"));
    Run json = Run.of(args.toArray(String[]::new));
    assertThat(SCHEMA.validate(json.out(), InputFormat.JSON)).isEmpty();
    assertThat(json(json)).contains("\"regionAccess\":[\"REMOTE_READ\",\"MW_BIND\"]");

    assertThat(rxe("REMOTE_WRITE", "--region-access", "MW_BIND").err())
        .startsWith("pinwise check: --region-access")
        .contains("--verb bind_mw");
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOCAL_WRITE|RELAXED_ORDERING", "REMOTE_READ", "0", "1"})
  void accepts(String access) {
    Run run = rxe(access, "--format", "json");

    assertThat(run.exit()).isZero();
    assertThat(json(run)).contains("\"decision\":\"accepted\",\"errno\":[]");
    assertThat(rxe(access).out()).startsWith("accepted\n");
  }

  @Test
  void saysToProgramsWhatDecidedEachRule() {
    assertThat(json(rxe("REMOTE_WRITE", "--format", "json", "--why")))
        .contains(
            """
            "why":[{"rule":"MR001","state":"reports","covered":true,"trusted":false,"reasons":[\
            """
                .strip())
        .contains(
            """
            {"condition":"request.accesshasnoAccessFlag.LOCAL_WRITE","values":{"request.access":"[REMOTE_WRITE]"}}]}\
            """
                .strip())
        .contains(
            """
            {"rule":"MR002","state":"silent","covered":true,"trusted":false,"reasons":[{"condition":"request.accesshasAccessFlag.REMOTE_ATOMIC","values":{"request.access":"[REMOTE_WRITE]"}}]}\
            """
                .strip());
    assertThat(json(rxe("REMOTE_WRITE", "--format", "json"))).endsWith(",\"why\":null}");
    assertThat(json(Run.of("check", "--access", "ON_DEMAND", "--why", "--format", "json")))
        .contains("\"state\":\"undecided\"")
        .contains("\"values\":{\"device.odp\":\"unknown\"}");
  }

  @Test
  void everyRegionOfAPlanIsJudged() throws IOException {
    Path plan =
        file(
            "plan.yaml",
            """
            device: mlx5
            host: {kernel: "6.12", pageSize: 4096, memlock: 8MiB, ipcLock: false, pinnedPages: 0}
            plan:
              devices: 2
              regions:
                - {name: ring, length: 1MiB, access: LOCAL_WRITE}
                - {name: pool, length: 4MiB, access: REMOTE_WRITE, count: 2}
            """);
    Run run = Run.of("check", "--plan", plan.toString());
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("ring:\n")
        .contains("MR048", "the plan pins 18MiB", "pool x 2:\n", "MR001");
    Run raised = Run.of("check", "--plan", plan.toString(), "--format", "json", "--kernel", "6.1");
    assertThat(raised.out().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"schema\""));
    Run one =
        Run.of("check", "--plan", plan.toString(), "--access", "LOCAL_WRITE", "--length", "4KiB");
    assertThat(one.out()).startsWith("rejected").contains("MR048").doesNotContain("ring:");
    Run none = Run.of("check", "--plan", file("no.yaml", "host: {}").toString());
    assertThat(none.exit()).isEqualTo(2);
    assertThat(none.err()).contains("has no plan");
  }

  @Test
  void onDemandWithoutDeviceIsUndecided() {
    Run usual = Run.of("check", "--access", "ON_DEMAND", "--format", "json");
    Run decided = Run.of("check", "--access", "ON_DEMAND", "--require-decided");

    assertThat(usual.exit()).isZero();
    assertThat(json(usual)).contains("\"decision\":\"undecided\"").contains("\"device.odp\"");
    assertThat(decided.exit()).isEqualTo(3);
    assertThat(decided.out()).startsWith("undecided: ").contains("undecided without --device");
  }

  @ParameterizedTest
  @CsvSource({
    "local_write,LOCAL_WRITE",
    "IBV_ACCESS_LOCAL_WRITE,LOCAL_WRITE",
    "'LOCAL_WRITE,REMOTE_READ','LOCAL_WRITE\",\"REMOTE_READ'",
    "'LOCAL_WRITE | REMOTE_READ','LOCAL_WRITE\",\"REMOTE_READ'",
    "0x5,'LOCAL_WRITE\",\"REMOTE_READ'",
    "5,'LOCAL_WRITE\",\"REMOTE_READ'",
  })
  void takesAccessAsPeopleWriteIt(String written, String understood) {
    assertThat(json(rxe(written, "--format", "json")))
        .contains("\"access\":[\"" + understood + "\"]");
  }

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "1B,1",
    "4KiB,4096",
    "64MiB,67108864",
    "1GiB,1073741824",
    "2TiB,2199023255552",
    "0x1000,4096",
    "9223372036854775808,9223372036854775808",
    "18446744073709551615,18446744073709551615",
    "0xffffffffffffffff,18446744073709551615"
  })
  void lengthThatIsValidGetsVerdict(String written, String understood) {
    Run run =
        Run.of(
            "check",
            "--device",
            "rxe",
            "--kernel",
            "6.12",
            "--access",
            "LOCAL_WRITE",
            "--length",
            written,
            "--format",
            "json");

    assertThat(run.exit()).isIn(0, 1);
    assertThat(json(run)).contains("\"length\":\"" + understood + "\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "9223372036854775808", "18446744073709551615"})
  void lengthThatCannotWorkIsRejected(String length) {
    Run run =
        Run.of(
            "check",
            "--device",
            "rxe",
            "--kernel",
            "6.12",
            "--access",
            "LOCAL_WRITE",
            "--length",
            length);

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out()).startsWith("rejected: EINVAL");
  }

  @Test
  void iovaMeansTheVerbThatTakesOne() {
    assertThat(json(rxe("LOCAL_WRITE", "--iova", "0x2000", "--format", "json")))
        .contains("\"verb\":\"reg_mr_iova\"")
        .contains("\"iova\":\"0x2000\"");
  }

  @Test
  void kernelGoesBeforeThatOfTheHost() throws IOException {
    Path host = file("host.yaml", "host: {kernel: \"6.12\", stack: inbox}\n");
    String[] args = {"check", "--device", "rxe", "--access", "ON_DEMAND", "--length", "1"};
    String[] old = concat(args, "--host", host.toString(), "--kernel", "6.1");

    assertThat(Run.of(concat(args, "--host", host.toString())).out())
        .startsWith("rejected: EOPNOTSUPP");
    assertThat(Run.of(old).out()).startsWith("rejected: EINVAL");
  }

  private static String[] concat(String[] args, String... more) {
    List<String> all = new java.util.ArrayList<>(List.of(args));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void readsThisHost() {
    Run run = Run.of("check", "--host", "live", "--access", "LOCAL_WRITE", "--format", "json");

    assertThat(json(run)).doesNotContain("\"limits\"");
  }

  @Test
  void memoryThatIsGivenIsNotAssumed() {
    Run run = rxe("LOCAL_WRITE", "--memory", "kind=anonymous,mapped=true,protection=r");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out()).startsWith("rejected: EFAULT").doesNotContain("assumed   the memory");
  }

  @Test
  void assumesNothingWhereAskedTo() {
    assertThat(json(rxe("LOCAL_WRITE", "--assume", "none", "--format", "json")))
        .contains("\"assumed\":[]")
        .contains("\"decision\":\"undecided\"");
  }

  @Test
  void profileMakesErrorsThatHaveNoErrno() {
    Run strict = rxe("MW_BIND", "--profile", "strict");

    assertThat(rxe("MW_BIND").exit()).isZero();
    assertThat(strict.exit()).isEqualTo(1);
    assertThat(strict.out()).startsWith("rejected: by the profile\nerror MR023 (by the profile): ");
    assertThat(json(rxe("MW_BIND", "--profile", "strict", "--format", "json")))
        .contains("\"errno\":[],\"findings\":[{\"rule\":\"MR023\"")
        .contains("\"origin\":\"profile\"");
  }

  @Test
  void profileFileSwitchesOffWithReason() throws IOException {
    Path profile = file("house.yaml", "profile: house\nrules:\n  MR001: {off: our reason}\n");
    Run run = rxe("REMOTE_WRITE", "--profile", profile.toString());

    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("disabled  MR001: our reason");
  }

  @Test
  void judgesByRulesOfTeam() throws IOException {
    file(
        "rules.d/ACME001-no-remote-read/rule.drl",
        """
        package acme;
        import org.pinwise.rules.model.AccessFlag;
        import org.pinwise.rules.model.MrRequest;
        global org.pinwise.rules.spi.Findings findings;

        rule "ACME001"
          @severity(ERROR) @since(0.1) @spec("our handbook")
          @summary("Nobody reads our memory")
          @remediation("Drop REMOTE_READ.")
        when
          $r : MrRequest( access contains AccessFlag.REMOTE_READ )
        then
          findings.report("ACME001", $r, "access {access} has REMOTE_READ");
        end
        """);
    Run run = rxe("REMOTE_READ", "--rules", folder.resolve("rules.d").toString());

    assertThat(run.exit()).as(run.err()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("rejected: by a team's rule\nerror ACME001 (by a team's rule): access");
  }

  @Test
  void saysWhereDeviceFactsComeFrom() {
    assertThat(rxe("LOCAL_WRITE").out())
        .contains("note      device facts from the catalogue: ")
        .contains("kernel 6.12");
  }

  @Test
  void coloursOnlyWhereAskedTo() {
    String[] args = {"check", "--access", "REMOTE_WRITE", "--length", "1"};

    assertThat(Run.of(args).out()).doesNotContain("\u001b");
    assertThat(Run.with(List.of(), true, args).out()).startsWith("\u001b[1;31mrejected\u001b[0m: ");
  }
}

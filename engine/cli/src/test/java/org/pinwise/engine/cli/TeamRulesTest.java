package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TeamRulesTest {
  private static final String HEALTHY = "device: rxe\nhost: {kernel: '6.12', stack: inbox}\n";

  @TempDir Path folder;

  private String rules() {
    return folder.resolve("rules.d").toString();
  }

  private Path room() {
    Run run = Run.of("rules", "new", "ACME101", "regions-are-small", "--in", rules());
    assertThat(run.exit()).as(run.err()).isZero();
    return folder.resolve("rules.d/ACME101-regions-are-small");
  }

  private static void replace(Path file, String what, String by) throws IOException {
    String text = Files.readString(file);
    assertThat(text).contains(what);
    Files.writeString(file, text.replace(what, by));
  }

  @Test
  void aNewRoomHoldsAsItIs() {
    Path room = room();

    assertThat(room.resolveSibling("pack.yaml")).content().startsWith("name: rules.d\n");
    Run run = Run.of("rules", "test", rules());
    assertThat(run.exit()).as(run.out() + run.err()).isZero();
    assertThat(run.out())
        .isEqualTo("ok    ACME101-regions-are-small\n1 room, 1 rule, 2 examples: all hold\n");
  }

  @Test
  void theNewRuleJudges() {
    room();

    Run run = Run.of("check", "--length", "2GiB", "--access", "LOCAL_WRITE", "--rules", rules());

    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .contains("warning ACME101 (by a team's rule): 2GiB in one region is more than 1GiB");
  }

  @Test
  void aSecondRoomJoinsThePack() {
    Path room = room();
    assertThat(Run.of("rules", "new", "ACME102", "other", "--in", rules()).exit()).isZero();
    assertThat(room.resolveSibling("ACME102-other")).isDirectory();

    for (String name : new String[] {"regions-are-small", "other"}) {
      Run again = Run.of("rules", "new", "ACME101", name, "--in", rules());
      assertThat(again.exit()).isEqualTo(2);
      assertThat(again.err()).isEqualTo(room + ": has the id ACME101 already; take another\n");
    }
    assertThat(room.resolveSibling("ACME101-other")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({
    "MR101, x, take a prefix of the team's",
    "acme, x, acme is no rule id",
    "ACME1, x, ACME1 is no rule id",
    "ACME101, Large, Large is no room's name",
    "ACME101, a--b, a--b is no room's name",
    "ACME101, ../x, ../x is no room's name",
  })
  void idsAndNamesThatCannotBe(String id, String name, String said) {
    Run run = Run.of("rules", "new", id, name, "--in", rules());

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains(said);
    assertThat(folder.resolve("rules.d")).doesNotExist();
  }

  @Test
  void whatIsMissingOrDoesNotHoldIsNamed() throws IOException {
    Path room = room();
    Files.delete(room.resolve("rule.md"));
    Files.delete(room.resolve("accept-one-gibibyte.yaml"));
    Files.delete(room.resolveSibling("pack.yaml"));
    replace(room.resolve("reject-two-gibibytes.yaml"), "2GiB", "1GiB");

    Run run = Run.of("rules", "test", rules());

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out())
        .contains("FAIL  ACME101-regions-are-small")
        .contains("pack.yaml: the manifest is missing; add name: .. and version: ..")
        .contains("rule.md: [ACME101] the room has no prose")
        .contains("the room has no accept-*.yaml")
        .contains("reports {}, and marks {ACME101=warning}")
        .endsWith("1 room, 1 rule, 1 example: 4 problems\n");
  }

  @Test
  void rulesThatCannotBeReadNameAllTheirPlaces() throws IOException {
    Path room = room();
    replace(room.resolve("rule.drl"), "length >", "lenght >");
    Files.move(room.resolveSibling("pack.yaml"), folder.resolve("kept.yaml"));
    Path stray = Files.createDirectories(folder.resolve("rules.d/acme-102"));
    Files.writeString(stray.resolve("rule.drl"), "");

    for (String command : new String[] {"test", "impact"}) {
      Run run = Run.of("rules", command, rules());
      assertThat(run.exit()).isEqualTo(2);
      assertThat(run.err())
          .contains("rule.drl:15:60: [ACME101] MrRequest has no field lenght, did you mean length?")
          .contains(stray + ": the folder's name is no room's");
    }
    assertThat(Run.of("rules", "test", folder.toString()).err()).contains("holds no rule");
    assertThat(Run.of("rules", "test", folder + "/gone").err())
        .endsWith("gone: there is no such directory of rules\n");
  }

  @Test
  void filesThatAreNoneAreRefusedAndNotRead() throws Exception {
    Path room = room();
    Path file = room.resolve("accept-more.yaml");

    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    refused(file + ": is a pipe or a device; save what it gives to a file and name that");
    Files.delete(file);
    Files.write(file, new byte[] {(byte) 0xff});
    refused(file + ": is not UTF-8 text");
    Files.write(file, new byte[10_000_000]);
    refused(file + ": has 10000000 bytes, more than 1048576");
    Files.delete(file);
    Files.createDirectory(file);
    refused(file + ": is a directory; name a file");
  }

  /** What rules and examples say is shown, so a link would show a file of who runs them. */
  @Test
  void linksThatLeadOutOfAPackAreRefused() throws IOException {
    Path room = room();
    Path secret = Files.writeString(folder.resolve("secret"), "register: {length: 1}\n");
    Path out = Files.createDirectories(folder.resolve("out"));
    String toSecret = ": is a link that leads out of " + rules() + ", to " + secret.toRealPath();

    Path file = room.resolve("accept-more.yaml");
    Files.createSymbolicLink(file, Path.of("../../secret"));
    refused(file + toSecret + "; a pack holds its own files");
    Files.delete(file);
    Path manifest = room.resolveSibling("pack.yaml");
    Files.move(manifest, folder.resolve("kept.yaml"));
    Files.createSymbolicLink(manifest, secret);
    refused(manifest + toSecret + "; a pack holds its own files");
    Files.delete(manifest);
    Path other = room.resolveSibling("ACME102-other");
    Files.createSymbolicLink(other, out);
    assertThat(Run.of("rules", "test", rules()).err())
        .startsWith(other + ": is a link that leads out of " + rules());
    Files.delete(other);
    Files.createSymbolicLink(file, Path.of("accept-more.yaml"));
    assertThat(Run.of("rules", "test", rules()).err())
        .startsWith(file + ": is a link that cannot be followed");
  }

  /** As Kubernetes mounts a map: all in a folder of the pack's own, behind links. */
  @Test
  void linksWithinAPackAreFollowed() throws IOException {
    Path room = room();
    Path data = Files.createDirectories(folder.resolve("rules.d/..data"));
    for (Path moved : new Path[] {room, room.resolveSibling("pack.yaml")}) {
      Path to = data.resolve(moved.getFileName());
      Files.move(moved, to);
      Files.createSymbolicLink(moved, Path.of("..data").resolve(moved.getFileName()));
    }
    Path mount = Files.createSymbolicLink(folder.resolve("mount"), folder.resolve("rules.d"));

    Run run = Run.of("rules", "test", mount.toString());

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).endsWith("1 room, 1 rule, 2 examples: all hold\n");
  }

  @Test
  void aRuleThatOnlyLacksFactsIsNotSilent() throws IOException {
    Path room = room();
    replace(
        room.resolve("rule.drl"),
        "model.Size;",
        "model.Size;\nimport org.pinwise.rules.model.Labels;");
    replace(room.resolve("rule.drl"), "$r :", "Labels( team == \"storage\" )\n  $r :");

    assertThat(Run.of("rules", "test", rules()).out())
        .contains(
            "reports {}, and marks {ACME101=warning}; ACME101 is undecided without [labels.team]");
  }

  private void refused(String message) {
    Run run = Run.of("check", "--length", "1", "--rules", rules());
    assertThat(run.err()).isEqualTo(message + "\n");
    assertThat(run.exit()).isEqualTo(2);
  }

  @Test
  void impactShowsWhatWouldChange() throws IOException {
    Path room = room();
    Path requests = Files.createDirectories(folder.resolve("requests"));
    Files.writeString(
        requests.resolve("big.yaml"),
        "register: {length: 3GiB, access: [LOCAL_WRITE]}\n" + HEALTHY);
    Files.writeString(
        requests.resolve("small.yaml"),
        "register: {length: 3KiB, access: [LOCAL_WRITE]}\n" + HEALTHY);

    Run advice = Run.of("rules", "impact", rules(), "--requests", requests.toString());
    assertThat(advice.exit()).as(advice.err()).isZero();
    assertThat(advice.out())
        .contains("--requests " + requests)
        .contains("1 of 2 stay accepted, now with ACME101")
        .contains("such as " + requests.resolve("big.yaml"))
        .contains("flag sets on connectx5, kernel 6.12")
        .containsPattern("\\d+ requests judged: \\d+ verdicts change, 0 are refused that were not");

    replace(room.resolve("rule.drl"), "@severity(WARNING)", "@severity(ERROR)");
    Run refuses = Run.of("rules", "impact", rules(), "--requests", requests.toString());
    assertThat(refuses.exit()).isEqualTo(1);
    assertThat(refuses.out()).contains("1 of 2 accepted -> rejected, now with ACME101");

    Run none = Run.of("rules", "impact", rules(), "--requests", room.toString() + "/rule.md");
    assertThat(none.exit()).isEqualTo(2);
    assertThat(none.err()).contains("rule.md:");
  }

  @Test
  void labelsAreGivenByAnOption() throws IOException {
    Path rule = room().resolve("rule.drl");
    replace(
        rule,
        "import org.pinwise.rules.model.Size;",
        "import org.pinwise.rules.model.Labels;\nimport org.pinwise.rules.model.Size;");
    replace(rule, "length > Size.GIB )", "length > Size.GIB )\n  Labels( team != \"storage\" )");
    replace(rule, "@severity(WARNING)", "@severity(ERROR)");

    Run open = Run.of("check", "--length", "2GiB", "--access", "0", "--rules", rules());
    assertThat(open.out()).contains("undecided without --labels:");
    Run web = Run.of("check", "--length", "2GiB", "--rules", rules(), "--labels", "team=web");
    assertThat(web.out()).contains("error ACME101");
    assertThat(web.exit()).isEqualTo(1);
    Run storage =
        Run.of("check", "--length", "2GiB", "--rules", rules(), "--labels", "team=storage");
    assertThat(storage.out()).doesNotContain("ACME101");
    assertThat(Run.of("check", "--length", "1", "--labels", "team").err())
        .contains("--labels: takes labels such as team=storage,tier=prod, not team");
    assertThat(Run.of("check", "--length", "1", "--labels", "a=1,a=2").err())
        .contains("--labels: label a is given twice");
  }

  @Test
  void whySaysWhichConditionDecidedEachRule() {
    Run run = Run.of("check", "--access", "REMOTE_WRITE", "--length", "4KiB", "--why");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out())
        .contains("\nwhy\n  MR001  reports, for all of this holds\n")
        .contains(
            "    request.access has no AccessFlag.LOCAL_WRITE  (request.access = [REMOTE_WRITE])\n")
        .contains(
            "  MR002  silent, for this does not hold\n"
                + "    request.access has AccessFlag.REMOTE_ATOMIC");
  }
}

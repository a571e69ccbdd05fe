package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong input: one line that says what is wrong, exit 2, nothing on standard output. */
class BadInputTest {
  @TempDir Path folder;

  private static String refused(String... args) {
    Run run = Run.of(args);
    assertThat(run.exit()).as(run.out() + run.err()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).endsWith(System.lineSeparator()).doesNotContain("\tat ", "Exception");
    String line = run.err().strip();
    assertThat(line).hasLineCount(1);
    return line;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--access;LOCAL_WRIT;LOCAL_WRIT is no access flag, did you mean LOCAL_WRITE?",
        "--access;IBV_ACCESS_REMOTE_REED;did you mean REMOTE_READ",
        "--access;LOCAL_WRITE|;a flag is missing beside a separator",
        "--access;LOCAL_WRITE REMOTE_READ;separate flags by | or ,",
        "--access;0x1ffffffff;more than the 32 bits",
        "--access;'';empty",
        "--length;-1;is negative; a number here is 0 to 2^64-1",
        "--length;18446744073709551616;is beyond 2^64-1",
        "--length;16777216TiB;is beyond 2^64-1",
        "--length;4kb;units are B, KiB, MiB, GiB, TiB",
        "--length;12x34;is no number",
        "--length;1.5GiB;is no number",
        "--length;0x;is no number",
        "--length;'';the value is empty",
        "--address;0x1ffffffffffffffff;is beyond 2^64-1",
        "--iova;here;is no number",
        "--verb;reg_mrr;reg_mrr is none of reg_mr, reg_mr_iova, reg_dmabuf_mr, reg_dm_mr, bind_mw,"
            + " did you mean reg_mr",
        "--use;reading;reading is none of",
        "--kernel;six;six is no kernel version; write it as 6.12",
        "--kernel;6.12and;6.12and is no kernel version",
        "--kernel;0.1;0.1 is no kernel version",
        "--profile;'';--profile: the value is empty",
        "--rules;' ';--rules: the value is empty",
        "--profile;strikt;there is no profile strikt, did you mean strict?",
        "--format;yaml;yaml is none of text, json",
        "--assume;all;takes only none, not all",
        "--memory;colour=red;memory has no field colour",
        "--memory;protection;write it as kind=anonymous",
        "--device;conectx5;did you mean connectx5",
        "--device;'';empty",
        "--device;live:mlx5_0;--device: ",
        "--host;'';the value is empty",
      })
  void valueThatCannotBeUnderstood(String option, String value, String message) {
    assertThat(refused("check", option, value))
        .startsWith("pinwise check: " + option + ": ")
        .contains(message);
  }

  @Test
  void iovaForVerbThatTakesNone() {
    assertThat(refused("check", "--verb", "reg_mr", "--iova", "0x1000"))
        .startsWith("pinwise check: --iova: ibv_reg_mr takes none");
  }

  @Test
  void unknownWords() {
    assertThat(refused("chek"))
        .isEqualTo("pinwise: there is no command chek, did you mean check? See 'pinwise --help'.");
    assertThat(refused("check", "--acess", "1"))
        .isEqualTo(
            "pinwise check: there is no option --acess, did you mean --access? See 'pinwise check"
                + " --help'.");
    assertThat(refused("check", "LOCAL_WRITE"))
        .isEqualTo(
            "pinwise check: LOCAL_WRITE is one argument too many. See 'pinwise check --help'.");
    assertThat(refused("check", "--access")).startsWith("pinwise check: ").contains("--access");
    assertThat(refused("check", "--length", "1", "--length", "2")).contains("--length");
    assertThat(refused("rules", "sow")).contains("there is no command sow, did you mean show");
    assertThat(refused("rules", "show", "MR01")).contains("did you mean MR001");
    assertThat(refused("rules")).contains("list");
    assertThat(refused("explain", "ENOMEN")).contains("did you mean ENOMEM");
    assertThat(refused("explain", "device.opd")).contains("did you mean device.odp");
    assertThat(refused("explain")).contains("ID|ERRNO|FACT");
    assertThat(refused()).contains("See 'pinwise --help'");
  }

  @Test
  void fileIsNamedWithItsPlace() throws IOException {
    Path facts = Files.writeString(folder.resolve("facts.yaml"), "host:\n  kernal: 6.12\n");
    Path broken = Files.writeString(folder.resolve("broken.yaml"), "host: [1\n");
    Path other = Files.writeString(folder.resolve("other.yaml"), "memory: {kind: anonymous}\n");
    Path device = Files.write(folder.resolve("device.txt"), new byte[] {(byte) 0xff, 0, 1});

    assertThat(refused("check", "--host", facts.toString()))
        .startsWith(facts + ":2:")
        .contains("did you mean kernel");
    assertThat(refused("check", "--host", broken.toString())).startsWith(broken + ":");
    assertThat(refused("check", "--host", other.toString()))
        .startsWith(other + ": says nothing of a host");
    assertThat(refused("check", "--device", device.toString())).startsWith(device + ": ");
    assertThat(refused("check", "--device", folder.toString())).startsWith(folder + ": ");
    assertThat(refused("check", "--host", folder.resolve("gone.yaml").toString()))
        .endsWith("gone.yaml: there is no such file");
    assertThat(refused("check", "--rules", folder.resolve("gone").toString()))
        .endsWith("gone: there is no such directory of rules");
    assertThat(Run.of("check", "--length", "1", "--rules", "/dev/zero").err())
        .isEqualTo("/dev/zero: is neither a directory of rules nor a jar\n");
    assertThat(refused("check", "--rules", folder.toString()))
        .startsWith(folder + ": holds no rule; a rule is a folder such as");
    assertThat(refused("check", "--profile", folder.resolve("gone.yaml").toString()))
        .endsWith("gone.yaml: there is no such file");
  }

  @Test
  void allProblemsOfRulesAreNamedAtOnce() throws IOException {
    Path room = Files.createDirectories(folder.resolve("ACME001-broken"));
    Files.writeString(room.resolve("rule.drl"), "package acme;\nrule \"ACME001\"\nwhen\n");
    Path second = Files.createDirectories(folder.resolve("ACME002-empty"));

    Run run = Run.of("check", "--rules", folder.toString());

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines())
        .anyMatch(line -> line.matches(".*ACME001-broken/rule\\.drl:\\d+:\\d+: .*"))
        .contains(second + ": [ACME002] the room has no rule.drl")
        .noneMatch(line -> line.contains("Exception"));
  }

  @Test
  void profileThatNamesNoRule() throws IOException {
    Path profile =
        Files.writeString(folder.resolve("p.yaml"), "profile: p\nrules:\n  MR01: {off: why}\n");

    assertThat(refused("check", "--profile", profile.toString()))
        .startsWith(profile + ":3:")
        .contains("names a rule that there is not, did you mean MR001");
  }

  @Test
  void controlCharactersDoNotReachTheTerminal() {
    assertThat(refused("check", "--kernel", "6\u001b[31m\n.12\u202e"))
        .contains("6?[31m .12? is no kernel version");
  }

  @Test
  void commandsOfTheRegistrarSayWhatTheyNeed() {
    for (String command : MissingCommand.NAMES) {
      Run run = Run.with(java.util.List.of(), false, command, "--device", "connectx5", "x");
      assertThat(run.exit()).isEqualTo(2);
      assertThat(run.err())
          .startsWith("pinwise " + command + ": needs Java 25 and the registrar module; this is");
    }
  }

  @Test
  void quotesLongArgumentsInPart() {
    String longWord = "x".repeat(1 << 20);
    for (String option :
        new String[] {
          "--access",
          "--kernel",
          "--profile",
          "--format",
          "--assume",
          "--device",
          "--rules",
          "--memory",
          "--use",
          "--verb",
          "--length",
          "--host",
          "--labels"
        }) {
      assertThat(refused("check", option, longWord)).as(option).hasSizeLessThan(2000);
    }
    assertThat(refused("check", "--" + longWord)).hasSizeLessThan(2000);
    assertThat(refused("check", longWord)).hasSizeLessThan(2000);
    assertThat(refused("explain", longWord)).hasSizeLessThan(2000).contains("x..");
    assertThat(refused("check", "--access", "a b ".repeat(100_000))).hasSizeLessThan(2000);
  }
}

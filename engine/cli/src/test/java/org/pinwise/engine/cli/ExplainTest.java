package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.advice.Topics;

class ExplainTest {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  @TempDir Path folder;

  private String host() throws Exception {
    return Files.writeString(
            folder.resolve("host.yaml"),
            "host: {kernel: \"6.12\", pageSize: 4096, memlock: 64KiB, ipcLock: false,"
                + " pinnedPages: 0}\n")
        .toString();
  }

  @Test
  void ranksTheCausesOfAnErrno() throws Exception {
    Run run = Run.of("explain", "ENOMEM", "--device", "connectx5", "--host", host());

    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .startsWith("ENOMEM  12, Cannot allocate memory\n")
        .contains("1. likely memlock: RLIMIT_MEMLOCK does not allow so many pages more\n")
        .contains("   because host.ipcLock is false, host.memlock is 64KiB")
        .contains("   confirm grep -E 'Max locked|VmPin'")
        .contains("\nruled out mtt: device.driver is mlx5\n");
  }

  @Test
  void aRequestMakesItCertain() throws Exception {
    Run run =
        Run.of(
            "explain",
            "12",
            "--device",
            "connectx5",
            "--host",
            host(),
            "--length",
            "1MiB",
            "--access",
            "LOCAL_WRITE",
            "--address",
            "0x7f0000000000");

    assertThat(run.out()).contains("1. certain MR013: 1MiB take more whole pages than");
  }

  @Test
  void jsonFollowsItsSchema() throws Exception {
    Run known =
        Run.of("explain", "EFAULT", "--device", "qedr", "--host", host(), "--format", "json");
    Run unknown = Run.of("explain", "EIO", "--format", "json");

    Schemas.assertFits("pinwise-diagnosis-1", known.out());
    Schemas.assertFits("pinwise-diagnosis-1", unknown.out());
    assertThat(known.out()).contains("qedr answers EFAULT", "\"id\": \"memlock\"");
  }

  /** That no check is known that gives it is an answer; nothing is made up. */
  @ParameterizedTest
  @ValueSource(strings = {"34", "ERANGE", "E2BIG"})
  void anErrnoThatNoCheckGivesIsSaidToBeNone(String errno) {
    Run run = Run.of("explain", errno);
    assertThat(run.exit()).isZero();
    assertThat(run.out()).startsWith(errno + " is given by no check that Pinwise knows");

    assertThat(Run.of("explain", errno, "--device", "rxe").err())
        .startsWith("pinwise explain: " + errno + " is given by no check that Pinwise knows");
  }

  @ParameterizedTest
  @ValueSource(strings = {"EINVL", "0", "-34", "E810", "MR999"})
  void whatIsNoErrnoIsNotTakenForOne(String subject) {
    assertThat(Run.of("explain", subject).err())
        .startsWith("pinwise explain: there is no rule, errno, fact or topic " + subject);
  }

  @Test
  void anErrnoOfTwoNamesHasBoth() {
    assertThat(Run.of("explain", "enotsup").out())
        .isEqualTo(Run.of("explain", "EOPNOTSUPP").out())
        .startsWith("EOPNOTSUPP  95");
  }

  @Test
  void aRuleThatReadsTheKernelDoesNotDenyIt() {
    assertThat(Run.of("explain", "MR050").out())
        .contains("verified  on no kernel; its conditions alone decide");
    assertThat(Run.of("explain", "MR034").out())
        .contains("verified  does not depend on the kernel");
  }

  @Test
  void thisHostIsTakenForAProcess() {
    Run run = Run.of("explain", "ENOMEM", "--pid", String.valueOf(ProcessHandle.current().pid()));

    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("note: the host is this one, its process ").contains("memlock");
  }

  @Test
  void showsTopicsInAnyCaseAndFindsThoseThatWereMeant() {
    for (String topic : Topics.names()) {
      Run run = Run.of("explain", topic);
      assertThat(run.exit()).as(topic).isZero();
      assertThat(run.out()).isEqualTo(Topics.text(topic).orElseThrow());
    }
    assertThat(Run.of("explain", "Relaxed_Ordering").out()).startsWith("relaxed-ordering: ");
    assertThat(Run.of("explain", "memloc").err()).contains("did you mean memlock?");
    assertThat(Run.of("explain", "zerobased").err()).contains("zero-based");
    assertThat(Run.of("explain", "memlock", "--device", "rxe").err())
        .contains("facts and --format json go with an errno");
  }

  /** A topic's own commands are right: they neither fail nor name an option that there is not. */
  @Test
  void commandsInTopicsRun() {
    List<String> run = new ArrayList<>();
    for (String topic : Topics.names()) {
      for (String line : Topics.text(topic).orElseThrow().lines().toList()) {
        Matcher command = Pattern.compile("^  pinwise (check [^|#]*|explain \\S+)$").matcher(line);
        if (command.matches() && !line.contains("live:")) {
          List<String> words = new ArrayList<>();
          Matcher word = WORD.matcher(command.group(1).replace("--device DEV", "--device rxe"));
          while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
          }
          Run result = Run.of(words.toArray(String[]::new));
          assertThat(result.exit()).as(line + "\n" + result.err()).isIn(0, 1);
          run.add(line);
        }
      }
    }
    assertThat(run).hasSizeGreaterThanOrEqualTo(4);
  }
}

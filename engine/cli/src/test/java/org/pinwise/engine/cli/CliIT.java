package org.pinwise.engine.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code pinwise} as a process of its own, from an empty folder. */
class CliIT {
  private static final List<String> REJECTED =
      List.of(
          "check",
          "--device",
          "rxe",
          "--kernel",
          "6.12",
          "--access",
          "REMOTE_WRITE",
          "--length",
          "4KiB",
          "--format",
          "json");

  @TempDir Path folder;

  private static List<String> java() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        "org.pinwise.engine.cli.Main");
  }

  private Run run(Map<String, String> environment, List<String> program, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(args));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(Files.createDirectories(folder.resolve("empty")).toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " did not end");
    }
    return new Run(process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }

  /** Runs a shell that runs {@code pinwise} by the word {@code "$@"}. */
  private Run shell(String script, String... args) throws IOException, InterruptedException {
    List<String> program = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    program.addAll(java());
    return run(Map.of(), program, args);
  }

  @Test
  void writesJsonAndNoColourToFile() throws Exception {
    Run run = run(Map.of(), java(), REJECTED.toArray(String[]::new));

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith("{")
        .endsWith("}\n")
        .contains("\"errno\": [ \"EINVAL\" ]")
        .doesNotContain("\u001b");
    assertThat(folder.resolve("empty")).isEmptyDirectory();
  }

  @Test
  void saysWhatIsWrongAndNoMore() throws Exception {
    Run run = run(Map.of("LC_ALL", "C"), java(), "check", "--access", "LOCAL_WRIT");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "pinwise check: --access: LOCAL_WRIT is no access flag, did you mean LOCAL_WRITE?\n");
  }

  @Test
  void readerThatHasSeenEnoughIsNoError() throws Exception {
    Run run = shell("\"$@\" | head -n 1", "explain", "MR016");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).hasLineCount(1);
    assertThat(run.err()).isEmpty();
  }

  @Test
  void outputThatCannotBeWrittenIsAnError() throws Exception {
    assumeThat(Path.of("/dev/full")).as("a device that is always full").exists();

    Run run = shell("\"$@\" > /dev/full", "check", "--access", "0");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).startsWith("pinwise: the output cannot be written: ").hasLineCount(1);
  }

  @Test
  void launcherGivesTheSame() throws Exception {
    Path checkout = Path.of("../..").toAbsolutePath().normalize();
    Path launcher = checkout.resolve("registrar/bin/pinwise");
    Path lib = checkout.resolve("registrar/target/pinwise/lib");
    for (String module : List.of("rules", "engine", "engine/cli")) {
      assumeThat(isLaidOut(checkout.resolve(module).resolve("target"), lib))
          .as("a distribution of these sources, which the registrar's build lays out")
          .isTrue();
    }

    Run run = run(Map.of(), List.of(launcher.toString()), REJECTED.toArray(String[]::new));

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out()).contains("\"errno\": [ \"EINVAL\" ]");
  }

  private static boolean isLaidOut(Path target, Path lib) throws IOException {
    if (!Files.isDirectory(target) || !Files.isDirectory(lib)) {
      return false;
    }
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "pinwise-*.jar")) {
      for (Path jar : jars) {
        Path laidOut = lib.resolve(jar.getFileName());
        if (!Files.exists(laidOut) || Files.mismatch(jar, laidOut) >= 0) {
          return false;
        }
      }
    }
    return true;
  }
}

package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles the C sources of the tests; where no compiler is, the test is skipped and says so. */
final class NativeBuild {

  private static final Path SOURCES = Path.of("src", "test", "native");
  private static final Path OUTPUT = Path.of("target", "test-native");

  private NativeBuild() {}

  /** Skips the test unless a C compiler is there. */
  static void assumeCompiler() {
    assumeTrue(runs("cc", "--version"), "skipped: no C compiler (cc) on this machine");
  }

  /** Skips the test unless {@code infiniband/verbs.h} is there too. */
  static void assumeVerbsHeader() {
    assumeCompiler();
    assumeTrue(
        runs("cc", "-E", "-x", "c", "-include", "infiniband/verbs.h", "/dev/null"),
        "skipped: no infiniband/verbs.h on this machine (Debian: libibverbs-dev)");
  }

  /** Compiles a source to a shared library. */
  static Path library(String source, String name, String... options) {
    return compile(source, name, append(List.of("-shared", "-fPIC"), options));
  }

  /** Compiles a source to a program, runs it, and returns the lines that it prints. */
  static List<String> run(String source, String name) {
    Path program = compile(source, name, List.of());
    return output(program.toAbsolutePath().toString());
  }

  private static Path compile(String source, String name, List<String> options) {
    Path output = OUTPUT.resolve(name).toAbsolutePath();
    List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-Wall", "-Wextra"));
    command.add("-Werror");
    command.addAll(options);
    command.addAll(List.of("-o", output.toString(), SOURCES.resolve(source).toString()));
    try {
      Files.createDirectories(OUTPUT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    output(command.toArray(String[]::new));
    return output;
  }

  private static List<String> append(List<String> list, String... more) {
    List<String> result = new ArrayList<>(list);
    result.addAll(List.of(more));
    return result;
  }

  private static boolean runs(String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> output(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as("%s%n%s", String.join(" ", command), output).isZero();
      return output.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team ships its rules as a jar: named by an option, or put on the class path. */
class ClassPathIT {
  @TempDir Path folder;

  private Path jar() throws IOException {
    Path rules = folder.resolve("rules.d");
    Run made = Run.of("rules", "new", "ACME101", "regions-are-small", "--in", rules.toString());
    assertThat(made.exit()).as(made.err()).isZero();
    Path jar = folder.resolve("acme-rules.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> files = Files.walk(rules)) {
      for (Path path : files.filter(Files::isRegularFile).toList()) {
        String name = rules.relativize(path).toString().replace(File.separatorChar, '/');
        out.putNextEntry(new JarEntry("META-INF/pinwise/rules/" + name));
        out.write(Files.readAllBytes(path));
        out.closeEntry();
      }
    }
    return jar;
  }

  @Test
  void anOptionNamesTheJar() throws IOException {
    String jar = jar().toString();

    assertThat(Run.of("rules", "test", jar).out())
        .endsWith("1 room, 1 rule, 2 examples: all hold\n");
    assertThat(Run.of("check", "--length", "2GiB", "--rules", jar).out())
        .contains("warning ACME101");
  }

  @Test
  void theClassPathBringsTheJar() throws Exception {
    Path out = folder.resolve("out");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path") + File.pathSeparator + jar(),
            "org.pinwise.engine.cli.Main",
            "check",
            "--length",
            "2GiB");

    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(out, StandardCharsets.UTF_8))
        .contains("warning ACME101 (by a team's rule)");
  }
}

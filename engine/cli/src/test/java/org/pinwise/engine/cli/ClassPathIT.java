package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
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
    Result result =
        pinwise(
            System.getProperty("java.class.path") + File.pathSeparator + jar(),
            "check",
            "--length",
            "2GiB");

    assertThat(result.output()).contains("warning ACME101 (by a team's rule)");
  }

  @Test
  void fullDrlIsTestedByItsExamples() throws Exception {
    Path room = oddLengths();
    String trusted = folder.resolve("trusted").toString();
    Files.writeString(room.resolve("rule.md"), "Lengths are even, for no reason.\n");
    Files.writeString(folder.resolve("trusted/pack.yaml"), "name: odd\nversion: 1\n");
    Path reject = room.resolve("reject-odd.yaml");
    Path accept = room.resolve("accept-even.yaml");
    Files.writeString(
        reject,
        """
        device: rxe
        host: {kernel: '6.12', stack: inbox}
        request:
          length: 3 # expect: ACME201 error
          access: [LOCAL_WRITE]
        """);
    Files.writeString(
        accept,
        """
        device: rxe
        host: {kernel: '6.12', stack: inbox}
        request: {length: 4, access: []}
        """);

    Run run = Run.of("rules", "test", "--trusted", trusted);
    assertThat(run.out()).isEqualTo("ok    ACME201-big\n1 room, 1 rule, 2 examples: all hold\n");
    assertThat(run.exit()).as(run.err()).isZero();
    // Without a word of trust it is a rule file like any other, and refused.
    assertThat(Run.of("rules", "test", trusted).err()).contains("rule.drl:7:");
    assertThat(Run.of("rules", "impact", "--trusted", trusted).out())
        .contains("accepted -> rejected, now with ACME201");

    Files.writeString(accept, Files.readString(accept).replace("4", "5"));
    Files.writeString(reject, Files.readString(reject).replace(" # expect: ACME201 error", ""));
    run = Run.of("rules", "test", "--trusted", trusted);
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out())
        .contains("accept-even.yaml: [ACME201] reports {ACME201=error}, and marks {}")
        .contains("reject-odd.yaml: [ACME201] marks nothing")
        .contains("rule.drl: [ACME201] no example marks rule ACME201");
  }

  @Test
  void fullDrlNeedsDroolsCompiler() throws Exception {
    oddLengths();
    String trusted = folder.resolve("trusted").toString();
    String[] command = {"check", "--length", "3", "--access", "0", "--trusted-rules", trusted};

    Run run = Run.of(command);
    assertThat(run.exit()).as(run.err()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("rejected: by a team's rule\nerror ACME201 (by a team's rule): 3B is odd\n")
        .contains("trusted   %s: rules in full DRL, which run any code".formatted(trusted));
    assertThat(Run.of("rules", "list", "--trusted-rules", trusted).out())
        .containsPattern("ACME201 +error +Lengths are even\n$");
    assertThat(Run.of("rules", "show", "ACME201", "--trusted-rules", trusted).out())
        .contains("when      full DRL: read its file", "Math.floorMod");
    assertThat(Run.of(with(command, "--why")).out())
        .contains("  ACME201  reports; it is full DRL, so why is not known\n");
    assertThat(Run.of(with(command, "--rules", trusted)).err())
        .contains("rule.drl:7:"); // in the closed subset it calls a method

    String without =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(path -> !path.contains("drools-model-codegen"))
            .collect(Collectors.joining(File.pathSeparator));
    Result result = pinwise(without, command);
    assertThat(result.output())
        .startsWith(trusted + ": full DRL needs Drools' compiler, which is not on the class path;")
        .hasLineCount(1);
    assertThat(result.exit()).isEqualTo(2);
  }

  /** Makes a room in full DRL, under {@code trusted}. */
  private Path oddLengths() throws IOException {
    Path room = Files.createDirectories(folder.resolve("trusted/ACME201-big"));
    Files.writeString(
        room.resolve("rule.drl"),
        """
        package acme;
        import org.pinwise.rules.model.MrRequest;
        global org.pinwise.rules.spi.Findings findings;
        rule "ACME201"
          @severity(ERROR) @since(1) @spec("the guide") @summary("Lengths are even") @remediation("Add a byte.")
        when
          $r : MrRequest( length != null, Math.floorMod(length, 2L) == 1 )
        then
          findings.report("ACME201", $r, "{length} is odd");
        end
        """);
    return room;
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
  }

  private record Result(int exit, String output) {}

  /** Runs Pinwise in a process of its own, because its class path is what is tested. */
  private Result pinwise(String classPath, String... arguments) throws Exception {
    Path out = folder.resolve("out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath));
    command.add("org.pinwise.engine.cli.Main");
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Result(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8));
  }
}

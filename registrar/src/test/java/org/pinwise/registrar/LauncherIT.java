package org.pinwise.registrar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code bin/pinwise} from a checkout of its own, with a Maven and with Javas that only write
 * down how they were called, so that each choice can be seen.
 */
class LauncherIT {
  private static final Path LAUNCHER = Path.of("bin/pinwise").toAbsolutePath();

  @TempDir Path scratch;

  private final Map<String, String> environment = new TreeMap<>();
  private Path checkout;
  private Path launcher;
  private Path tools;

  @BeforeEach
  void layOut() throws IOException {
    checkout = scratch.resolve("check out");
    launcher = checkout.resolve("registrar/bin/pinwise");
    Files.createDirectories(launcher.getParent());
    // The Javas of this machine are none of the tests' business.
    program(
        launcher, Files.readString(LAUNCHER).replace("/usr/lib/jvm", scratch.resolve("jvm") + ""));
    tools = Files.createDirectories(scratch.resolve("tools"));
    for (String tool : List.of("bash", "flock", "readlink")) {
      Path real = tool(tool);
      if (real != null) {
        program(tools.resolve(tool), "#!/bin/bash\nexec " + real + " \"$@\"\n");
      }
    }
    environment.put("PATH", tools.toString());
  }

  @Test
  void passesItsArgumentsOnAsTheyAre() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");

    Run run = run("check", "--access", "LOCAL_WRITE|REMOTE_WRITE", "", "two words", "*");

    assertThat(run.exit()).isEqualTo(42);
    assertThat(run.out())
        .endsWith(
            "org.pinwise.engine.cli.Main",
            "check",
            "--access",
            "LOCAL_WRITE|REMOTE_WRITE",
            "",
            "two words",
            "*");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void findsItsCheckoutThroughLinksFromAnyFolder() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");
    Path first = Files.createSymbolicLink(scratch.resolve("first"), launcher);
    Path folder = Files.createDirectories(scratch.resolve("some/where"));
    Path second = Files.createSymbolicLink(folder.resolve("pinwise"), Path.of("../../first"));

    for (Path link : List.of(first, second)) {
      assertThat(run(link, folder).out()).contains(classPath("cli", "registrar"));
    }
    environment.put("PATH", tools + ":" + folder);
    assertThat(run(Path.of("pinwise"), scratch).out()).contains(classPath("cli", "registrar"));
    assertThat(run(Path.of("./pinwise"), launcher.getParent()).out())
        .contains(classPath("cli", "registrar"));
  }

  @Test
  void opensNativeAccessOnJava25() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");

    assertThat(run().out()).contains("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void leavesTheRegistrarOffThePathOfAnOlderJava() throws Exception {
    distribution();
    java("jvm/a", "17.0.15");

    Run run = run("check");

    assertThat(run.exit()).isEqualTo(42);
    assertThat(run.out())
        .contains(classPath("cli"))
        .doesNotContain("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void prefersAJava25WhereverItIsToAnOlderOne() throws Exception {
    distribution();
    environment.put("JAVA_HOME", java("home", "17.0.15").toString());
    java("jvm/a", "21.0.2");
    java("jvm/b", "25");
    java("jvm/c", "17.0.15");

    assertThat(run().out()).startsWith(scratch.resolve("jvm/b") + "");
  }

  @Test
  void takesTheJavaOnThePathWhenThereIsNoOther() throws Exception {
    distribution();
    Path home = java("elsewhere", "25.0.1");
    Files.createSymbolicLink(tools.resolve("java"), home.resolve("bin/java"));

    assertThat(run().out()).startsWith(home + "");
  }

  @Test
  void asksAJavaThatHasNoReleaseFile() throws Exception {
    distribution();
    Path home = java("jvm/a", "25.0.1");
    Files.delete(home.resolve("release"));

    assertThat(run().out()).contains("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void obeysPinwiseJavaHome() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");
    environment.put("PINWISE_JAVA_HOME", java("chosen", "17.0.1").toString());

    assertThat(run().out()).startsWith(scratch.resolve("chosen") + "");

    environment.put("PINWISE_JAVA_HOME", scratch.resolve("gone") + "");
    assertThat(run()).satisfies(LauncherIT::isRefusal);

    environment.put("PINWISE_JAVA_HOME", java("old", "1.8.0_452").toString());
    assertThat(run()).satisfies(LauncherIT::isRefusal);
  }

  @Test
  void putsMoreJarsBehindItsOwn() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");
    Path rules = Files.createFile(scratch.resolve("rules.jar"));
    Path engine = Files.createDirectory(scratch.resolve("drools"));
    String more = rules + ":" + engine + "/*:";
    environment.put("PINWISE_CLASS_PATH", more);

    assertThat(run().out()).contains(classPath("cli", "registrar") + ":" + more);
  }

  /** Java passes over what is not there, so that a team's rules would be left out. */
  @Test
  void namesAJarThatIsNotThere() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");
    Path rules = Files.createFile(scratch.resolve("rules.jar"));
    for (String missing : List.of("/teams/rulez.jar", "/teams/*")) {
      environment.put("PINWISE_CLASS_PATH", rules + ":" + missing);

      assertThat(run())
          .satisfies(LauncherIT::isRefusal)
          .satisfies(run -> assertThat(run.err().get(0)).contains(missing));
    }
  }

  /** Else the JVM would open a file of its own in the place, and be taken to read that. */
  @Test
  void opensStreamsThatAreClosed() throws Exception {
    distribution();
    Path home = java("jvm/a", "25.0.3");
    program(
        home.resolve("bin/java"),
        """
        #!/usr/bin/env bash
        for stream in 0 2; do
          [ /dev/fd/$stream -ef /dev/null ] && echo $stream is empty
        done
        """);
    Path closing = scratch.resolve("closing");
    program(closing, "#!/usr/bin/env bash\n'%s' <&- 2>&-\n".formatted(launcher));

    assertThat(run(closing, scratch).out()).containsExactly("0 is empty", "2 is empty");
  }

  @Test
  void saysThatThereIsNoJava() throws Exception {
    distribution();

    Run run = run();

    isRefusal(run);
    assertThat(run.err()).first().asString().contains("Java 17 or later");

    java("jvm/a", "11.0.2");
    isRefusal(run());
  }

  @Test
  void buildsOnceAndSilently() throws Exception {
    Path home = java("jvm/a", "25.0.3");
    Path calls = scratch.resolve("calls");
    program(
        tools.resolve("mvn"),
        """
        #!/usr/bin/env bash
        printf '%%s\\n' "$PWD" "$JAVA_HOME" "$@" >> '%s'
        echo building
        echo warning >&2
        : > 'registrar/target/pinwise/lib/pinwise-registrar-1.jar'
        """
            .formatted(calls));
    Files.createDirectories(lib());

    assertThat(run().out()).contains(classPath("registrar")).doesNotContain("building");
    Run second = run();

    assertThat(second.out()).contains(classPath("registrar"));
    assertThat(second.err()).isEmpty();
    assertThat(Files.readAllLines(calls))
        .startsWith(checkout + "", home + "")
        .containsOnlyOnce("package");
  }

  @Test
  void showsMavensWordsWhenTheBuildFails() throws Exception {
    java("jvm/a", "25.0.3");
    program(tools.resolve("mvn"), "#!/usr/bin/env bash\necho no compiler\nexit 1\n");

    Run run = run();

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).first().isEqualTo("no compiler");
    assertThat(run.err()).last().asString().startsWith("pinwise: could not be built");
  }

  @Test
  void saysWhatIsMissingForABuild() throws Exception {
    java("jvm/a", "17.0.3");
    isRefusal(run());

    java("jvm/b", "25.0.3");
    isRefusal(run());
  }

  @Test
  void leavesNothingBehind() throws Exception {
    distribution();
    java("jvm/a", "25.0.3");
    List<Path> before = files(scratch);

    run();

    assertThat(files(scratch)).isEqualTo(before);
  }

  @Test
  void theDistributionHoldsEachModuleOnce() throws IOException {
    try (Stream<Path> jars = Files.list(Path.of("target/pinwise/lib"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString().replaceFirst("-\\d.*", "")))
          .contains("pinwise-rules", "pinwise-engine", "pinwise-cli", "pinwise-registrar")
          .contains("slf4j-nop", "picocli")
          .doesNotHaveDuplicates();
    }
  }

  private static void isRefusal(Run run) {
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).singleElement().asString().startsWith("pinwise: ");
  }

  private Path lib() {
    return checkout.resolve("registrar/target/pinwise/lib");
  }

  private void distribution() throws IOException {
    Files.createDirectories(lib());
    for (String module : List.of("cli", "registrar")) {
      Files.createFile(lib().resolve("pinwise-" + module + "-1.jar"));
    }
  }

  private String classPath(String... modules) {
    List<String> jars = new ArrayList<>();
    for (String module : modules) {
      jars.add(lib().resolve("pinwise-" + module + "-1.jar").toString());
    }
    return String.join(":", jars);
  }

  /** A Java that prints its home and its arguments, a line each, and exits with 42. */
  private Path java(String folder, String version) throws IOException {
    Path home = scratch.resolve(folder);
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(
        home.resolve("release"), "IMPLEMENTOR=\"17\"\nJAVA_VERSION=\"" + version + "\"\n");
    program(
        home.resolve("bin/java"),
        """
        #!/usr/bin/env bash
        if [ "$*" = -version ]; then
          echo 'openjdk version "%s" 2026-01-01' >&2
          exit
        fi
        printf '%%s\\n' '%s' "$@"
        exit 42
        """
            .formatted(version, home));
    return home;
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path tool(String name) {
    for (String folder : List.of("/usr/bin", "/bin")) {
      Path tool = Path.of(folder, name);
      if (Files.isExecutable(tool)) {
        return tool;
      }
    }
    return null;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.sorted().toList();
    }
  }

  private Run run(String... arguments) throws Exception {
    return run(launcher, scratch, arguments);
  }

  private Run run(Path program, Path folder, String... arguments) throws Exception {
    // Started by env, which looks programs up on the path that the launcher will have.
    List<String> command = new ArrayList<>(List.of("/usr/bin/env", "-i"));
    environment.forEach((name, value) -> command.add(name + "=" + value));
    command.add(program.toString());
    command.addAll(List.of(arguments));
    Path err = Files.createTempFile("launcher", ".err");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectError(err.toFile())
              .start();
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new Run(process.waitFor(), out.lines().toList(), Files.readAllLines(err));
    } finally {
      Files.delete(err);
    }
  }

  private record Run(int exit, List<String> out, List<String> err) {}
}

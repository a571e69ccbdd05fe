package org.pinwise.engine.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs Maven on a sample project. Its local repository is one of links to the one that built this
 * module, and this build's own artifacts: so nothing is fetched and nothing is installed.
 */
@Tag("slow") // it starts Maven: once is enough
class LintIT {
  private static final List<String> MODULES =
      List.of("pinwise-parent", "pinwise-rules", "pinwise-engine", "pinwise-maven-plugin");

  @TempDir Path work;

  @BeforeEach
  void repository() throws IOException {
    String from = System.getProperty("pinwise.maven.repository");
    assumeTrue(from != null, "run by Maven only: it says where its repository is");
    Path repository = Files.createDirectories(work.resolve("repository"));
    link(Path.of(from), repository, "org");
    link(Path.of(from).resolve("org"), Files.createDirectory(repository.resolve("org")), "pinwise");
    for (String module : MODULES) {
      String version = Objects.requireNonNull(System.getProperty("pinwise.version"));
      Path place =
          Files.createDirectories(repository.resolve("org/pinwise/" + module + "/" + version));
      String name = module + "-" + version;
      Files.copy(pom(module), place.resolve(name + ".pom"));
      if (!module.endsWith("parent")) {
        Files.copy(jar(module, name), place.resolve(name + ".jar"));
      }
    }
  }

  private static Path directory(String module) {
    return switch (module) {
      case "pinwise-parent" -> Path.of("../..");
      case "pinwise-rules" -> Path.of("../../rules");
      case "pinwise-engine" -> Path.of("..");
      default -> Path.of("");
    };
  }

  private static Path pom(String module) {
    return directory(module).resolve("pom.xml");
  }

  /** Builds of different kinds have different target directories: it is the same as this one's. */
  private static Path jar(String module, String name) {
    Path own = Path.of(Objects.requireNonNull(System.getProperty("pinwise.jar")));
    Path target = Path.of("").toAbsolutePath().relativize(own.getParent());
    return directory(module).resolve(target).resolve(name + ".jar");
  }

  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals(except)) {
          Files.createSymbolicLink(to.resolve(entry.getFileName()), entry.toAbsolutePath());
        }
      }
    }
  }

  /** What a run of Maven said and how it ended. */
  private record Run(int exit, List<String> lines) {}

  private Run maven(String... arguments) throws IOException, InterruptedException {
    Path sample = Files.createDirectories(work.resolve("sample/config")).getParent();
    String pom = Files.readString(Path.of("src/it/sample/pom.xml"));
    Files.writeString(
        sample.resolve("pom.xml"),
        pom.replace("@pinwise.version@", System.getProperty("pinwise.version")));
    for (String file : List.of("job.pinwise.yaml", "pod.yaml")) {
      Files.copy(
          Path.of("src/it/sample/config", file),
          sample.resolve("config").resolve(file),
          java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("pinwise.maven.home") + "/bin/mvn");
    command.addAll(List.of("-B", "-o", "-Dstyle.color=never"));
    command.add("-Dmaven.repo.local=" + work.resolve("repository"));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(sample.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    Path log = work.resolve("log.txt");
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).as("Maven ends").isTrue();
    return new Run(process.exitValue(), Files.readAllLines(log, StandardCharsets.UTF_8));
  }

  @Test
  void aMistakeFailsTheBuildOnce() throws IOException, InterruptedException {
    Run run = maven("verify");
    assertThat(run.lines())
        .anyMatch(line ->
            line.startsWith(
                "[ERROR] config/job.pinwise.yaml:7:42: error MR001 access [REMOTE_WRITE]"))
        .anyMatch(line -> line.startsWith("[WARNING] config/pod.yaml:6:13: warning CF003 job has"))
        .anyMatch(line -> line.contains("BUILD FAILURE"));
    assertThat(run.lines()).filteredOn(line -> line.contains("Failed to execute goal")).hasSize(1);
    assertThat(run.exit()).isEqualTo(1);
  }

  @Test
  void whatIsRightPasses() throws IOException, InterruptedException {
    Run run = maven("verify", "-Dpinwise.failOn=never");
    assertThat(run.lines()).anyMatch(line -> line.contains("BUILD SUCCESS"));
    assertThat(run.exit()).isZero();
  }
}

package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs Maven on a project that lints with the plugin. Here and not beside the plugin, which has to
 * be built first, as for {@link TeamWalkIT}.
 */
class LintIT {
  @TempDir Path work;

  /** What a run of Maven said and how it ended. */
  private record Run(int exit, List<String> lines) {}

  private Run maven(String... arguments) throws IOException, InterruptedException {
    Path sample = Files.createDirectories(work.resolve("sample/config")).getParent();
    String pom = Files.readString(Path.of("src/it/sample/pom.xml"));
    Files.writeString(
        sample.resolve("pom.xml"), pom.replace("@pinwise.version@", MavenRepository.version()));
    for (String file : List.of("job.pinwise.yaml", "pod.yaml")) {
      Files.copy(
          Path.of("src/it/sample/config", file),
          sample.resolve("config").resolve(file),
          StandardCopyOption.REPLACE_EXISTING);
    }
    List<String> command = new ArrayList<>();
    command.add(MavenRepository.home().resolve("bin/mvn").toString());
    command.addAll(List.of("-B", "-o", "-Dstyle.color=never"));
    command.add("-Dmaven.repo.local=" + MavenRepository.make());
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

package org.pinwise.registrar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team's way in the README, run word for word: what it types, and what it is shown. */
class TeamWalkIT {
  private static final String PROMPT = "$ ";

  /** A shell's second prompt: more of the command. */
  private static final String MORE = ">";

  /** In the README, lines that are left out. */
  private static final String ELLIPSIS = "...";

  @TempDir Path folder;

  private record Step(String command, List<String> shown) {
    /** What it must write, where lines that the README leaves out may be any. */
    Pattern expected() {
      return Pattern.compile(
          shown.stream()
              .map(line -> line.equals(ELLIPSIS) ? "(?:[^\n]*\n)*" : Pattern.quote(line + "\n"))
              .collect(Collectors.joining()));
    }
  }

  private static List<Step> steps() throws IOException {
    List<Step> steps = new ArrayList<>();
    boolean walk = false;
    for (String line : Files.readAllLines(Path.of("../README.md"))) {
      if (line.equals("```console")) {
        walk = true;
      } else if (line.equals("```")) {
        walk = false;
      } else if (walk && line.startsWith(PROMPT)) {
        steps.add(new Step(line.substring(PROMPT.length()), new ArrayList<>()));
      } else if (walk && line.startsWith(MORE)) {
        Step begun = steps.remove(steps.size() - 1);
        String more = line.substring(Math.min(line.length(), MORE.length() + 1));
        steps.add(new Step(begun.command() + "\n" + more, begun.shown()));
      } else if (walk) {
        steps.get(steps.size() - 1).shown().add(line);
      }
    }
    return steps;
  }

  @Test
  void everyStepShowsWhatTheReadmeSays() throws Exception {
    List<Step> steps = steps();
    assertThat(steps)
        .extracting(Step::command)
        .anyMatch(command -> command.startsWith("pinwise check"))
        .anyMatch(command -> command.startsWith("pinwise lint"))
        .anyMatch(command -> command.startsWith("mvn"))
        .anyMatch(command -> command.startsWith("java"));
    Path work = Files.createDirectories(folder.resolve("work/.mvn")).getParent();
    Files.writeString(
        work.resolve(".mvn/maven.config"),
        "-o\n-Dmaven.repo.local=" + MavenRepository.make() + "\n");

    // One shell for all of them, as a person has; a line that no command writes ends each.
    String end = "--- end of step ---";
    String script =
        steps.stream()
            .map(step -> step.command() + "\necho '" + end + "'\n")
            .collect(Collectors.joining());
    ProcessBuilder shell = new ProcessBuilder("bash", "-c", script);
    shell.directory(work.toFile()).redirectErrorStream(true);
    String programs =
        Stream.of(
                Path.of("bin").toAbsolutePath(),
                Path.of(System.getProperty("java.home"), "bin"),
                MavenRepository.home().resolve("bin"))
            .map(Path::toString)
            .collect(Collectors.joining(":"));
    shell.environment().merge("PATH", programs, (old, own) -> own + ":" + old);
    shell.environment().put("PINWISE", Path.of("..").toAbsolutePath().normalize().toString());
    shell.environment().put("JAVA_HOME", System.getProperty("java.home"));
    shell.environment().remove("PINWISE_CLASS_PATH");
    Path out = folder.resolve("shown");
    Process process = shell.redirectOutput(out.toFile()).start();
    assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();

    // Maven's last words are codes of a terminal, in a line that does not end.
    String all = Files.readString(out, UTF_8).replaceAll("\u001b\\[[0-9;]*m", "");
    String[] shown = all.split(Pattern.quote(end + "\n"), -1);
    assertThat(shown).hasSize(steps.size() + 1);
    for (int i = 0; i < steps.size(); i++) {
      assertThat(shown[i]).as("$ %s", steps.get(i).command()).matches(steps.get(i).expected());
    }
  }
}

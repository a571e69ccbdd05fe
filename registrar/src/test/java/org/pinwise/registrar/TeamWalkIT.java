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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team's way in the README, run word for word: what it types, and what it is shown. */
class TeamWalkIT {
  private static final String PROMPT = "$ ";

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
      } else if (walk) {
        steps.get(steps.size() - 1).shown().add(line);
      }
    }
    return steps;
  }

  @Test
  void everyStepShowsWhatTheReadmeSays() throws Exception {
    List<Step> steps = steps();
    assertThat(steps).hasSizeGreaterThan(8);

    // One shell for all of them, as a person has; a line that no command writes ends each.
    String end = "--- end of step ---";
    String script =
        steps.stream()
            .map(step -> step.command() + "\necho '" + end + "'\n")
            .collect(Collectors.joining());
    ProcessBuilder shell = new ProcessBuilder("bash", "-c", script);
    shell.directory(folder.toFile()).redirectErrorStream(true);
    String java = Path.of(System.getProperty("java.home"), "bin").toString();
    shell
        .environment()
        .merge("PATH", Path.of("bin").toAbsolutePath() + ":" + java, (old, own) -> own + ":" + old);
    shell.environment().put("JAVA_HOME", System.getProperty("java.home"));
    shell.environment().remove("PINWISE_CLASS_PATH");
    Path out = folder.resolve("shown");
    Process process = shell.redirectOutput(out.toFile()).start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();

    String[] shown = Files.readString(out, UTF_8).split(Pattern.quote(end + "\n"), -1);
    assertThat(shown).hasSize(steps.size() + 1);
    for (int i = 0; i < steps.size(); i++) {
      assertThat(shown[i]).as("$ %s", steps.get(i).command()).matches(steps.get(i).expected());
    }
  }
}

package org.pinwise.registrar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.yaml.Yaml;

/** Lints a repository as pre-commit and GitHub Actions do, by what our files tell them to run. */
class LintStepsIT {
  private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

  @TempDir Path folder;
  private Path repository;

  @BeforeEach
  void aRepositoryOfWhichLittleIsOurs() throws IOException {
    repository = Files.createDirectories(folder.resolve("repository/config")).getParent();
    Files.writeString(repository.resolve("mkdocs.yml"), "nav: [a]\n");
    Files.writeString(repository.resolve("package.json"), "{\"name\": \"a\"}\n");
    Files.writeString(repository.resolve("logo.png"), "\0PNG");
    for (String file : List.of("job.pinwise.yaml", "pod.yaml")) {
      Files.copy(Path.of("src/it/sample/config", file), repository.resolve("config").resolve(file));
    }
  }

  private record Run(int exit, String out) {}

  private Run run(String... command) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    ProcessBuilder builder = new ProcessBuilder(command).directory(repository.toFile());
    builder.environment().put("RUNNER_TEMP", folder.toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(out.toFile()).start();
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).as("it ends").isTrue();
    return new Run(process.exitValue(), Files.readString(out, UTF_8));
  }

  /** Runs the hook: its entry, of our checkout, in the repository's root, on no files. */
  private Run hook(String... args) throws IOException, InterruptedException {
    Yaml.Mapping hook =
        Yaml.read(CHECKOUT.resolve(".pre-commit-hooks.yaml")).asList().get(0).asMapping("a hook");
    assertThat(hook.require("language").asText()).isEqualTo("script");
    assertThat(hook.require("pass_filenames").asBoolean()).isFalse();
    List<String> command =
        new ArrayList<>(Arrays.asList(hook.require("entry").asText().split(" ")));
    command.set(0, CHECKOUT.resolve(command.get(0)).toString());
    if (args.length == 0) {
      hook.require("args").asList().forEach(arg -> command.add(arg.asText()));
    }
    command.addAll(Arrays.asList(args));
    return run(command.toArray(String[]::new));
  }

  @Test
  void theHookFailsForAMistakeAndForNothingElse() throws Exception {
    Run wrong = hook();
    assertThat(wrong.out())
        .startsWith("config/job.pinwise.yaml:7:42: error MR001: ")
        .contains("config/pod.yaml:6:13: warning CF003: ")
        .endsWith("; 3 files of other kinds)\n");
    assertThat(wrong.exit()).isEqualTo(1);

    Files.delete(repository.resolve("config/job.pinwise.yaml"));
    assertThat(hook().exit()).isZero();
    assertThat(hook("config", "--fail-on", "warning").exit()).isEqualTo(1);

    Files.writeString(repository.resolve("config/pod.yaml"), "apiVersion: v1\nkind: [\n");
    Run broken = hook();
    assertThat(broken.out()).startsWith("config/pod.yaml:3:1: cannot be linted: is not YAML: ");
    assertThat(broken.exit()).isEqualTo(2);
  }

  @Test
  void theStepOfGithubAnnotatesLines() throws Exception {
    String readme = Files.readString(CHECKOUT.resolve("README.md"));
    String snippet = readme.substring(readme.indexOf("```yaml\nsteps:") + "```yaml\n".length());
    List<String> steps = new ArrayList<>();
    Yaml.parse("README.md", snippet.substring(0, snippet.indexOf("```")))
        .asMapping("a job")
        .require("steps")
        .asList()
        .forEach(
            step -> step.asMapping("a step").get("run").ifPresent(run -> steps.add(run.asText())));
    assertThat(steps).hasSize(2);
    assertThat(steps.get(0)).startsWith("git clone ").endsWith(" \"$RUNNER_TEMP/pinwise\"");
    Path clone = Files.createSymbolicLink(folder.resolve("pinwise"), CHECKOUT);

    // As the runner starts a step that names no shell.
    Run run = run("bash", "-e", "-c", steps.get(1));
    Files.delete(clone); // the checkout is not the test's to remove

    assertThat(run.out())
        .startsWith(
            "::error file=config/job.pinwise.yaml,line=7,col=42,title=MR001::access [REMOTE_WRITE]")
        .contains("\n::warning file=config/pod.yaml,line=6,col=13,title=CF003::job has");
    assertThat(run.exit()).isEqualTo(1);
  }
}

package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ExtensionTest {

  /** A command as another module adds it, with the options of {@code check}. */
  @Command(name = "register", description = "Registers.")
  private static final class Register implements Callable<Integer> {
    private final CliContext context;
    @Mixin private RequestOptions request = new RequestOptions();
    @Mixin private FactsOptions facts = new FactsOptions();
    @Mixin private RuleOptions rules = new RuleOptions();
    @Mixin private ReportOptions report = new ReportOptions();

    Register(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() {
      FactsOptions.Given given = facts.given(request.request());
      Verdict verdict = rules.validator(Assumptions.USUAL).validate(given.facts());
      report.print(context, verdict, List.of("simulated " + facts.device().orElse("none")));
      return verdict instanceof org.pinwise.engine.Rejected ? ExitCode.REJECTED : ExitCode.OK;
    }
  }

  private static final CliExtension EXTENSION = context -> List.of(new Register(context));

  @Test
  void commandOfExtensionReplacesItsStandIn() {
    Run run =
        Run.with(
            List.of(EXTENSION),
            false,
            "register",
            "--device=rxe",
            "--kernel=6.12",
            "--access=3",
            "--length=1");

    assertThat(run.exit()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("accepted\n").endsWith("note      simulated rxe\n");
    assertThat(Run.with(List.of(EXTENSION), false, "--help").out())
        .contains("  register  Registers.\n")
        .contains("  probe     Needs Java 25");
    assertThat(Run.with(List.of(EXTENSION), false, "register", "--help").out())
        .contains("--access=FLAGS");
  }

  @Test
  void wrongUsageOfExtensionIsOneLine() {
    Run run = Run.with(List.of(EXTENSION), false, "register", "--length=-1");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).startsWith("pinwise register: --length: -1 is negative");
  }

  @Test
  void errorOfPinwiseItselfIsOneLine() {
    CliExtension broken =
        context -> {
          throw new IllegalStateException("no\nway");
        };

    Run run = Run.with(List.of(broken), false, "--help");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err().strip())
        .hasLineCount(1)
        .startsWith("pinwise: an error in Pinwise itself, please report it: ")
        .contains("no way at ");
  }

  @Test
  void tooSmallHeapIsNoErrorOfPinwise() {
    CliExtension large =
        context -> {
          throw new OutOfMemoryError("Java heap space");
        };

    Run run = Run.with(List.of(large), false, "--help");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err())
        .matches(
            "pinwise: this does not fit into a heap of \\d+ MiB; say more by"
                + " JDK_JAVA_OPTIONS=-Xmx\\.\\.\\R");
  }

  @Test
  void extensionsAreNotLoadedForCommandsOfThisModule() {
    CliExtension broken =
        context -> {
          throw new IllegalStateException();
        };

    assertThat(Run.with(List.of(broken), false, "check", "--access=0").exit()).isZero();
  }
}

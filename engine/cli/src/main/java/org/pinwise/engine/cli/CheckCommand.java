package org.pinwise.engine.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.text.Nearest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pinwise check}. */
@Command(
    name = "check",
    description = "Says what a registration would come to, before it is made.",
    footer = {
      "",
      "What is not given is unknown; address, memory and limits are assumed to be",
      "as they mostly are, and the verdict says so.",
      "",
      "Exit codes: 0 accepted or undecided, 1 rejected, 2 wrong usage or input,",
      "3 undecided with --require-decided.",
      "",
      "Example: pinwise check --device rxe --kernel 6.12 --access REMOTE_WRITE --length 4KiB"
    })
final class CheckCommand implements Callable<Integer> {
  private static final String NONE = "none";

  private final CliContext context;

  @Mixin private RequestOptions request = new RequestOptions();
  @Mixin private FactsOptions facts = new FactsOptions();
  @Mixin private RuleOptions rules;
  @Mixin private ReportOptions report = new ReportOptions();

  @Option(
      names = "--assume",
      paramLabel = "none",
      description = "Assume nothing: what is not given is unknown.")
  private @Nullable String assume;

  @Option(names = "--why", description = "Say of every rule which of its conditions decided it.")
  private boolean why;

  CheckCommand(CliContext context) {
    this.context = context;
    this.rules = new RuleOptions(context.builtIn());
  }

  @Override
  public Integer call() {
    report.check();
    Assumptions assumptions = assumptions();
    FactsOptions.Given given = facts.given(request.request());
    MrValidator validator = rules.validator(assumptions);
    Verdict verdict = validator.validate(given.facts());
    report.print(context, verdict, given.notes(), why ? validator.why(given.facts()) : null);
    return report.exitCode(verdict);
  }

  private Assumptions assumptions() {
    if (assume == null) {
      return Assumptions.USUAL;
    }
    if (assume.equals(NONE)) {
      return Assumptions.NONE;
    }
    throw new UsageException(
        "--assume",
        "takes only none, not %s%s"
            .formatted(assume, Nearest.hint(assume, java.util.List.of(NONE))));
  }
}

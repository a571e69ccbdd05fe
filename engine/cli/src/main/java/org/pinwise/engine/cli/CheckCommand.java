package org.pinwise.engine.cli;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.BoundValidator;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.Why;
import org.pinwise.engine.advice.Recommendation;
import org.pinwise.engine.json.RequestStream;
import org.pinwise.engine.json.VerdictJson;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.PlannedRegion;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;
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
      "as they mostly are, and the verdict says so. With --use and without --access,",
      "flags are recommended; exit 1 where a use cannot be served.",
      "",
      "Exit codes: 0 accepted or undecided, 1 rejected, 2 wrong usage or input,",
      "3 undecided with --require-decided. With --batch 2 if a line was no request (a line",
      "{\"schema\":\"pinwise-error/1\",\"line\":3,..} stands in its place), else 1 if any was"
          + " rejected.",
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

  @Option(
      names = "--require-decided",
      description = "End with exit code 3 where the verdict is undecided.")
  private boolean requireDecided;

  @Option(
      names = "--batch",
      description = {
        "Judge requests from standard input, a line of JSON each,",
        "such as {\"access\":\"LOCAL_WRITE\",\"length\":\"64MiB\"}, and write",
        "a line of JSON with its verdict for each, in their order."
      })
  private boolean batch;

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
    if (batch) {
      return batch(validator, given.facts());
    }
    if (request.isEmpty() && !given.regions().isEmpty()) {
      return plan(given, validator);
    }
    Set<Use> uses = given.facts().request().uses();
    if (uses != null && request.asksForFlags()) {
      return recommend(uses, given, validator);
    }
    Verdict verdict = validator.validate(given.facts());
    report.print(context, verdict, given.notes(), why ? validator.why(given.facts()) : null);
    return exitCode(verdict);
  }

  private int recommend(Set<Use> uses, FactsOptions.Given given, MrValidator validator) {
    Verb verb = given.facts().request().verb();
    if (verb == Verb.BIND_MW || verb == Verb.REG_DM_MR) {
      throw new UsageException(
          "--use",
          "recommends flags for regions of memory; give --access for --verb "
              + Options.lower(verb));
    }
    Recommendation recommendation = Recommendation.of(uses, given.facts(), validator);
    Verdict verdict = recommendation.verdict();
    List<Why> reasons = why ? validator.why(verdict.facts()) : null;
    if (report.json()) {
      context.out().print(RecommendationText.json(recommendation, reasons) + "\n");
    } else {
      context.out().print(RecommendationText.of(recommendation, context.style()));
      report.print(context, verdict, given.notes(), reasons);
    }
    return recommendation.isIncomplete() ? ExitCode.REJECTED : exitCode(verdict);
  }

  private int exitCode(Verdict verdict) {
    if (verdict instanceof Rejected) {
      return ExitCode.REJECTED;
    }
    return requireDecided && verdict instanceof Undecided ? ExitCode.UNDECIDED : ExitCode.OK;
  }

  /** Judges every region of a plan; in JSON, a verdict a line. The worst of them decides. */
  private int plan(FactsOptions.Given given, MrValidator validator) {
    int worst = ExitCode.OK;
    List<String> notes = given.notes();
    for (PlannedRegion region : given.regions()) {
      Facts of = given.facts().withRequest(region.request());
      Memory under = region.memory();
      Verdict verdict = validator.validate(under == null ? of : of.withMemory(under));
      if (report.json()) {
        context.out().println(VerdictJson.compact(verdict));
      } else {
        String count = region.count() == 1 ? "" : " x " + region.count();
        context.out().println(region.name() + count + ":");
        report.print(context, verdict, notes, why ? validator.why(verdict.facts()) : null);
        notes = List.of();
      }
      int code = exitCode(verdict);
      worst = worst == ExitCode.REJECTED || code == ExitCode.OK ? worst : code;
    }
    return worst;
  }

  private int batch(MrValidator validator, Facts known) {
    if (why || !request.isEmpty()) {
      throw new UsageException(
          "--batch", "reads the requests from standard input; leave out what describes one");
    }
    BoundValidator bound = validator.forHost(known.device(), known.host());
    try {
      RequestStream.Summary summary =
          RequestStream.judge(
              context.in(), context.out(), one -> bound.validate(known.withRequest(one)));
      return summary.bad() > 0
          ? ExitCode.USAGE
          : summary.rejected() > 0
              ? ExitCode.REJECTED
              : requireDecided && summary.undecided() > 0 ? ExitCode.UNDECIDED : ExitCode.OK;
    } catch (IOException e) {
      throw new InputException("(standard input)", "cannot be read: " + e.getMessage());
    }
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
        "takes only none, not %s%s".formatted(assume, Nearest.hint(assume, List.of(NONE))));
  }
}

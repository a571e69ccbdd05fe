package org.pinwise.engine.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.Why;
import org.pinwise.engine.json.VerdictJson;
import picocli.CommandLine.Option;

/** The option that says how a result is shown. */
public final class ReportOptions {
  private enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text (if nothing is said), or json for programs.")
  private @Nullable String format;

  /** Makes options that nobody gave. */
  public ReportOptions() {}

  /**
   * Checks the options, so that a wrong one is found before anything is done.
   *
   * @throws UsageException if there is no such format
   */
  public void check() {
    format();
  }

  /** Returns whether JSON was asked for. */
  public boolean json() {
    return format() == Format.JSON;
  }

  private Format format() {
    return format == null ? Format.TEXT : Options.choice("--format", format, Format.class);
  }

  /**
   * Shows a verdict.
   *
   * @param notes lines for people about where facts come from
   */
  public void print(CliContext context, Verdict verdict, List<String> notes) {
    print(context, verdict, notes, null);
  }

  /** Shows a verdict, and what decided each rule where that is not null. */
  void print(CliContext context, Verdict verdict, List<String> notes, @Nullable List<Why> why) {
    if (json()) {
      context.out().print(VerdictJson.indented(verdict, why) + "\n");
      return;
    }
    context.out().print(VerdictText.of(verdict, notes, context.style()));
    if (why != null) {
      context.out().print(WhyText.of(why, context.style()));
    }
  }
}

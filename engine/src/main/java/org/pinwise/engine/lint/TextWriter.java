package org.pinwise.engine.lint;

/** Writes findings for people. */
final class TextWriter implements LintWriter {
  /** So much of a long line is shown, with the wrong value in it. */
  private static final int WIDTH = 100;

  private final Output out;

  TextWriter(Appendable out) {
    this.out = new Output(out);
  }

  @Override
  public void found(Diagnostic d) {
    out.line(
        Output.visible(
            "%s:%s: %s %s: %s"
                .formatted(
                    d.file(), d.place(), Output.lower(d.severity()), d.title(), d.message())));
    String line = d.sourceLine();
    int column = d.place().column() - 1;
    if (line != null && column < line.length()) {
      int from = Math.max(0, Math.min(column - WIDTH / 2, line.length() - WIDTH));
      out.line("  " + Output.visible(line.substring(from, Math.min(line.length(), from + WIDTH))));
      out.line("  " + " ".repeat(column - from) + "^");
    }
    for (Diagnostic.Related related : d.related()) {
      out.line(
          Output.visible(
              "  see %s:%s: %s".formatted(related.file(), related.place(), related.fact())));
    }
    out.line(Output.visible("  fix: " + d.remediation()));
  }

  @Override
  public void problem(LintProblem problem) {
    out.line(Output.visible(problem.place() + ": cannot be linted: " + problem.message()));
  }

  @Override
  public void end(LintSummary summary) {
    out.line(summary.inWords());
  }
}

package org.pinwise.engine.lint;

import org.pinwise.rules.spi.Severity;

/** Writes findings as commands of GitHub Actions. */
final class GithubWriter implements LintWriter {
  private final Output out;

  GithubWriter(Appendable out) {
    this.out = new Output(out);
  }

  @Override
  public void found(Diagnostic d) {
    String command =
        d.severity() == Severity.INFO
            ? "notice"
            : d.severity() == Severity.WARNING ? "warning" : "error";
    out.line(
        "::%s file=%s,line=%d,col=%d,title=%s::%s"
            .formatted(
                command,
                property(d.file()),
                d.place().line(),
                d.place().column(),
                property(d.title()),
                data(d.message() + ". Fix: " + d.remediation())));
  }

  @Override
  public void problem(LintProblem problem) {
    out.line("::error title=pinwise::%s".formatted(data(problem.toString())));
  }

  @Override
  public void end(LintSummary summary) {
    out.line(summary.inWords());
  }

  private static String data(String text) {
    return Output.visible(text).replace("%", "%25");
  }

  private static String property(String text) {
    return data(text).replace(":", "%3A").replace(",", "%2C");
  }
}

package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes findings as JUnit's XML: a suite for each file with findings, in it a test that failed for
 * each. A hint is a test that passed and says so.
 */
final class JunitWriter implements LintWriter {
  private final Output out;
  private final List<Diagnostic> suite = new ArrayList<>();
  private final List<LintProblem> problems = new ArrayList<>();

  JunitWriter(Appendable out) {
    this.out = new Output(out);
    this.out.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    this.out.line("<testsuites name=\"pinwise lint\">");
  }

  @Override
  public void found(Diagnostic diagnostic) {
    if (!suite.isEmpty() && !suite.get(0).file().equals(diagnostic.file())) {
      suite();
    }
    suite.add(diagnostic);
  }

  @Override
  public void problem(LintProblem problem) {
    problems.add(problem);
  }

  private void suite() {
    if (suite.isEmpty()) {
      return;
    }
    long failures = suite.stream().filter(JunitWriter::fails).count();
    out.line(
        "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">"
            .formatted(escaped(suite.get(0).file()), suite.size(), failures));
    for (Diagnostic d : suite) {
      String name = "%s at %s".formatted(d.rule(), d.place());
      out.line(
          "    <testcase classname=\"%s\" name=\"%s\">"
              .formatted(escaped(d.file()), escaped(name)));
      String text = escaped("%s (%s)".formatted(d, d.reference()));
      out.line(
          fails(d)
              ? "      <failure type=\"%s\" message=\"%s\">%s</failure>"
                  .formatted(Output.lower(d.severity()), escaped(d.message()), text)
              : "      <system-out>%s</system-out>".formatted(text));
      out.line("    </testcase>");
    }
    out.line("  </testsuite>");
    suite.clear();
  }

  private static boolean fails(Diagnostic diagnostic) {
    return diagnostic.severity() != org.pinwise.rules.spi.Severity.INFO;
  }

  @Override
  public void end(LintSummary summary) {
    suite();
    out.line(
        "  <testsuite name=\"pinwise\" tests=\"%d\" failures=\"0\" errors=\"%d\" skipped=\"0\">"
            .formatted(1 + problems.size(), problems.size()));
    out.line(
        "    <testcase classname=\"pinwise\" name=\"%s\"/>".formatted(escaped(summary.inWords())));
    for (LintProblem problem : problems) {
      out.line(
          "    <testcase classname=\"pinwise\" name=\"%s\">".formatted(escaped(problem.place())));
      out.line("      <error message=\"%s\"/>".formatted(escaped(problem.message())));
      out.line("    </testcase>");
    }
    out.line("  </testsuite>");
    out.line("</testsuites>");
  }

  private static String escaped(String text) {
    return Output.visible(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}

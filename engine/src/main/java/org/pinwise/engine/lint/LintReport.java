package org.pinwise.engine.lint;

import java.util.List;
import org.pinwise.rules.spi.Severity;

/**
 * All that a run found.
 *
 * @param diagnostics the findings, by file and place
 * @param problems what could not be read
 * @param summary the numbers
 */
public record LintReport(
    List<Diagnostic> diagnostics, List<LintProblem> problems, LintSummary summary) {

  /** Keeps immutable copies. */
  public LintReport {
    diagnostics = List.copyOf(diagnostics);
    problems = List.copyOf(problems);
  }

  /** Returns whether there is a finding of this severity or a worse one. */
  public boolean hasAtLeast(Severity severity) {
    return summary.hasAtLeast(severity);
  }
}

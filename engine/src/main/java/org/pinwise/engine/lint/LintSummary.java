package org.pinwise.engine.lint;

import java.util.Map;
import org.pinwise.rules.spi.Severity;

/**
 * What a run did.
 *
 * @param files how many files were read
 * @param statements how many parts of them were judged
 * @param findings how many findings there are of each severity
 * @param problems how many files or parts could not be read
 * @param suppressed how many findings a comment suppressed
 * @param other how many files are of no format that is linted
 * @param skipped what could not be judged, and how often
 * @param undecided how many parts have a rule that what is known does not decide
 */
public record LintSummary(
    long files,
    long statements,
    Map<Severity, Long> findings,
    long problems,
    long suppressed,
    long other,
    Map<String, Long> skipped,
    long undecided) {

  /** Keeps immutable copies. */
  public LintSummary {
    findings = Map.copyOf(findings);
    skipped = Map.copyOf(skipped);
  }

  /** Returns whether there is a finding of this severity or a worse one. */
  public boolean hasAtLeast(Severity severity) {
    return findings.entrySet().stream()
        .anyMatch(e -> e.getValue() > 0 && e.getKey().compareTo(severity) <= 0);
  }
}

package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  /** Returns the numbers of a run in one line. */
  public String inWords() {
    if (statements() == 0 && problems() == 0) {
      return files() == 0
          ? "nothing to check: none of %s is of a format that is linted".formatted(files(other()))
          : "nothing to check: %s, and nothing in it that a rule is about"
              .formatted(files(files()));
    }
    List<String> counts = new ArrayList<>();
    counts.add(number(findings().getOrDefault(Severity.ERROR, 0L), "error"));
    counts.add(number(findings().getOrDefault(Severity.WARNING, 0L), "warning"));
    counts.add(number(findings().getOrDefault(Severity.INFO, 0L), "hint"));
    StringBuilder text = new StringBuilder(String.join(", ", counts));
    text.append(" in ").append(files(files()));
    text.append(" (").append(number(statements(), "part")).append(" judged");
    add(text, suppressed(), " suppressed");
    add(text, undecided(), " with rules that need more facts");
    add(text, other(), other() == 1 ? " file of another kind" : " files of other kinds");
    for (Map.Entry<String, Long> one : new TreeMap<>(skipped()).entrySet()) {
      add(text, one.getValue(), " skipped: " + one.getKey());
    }
    text.append(')');
    if (problems() > 0) {
      text.append("; ").append(number(problems(), "problem")).append(": the report is not whole");
    }
    return text.toString();
  }

  private static void add(StringBuilder text, long count, String what) {
    if (count > 0) {
      text.append("; ").append(count).append(what);
    }
  }

  private static String files(long count) {
    return number(count, "file");
  }

  private static String number(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}

package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.spi.Severity;

/** One run of a linter: judges file after file, and counts. Not thread-safe. */
final class LintRun {
  /** What a comment gets wrong that suppresses. */
  static final String SUPPRESSION = "suppression";

  private static final int MAX_SHOWN = 400;

  private final MrValidator validator;
  private final LintListener listener;
  private final Map<Severity, Long> findings = new EnumMap<>(Severity.class);
  private final Map<String, Long> skipped = new TreeMap<>();
  private long files;
  private long statements;
  private long problems;
  private long suppressed;
  private long other;
  private long undecided;

  LintRun(MrValidator validator, LintListener listener) {
    this.validator = validator;
    this.listener = listener;
  }

  /** Lints a file that somebody named: one of no known format is a problem. */
  void named(Source source) {
    Optional<ConfigReader> reader = Readers.of(source);
    if (reader.isPresent()) {
      lint(source, reader.get());
    } else {
      problem(
          source.name(),
          "is of no format that is linted; there are "
              + Readers.ALL.stream().map(ConfigReader::format).toList());
    }
  }

  /** Lints a file that was met in a directory. */
  void met(Source source) {
    Optional<ConfigReader> reader = Readers.of(source);
    if (reader.isPresent()) {
      lint(source, reader.get());
    } else {
      other++;
    }
  }

  /** Counts a file that is no text. */
  void other() {
    other++;
  }

  /** Tells of something that cannot be read. */
  void problem(String place, String message) {
    problems++;
    listener.problem(new LintProblem(place, message));
  }

  private void lint(Source source, ConfigReader reader) {
    files++;
    FileRun run = new FileRun(source);
    try {
      reader.read(source, run);
    } catch (InputException e) {
      // Its message starts with the place; what was found before it is still true.
      String message = String.valueOf(e.getMessage());
      int end = message.indexOf(": ");
      problem(message.substring(0, Math.max(0, end)), message.substring(end + 2));
    }
    run.report();
  }

  LintSummary summary() {
    return new LintSummary(
        files, statements, findings, problems, suppressed, other, skipped, undecided);
  }

  /** Judges what a reader finds in a file. */
  private final class FileRun implements Statements {
    private final Source source;
    private final Suppressions suppressions;
    private final List<Diagnostic> found = new ArrayList<>();

    FileRun(Source source) {
      this.source = source;
      this.suppressions = Suppressions.of(source);
    }

    @Override
    public void add(Statement statement) {
      statements++;
      Verdict verdict = validator.validate(statement.facts());
      if (!verdict.undecided().isEmpty()) {
        undecided++;
      }
      for (Finding finding : verdict.findings()) {
        Place place = place(finding, statement);
        if (suppressions.suppress(finding.rule(), place.line())) {
          suppressed++;
        } else {
          found.add(
              new Diagnostic(
                  source.name(),
                  place,
                  finding.rule(),
                  finding.severity(),
                  finding.message(),
                  finding.remediation(),
                  finding.reference(),
                  shown(place),
                  List.of()));
        }
      }
    }

    @Override
    public void problem(Place place, String message) {
      LintRun.this.problem(source.name() + ":" + place, message);
    }

    @Override
    public void skipped(String what) {
      skipped.merge(what, 1L, Long::sum);
    }

    private @Nullable String shown(Place place) {
      String line = source.line(place.line());
      return line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) : line;
    }

    void report() {
      for (Suppressions.Complaint complaint : suppressions.complaints()) {
        found.add(
            new Diagnostic(
                source.name(),
                complaint.place(),
                SUPPRESSION,
                Severity.WARNING,
                complaint.message(),
                "Write a comment that says: pinwise: ignore RULE reason, where the rule reports.",
                "README.md",
                shown(complaint.place()),
                List.of()));
      }
      found.sort(Comparator.comparing(Diagnostic::place).thenComparing(Diagnostic::rule));
      for (Diagnostic diagnostic : found) {
        findings.merge(diagnostic.severity(), 1L, Long::sum);
        listener.found(diagnostic);
      }
    }
  }

  /**
   * Returns where the value stands that is wrong: the last field of the statement's own fact that
   * the rule reads and the file gives; else the last of another fact; else where the statement
   * starts.
   */
  private static Place place(Finding finding, Statement statement) {
    Place own = null;
    Place other = null;
    for (String field : finding.restsOn()) {
      Place place = statement.placeOf(field);
      if (place != null && field.startsWith(statement.subject() + ".")) {
        own = place;
      } else if (place != null) {
        other = place;
      }
    }
    return own != null ? own : other != null ? other : statement.whole();
  }
}

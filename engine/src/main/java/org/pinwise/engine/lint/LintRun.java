package org.pinwise.engine.lint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;

/** One run of a linter: judges file after file, and counts. Not thread-safe. */
final class LintRun {
  /** What a comment gets wrong that suppresses. */
  static final String SUPPRESSION = "suppression";

  private static final String MEMLOCK = "host.memlock";

  /** Fields that are derived of the limit. */
  private static final String BEYOND_MEMLOCK = "range.beyondMemlock";

  private static final int MAX_SHOWN = 400;

  private final MrValidator validator;
  private final LintListener listener;
  private final Map<Severity, Long> findings = new EnumMap<>(Severity.class);
  private final Map<String, Long> skipped = new TreeMap<>();
  private final Map<String, Source> kept = new HashMap<>();
  private final Joins joins = new Joins();

  /** Rules about configuration that a plan decides: they report when files are joined. */
  private final Set<String> joined;

  private long files;
  private long statements;
  private long problems;
  private long suppressed;
  private long other;
  private long undecided;

  LintRun(MrValidator validator, LintListener listener) {
    this.validator = validator;
    this.listener = listener;
    this.joined =
        validator.ruleSet().rules().stream()
            .filter(rule -> rule.configuration().isPresent())
            .filter(rule -> rule.reads().stream().anyMatch(field -> field.type().equals(Plan.TYPE)))
            .map(Rule::id)
            .collect(Collectors.toSet());
  }

  /** Keeps what cannot be read again, for files that are joined. */
  void keep(Source source) {
    kept.put(source.name(), source);
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

  /** Tells that a file is about to be looked at. */
  void file(Path path) {
    listener.file(path);
  }

  /** Counts a file that is no text. */
  void other() {
    other++;
  }

  /** Counts something that was left out. */
  void skipped(String what) {
    skipped.merge(what, 1L, Long::sum);
  }

  /** Tells of something that cannot be read. */
  void problem(String place, String message) {
    problems++;
    listener.problem(new LintProblem(place, message));
  }

  /** Tells of input that is wrong. */
  void problem(InputException wrong) {
    // Its message starts with the place.
    String message = String.valueOf(wrong.getMessage());
    int end = message.indexOf(": ");
    problem(message.substring(0, Math.max(0, end)), message.substring(end + 2));
  }

  private void lint(Source source, ConfigReader reader) {
    files++;
    FileRun run = new FileRun(source);
    try {
      reader.read(source, run);
    } catch (InputException e) {
      problem(e); // what was found before it is still true
    }
    if (source.siblings().hasTooMany()) {
      skipped(
          "files among more than %,d that are read as one; each was judged alone"
              .formatted(Siblings.MAX_NAMES));
    }
    run.report(true);
  }

  LintSummary summary() {
    return new LintSummary(
        files, statements, findings, problems, suppressed, other, skipped, undecided);
  }

  /** Judges what is said in one file of what a plan that stands in another names. */
  void join() {
    for (Workload workload : joins.planned()) {
      List<Said> said = new ArrayList<>();
      for (String file : joins.files(workload)) {
        again(file).ifPresent(source -> said.addAll(said(workload, source)));
      }
      Set<Budget> told = new HashSet<>();
      Source source = null;
      for (Joins.Planned plan : joins.plans(workload)) {
        source =
            source == null || !source.name().equals(plan.file())
                ? again(plan.file()).orElse(null)
                : source;
        if (source != null) {
          join(plan.statement(), new FileRun(source), said, told);
        }
      }
      said.stream().map(Said::run).distinct().forEach(run -> run.report(false));
    }
  }

  /** Reads a file again; empty, and a problem, where that is no longer possible. */
  private Optional<Source> again(String file) {
    Source source = kept.get(file);
    if (source != null) {
      return Optional.of(source);
    }
    try {
      return Optional.of(FileWalk.again(file));
    } catch (IOException e) {
      problem(file, FileWalk.reason(e));
    } catch (InputException e) {
      problem(e);
    }
    return Optional.empty();
  }

  /** A statement of a file that is read again. */
  private record Said(FileRun run, Statement statement) {}

  /** Reads a file again for what it says of a workload; what is wrong with it was told before. */
  private List<Said> said(Workload workload, Source source) {
    FileRun run = new FileRun(source);
    List<Said> said = new ArrayList<>();
    Statements only =
        new Statements() {
          @Override
          public void add(Statement statement) {
            if (statement.workload().filter(workload::equals).isPresent()
                && Joins.isOfWorkload(statement)) {
              said.add(new Said(run, statement));
            }
          }

          @Override
          public void problem(Place place, String message) {
            // told when the file was read first
          }

          @Override
          public void skipped(String what) {
            // counted when the file was read first
          }
        };
    try {
      Readers.of(source).ifPresent(reader -> reader.read(source, only));
    } catch (InputException e) {
      return said; // told when the file was read first
    }
    return said;
  }

  private void join(Statement plan, FileRun planRun, List<Said> said, Set<Budget> told) {
    String planFile = planRun.source.name();
    Map<String, @Nullable Object> host = Host.TYPE.values(plan.facts().host());
    Map<String, Diagnostic.Related> from = new LinkedHashMap<>();
    for (Said one : said) {
      if (one.statement().facts().configuration() != null) {
        Facts named = Joins.named(one.statement().facts());
        boolean learned = !named.equals(one.statement().facts());
        Verdict verdict = validator.validate(named.withPlan(plan.facts().plan()));
        for (Finding finding : verdict.findings()) {
          if (reads(finding, Plan.TYPE.key())
              || (learned && finding.restsOn().contains(Joins.USES_RDMA))) {
            Diagnostic.Related related =
                new Diagnostic.Related(planFile, planAt(plan), "the plan of " + describe(plan));
            one.run().found(finding, one.statement(), List.of(related));
          }
        }
      }
      Host.TYPE
          .values(one.statement().host())
          .forEach((field, value) -> {
            String name = Host.TYPE.key() + "." + field;
            Place place = one.statement().placeOf(name);
            // Several files of a unit say the same; the one in which it stands is told of.
            boolean stands = place != null && value != null && value.equals(host.get(field));
            if (value != null && (host.get(field) == null || (stands && from.containsKey(name)))) {
              host.put(field, value);
              from.put(
                  name,
                  new Diagnostic.Related(
                      one.run().source.name(),
                      place == null ? one.statement().whole() : place,
                      "%s is %s".formatted(name, shown(field, value))));
            }
          });
    }
    tell(
        new Budget(
            planFile,
            planAt(plan),
            plan.workload().map(Workload::toString).orElse(""),
            plan.facts().plan(),
            Host.TYPE.of(host),
            Budget.LIMITS.stream().map(from::get).filter(Objects::nonNull).toList()),
        told);
    if (!from.isEmpty()) {
      Verdict verdict = validator.validate(plan.facts().withHost(Host.TYPE.of(host)));
      for (Finding finding : verdict.findings()) {
        List<Diagnostic.Related> related =
            finding.restsOn().stream()
                .map(field -> field.startsWith(BEYOND_MEMLOCK) ? MEMLOCK : field)
                .distinct()
                .map(from::get)
                .filter(Objects::nonNull)
                .toList();
        if (!related.isEmpty()) {
          planRun.found(finding, plan, related);
        }
      }
      planRun.report(false);
    }
  }

  private static String shown(String field, Object value) {
    return Host.TYPE.field(field).map(f -> f.show(value)).orElse(value.toString());
  }

  /** Each region of a plan has the plan's budget, which is told of once. */
  private void tell(Budget budget, Set<Budget> told) {
    if (told.add(budget)) {
      listener.budget(budget);
    }
  }

  private static Place planAt(Statement plan) {
    Place place = plan.placeOf(Plan.TYPE.key());
    return place == null ? plan.whole() : place;
  }

  private static String describe(Statement plan) {
    return plan.workload().map(w -> w.name()).orElse("the host");
  }

  private static boolean reads(Finding finding, String key) {
    return finding.restsOn().stream().anyMatch(field -> field.startsWith(key + "."));
  }

  /** Judges what a reader finds in a file. */
  private final class FileRun implements Statements {
    private final Source source;
    private final Suppressions suppressions;
    private final Set<Diagnostic> found = new LinkedHashSet<>();
    private final Set<Budget> budgets = new HashSet<>();

    FileRun(Source source) {
      this.source = source;
      this.suppressions = Suppressions.of(source);
    }

    @Override
    public void add(Statement statement) {
      statements++;
      joins.note(source, statement);
      if (statement.isOfPlan() && statement.workload().isEmpty()) {
        Facts facts = statement.facts();
        tell(
            new Budget(source.name(), planAt(statement), "", facts.plan(), facts.host(), List.of()),
            budgets);
      }
      Verdict verdict = validator.validate(statement.facts());
      if (verdict.hasUndecided()) {
        undecided++;
      }
      verdict.findings().forEach(finding -> found(finding, statement, List.of()));
    }

    void found(Finding finding, Statement statement, List<Diagnostic.Related> related) {
      Place place = place(finding, statement);
      if (place == null) {
        return; // another file gives the value that is wrong, and tells of it
      }
      Diagnostic diagnostic =
          new Diagnostic(
              source.name(),
              place,
              finding.rule(),
              finding.severity(),
              finding.origin(),
              finding.message(),
              finding.remediation(),
              finding.reference(),
              shown(place),
              related);
      // What is true of a plan as a whole is found with each of its regions.
      if (!found.contains(diagnostic)) {
        if (suppressions.suppress(finding.rule(), place.line())) {
          suppressed++;
        } else {
          found.add(diagnostic);
        }
      }
    }

    @Override
    public void problem(Place place, String message) {
      LintRun.this.problem(source.name() + ":" + place, message);
    }

    @Override
    public void skipped(String what) {
      LintRun.this.skipped(what);
    }

    private @Nullable String shown(Place place) {
      String line = source.line(place.line());
      return line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) : line;
    }

    /** Hands on what was found, and where it is the first time what suppressions get wrong. */
    void report(boolean first) {
      List<Diagnostic> sorted = new ArrayList<>(found);
      found.clear();
      for (Suppressions.Complaint complaint :
          first ? suppressions.complaints(joined) : List.<Suppressions.Complaint>of()) {
        sorted.add(
            new Diagnostic(
                source.name(),
                complaint.place(),
                SUPPRESSION,
                Severity.WARNING,
                null,
                complaint.message(),
                "Write a comment that says: pinwise: ignore RULE reason, where the rule reports.",
                "README.md",
                shown(complaint.place()),
                List.of()));
      }
      sorted.sort(Comparator.comparing(Diagnostic::place).thenComparing(Diagnostic::rule));
      for (Diagnostic diagnostic : sorted) {
        findings.merge(diagnostic.severity(), 1L, Long::sum);
        listener.found(diagnostic);
      }
    }
  }

  /**
   * Returns where the value stands that is wrong: the last field of the statement's own fact that
   * the rule reads and the file gives; else the last of another fact; else where the statement
   * starts. What a rule says of a plan stands in the plan. Null where another file gives that field
   * of its own fact.
   */
  private static @Nullable Place place(Finding finding, Statement statement) {
    boolean ofPlan = statement.facts().configuration() == null && reads(finding, Plan.TYPE.key());
    String subject = (ofPlan ? Plan.TYPE.key() : statement.subject()) + ".";
    Place own = null;
    Place other = null;
    boolean elsewhere = false;
    for (String field : finding.restsOn()) {
      Place place = statement.placeOf(field);
      boolean derived = !ofPlan && field.startsWith(AddressRange.TYPE.key() + ".");
      if (!field.startsWith(subject) && !(derived && subject.startsWith(MrRequest.TYPE.key()))) {
        other = place != null ? place : other;
      } else if (place != null || statement.elsewhere().containsKey(field)) {
        own = place;
        elsewhere = place == null;
      }
    }
    if (elsewhere) {
      return null;
    }
    return own != null ? own : other != null ? other : statement.whole();
  }
}

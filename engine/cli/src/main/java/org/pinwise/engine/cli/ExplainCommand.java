package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.advice.Diagnosis;
import org.pinwise.engine.advice.Topics;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Stage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pinwise explain}. */
@Command(
    name = "explain",
    description = "Explains a rule, an errno, a fact or a topic.",
    footer = {
      "",
      "With facts an errno is diagnosed: its causes are ranked, with the evidence for",
      "each and the command that confirms it.",
      "",
      "Example: pinwise explain ENOMEM --device live:mlx5_0 --host live --pid 4711"
    })
final class ExplainCommand implements Callable<Integer> {
  private static final MrRequest NOTHING = MrRequest.builder().build();

  /** Names that Linux has for the same number. */
  private static final Map<String, String> SYNONYMS =
      Map.of("ENOTSUP", "EOPNOTSUPP", "EWOULDBLOCK", "EAGAIN");

  private static final String RANKED =
      "With --device, --host or --pid its causes are ranked by the evidence.\n";

  private final CliContext context;

  @Mixin private RequestOptions request = new RequestOptions();
  @Mixin private FactsOptions facts = new FactsOptions();
  @Mixin private RuleOptions rules;
  @Mixin private ReportOptions format = new ReportOptions();

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "Take limits and pinned pages of this process.")
  private @Nullable String pid;

  @Parameters(
      paramLabel = "ID|ERRNO|FACT|TOPIC",
      description = "Such as MR004, EINVAL or 22, device.odp, memlock.")
  private String subject = "";

  ExplainCommand(CliContext context) {
    this.context = context;
    this.rules = new RuleOptions(context.builtIn());
  }

  @Override
  public Integer call() {
    boolean json = format.json();
    MrRequest asked = request.request();
    boolean given = pid != null || facts.isGiven() || !asked.equals(NOTHING);
    RuleSet all = RulesCommand.usable(rules);
    List<RuleText.Shown> found = RulesCommand.byId(all, subject);
    Optional<Errno> errno = errno(subject);
    if (errno.isPresent() && (given || json)) {
      diagnose(all, errno.get(), asked, json);
      return ExitCode.OK;
    }
    if (errno.isEmpty() && found.isEmpty() && namesAnErrno(all)) {
      return unknownErrno(given || json);
    }
    if (given || json) {
      throw new UsageException("facts and --format json go with an errno, such as ENOMEM");
    }
    Optional<FactField<?>> fact = fact(subject);
    Optional<String> topic = Topics.text(subject.toLowerCase(Locale.ROOT).replace('_', '-'));
    if (!found.isEmpty()) {
      context.out().print(RuleText.explain(all, found, context.style()));
    } else if (errno.isPresent()) {
      context.out().print(errno(all, errno.get()));
    } else if (fact.isPresent()) {
      context.out().print(fact(all, fact.get()));
    } else if (topic.isPresent()) {
      context.out().print(topic.get());
    } else {
      throw new UsageException(
          "there is no rule, errno, fact or topic %s%s"
              .formatted(Printable.cut(subject), hint(all)));
    }
    return ExitCode.OK;
  }

  /**
   * Returns whether the subject is an errno that is none of ours, and no slip of the pen for one.
   */
  private boolean namesAnErrno(RuleSet all) {
    return subject.matches("[1-9]\\d{0,3}")
        || (subject.matches("E[A-Z]{3,15}|E2BIG") && hint(all).isEmpty());
  }

  private int unknownErrno(boolean toBeDiagnosed) {
    String problem =
        ("%s is given by no check that Pinwise knows, of libibverbs, the kernel or the drivers that"
                + " come with it")
            .formatted(subject);
    if (toBeDiagnosed) {
      throw new UsageException(problem);
    }
    context
        .out()
        .print(
            problem
                + ".\nA driver from elsewhere, or a call before the registration, may give it. Keep"
                + " the arguments of the\ncall and the kernel's log (dmesg), and ask who made the"
                + " driver.\n");
    return ExitCode.OK;
  }

  /** Ranks the causes by what is known; nothing is assumed. */
  private void diagnose(RuleSet all, Errno errno, MrRequest asked, boolean json) {
    FactsOptions.Given known = pid == null ? facts.given(asked) : facts.givenHere(asked, pid);
    Verdict verdict = MrValidator.create(all, Assumptions.NONE).validate(known.facts());
    Diagnosis diagnosis = Diagnosis.of(errno, verdict);
    context
        .out()
        .print(
            json
                ? DiagnosisText.json(diagnosis) + "\n"
                : DiagnosisText.of(diagnosis, known.notes(), context.style()));
  }

  private String hint(RuleSet all) {
    List<String> names = new ArrayList<>(RulesCommand.ids(all));
    Stream.of(Errno.values()).map(Errno::name).forEach(names::add);
    facts().map(FactField::name).forEach(names::add);
    names.addAll(Topics.names());
    return Nearest.hint(subject, names);
  }

  private static Optional<Errno> errno(String named) {
    if (named.matches("\\d{1,4}")) {
      return Errno.of(Integer.parseInt(named));
    }
    String upper = named.toUpperCase(Locale.ROOT);
    String name = SYNONYMS.getOrDefault(upper, upper);
    return Stream.of(Errno.values()).filter(errno -> errno.name().equals(name)).findFirst();
  }

  private String errno(RuleSet all, Errno errno) {
    Style style = context.style();
    List<Rule> causes =
        all.rules().stream()
            .filter(rule -> rule.meta().errno() == errno)
            .sorted(
                Comparator.comparing(
                        (Rule rule) -> rule.meta().stage(),
                        Comparator.nullsLast(Comparator.naturalOrder()))
                    .thenComparingInt(rule -> rule.meta().step())
                    .thenComparing(Rule::id))
            .toList();
    StringBuilder text =
        new StringBuilder(
            "%s  %d, %s\n".formatted(style.bold(errno.name()), errno.number(), errno.text()));
    if (causes.isEmpty()) {
      return text.append("No rule here gives it.\n").append(RANKED).toString();
    }
    text.append("The checks that give it, in the order in which they are made:\n");
    Stage stage = null;
    for (Rule rule : causes) {
      if (rule.meta().stage() != stage) {
        stage = rule.meta().stage();
        text.append(style.faint(stage == null ? "no stage" : stage.name())).append('\n');
      }
      text.append("  ")
          .append(style.bold(RuleText.pad(Printable.line(rule.id()), 20)))
          .append(Printable.line(rule.meta().summary()))
          .append('\n');
    }
    return text.append(RANKED).toString();
  }

  /** A field of a type of facts. */
  private record FactField<F>(FactType<F> type, Field<F> field) {
    String name() {
      return type.key() + "." + field.name();
    }
  }

  private static Stream<FactField<?>> facts() {
    return FactType.all().stream().flatMap(ExplainCommand::fields);
  }

  private static <F> Stream<FactField<?>> fields(FactType<F> type) {
    return type.fields().stream().map(field -> new FactField<>(type, field));
  }

  private static Optional<FactField<?>> fact(String named) {
    return facts().filter(fact -> fact.name().equalsIgnoreCase(named)).findFirst();
  }

  private String fact(RuleSet all, FactField<?> fact) {
    Field<?> field = fact.field();
    List<String> readers =
        all.rules().stream()
            .filter(rule -> rule.reads().stream().anyMatch(r -> r.toString().equals(fact.name())))
            .map(Rule::id)
            .toList();
    String values =
        switch (field.kind()) {
          case BOOLEAN -> "true or false";
          case NUMBER ->
              switch (field.format()) {
                case BYTES -> "bytes";
                case KERNEL -> "a kernel version, such as 6.12";
                case HEX, PLAIN -> "a number";
              };
          case TEXT -> "text";
          case CHOICE -> "one of " + constants(field);
          case FLAGS -> "a set of " + constants(field);
        };
    String given =
        fact.type().key().equals("range")
            ? "nobody: it follows from the request"
            : VerdictText.option(fact.type().key(), field.name());
    return """
    %s  %s
      holds     %s
      given by  %s
      stays     %s
      read by   %s
    """
        .formatted(
            context.style().bold(fact.name()),
            field.doc(),
            values,
            given,
            switch (field.volatility()) {
              case FIXED -> "as it is";
              case BOOT -> "until the host, the process or the container starts again";
              case LIVE -> "for a moment: it may differ by the time of the call";
            },
            readers.isEmpty() ? "no rule" : Printable.line(String.join(", ", readers)));
  }

  private static String constants(Field<?> field) {
    List<String> names = new ArrayList<>();
    for (Object constant : field.valueType().getEnumConstants()) {
      names.add(field.show(constant));
    }
    return String.join(", ", names);
  }
}

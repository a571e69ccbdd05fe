package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.Finding;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Severity;

/** Writes a verdict for people. */
final class VerdictText {
  /** Rules that one option would settle are named up to this number, and then counted. */
  private static final int MAX_SHOWN = 6;

  private static final String INDENT = "  ";
  private static final String TRUSTED =
      ": rules in full DRL, which run any code; to them what is not known is not so";

  /** The order in which options are named. */
  private static final List<String> ORDER =
      List.of(
          "--access",
          "--length",
          "--address",
          "--iova",
          "--verb",
          "--use",
          "--device",
          "--kernel",
          "--host",
          "--memory");

  private final StringBuilder text = new StringBuilder();
  private final Verdict verdict;
  private final Style style;

  private VerdictText(Verdict verdict, Style style) {
    this.verdict = verdict;
    this.style = style;
  }

  /**
   * Returns the text, ending with a line break.
   *
   * @param notes lines about where facts come from
   */
  static String of(Verdict verdict, List<String> notes, Style style) {
    VerdictText writer = new VerdictText(verdict, style);
    writer.line(writer.decision());
    verdict.findings().forEach(writer::finding);
    writer.undecided();
    writer.corrected();
    writer.effective();
    verdict.assumed().forEach(a -> writer.labelled("assumed", Assumptions.meaning(a)));
    verdict.disabled().forEach(d -> writer.labelled("disabled", d));
    verdict.trusted().forEach(t -> writer.labelled("trusted", t + TRUSTED));
    notes.forEach(note -> writer.labelled("note", note));
    return writer.text.toString();
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  private void labelled(String label, String content) {
    line(style.faint("%-9s".formatted(label)) + " " + Printable.line(content));
  }

  private String decision() {
    if (verdict instanceof Accepted) {
      return style.good("accepted");
    }
    if (verdict instanceof Rejected) {
      return style.bad("rejected") + ": " + reason();
    }
    return style.open("undecided") + ": facts are missing";
  }

  private String reason() {
    Set<Errno> errnos = verdict.errno();
    if (errnos.size() == 1) {
      Errno errno = errnos.iterator().next();
      return "%s (%s)".formatted(style.bold(errno.name()), errno.text());
    }
    if (!errnos.isEmpty()) {
      return errnos.stream().map(e -> style.bold(e.name())).collect(Collectors.joining(" or "));
    }
    Set<String> origins = new TreeSet<>();
    verdict.findings(Severity.ERROR).forEach(f -> origins.add(f.origin().text()));
    return String.join(" and ", origins);
  }

  private void finding(Finding finding) {
    String from =
        finding.origin() == Finding.Origin.KERNEL ? "" : " (" + finding.origin().text() + ")";
    String live = finding.live() ? " (live: it may be otherwise by the time of the call)" : "";
    line(
        "%s %s%s: %s%s"
            .formatted(
                style.severity(finding.severity(), Options.lower(finding.severity())),
                style.bold(Printable.line(finding.rule())),
                from,
                Printable.line(finding.message()),
                live));
    detail("later", Optional.ofNullable(finding.later()).orElse(""));
    detail("fix", finding.remediation());
    detail("see", finding.reference());
  }

  private void detail(String label, String content) {
    if (!content.isEmpty()) {
      line(INDENT + style.faint("%-5s".formatted(label)) + " " + Printable.line(content));
    }
  }

  private void undecided() {
    Map<String, List<UndecidedRule>> groups = new LinkedHashMap<>();
    List<String> advice = new ArrayList<>();
    for (UndecidedRule rule : verdict.undecided()) {
      if (rule.severity() != Severity.ERROR && rule.needs().contains("request.uses")) {
        advice.add(Printable.line(rule.rule()));
      } else {
        groups.computeIfAbsent(settledBy(rule), by -> new ArrayList<>()).add(rule);
      }
    }
    groups.forEach(this::group);
    if (!advice.isEmpty()) {
      // It depends on what the program does, which few say: a line is enough.
      labelled("note", "more advice with --use: " + String.join(", ", advice));
    }
  }

  private void group(String settledBy, List<UndecidedRule> rules) {
    line(style.open("undecided") + settledBy + ":");
    // What differs only by kernel or driver is one demand to a person.
    Map<String, List<UndecidedRule>> demands = new LinkedHashMap<>();
    for (UndecidedRule rule : rules) {
      demands
          .computeIfAbsent(room(rule) + rule.severity() + rule.summary(), d -> new ArrayList<>())
          .add(rule);
    }
    int shown = 0;
    List<String> others = new ArrayList<>();
    for (List<UndecidedRule> demand : demands.values()) {
      UndecidedRule first = demand.get(0);
      if (shown == MAX_SHOWN) {
        demand.forEach(rule -> others.add(Printable.line(rule.rule())));
        continue;
      }
      shown++;
      line(
          "%s%s %s: %s"
              .formatted(
                  INDENT,
                  style.severity(first.severity(), Options.lower(first.severity())),
                  style.bold(Printable.line(demand.size() > 1 ? room(first) : first.rule())),
                  Printable.line(first.summary())));
    }
    if (!others.isEmpty()) {
      line("%sand %d more: %s".formatted(INDENT, others.size(), String.join(", ", others)));
    }
  }

  private static String room(UndecidedRule rule) {
    int slash = rule.rule().indexOf('/');
    return slash < 0 ? rule.rule() : rule.rule().substring(0, slash);
  }

  /** Says which options would settle a rule, with the facts that each of them would give. */
  private String settledBy(UndecidedRule rule) {
    Integer kernel = verdict.facts().host().kernel();
    if (kernel != null && rule.needs().equals(Set.of("host.kernel"))) {
      return ", since kernel %s is not among those on which it is known for sure (%s)"
          .formatted(Kernel.text(kernel), String.join(", ", rule.verified()));
    }
    if (verdict.facts().host().stack() != null && rule.needs().equals(Set.of("host.stack"))) {
      return ", since it is known for inbox drivers only";
    }
    Map<String, Set<String>> options =
        new TreeMap<>(
            Comparator.<String>comparingInt(ORDER::indexOf)
                .thenComparing(Comparator.naturalOrder()));
    for (String need : rule.needs()) {
      int dot = need.indexOf('.');
      String field = need.substring(dot + 1);
      options
          .computeIfAbsent(option(need.substring(0, dot), field), o -> new LinkedHashSet<>())
          .add(field);
    }
    return options.isEmpty()
        ? ""
        : options.entrySet().stream()
            .map(this::optionWithFields)
            .collect(Collectors.joining(", ", " without ", ""));
  }

  /** Names the fields where the option alone does not say what is missing. */
  private String optionWithFields(Map.Entry<String, Set<String>> option) {
    boolean name =
        switch (option.getKey()) {
          case "--device" -> !verdict.facts().device().equals(Device.UNKNOWN);
          case "--host", "--memory" -> true;
          default -> false;
        };
    return name
        ? "%s (%s)".formatted(option.getKey(), String.join(", ", option.getValue()))
        : option.getKey();
  }

  /** Returns the option that gives a fact. */
  static String option(String type, String field) {
    return switch (type) {
      case "request" ->
          switch (field) {
            case "unknownBits", "unknownOptionalBits" -> "--access";
            case "uses" -> "--use";
            case "regionAccess" -> "--region-access";
            default -> "--" + field;
          };
      case "range" -> "--length";
      case "host" -> field.equals("kernel") ? "--kernel" : "--host";
      default -> "--" + type;
    };
  }

  private void corrected() {
    if (verdict instanceof Rejected) {
      labelled("corrected", verdict.corrected().map(VerdictText::asOptions).orElse("none known"));
    }
  }

  private void effective() {
    Access asked = verdict.request().accessArgument();
    verdict
        .effectiveAccess()
        .filter(access -> !access.equals(asked))
        .ifPresent(access -> labelled("effective", "access " + access));
  }

  /** Returns a request as options of {@code pinwise check}, quoted for a shell. */
  static String asOptions(MrRequest request) {
    List<String> options = new ArrayList<>();
    Access access = request.accessArgument();
    if (access != null) {
      options.add("--access '" + access + "'");
    }
    Long length = request.rawLength();
    if (length != null) {
      boolean plain = length >= 0 && length < Long.MAX_VALUE;
      options.add("--length " + (plain ? Size.text(length) : Long.toUnsignedString(length)));
    }
    if (request.rawAddress() != null) {
      options.add("--address 0x%x".formatted(request.rawAddress()));
    }
    if (request.rawIova() != null) {
      options.add("--iova 0x%x".formatted(request.rawIova()));
    }
    Verb verb = request.verb();
    if (verb != null
        && verb != Verb.REG_MR
        && !(verb == Verb.REG_MR_IOVA && request.iova() != null)) {
      options.add("--verb " + Options.lower(verb));
    }
    Set<AccessFlag> region = request.regionAccess();
    if (region != null) {
      options.add("--region-access '" + Access.of(region.toArray(AccessFlag[]::new)) + "'");
    }
    if (request.uses() != null && !request.uses().isEmpty()) {
      options.add(
          request.uses().stream()
              .sorted()
              .map(Options::lower)
              .collect(Collectors.joining(",", "--use ", "")));
    }
    return String.join(" ", options);
  }
}

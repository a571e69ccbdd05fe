package org.pinwise.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding.Origin;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.drools.Judge;
import org.pinwise.engine.drools.OpenRulesJudge;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.Completions;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Volatility;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Template;
import org.pinwise.rules.spi.Truth;
import org.pinwise.rules.spi.Verification;

/**
 * Judges registrations by a rule set. Immutable and thread-safe: make one and share it.
 *
 * {@snippet :
 * MrValidator validator = MrValidator.create(RuleSet.builtIn());
 * MrRequest request = MrRequest.ofLength(4096).access(AccessFlag.REMOTE_WRITE).build();
 * Verdict verdict = validator.validate(Facts.of(request));
 * verdict.findings().forEach(System.out::println);
 * }
 */
public final class MrValidator {
  private final RuleSet ruleSet;
  private final Assumptions assumptions;
  private final List<Graded> graded;
  private final List<CompiledRule> compiled;
  private final List<String> disabled;
  private final OutcomeMemo memo;
  private final int maxOutcomes;
  private final boolean judgesFew;
  private final TrustedJudge trusted;
  private final Map<FactType<?>, MrValidator> ofConfiguration = new ConcurrentHashMap<>();

  /** A rule as the profile grades it. */
  record Graded(
      CompiledRule compiled, Severity severity, Origin origin, Map<String, Long> parameters) {
    Rule rule() {
      return compiled.rule();
    }

    /** Only the kernel's own refusal gives an errno. */
    @Nullable Errno errno() {
      return origin == Origin.KERNEL ? rule().meta().errno() : null;
    }
  }

  /**
   * Makes a validator of calls, or of one type of configuration: a rule about the one has nothing
   * to say about the other, not even that it is undecided.
   */
  private MrValidator(
      RuleSet ruleSet,
      Assumptions assumptions,
      @Nullable FactType<?> configuration,
      int maxOutcomes,
      boolean judgesFew) {
    this.ruleSet = ruleSet;
    this.maxOutcomes = maxOutcomes;
    this.judgesFew = judgesFew;
    this.assumptions = assumptions;
    List<Graded> rules = new ArrayList<>();
    List<String> off = new ArrayList<>();
    for (RuleSet.Entry entry : ruleSet.entries()) {
      Rule rule = entry.rule();
      if (!Objects.equals(rule.configuration().orElse(null), configuration)) {
        continue;
      }
      Profile.Setting setting = ruleSet.profile().setting(rule.meta());
      if (setting != null && setting.off() != null) {
        off.add(rule.id() + ": " + setting.off());
        continue;
      }
      Map<String, Long> parameters = new LinkedHashMap<>(rule.meta().parameters());
      Severity severity = rule.meta().severity();
      Origin origin = entry.builtIn() ? Origin.KERNEL : Origin.TEAM;
      if (setting != null) {
        setting
            .parameters()
            .forEach((name, value) -> parameters.computeIfPresent(name, (n, v) -> value));
        if (setting.severity() != null && setting.severity() != severity) {
          if (severity == Severity.ERROR && entry.builtIn()) {
            // The kernel does not read profiles, and an accepted call that fails would be a lie.
            off.add(
                "%s: lowered to %s by the profile %s; the call still fails, with %s"
                    .formatted(
                        rule.id(),
                        setting.severity().name().toLowerCase(Locale.ROOT),
                        ruleSet.profile().name(),
                        rule.meta().errno()));
          }
          severity = setting.severity();
          origin = Origin.PROFILE;
        }
      }
      rules.add(
          new Graded(CompiledRule.of(rule, parameters), severity, origin, Map.copyOf(parameters)));
    }
    this.graded = List.copyOf(rules);
    this.compiled = graded.stream().map(Graded::compiled).toList();
    // Full DRL is two-valued, and would read an unknown call beside the configuration.
    this.trusted =
        new TrustedJudge(configuration == null ? ruleSet.trusted() : List.of(), ruleSet.profile());
    off.addAll(trusted.disabled());
    this.disabled = List.copyOf(off);
    Judge judge = judgesFew ? new OpenRulesJudge(compiled) : new DroolsJudge(compiled);
    this.memo = new OutcomeMemo(judge, maxOutcomes);
  }

  /**
   * Makes a validator; takes tenths of a second.
   *
   * @throws RuleSetException if the rule set has problems; it names them all
   */
  public static MrValidator create(RuleSet ruleSet) {
    return create(ruleSet, Assumptions.USUAL);
  }

  /**
   * Makes a validator that assumes what is said.
   *
   * @throws RuleSetException if the rule set has problems; it names them all
   */
  public static MrValidator create(RuleSet ruleSet, Assumptions assumptions) {
    return create(ruleSet, assumptions, OutcomeMemo.MAX_OUTCOMES);
  }

  /**
   * Makes a validator for few requests, such as one of a command line: it takes a part of the time
   * that {@link #create} takes, and its first verdicts take the more.
   *
   * @throws RuleSetException if the rule set has problems; it names them all
   */
  public static MrValidator forFew(RuleSet ruleSet, Assumptions assumptions) {
    return create(ruleSet, assumptions, OutcomeMemo.MAX_OUTCOMES, true);
  }

  /** Makes a validator that remembers no more than so many outcomes. */
  static MrValidator create(RuleSet ruleSet, Assumptions assumptions, int maxOutcomes) {
    return create(ruleSet, assumptions, maxOutcomes, false);
  }

  private static MrValidator create(
      RuleSet ruleSet, Assumptions assumptions, int maxOutcomes, boolean judgesFew) {
    List<RuleProblem> problems = ruleSet.problems();
    if (!problems.isEmpty()) {
      throw new RuleSetException(problems);
    }
    return new MrValidator(ruleSet, assumptions, null, maxOutcomes, judgesFew);
  }

  /** Returns the rules and the profile. */
  public RuleSet ruleSet() {
    return ruleSet;
  }

  /**
   * Returns the verdict on a request of which these facts are known, or on what a configuration
   * file says where the facts hold a {@link Configuration}. Rules about configuration are built
   * when the first of its type is judged.
   */
  public Verdict validate(Facts facts) {
    return about(facts.configuration()).judge(facts);
  }

  /** Nothing of a file is assumed: what it does not say, its reader knows the meaning of. */
  private MrValidator about(@Nullable Configuration configuration) {
    return configuration == null
        ? this
        : ofConfiguration.computeIfAbsent(
            configuration.factType(),
            type ->
                new MrValidator(
                    ruleSet, Assumptions.NONE, type, OutcomeMemo.MAX_OUTCOMES, judgesFew));
  }

  private Verdict judge(Facts facts) {
    return verdict(facts, decide(facts));
  }

  /**
   * Returns what judges requests to this device of this host. What depends on the two alone is
   * evaluated once, so a verdict takes a small part of the time that {@link #validate} takes.
   */
  public BoundValidator forHost(Device device, Host host) {
    return new BoundValidator(this, device, host);
  }

  Assumptions assumptions() {
    return assumptions;
  }

  List<CompiledRule> compiled() {
    return compiled;
  }

  List<String> disabled() {
    return disabled;
  }

  /** Returns the verdict that follows of a decision, and of rules whose decisions are not kept. */
  Verdict verdict(Facts facts, Decision decision) {
    return trusted.isEmpty()
        ? Judgement.of(facts, decision)
        : Judgement.of(facts, decision, render(facts, decision));
  }

  /** Decides facts that were not seen before. */
  Decision decide(Facts facts) {
    return decide(facts, memo);
  }

  /**
   * Returns a memo of facts that agree with these, for which Drools is given the rules alone that
   * these leave open.
   *
   * @param around what all facts have in common; what may differ is unknown
   */
  OutcomeMemo memoAround(FactTuple around) {
    return new OutcomeMemo(OpenRulesJudge.of(compiled, around), maxOutcomes);
  }

  /** Decides facts that were not seen before, by a memo of them. */
  Decision decide(Facts facts, OutcomeMemo memo) {
    FactTuple tuple = assumptions.complete(facts).facts();
    Outcome outcome = memo.outcome(tuple);
    List<Graded> fired = new ArrayList<>();
    for (int place : outcome.fired()) {
      fired.add(graded.get(place));
    }
    Map<String, List<Graded>> openRooms = new LinkedHashMap<>();
    for (int place : outcome.undecided()) {
      Graded open = graded.get(place);
      openRooms.computeIfAbsent(open.rule().meta().room(), room -> new ArrayList<>()).add(open);
    }
    List<Decision.Settled> settled = new ArrayList<>();
    List<Graded> undecided = new ArrayList<>();
    for (List<Graded> room : openRooms.values()) {
      Optional<Decision.Settled> one = settled(room, tuple, graded, memo);
      if (one.isPresent()) {
        settled.add(one.get());
      } else {
        undecided.addAll(room);
      }
    }
    return Decision.of(this, fired, settled, undecided);
  }

  /** Makes the texts of a decision. */
  Judgement.Rendered render(Facts facts, Decision decision) {
    Assumptions.Completed completed = assumptions.complete(facts);
    List<Finding> findings = new ArrayList<>();
    decision.fired().forEach(rule -> findings.add(finding(rule, completed.facts())));
    decision.settled().forEach(room -> findings.add(finding(room, completed.facts())));
    List<UndecidedRule> undecided = new ArrayList<>();
    decision.undecided().forEach(rule -> undecided.add(undecided(rule, completed.facts())));
    trusted.judge(completed.facts(), findings, undecided);
    return Judgement.Rendered.of(findings, undecided, completed.assumed());
  }

  /** Returns for every rule that is not switched off which of its conditions decided it. */
  public List<Why> why(Facts facts) {
    return about(facts.configuration()).whyOf(facts);
  }

  private List<Why> whyOf(Facts facts) {
    FactTuple tuple = assumptions.complete(facts).facts();
    List<Why> all = new ArrayList<>();
    compiled.forEach(rule -> all.add(why(rule, tuple)));
    trusted.why(tuple, all);
    return List.copyOf(all);
  }

  /**
   * Returns which conditions of a rule decide it, whether it is among those that judge or not.
   * Nothing is assumed.
   */
  public static Why why(Rule rule, Facts facts) {
    return why(
        CompiledRule.of(rule, rule.meta().parameters()), Assumptions.NONE.complete(facts).facts());
  }

  private static Why why(CompiledRule compiled, FactTuple facts) {
    Truth truth = compiled.of(facts);
    List<Why.Reason> reasons = new ArrayList<>();
    List<Pattern> patterns = compiled.rule().patterns();
    for (int i = 0; i < patterns.size(); i++) {
      CompiledRule.Part part = compiled.parts().get(i);
      if (patterns.get(i).quantifier() == Pattern.Quantifier.NOT) {
        reason(
            patterns.get(i).toString(),
            patterns.get(i).condition(),
            part.of(facts),
            facts,
            reasons);
        continue;
      }
      List<Condition> conditions = conjuncts(patterns.get(i).condition());
      for (int j = 0; j < conditions.size(); j++) {
        Condition condition = conditions.get(j);
        reason(condition.toString(), condition, part.conjuncts().get(j).of(facts), facts, reasons);
      }
    }
    boolean covered = compiled.evidence().test().of(facts) != Truth.FALSE;
    reasons.removeIf(reason -> reason.truth() != truth);
    return new Why(compiled.rule().id(), truth, covered, false, reasons);
  }

  private static List<Condition> conjuncts(Condition condition) {
    return condition instanceof Condition.All all ? all.conditions() : List.of(condition);
  }

  private static void reason(
      String words, Condition condition, Truth truth, FactTuple facts, List<Why.Reason> into) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Operand.FieldOf<?> field : Rule.reads(condition)) {
      values.put(field.toString(), show(field, facts));
    }
    into.add(new Why.Reason(words, truth, values));
  }

  /**
   * Rules of one room that differ by kernel or driver leave each other undecided where that is not
   * known, although one of them fires on every kernel and driver. Then the room's finding is
   * certain, and only its errno is not.
   */
  private static Optional<Decision.Settled> settled(
      List<Graded> room, FactTuple facts, List<Graded> graded, OutcomeMemo memo) {
    if (room.size() < 2 || room.stream().anyMatch(g -> g.severity() != Severity.ERROR)) {
      return Optional.empty();
    }
    Set<Graded> firing = new LinkedHashSet<>();
    for (FactTuple completed :
        Completions.of(room.stream().map(Graded::compiled).toList(), facts)) {
      Outcome outcome = memo.outcome(completed);
      boolean fires = false;
      for (int place : outcome.fired()) {
        Graded rule = graded.get(place);
        if (room.contains(rule)) {
          firing.add(rule);
          fires = true;
        }
      }
      if (!fires) {
        return Optional.empty();
      }
    }
    return firing.isEmpty()
        ? Optional.empty()
        : Optional.of(new Decision.Settled(room.get(0), List.copyOf(firing)));
  }

  private static Finding finding(Decision.Settled settled, FactTuple facts) {
    Set<String> errnos = new LinkedHashSet<>();
    settled.possible().forEach(possible -> errnos.add(possible.errno().name()));
    List<Graded> firing = settled.firing();
    Graded shown = firing.contains(settled.first()) ? settled.first() : firing.get(0);
    Decision.Possible last =
        settled.possible().stream().max(Comparator.naturalOrder()).orElse(null);
    Finding one = finding(shown, facts);
    String or = String.join(" or ", errnos);
    return new Finding(
        shown.rule().meta().room(),
        one.severity(),
        last == null ? one.stage() : last.stage(),
        last == null ? one.step() : last.step(),
        errnos.size() == 1 ? Errno.valueOf(or) : null,
        one.origin(),
        one.message() + (errnos.size() > 1 ? " (" + or + ", by kernel and driver)" : ""),
        one.arguments(),
        one.remediation(),
        one.reference(),
        one.later(),
        firing.stream().flatMap(fires -> restsOn(fires.rule()).stream()).distinct().toList(),
        one.live());
  }

  private static Finding finding(Graded graded, FactTuple facts) {
    Rule rule = graded.rule();
    Map<String, String> arguments = new LinkedHashMap<>();
    StringBuilder message = new StringBuilder();
    for (Template.Part part : rule.template().parts()) {
      if (part instanceof Template.Text text) {
        message.append(text.text());
      } else if (part instanceof Template.Place place) {
        String shown = show(place.operand(), facts, graded);
        arguments.put(place.operand().toString(), shown);
        message.append(shown);
      }
    }
    return new Finding(
        rule.id(),
        graded.severity(),
        rule.meta().stage(),
        rule.meta().step(),
        graded.errno(),
        graded.origin(),
        message.toString(),
        arguments,
        rule.meta().remediation(),
        rule.meta().spec(),
        rule.meta().later(),
        restsOn(rule),
        rule.reads().stream().anyMatch(field -> field.field().volatility() == Volatility.LIVE));
  }

  private static String show(Operand operand, FactTuple facts, Graded graded) {
    if (operand instanceof Operand.FieldOf<?> field) {
      return show(field, facts);
    }
    return String.valueOf(graded.parameters().get(operand.toString()));
  }

  static <F> String show(Operand.FieldOf<F> field, FactTuple facts) {
    MrRequest request = facts.request();
    if (field.type().equals(MrRequest.TYPE)) {
      // What does not fit a fact's number is shown as it was given.
      Long raw =
          switch (field.field().name()) {
            case "length" -> request.rawLength();
            case "address" -> request.rawAddress();
            case "iova" -> request.rawIova();
            default -> null;
          };
      if (raw != null && raw < 0) {
        return "0x%x".formatted(raw);
      }
      if (field.field().name().equals("access") && request.accessArgument() != null) {
        return "[" + request.accessArgument() + "]";
      }
    }
    return field.field().show(field.field().read(facts.get(field.type())));
  }

  private static List<String> restsOn(Rule rule) {
    return rule.reads().stream().map(Operand.FieldOf::toString).toList();
  }

  private UndecidedRule undecided(Graded open, FactTuple facts) {
    Set<String> needs = new LinkedHashSet<>();
    open.compiled().needs(facts).stream()
        .flatMap(field -> givenAs(field, facts))
        .sorted()
        .forEach(needs::add);
    return new UndecidedRule(
        open.rule().id(),
        open.severity(),
        open.rule().meta().stage(),
        open.rule().meta().step(),
        open.errno(),
        open.rule().meta().summary(),
        needs,
        open.rule().meta().verified().stream().map(Verification::toString).toList());
  }

  /** A derived fact is not given; what it is derived of is, and of that what is missing. */
  private Stream<String> givenAs(Operand.FieldOf<?> field, FactTuple facts) {
    if (!field.type().key().equals("range")) {
      return Stream.of(field.toString());
    }
    MrRequest request = facts.request();
    Host host = facts.host();
    Map<String, Boolean> missing = new LinkedHashMap<>();
    missing.put("request.address", request.rawAddress() == null && assumptions == Assumptions.NONE);
    missing.put("request.length", request.rawLength() == null);
    missing.put("request.iova", request.rawIova() == null);
    missing.put("host.pageSize", host.pageSize() == null);
    missing.put("host.memlock", host.memlock() == null);
    missing.put("host.pinnedPages", host.pinnedPages() == null);
    return derivedOf(field.field().name()).stream()
        .filter(input -> Boolean.TRUE.equals(missing.get(input)));
  }

  private static List<String> derivedOf(String rangeField) {
    return switch (rangeField) {
      case "alignment", "kernelAddress" -> List.of("request.address");
      case "pageAligned" -> List.of("request.address", "host.pageSize");
      case "iovaOffsetDiffers" -> List.of("request.address", "request.iova", "host.pageSize");
      case "wholeAddressSpace", "endWraps" -> List.of("request.address", "request.length");
      case "lengthBeyondAddressSpace", "allOnesLength" -> List.of("request.length");
      case "length65536Pages" -> List.of("request.length", "host.pageSize");
      case "beyondMemlock" ->
          List.of("request.address", "request.length", "host.pageSize", "host.memlock");
      case "beyondMemlockLeft" ->
          List.of(
              "request.address",
              "request.length",
              "host.pageSize",
              "host.memlock",
              "host.pinnedPages");
      default -> List.of("request.address", "request.length", "host.pageSize");
    };
  }

  /**
   * Returns the request with the smallest set of fixes after which no error is left, and with those
   * of the warnings that are left then.
   */
  Optional<MrRequest> corrected(Verdict verdict) {
    if (verdict.findings(Severity.ERROR).isEmpty()) {
      return Optional.empty();
    }
    // Breadth first over sets of fixes: those of the errors found, then of errors that remain.
    Set<MrRequest> seen = new LinkedHashSet<>();
    List<Verdict> level = List.of(verdict);
    for (int fixes = 1; fixes <= 6 && !level.isEmpty(); fixes++) {
      List<Verdict> next = new ArrayList<>();
      for (Verdict from : level) {
        for (Fix fix : fixesOf(from, Severity.ERROR)) {
          MrRequest changed = fix.apply(from.request());
          if (seen.add(changed) && !changed.equals(verdict.request())) {
            Verdict again = validate(from.facts().withRequest(changed));
            if (again.findings(Severity.ERROR).isEmpty()) {
              return Optional.of(withoutWarnings(again));
            }
            next.add(again);
          }
        }
      }
      level = next;
    }
    return Optional.empty();
  }

  /** What has no effect, or breaks a later call, is not what should be passed either. */
  private MrRequest withoutWarnings(Verdict verdict) {
    MrRequest request = verdict.request();
    for (Fix fix : fixesOf(verdict, Severity.WARNING)) {
      MrRequest changed = fix.apply(request);
      if (!changed.equals(request)
          && validate(verdict.facts().withRequest(changed)).findings(Severity.ERROR).isEmpty()) {
        request = changed;
      }
    }
    return request;
  }

  private Set<Fix> fixesOf(Verdict verdict, Severity severity) {
    Set<Fix> fixes = new LinkedHashSet<>();
    for (Finding finding : verdict.findings(severity)) {
      for (Graded rule : graded) {
        if (rule.rule().id().equals(finding.rule())
            || rule.rule().meta().room().equals(finding.rule())) {
          fixes.addAll(rule.rule().meta().fixes());
        }
      }
    }
    return fixes;
  }
}

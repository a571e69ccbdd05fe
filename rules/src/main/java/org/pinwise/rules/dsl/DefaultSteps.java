package org.pinwise.rules.dsl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern;
import org.pinwise.rules.spi.Pattern.Quantifier;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleChecks;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Template;
import org.pinwise.rules.spi.Verification;

/** The steps of {@link Rules}; every step is a value, so that a start can be shared. */
final class DefaultSteps {
  private DefaultSteps() {}

  static Rules.Given start() {
    return new Start(List.of(), "requests");
  }

  private record Start(List<Condition> conditions, String sentence) implements Rules.Given {
    @Override
    public Rules.Given that(Trait trait) {
      return new Start(
          with(trait.condition()),
          sentence + (conditions.isEmpty() ? " that " : " and that ") + trait);
    }

    @Override
    public Rules.Demanded should(Trait trait) {
      return new Demand(with(Trait.negation(trait.condition())), sentence + " should " + trait);
    }

    @Override
    public Rules.Demanded shouldNot(Trait trait) {
      return new Demand(with(trait.condition()), sentence + " should not " + trait);
    }

    private List<Condition> with(Condition condition) {
      List<Condition> all = new ArrayList<>(conditions);
      all.addAll(Trait.conjuncts(condition));
      return List.copyOf(all);
    }
  }

  private record Demand(List<Condition> conditions, String sentence) implements Rules.Demanded {
    @Override
    public Rules.Reasoned because(String reason) {
      return id -> severity -> remediation -> new Ready(this, reason, id, severity, remediation);
    }
  }

  /** A rule with all it needs. Each step changes a copy. */
  private static final class Ready implements Rules.Complete, Cloneable {
    private final Demand demand;
    private final String reason;
    private final String id;
    private final Severity severity;
    private final String remediation;
    private String summary;
    private String template;
    private String since = "1";
    private @Nullable String later;
    private List<Verification> verified = List.of();
    private Set<DriverStack> stacks = Set.of(DriverStack.INBOX);
    private List<Fix> fixes = List.of();
    private Map<String, Long> parameters = Map.of();

    Ready(Demand demand, String reason, String id, Severity severity, String remediation) {
      this.demand = demand;
      this.reason = reason;
      this.id = id;
      this.severity = severity;
      this.remediation = remediation;
      this.summary = demand.sentence();
      this.template = demand.sentence();
    }

    private Ready copy() {
      try {
        return (Ready) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public Rules.Complete summary(String newSummary) {
      Ready copy = copy();
      copy.summary = newSummary;
      return copy;
    }

    @Override
    public Rules.Complete message(String newTemplate) {
      Ready copy = copy();
      copy.template = newTemplate;
      return copy;
    }

    @Override
    public Rules.Complete since(String version) {
      Ready copy = copy();
      copy.since = version;
      return copy;
    }

    @Override
    public Rules.Complete verifiedOn(int kernel, Verification.Means means) {
      Ready copy = copy();
      List<Verification> all = new ArrayList<>(verified);
      all.add(new Verification(kernel, means));
      all.sort(Comparator.comparingInt(Verification::kernel));
      copy.verified = List.copyOf(all);
      return copy;
    }

    @Override
    public Rules.Complete stacks(DriverStack... newStacks) {
      if (newStacks.length == 0) {
        throw new IllegalArgumentException("a rule speaks of at least one driver stack");
      }
      Ready copy = copy();
      copy.stacks = EnumSet.copyOf(Arrays.asList(newStacks));
      return copy;
    }

    @Override
    public Rules.Complete fix(Fix fix) {
      Ready copy = copy();
      List<Fix> all = new ArrayList<>(fixes);
      all.add(fix);
      copy.fixes = List.copyOf(all);
      return copy;
    }

    @Override
    public Rules.Complete parameter(String name, long value) {
      if (value < 0) {
        throw new IllegalArgumentException(
            "parameter %s is %d; it is at least 0".formatted(name, value));
      }
      Ready copy = copy();
      Map<String, Long> all = new TreeMap<>(parameters);
      if (all.put(name, value) != null) {
        throw new IllegalArgumentException("parameter %s is declared twice".formatted(name));
      }
      copy.parameters = all;
      return copy;
    }

    @Override
    public Rules.Complete later(String newLater) {
      Ready copy = copy();
      copy.later = newLater;
      return copy;
    }

    @Override
    public Rule build() {
      RuleMeta meta =
          new RuleMeta(
              id,
              severity,
              null,
              0,
              null,
              since,
              verified,
              stacks,
              reason,
              summary,
              remediation,
              later,
              fixes,
              parameters);
      Rule rule =
          new Rule(
              meta,
              patterns(demand.conditions()),
              Template.parse(template, MrRequest.TYPE, parameters.keySet()),
              caller());
      List<String> problems = RuleChecks.problems(rule);
      if (!problems.isEmpty()) {
        throw new IllegalArgumentException(id + ": " + String.join("; ", problems));
      }
      return rule;
    }

    /** Returns where the rule is written: the first frame outside of this package. */
    private static String caller() {
      return StackWalker.getInstance()
          .walk(frames ->
              frames
                  .filter(frame -> !frame.getClassName().startsWith(DefaultSteps.class.getName()))
                  .findFirst()
                  .map(frame ->
                      "%s(%s:%d)"
                          .formatted(
                              frame.getClassName(), frame.getFileName(), frame.getLineNumber()))
                  .orElse("Java"));
    }
  }

  /** Returns the conditions by the fact of which they speak, a pattern for each. */
  private static List<Pattern> patterns(List<Condition> conditions) {
    Map<FactType<?>, List<Condition>> byType = new LinkedHashMap<>();
    for (Condition condition : conditions) {
      byType.computeIfAbsent(type(condition), type -> new ArrayList<>()).add(condition);
    }
    List<Pattern> patterns = new ArrayList<>();
    byType.forEach((type, all) ->
        patterns.add(
            new Pattern(
                Quantifier.EXISTS, type, all.size() == 1 ? all.get(0) : new Condition.All(all))));
    return patterns;
  }

  /** Returns the type of the first field that a condition reads. */
  private static FactType<?> type(Condition condition) {
    return Rule.reads(condition).stream()
        .findFirst()
        .<FactType<?>>map(Operand.FieldOf::type)
        .orElse(MrRequest.TYPE);
  }
}

package org.pinwise.engine.drools;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.drools.model.DSL;
import org.drools.model.Global;
import org.drools.model.Model;
import org.drools.model.PatternDSL;
import org.drools.model.PatternDSL.PatternDef;
import org.drools.model.RuleItemBuilder;
import org.drools.model.Variable;
import org.drools.model.impl.ModelImpl;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.eval.Atom;
import org.pinwise.engine.eval.Comparisons;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Formula;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern.Quantifier;
import org.pinwise.rules.spi.Truth;

/**
 * Builds Drools' executable model of rules. Every rule becomes two: <em>certain</em>, of which all
 * conditions must be true, and <em>possible</em>, of which none may be false; under {@code not} the
 * two swap. A rule that is possible and not certain is undecided.
 */
final class DroolsModel {
  static final String PACKAGE = "org.pinwise.model";
  static final String OUTCOME = "outcome";

  private final ModelImpl model = new ModelImpl();
  private final Global<Outcome> outcome = DSL.globalOf(Outcome.class, PACKAGE, OUTCOME);
  private final Map<String, Integer> uses = new HashMap<>();
  private final Comparisons comparisons;
  private final Current current;
  private int variables;

  /**
   * What was answered of the facts that a session judges now. Sessions of several threads share it,
   * and who finds another's compares anew; so it saves time and changes nothing.
   */
  static final class Current {
    private Comparisons.@Nullable Answers answers;

    void are(Comparisons.Answers now) {
      answers = now;
    }

    /** Returns what was answered of these facts; null where that is not at hand. */
    Comparisons.@Nullable Answers of(FactType<?>[] types, Object... facts) {
      Comparisons.Answers now = answers;
      for (int i = 0; i < facts.length && now != null; i++) {
        now = isOf(now, types[i], facts[i]) ? now : null;
      }
      return now;
    }

    /** Returns what was answered of this fact; null where that is not at hand. */
    Comparisons.@Nullable Answers of(FactType<?> type, Object fact) {
      Comparisons.Answers now = answers;
      return now != null && isOf(now, type, fact) ? now : null;
    }

    @SuppressWarnings("ReferenceEquality") // an equal fact would do, and takes longer to find out
    private static boolean isOf(Comparisons.Answers answers, FactType<?> type, Object fact) {
      return answers.facts().get(type) == fact;
    }
  }

  private DroolsModel(List<CompiledRule> rules, Comparisons comparisons, Current current) {
    this.comparisons = comparisons;
    this.current = current;
    model.addGlobal(outcome);
    for (CompiledRule rule : rules) {
      for (CompiledRule.Part part : rule.parts()) {
        part.conjuncts().forEach(formula -> uses.merge(Conjunct.text(formula), 1, Integer::sum));
      }
    }
  }

  /** Returns the model of the rules in these places. */
  static Model of(
      List<CompiledRule> rules, BitSet places, Comparisons comparisons, Current current) {
    DroolsModel builder = new DroolsModel(rules, comparisons, current);
    places.stream()
        .forEach(place -> {
          builder.add(rules.get(place), place, true);
          builder.add(rules.get(place), place, false);
        });
    return builder.model;
  }

  private void add(CompiledRule rule, int place, boolean certain) {
    List<Formula> formulas = new ArrayList<>();
    List<CompiledRule.Part> negated = new ArrayList<>();
    for (CompiledRule.Part part : rule.parts()) {
      if (part.quantifier() == Quantifier.NOT) {
        negated.add(part);
      } else {
        formulas.addAll(part.conjuncts());
      }
    }
    List<Conjunct> conjuncts = conjuncts(formulas, certain);
    if (certain) {
      conjuncts.add(Conjunct.certain(new Formula.Leaf(rule.evidence())));
    }
    Map<FactType<?>, Variable<Object>> bound = new HashMap<>();
    List<RuleItemBuilder<?>> items = new ArrayList<>();
    Map<FactType<?>, List<Conjunct>> patterns = patterns(conjuncts, negated);
    patterns.forEach((type, own) -> items.add(pattern(type, own, bound)));
    for (CompiledRule.Part part : negated) {
      List<Conjunct> swapped =
          part.conjuncts().stream()
              .map(formula -> certain ? Conjunct.possible(formula) : Conjunct.certain(formula))
              .toList();
      items.add(DSL.not(pattern(part.type(), swapped, new HashMap<>(bound))));
    }
    items.add(
        DSL.on(outcome)
            .execute(o -> {
              if (certain) {
                o.certain(place);
              } else {
                o.possible(place);
              }
            }));
    String name = rule.rule().id() + (certain ? " certain" : " possible");
    model.addRule(PatternDSL.rule(PACKAGE, name).build(items.toArray(new RuleItemBuilder<?>[0])));
  }

  /**
   * Returns what facts must fulfil, what most rules demand first: Drools evaluates once what rules
   * begin with alike. So a certain rule begins as the possible one does, which mostly ends both,
   * and demands of each fact only then that all of it is true.
   */
  private List<Conjunct> conjuncts(List<Formula> formulas, boolean certain) {
    List<Conjunct> conjuncts = new ArrayList<>();
    Map<Set<FactType<?>>, List<Formula>> ofOneFact = new LinkedHashMap<>();
    formulas.stream()
        .sorted(Comparator.comparingInt(formula -> -uses.getOrDefault(Conjunct.text(formula), 0)))
        .forEach(formula -> {
          Conjunct possible = Conjunct.possible(formula);
          boolean joins = possible.types().size() > 1;
          conjuncts.add(joins && certain ? possible.asCertain() : possible);
          if (certain && !joins) {
            ofOneFact.computeIfAbsent(possible.types(), types -> new ArrayList<>()).add(formula);
          }
        });
    ofOneFact.values().forEach(all -> conjuncts.add(Conjunct.certain(new Formula.All(all))));
    return conjuncts;
  }

  /**
   * Puts every conjunct into the pattern of the last of the types that it reads, so that a join
   * reads facts of patterns before its own. There is one fact of each type, so it does not matter
   * which of its patterns holds a join.
   */
  private static Map<FactType<?>, List<Conjunct>> patterns(
      List<Conjunct> conjuncts, List<CompiledRule.Part> negated) {
    Set<FactType<?>> read = new LinkedHashSet<>();
    read.add(MrRequest.TYPE); // for that is what starts a judgement
    conjuncts.forEach(conjunct -> read.addAll(conjunct.types()));
    for (CompiledRule.Part part : negated) {
      part.conjuncts().forEach(formula -> read.addAll(Conjunct.possible(formula).types()));
    }
    Map<FactType<?>, List<Conjunct>> patterns = new LinkedHashMap<>();
    for (FactType<?> type : FactType.all()) {
      if (read.contains(type)) {
        patterns.put(type, new ArrayList<>());
      }
    }
    for (Conjunct conjunct : conjuncts) {
      List<Conjunct> last = List.of();
      for (Map.Entry<FactType<?>, List<Conjunct>> pattern : patterns.entrySet()) {
        last = conjunct.types().contains(pattern.getKey()) ? pattern.getValue() : last;
      }
      last.add(conjunct);
    }
    return patterns;
  }

  /**
   * A part of a pattern's condition, as one of the two rules demands it.
   *
   * @param types the types of facts that it reads
   */
  private record Conjunct(Formula formula, Set<FactType<?>> types, boolean mustBeTrue) {
    static Conjunct possible(Formula formula) {
      Set<Atom> atoms = new LinkedHashSet<>();
      formula.atoms(atoms);
      Set<FactType<?>> types = new LinkedHashSet<>();
      for (Atom atom : atoms) {
        for (Operand.FieldOf<?> field : atom.reads()) {
          types.add(field.type());
        }
      }
      return new Conjunct(formula, types, false);
    }

    static Conjunct certain(Formula formula) {
      return possible(formula).asCertain();
    }

    Conjunct asCertain() {
      return new Conjunct(formula, types, true);
    }

    boolean holds(FactTuple facts) {
      Truth truth = formula.of(facts);
      return mustBeTrue ? truth == Truth.TRUE : truth != Truth.FALSE;
    }

    /** Returns whether it is a comparison or says that all of several hold, and collects them. */
    boolean collectIfAllOf(Set<Atom> into) {
      return collectIfAllOf(formula, into);
    }

    private static boolean collectIfAllOf(Formula formula, Set<Atom> into) {
      if (formula instanceof Formula.Leaf leaf) {
        into.add(leaf.atom());
        return true;
      }
      return formula instanceof Formula.All all
          && all.parts().stream().allMatch(part -> collectIfAllOf(part, into));
    }

    /** Equal for conjuncts that hold for equal facts, so that Drools shares their nodes. */
    String id() {
      return text(formula) + (mustBeTrue ? " is true" : " is not false");
    }

    private static String text(Formula formula) {
      if (formula instanceof Formula.Leaf leaf) {
        return leaf.atom().key();
      }
      if (formula instanceof Formula.Not not) {
        return "not(" + text(not.part()) + ")";
      }
      List<Formula> parts =
          formula instanceof Formula.All all ? all.parts() : ((Formula.Any) formula).parts();
      return (formula instanceof Formula.All ? "all" : "any")
          + parts.stream().map(Conjunct::text).toList();
    }
  }

  private PatternDef<Object> pattern(
      FactType<?> type, List<Conjunct> conjuncts, Map<FactType<?>, Variable<Object>> bound) {
    Variable<Object> self = variable(type);
    PatternDef<Object> pattern = PatternDSL.pattern(self);
    for (Conjunct conjunct : conjuncts) {
      List<FactType<?>> types = new ArrayList<>(List.of(type));
      List<Variable<Object>> others = new ArrayList<>();
      for (FactType<?> other : conjunct.types()) {
        Variable<Object> variable = bound.get(other);
        if (!other.equals(type) && variable != null) {
          types.add(other);
          others.add(variable);
        }
      }
      pattern = constrain(pattern, conjunct.id(), holds(conjunct, types), others);
    }
    bound.put(type, self);
    return pattern;
  }

  /** Whether a condition holds for facts, given in the order of its pattern's variables. */
  private interface Holds {
    boolean test(Object... facts);

    /** The same for one fact, without an array of it. */
    boolean testOne(Object fact);
  }

  /**
   * Mostly it is known already what the comparisons of a condition answer of the facts at hand, and
   * Drools asks for that; what is not a comparison or several that must all hold is evaluated.
   */
  private Holds holds(Conjunct c, List<FactType<?>> types) {
    Set<Atom> all = new LinkedHashSet<>();
    Comparisons.Demand demand =
        c.collectIfAllOf(all) ? comparisons.demand(all, c.mustBeTrue()) : null;
    FactType<?> first = types.get(0);
    FactType<?>[] order = types.toArray(FactType<?>[]::new);
    return new Holds() {
      @Override
      public boolean test(Object... facts) {
        Comparisons.Answers answers = current.of(order, facts);
        return (demand != null && answers != null)
            ? demand.isMetBy(answers)
            : c.holds(tuple(facts));
      }

      @Override
      public boolean testOne(Object fact) {
        Comparisons.Answers answers = current.of(first, fact);
        return (demand != null && answers != null)
            ? demand.isMetBy(answers)
            : c.holds(FactTuple.UNKNOWN.with(fact));
      }
    };
  }

  private static PatternDef<Object> constrain(
      PatternDef<Object> pattern, String id, Holds holds, List<Variable<Object>> others) {
    return switch (others.size()) {
      case 0 -> pattern.expr(id, holds::testOne);
      case 1 -> pattern.expr(id, others.get(0), (self, a) -> holds.test(self, a));
      case 2 ->
          pattern.expr(id, others.get(0), others.get(1), (self, a, b) -> holds.test(self, a, b));
      case 3 ->
          pattern.expr(
              id,
              others.get(0),
              others.get(1),
              others.get(2),
              (self, a, b, d) -> holds.test(self, a, b, d));
      case 4 ->
          pattern.expr(
              id,
              others.get(0),
              others.get(1),
              others.get(2),
              others.get(3),
              (self, a, b, d, e) -> holds.test(self, a, b, d, e));
      default -> throw new IllegalArgumentException(id + " reads more than five types of facts");
    };
  }

  private static FactTuple tuple(Object... facts) {
    FactTuple tuple = FactTuple.UNKNOWN;
    for (Object fact : facts) {
      tuple = tuple.with(fact);
    }
    return tuple;
  }

  @SuppressWarnings("unchecked") // Drools matches by the class; the constraints take any fact
  private Variable<Object> variable(FactType<?> type) {
    return (Variable<Object>) DSL.declarationOf(type.type(), "$" + type.key() + variables++);
  }
}

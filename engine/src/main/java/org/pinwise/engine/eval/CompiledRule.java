package org.pinwise.engine.eval;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern;
import org.pinwise.rules.spi.Pattern.Quantifier;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Truth;

/**
 * A rule with its conditions ready to be evaluated.
 *
 * @param rule the rule
 * @param parts its patterns
 * @param evidence whether the rule may be certain on the host and device at hand: true or false
 */
public record CompiledRule(Rule rule, List<Part> parts, Atom evidence) {

  /**
   * A pattern.
   *
   * @param quantifier whether a fact must or must not fulfil it
   * @param type the fact's type
   * @param conjuncts what the fact must fulfil, all of it
   */
  public record Part(Quantifier quantifier, FactType<?> type, List<Formula> conjuncts) {
    /** Returns whether the pattern holds. */
    public Truth of(FactTuple facts) {
      Truth truth = new Formula.All(conjuncts).of(facts);
      return quantifier == Quantifier.NOT ? truth.not() : truth;
    }
  }

  /** Compiles a rule with these values of its parameters. */
  public static CompiledRule of(Rule rule, Map<String, Long> parameters) {
    KernelEvidence evidence = new KernelEvidence(rule.meta());
    Compiler compiler = new Compiler(evidence, parameters);
    List<Part> parts = new ArrayList<>();
    for (Pattern pattern : rule.patterns()) {
      Formula formula = compiler.formula(pattern.condition());
      parts.add(
          new Part(
              pattern.quantifier(),
              pattern.type(),
              formula instanceof Formula.All all ? all.parts() : List.of(formula)));
    }
    Atom covered =
        new Atom(
            "verified " + evidence.key(),
            facts -> Truth.of(evidence.covers(facts.host(), facts.device())),
            List.of(
                field(Host.TYPE, "kernel"),
                field(Host.TYPE, "stack"),
                field(Device.TYPE, "driver")),
            null,
            parameters);
    return new CompiledRule(rule, List.copyOf(parts), covered);
  }

  private static <F> Operand.FieldOf<F> field(FactType<F> type, String name) {
    return new Operand.FieldOf<>(type, type.field(name).orElseThrow());
  }

  /** Returns whether the rule fires (true), is undecided (unknown) or is silent (false). */
  public Truth of(FactTuple facts) {
    Truth truth = Truth.TRUE;
    for (Part part : parts) {
      truth = truth.and(part.of(facts));
    }
    return truth == Truth.TRUE && evidence.test().of(facts) == Truth.FALSE ? Truth.UNKNOWN : truth;
  }

  /** Returns the fields that would decide the rule; empty where it is decided. */
  public Set<Operand.FieldOf<?>> needs(FactTuple facts) {
    Set<Operand.FieldOf<?>> needs = new LinkedHashSet<>();
    if (of(facts) != Truth.UNKNOWN) {
      return needs;
    }
    parts.forEach(part -> new Formula.All(part.conjuncts()).needs(facts, needs));
    if (evidence.test().of(facts) == Truth.FALSE) {
      needs.add(field(Host.TYPE, facts.host().stack() == null ? "kernel" : "stack"));
    }
    return needs;
  }

  /** Returns the rule's comparisons and its evidence. */
  public Set<Atom> atoms() {
    Set<Atom> atoms = new LinkedHashSet<>();
    parts.forEach(part -> part.conjuncts().forEach(formula -> formula.atoms(atoms)));
    atoms.add(evidence);
    return atoms;
  }

  /** Turns conditions into formulas. */
  private record Compiler(KernelEvidence evidence, Map<String, Long> parameters) {

    Formula formula(Condition condition) {
      if (condition instanceof Condition.All all) {
        return new Formula.All(all.conditions().stream().map(this::formula).toList());
      }
      if (condition instanceof Condition.Any any) {
        return new Formula.Any(any.conditions().stream().map(this::formula).toList());
      }
      if (condition instanceof Condition.Not not) {
        return new Formula.Not(formula(not.condition()));
      }
      Set<Operand.FieldOf<?>> reads = new LinkedHashSet<>();
      Test test;
      if (condition instanceof Condition.Compare compare) {
        reads(compare.left(), reads);
        reads(compare.right(), reads);
        test = compare(compare);
      } else if (condition instanceof Condition.OneOf oneOf) {
        reads(oneOf.left(), reads);
        test = oneOf(oneOf);
      } else if (condition instanceof Condition.Contains contains) {
        reads(contains.set(), reads);
        reads(contains.member(), reads);
        test = contains(contains);
      } else if (condition instanceof Condition.Holds holds) {
        reads(holds.field(), reads);
        test = holds(holds.field());
      } else {
        throw new IllegalArgumentException("condition " + condition);
      }
      boolean kernel = reads.stream().anyMatch(Compiler::isKernel);
      String key = condition + (parameters.isEmpty() ? "" : " with " + parameters);
      return new Formula.Leaf(
          new Atom(
              kernel ? key + " by " + evidence.key() : key,
              test,
              List.copyOf(reads),
              condition,
              parameters));
    }

    private static boolean isKernel(Operand operand) {
      return operand instanceof Operand.FieldOf<?> field
          && field.field().format() == Field.Format.KERNEL;
    }

    private static void reads(Operand operand, Set<Operand.FieldOf<?>> into) {
      if (operand instanceof Operand.FieldOf<?> field) {
        into.add(field);
      } else if (operand instanceof Operand.Arithmetic arithmetic) {
        reads(arithmetic.left(), into);
        reads(arithmetic.right(), into);
      }
    }

    private Test compare(Condition.Compare compare) {
      if (isKernel(compare.left()) && compare.right() instanceof Operand.Constant constant) {
        long bound = (Long) constant.value();
        return facts ->
            evidence.holds(
                facts.host().kernel(), kernel -> related(kernel, compare.relation(), bound));
      }
      if (isNumber(compare.left())) {
        Numbers left = Numbers.compile(compare.left(), parameters);
        Numbers right = Numbers.compile(compare.right(), parameters);
        return facts -> {
          long a = left.of(facts);
          long b = right.of(facts);
          return a == Numbers.UNKNOWN || b == Numbers.UNKNOWN
              ? Truth.UNKNOWN
              : Truth.of(related(a, compare.relation(), b));
        };
      }
      Values left = Values.compile(compare.left());
      Values right = Values.compile(compare.right());
      boolean equal = compare.relation() == Condition.Relation.EQUAL;
      return facts -> {
        Object a = left.of(facts);
        Object b = right.of(facts);
        return a == null || b == null ? Truth.UNKNOWN : Truth.of(a.equals(b) == equal);
      };
    }

    private static boolean isNumber(Operand operand) {
      return operand instanceof Operand.Arithmetic
          || operand instanceof Operand.Parameter
          || (operand instanceof Operand.Constant constant && constant.value() instanceof Long)
          || (operand instanceof Operand.FieldOf<?> field
              && field.field().kind() == Field.Kind.NUMBER);
    }

    private static boolean related(long a, Condition.Relation relation, long b) {
      return switch (relation) {
        case EQUAL -> a == b;
        case NOT_EQUAL -> a != b;
        case LESS -> a < b;
        case LESS_OR_EQUAL -> a <= b;
        case GREATER -> a > b;
        case GREATER_OR_EQUAL -> a >= b;
      };
    }

    private Test oneOf(Condition.OneOf oneOf) {
      Set<Object> values = Set.copyOf(oneOf.values().stream().map(c -> c.value()).toList());
      if (isNumber(oneOf.left())) {
        Numbers left = Numbers.compile(oneOf.left(), parameters);
        return facts -> {
          long a = left.of(facts);
          return a == Numbers.UNKNOWN
              ? Truth.UNKNOWN
              : Truth.of(values.contains(a) != oneOf.negated());
        };
      }
      Values left = Values.compile(oneOf.left());
      return facts -> {
        Object a = left.of(facts);
        return a == null ? Truth.UNKNOWN : Truth.of(values.contains(a) != oneOf.negated());
      };
    }

    private static Test contains(Condition.Contains contains) {
      Values set = Values.compile(contains.set());
      Values member = Values.compile(contains.member());
      return facts -> {
        Set<?> all = (Set<?>) set.of(facts);
        Object one = member.of(facts);
        return all == null || one == null
            ? Truth.UNKNOWN
            : Truth.of(all.contains(one) != contains.negated());
      };
    }

    private static Test holds(Operand.FieldOf<?> field) {
      Values value = Values.compile(field);
      return facts -> {
        Object holds = value.of(facts);
        return holds == null ? Truth.UNKNOWN : Truth.of(Objects.equals(holds, true));
      };
    }
  }
}

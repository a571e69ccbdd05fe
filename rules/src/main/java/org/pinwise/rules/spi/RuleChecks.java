package org.pinwise.rules.spi;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field.Kind;

/** What must be true of every rule, whatever it was written in. */
public final class RuleChecks {
  private static final java.util.regex.Pattern ID =
      java.util.regex.Pattern.compile("[A-Z]{2,12}\\d{3}(/[a-z0-9.-]{1,40})?");
  private static final java.util.regex.Pattern VERSION =
      java.util.regex.Pattern.compile("\\d{1,4}(\\.\\d{1,4}){0,3}");

  /** Drools compares a fact with at most four others at once. */
  private static final int MAX_TYPES = 5;

  private static final String ID_IN_WORDS =
      "is no rule id; an id is letters and three digits, such as ACME101 or ACME101/old-kernel";

  private final Rule rule;
  private final List<String> problems = new ArrayList<>();

  private RuleChecks(Rule rule) {
    this.rule = rule;
  }

  /** Returns what is wrong with a rule, what is allowed and what to do; empty where nothing is. */
  public static List<String> problems(Rule rule) {
    RuleChecks checks = new RuleChecks(rule);
    checks.meta();
    if (rule.patterns().isEmpty()) {
      checks.problems.add("the rule demands nothing; give it a condition");
    }
    checks.oneConfiguration();
    for (Pattern pattern : rule.patterns()) {
      checks.condition(pattern.condition());
      constant(pattern.condition()).ifPresent(checks.problems::add);
      tooWide(pattern).ifPresent(checks.problems::add);
    }
    for (Template.Part part : rule.template().parts()) {
      if (part instanceof Template.Place place) {
        checks.operand(place.operand());
      }
    }
    return List.copyOf(checks.problems);
  }

  /**
   * Returns whether a text can be a rule's id: letters and three digits, and where a room holds
   * several rules a name.
   */
  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /** Returns whether a text can be the version that a rule says it came with. */
  public static boolean isVersion(String text) {
    return VERSION.matcher(text).matches();
  }

  /** A judgement has one configuration, so a rule that reads two never reports. */
  private void oneConfiguration() {
    Set<FactType<?>> types = new HashSet<>();
    rule.reads().stream()
        .map(Operand.FieldOf::type)
        .filter(FactType::isConfiguration)
        .forEach(types::add);
    if (types.size() > 1) {
      problems.add(
          "the rule reads %s, and a judgement has one of them; write a rule for each"
              .formatted(types.stream().map(FactType::name).sorted().toList()));
    }
  }

  private void meta() {
    RuleMeta meta = rule.meta();
    if (!isId(meta.id())) {
      problems.add("\"%s\" %s".formatted(meta.id(), ID_IN_WORDS));
    }
    Map<String, String> texts = new java.util.LinkedHashMap<>();
    texts.put("since", meta.since());
    texts.put("spec", meta.spec());
    texts.put("summary", meta.summary());
    texts.put("remediation", meta.remediation());
    texts.forEach((name, text) -> {
      if (text.isBlank()) {
        problems.add(name + " is empty");
      }
    });
    if (!meta.since().isBlank() && !isVersion(meta.since())) {
      problems.add("since is a version such as 0.1, not " + meta.since());
    }
    if (meta.summary().endsWith(".")) {
      problems.add("the summary ends without a period: " + meta.summary());
    }
    if (!meta.remediation().isBlank() && !meta.remediation().endsWith(".")) {
      problems.add("the remediation ends with a period, not: " + meta.remediation());
    }
    if ((meta.errno() == null) != (meta.stage() == null)) {
      problems.add("the rule has only one of stage and errno; a failing call has both");
    }
    if (meta.errno() != null && meta.severity() != Severity.ERROR) {
      problems.add("an errno says that the call fails, so the severity must be ERROR");
    }
  }

  private void condition(Condition condition) {
    if (condition instanceof Condition.All all) {
      all.conditions().forEach(this::condition);
    } else if (condition instanceof Condition.Any any) {
      any.conditions().forEach(this::condition);
    } else if (condition instanceof Condition.Not not) {
      condition(not.condition());
    } else if (condition instanceof Condition.Compare compare) {
      compare(compare);
    } else if (condition instanceof Condition.OneOf oneOf) {
      operand(oneOf.left());
      reads(oneOf.left().readsFact(), condition);
      oneOf.values().forEach(value -> alike(oneOf.left(), value));
    } else if (condition instanceof Condition.Contains contains) {
      operand(contains.set());
      operand(contains.member());
      if (!contains.set().kind().equals(contains.member().kind().replaceFirst("a", "a set of"))) {
        problems.add(
            "%s is %s, and %s is %s"
                .formatted(
                    contains.set(),
                    contains.set().kind(),
                    contains.member(),
                    contains.member().kind()));
      }
    } else if (condition instanceof Condition.Holds holds) {
      operand(holds.field());
      if (holds.field().field().kind() != Kind.BOOLEAN) {
        problems.add(
            "%s is %s and no condition; compare it with something"
                .formatted(holds.field(), holds.field().kind()));
      }
    }
  }

  private void compare(Condition.Compare compare) {
    operand(compare.left());
    operand(compare.right());
    reads(compare.left().readsFact() || compare.right().readsFact(), compare);
    alike(compare.left(), compare.right());
    boolean ordered =
        compare.relation() != Condition.Relation.EQUAL
            && compare.relation() != Condition.Relation.NOT_EQUAL;
    if (ordered && !compare.left().kind().equals("a number")) {
      problems.add(
          "%s is %s, which has no order; use == or !="
              .formatted(compare.left(), compare.left().kind()));
    }
    if (compare.left().kind().startsWith("a set")) {
      problems.add(compare.left() + " is a set; use: contains");
    }
  }

  private void reads(boolean any, Condition condition) {
    if (!any) {
      problems.add("\"%s\" reads no field, so it is constant; drop it".formatted(condition));
    }
  }

  private void alike(Operand left, Operand right) {
    if (!left.kind().equals(right.kind())) {
      problems.add("%s is %s, but %s is %s".formatted(left, left.kind(), right, right.kind()));
    }
  }

  private void operand(Operand operand) {
    if (operand instanceof Operand.FieldOf<?> field) {
      if (!isKnown(field)) {
        problems.add("%s is no field of a fact that is judged".formatted(field));
      }
    } else if (operand instanceof Operand.Parameter parameter
        && !rule.meta().parameters().containsKey(parameter.name())) {
      problems.add(
          "the rule declares no parameter %s; it has %s"
              .formatted(
                  parameter.name(), rule.meta().parameters().keySet().stream().sorted().toList()));
    } else if (operand instanceof Operand.Arithmetic sum) {
      operand(sum.left());
      operand(sum.right());
      if (!sum.left().kind().equals("a number") || !sum.right().kind().equals("a number")) {
        problems.add("%s takes numbers".formatted(sum));
      }
      if ("/%".indexOf(sum.operator()) >= 0
          && !(sum.right() instanceof Operand.Constant divisor
              && divisor.value() instanceof Long value
              && value > 0)) {
        problems.add("the divisor must be a constant of at least 1, not %s".formatted(sum.right()));
      }
    }
  }

  private static <F> boolean isKnown(Operand.FieldOf<F> operand) {
    return FactType.all().contains(operand.type())
        && operand.type().field(operand.field().name()).filter(operand.field()::equals).isPresent();
  }

  /** Returns why a pattern compares too many facts with each other; empty where it does not. */
  public static Optional<String> tooWide(Pattern pattern) {
    boolean negated = pattern.quantifier() == Pattern.Quantifier.NOT;
    List<Condition> parts =
        pattern.condition() instanceof Condition.All all
            ? all.conditions()
            : List.of(pattern.condition());
    for (Condition part : parts) {
      Set<FactType<?>> types = new HashSet<>();
      Rule.reads(part).forEach(field -> types.add(field.type()));
      if (negated) {
        types.add(pattern.type());
      }
      if (types.size() > MAX_TYPES) {
        return Optional.of(
            "one condition reads facts of %d types, and may of %d; split it"
                .formatted(types.size(), MAX_TYPES));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns why no fact can change a condition; empty where one can. Such a condition is a mistake,
   * and three-valued logic would call it undecided where a fact is unknown although its truth is
   * settled.
   */
  public static Optional<String> constant(Condition condition) {
    if (condition instanceof Condition.All all) {
      return opposites(all.conditions());
    }
    if (condition instanceof Condition.Any any) {
      return opposites(any.conditions());
    }
    if (condition instanceof Condition.Not not) {
      return constant(not.condition());
    }
    return condition instanceof Condition.Compare compare && isConstant(compare)
        ? Optional.of("\"%s\" has the same answer for all facts; drop it".formatted(compare))
        : Optional.empty();
  }

  private static Optional<String> opposites(List<Condition> conditions) {
    Map<String, Boolean> seen = new HashMap<>();
    for (Condition condition : conditions) {
      Optional<String> inner = constant(condition);
      if (inner.isPresent()) {
        return inner;
      }
      boolean negated = false;
      Condition plain = condition;
      while (plain instanceof Condition.Not not) {
        negated = !negated;
        plain = not.condition();
      }
      if (plain instanceof Condition.Contains contains) {
        negated ^= contains.negated();
        plain = new Condition.Contains(contains.set(), contains.member(), false);
      } else if (plain instanceof Condition.OneOf oneOf) {
        negated ^= oneOf.negated();
        plain = new Condition.OneOf(oneOf.left(), oneOf.values(), false);
      }
      Boolean before = seen.put(plain.toString(), negated);
      if (before != null) {
        return Optional.of(
            before != negated
                ? "\"%s\" and its opposite stand side by side, so the answer is constant"
                    .formatted(plain)
                : "\"%s\" stands there twice; drop one".formatted(plain));
      }
    }
    return Optional.empty();
  }

  private static boolean isConstant(Condition.Compare compare) {
    if (compare.left().toString().equals(compare.right().toString())) {
      return true;
    }
    if (!(compare.right() instanceof Operand.Constant constant
        && constant.value() instanceof Long bound
        && compare.left() instanceof Operand.FieldOf<?>)) {
      return false;
    }
    // Numbers of facts are 0 to 2^63-1.
    return switch (compare.relation()) {
      case LESS, GREATER_OR_EQUAL -> bound == 0;
      case GREATER, LESS_OR_EQUAL -> bound == Long.MAX_VALUE;
      case EQUAL, NOT_EQUAL -> false;
    };
  }
}

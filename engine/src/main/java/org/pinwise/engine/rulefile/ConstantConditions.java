package org.pinwise.engine.rulefile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;

/**
 * Refuses conditions that no fact can change. They are mistakes, and three-valued logic would call
 * them undecided where a fact is unknown although their truth is settled.
 */
final class ConstantConditions {
  private ConstantConditions() {}

  static void refuse(Condition condition, Token at) {
    if (condition instanceof Condition.All all) {
      refuseOpposites(all.conditions(), at);
    } else if (condition instanceof Condition.Any any) {
      refuseOpposites(any.conditions(), at);
    } else if (condition instanceof Condition.Not not) {
      refuse(not.condition(), at);
    } else if (condition instanceof Condition.Compare compare && constant(compare)) {
      throw new SyntaxException(
          at, "\"%s\" has the same answer for all facts; drop it".formatted(compare));
    }
  }

  private static void refuseOpposites(List<Condition> conditions, Token at) {
    Map<String, Boolean> seen = new HashMap<>();
    for (Condition condition : conditions) {
      refuse(condition, at);
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
      if (before != null && before != negated) {
        throw new SyntaxException(
            at,
            "\"%s\" and its opposite stand side by side, so the answer is constant"
                .formatted(plain));
      }
      if (before != null) {
        throw new SyntaxException(at, "\"%s\" stands there twice; drop one".formatted(plain));
      }
    }
  }

  private static boolean constant(Condition.Compare compare) {
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

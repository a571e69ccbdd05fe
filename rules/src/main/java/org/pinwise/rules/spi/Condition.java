package org.pinwise.rules.spi;

import java.util.List;
import java.util.stream.Collectors;

/** What a rule demands of facts, as a value. Its text is the rule in words. */
public sealed interface Condition {

  /** All hold. */
  record All(List<Condition> conditions) implements Condition {
    /** Keeps an immutable copy. */
    public All {
      conditions = List.copyOf(conditions);
    }

    @Override
    public String toString() {
      return conditions.stream().map(Condition::enclosed).collect(Collectors.joining(" and "));
    }
  }

  /** At least one holds. */
  record Any(List<Condition> conditions) implements Condition {
    /** Keeps an immutable copy. */
    public Any {
      conditions = List.copyOf(conditions);
    }

    @Override
    public String toString() {
      return conditions.stream().map(Condition::enclosed).collect(Collectors.joining(" or "));
    }
  }

  /** The other does not hold. */
  record Not(Condition condition) implements Condition {
    @Override
    public String toString() {
      return "not " + condition.enclosed();
    }
  }

  /** How {@link Compare} compares. */
  enum Relation {
    EQUAL("==", "is"),
    NOT_EQUAL("!=", "is not"),
    LESS("<", "is less than"),
    LESS_OR_EQUAL("<=", "is at most"),
    GREATER(">", "is more than"),
    GREATER_OR_EQUAL(">=", "is at least");

    private final String symbol;
    private final String words;

    Relation(String symbol, String words) {
      this.symbol = symbol;
      this.words = words;
    }

    /** Returns the operator in rule files. */
    public String symbol() {
      return symbol;
    }

    /** Returns the operator in words. */
    public String words() {
      return words;
    }
  }

  /** Two operands of one kind compare so. */
  record Compare(Operand left, Relation relation, Operand right) implements Condition {
    @Override
    public String toString() {
      return left + " " + relation.words() + " " + right;
    }
  }

  /** A set of flags has a member, or has it not. */
  record Contains(Operand.FieldOf<?> set, Operand member, boolean negated) implements Condition {
    @Override
    public String toString() {
      return set + (negated ? " has no " : " has ") + member;
    }
  }

  /** An operand is one of some constants, or is none of them. */
  record OneOf(Operand left, List<Operand.Constant> values, boolean negated) implements Condition {
    /** Keeps an immutable copy. */
    public OneOf {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return values.stream()
          .map(Operand.Constant::toString)
          .collect(Collectors.joining(", ", left + (negated ? " is none of " : " is one of "), ""));
    }
  }

  /** A boolean field is true. */
  record Holds(Operand.FieldOf<?> field) implements Condition {
    @Override
    public String toString() {
      return field.toString();
    }
  }

  private String enclosed() {
    return this instanceof All || this instanceof Any ? "(" + this + ")" : toString();
  }
}

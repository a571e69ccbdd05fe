package org.pinwise.rules.dsl;

import java.util.ArrayList;
import java.util.List;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Condition.Relation;
import org.pinwise.rules.spi.Operand;

/**
 * What a request, or what is known about it, may be like, with a description that completes
 * "requests that ..". Immutable.
 *
 * <p>A trait of which a fact is unknown is neither had nor lacked, and its opposite neither.
 */
public final class Trait {
  private final Condition condition;
  private final String description;

  private Trait(Condition condition, String description) {
    this.condition = condition;
    this.description = description;
  }

  /** Makes a trait of any condition, for what the other methods do not offer. */
  public static Trait of(Condition condition, String description) {
    return new Trait(condition, description);
  }

  /** Returns the trait of having both. */
  public Trait and(Trait other) {
    List<Condition> all = new ArrayList<>(conjuncts(condition));
    all.addAll(conjuncts(other.condition));
    return new Trait(new Condition.All(all), description + " and " + other.description);
  }

  /** Returns the trait of having one of both, or both. */
  public Trait or(Trait other) {
    List<Condition> any = new ArrayList<>(disjuncts(condition));
    any.addAll(disjuncts(other.condition));
    return new Trait(new Condition.Any(any), description + " or " + other.description);
  }

  /** Returns the opposite. */
  public static Trait not(Trait trait) {
    return new Trait(negation(trait.condition), "do not " + trait.description);
  }

  /** Returns this trait with another description, which completes "requests that ..". */
  public Trait as(String newDescription) {
    return new Trait(condition, newDescription);
  }

  /** Returns the condition. */
  public Condition condition() {
    return condition;
  }

  /** Returns the description, such as {@code have memory CUDA}. */
  @Override
  public String toString() {
    return description;
  }

  static List<Condition> conjuncts(Condition condition) {
    return condition instanceof Condition.All all ? all.conditions() : List.of(condition);
  }

  private static List<Condition> disjuncts(Condition condition) {
    return condition instanceof Condition.Any any ? any.conditions() : List.of(condition);
  }

  /** Returns the opposite as an author of a rule file would write it. */
  static Condition negation(Condition condition) {
    if (condition instanceof Condition.All all) {
      return new Condition.Any(all.conditions().stream().map(Trait::negation).toList());
    }
    if (condition instanceof Condition.Any any) {
      return new Condition.All(any.conditions().stream().map(Trait::negation).toList());
    }
    if (condition instanceof Condition.Not not) {
      return not.condition();
    }
    if (condition instanceof Condition.Contains contains) {
      return new Condition.Contains(contains.set(), contains.member(), !contains.negated());
    }
    if (condition instanceof Condition.OneOf oneOf) {
      return new Condition.OneOf(oneOf.left(), oneOf.values(), !oneOf.negated());
    }
    if (condition instanceof Condition.Holds holds) {
      return new Condition.Compare(
          holds.field(), Relation.EQUAL, new Operand.Constant(false, "false"));
    }
    Condition.Compare compare = (Condition.Compare) condition;
    if (compare.relation() == Relation.EQUAL
        && compare.left() instanceof Operand.FieldOf<?> field
        && compare.right() instanceof Operand.Constant constant
        && constant.value().equals(false)) {
      return new Condition.Holds(field);
    }
    return new Condition.Compare(
        compare.left(),
        switch (compare.relation()) {
          case EQUAL -> Relation.NOT_EQUAL;
          case NOT_EQUAL -> Relation.EQUAL;
          case LESS -> Relation.GREATER_OR_EQUAL;
          case LESS_OR_EQUAL -> Relation.GREATER;
          case GREATER -> Relation.LESS_OR_EQUAL;
          case GREATER_OR_EQUAL -> Relation.LESS;
        },
        compare.right());
  }
}

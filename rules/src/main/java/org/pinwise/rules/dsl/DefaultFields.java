package org.pinwise.rules.dsl;

import java.util.List;
import java.util.function.Function;
import org.pinwise.rules.model.Field.Format;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Condition.Relation;
import org.pinwise.rules.spi.Operand;

/** The fields of {@link Fields}. */
final class DefaultFields {
  private DefaultFields() {}

  record Flag(Operand.FieldOf<?> field) implements Fields.FlagField {
    @Override
    public Trait isTrue() {
      return Trait.of(new Condition.Holds(field), "have " + field);
    }

    @Override
    public Trait isFalse() {
      return Trait.of(Trait.negation(new Condition.Holds(field)), "have no " + field);
    }
  }

  record Numeric(Operand operand, Format format) implements Fields.NumberTerm {
    private Trait compare(Relation relation, Operand right) {
      return Fields.have(operand, relation, right);
    }

    private Operand.Constant constant(long value) {
      return Constants.of(value, format);
    }

    private Fields.NumberTerm computed(char operator, Operand right) {
      return new Numeric(new Operand.Arithmetic(operand, operator, right), format);
    }

    private static long divisor(long divisor) {
      if (divisor < 1) {
        throw new IllegalArgumentException(
            "the divisor must be at least 1, not %d".formatted(divisor));
      }
      return divisor;
    }

    @Override
    public Trait is(long value) {
      return compare(Relation.EQUAL, constant(value));
    }

    @Override
    public Trait isNot(long value) {
      return compare(Relation.NOT_EQUAL, constant(value));
    }

    @Override
    public Trait isLessThan(long value) {
      return compare(Relation.LESS, constant(value));
    }

    @Override
    public Trait isLessThan(Fields.NumberTerm other) {
      return compare(Relation.LESS, other.operand());
    }

    @Override
    public Trait isAtMost(long value) {
      return compare(Relation.LESS_OR_EQUAL, constant(value));
    }

    @Override
    public Trait isAtMost(Fields.NumberTerm other) {
      return compare(Relation.LESS_OR_EQUAL, other.operand());
    }

    @Override
    public Trait isMoreThan(long value) {
      return compare(Relation.GREATER, constant(value));
    }

    @Override
    public Trait isMoreThan(Fields.NumberTerm other) {
      return compare(Relation.GREATER, other.operand());
    }

    @Override
    public Trait isAtLeast(long value) {
      return compare(Relation.GREATER_OR_EQUAL, constant(value));
    }

    @Override
    public Trait isAtLeast(Fields.NumberTerm other) {
      return compare(Relation.GREATER_OR_EQUAL, other.operand());
    }

    @Override
    public Fields.NumberTerm plus(Fields.NumberTerm other) {
      return computed('+', other.operand());
    }

    @Override
    public Fields.NumberTerm minus(Fields.NumberTerm other) {
      return computed('-', other.operand());
    }

    @Override
    public Fields.NumberTerm times(Fields.NumberTerm other) {
      return computed('*', other.operand());
    }

    @Override
    public Fields.NumberTerm times(long factor) {
      return computed('*', Constants.of(factor, Format.PLAIN));
    }

    @Override
    public Fields.NumberTerm dividedBy(long divisor) {
      return computed('/', Constants.of(divisor(divisor), Format.PLAIN));
    }

    @Override
    public Fields.NumberTerm modulo(long divisor) {
      return computed('%', Constants.of(divisor(divisor), Format.PLAIN));
    }
  }

  record Value<V>(Operand.FieldOf<?> field, Function<V, Operand.Constant> constants)
      implements Fields.ValueField<V> {
    private Trait oneOf(List<V> values, boolean negated) {
      if (values.isEmpty()) {
        throw new IllegalArgumentException(field + " is compared with no value; give one");
      }
      return Fields.haveOneOf(
          new Condition.OneOf(field, values.stream().map(constants).toList(), negated));
    }

    @Override
    public Trait is(V value) {
      return Fields.have(field, Relation.EQUAL, constants.apply(value));
    }

    @Override
    public Trait isNot(V value) {
      return Fields.have(field, Relation.NOT_EQUAL, constants.apply(value));
    }

    @Override
    public Trait isOneOf(List<V> values) {
      return oneOf(values, false);
    }

    @Override
    public Trait isNoneOf(List<V> values) {
      return oneOf(values, true);
    }
  }

  record Flags<E extends Enum<E>>(Operand.FieldOf<?> field) implements Fields.FlagsField<E> {
    private Condition contains(E member, boolean negated) {
      return new Condition.Contains(field, Constants.of(member), negated);
    }

    @Override
    public Trait has(E member) {
      return Trait.of(contains(member, false), "have %s in %s".formatted(member.name(), field));
    }

    @Override
    public Trait hasNo(E member) {
      return Trait.of(contains(member, true), "have no %s in %s".formatted(member.name(), field));
    }
  }
}

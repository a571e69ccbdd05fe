package org.pinwise.rules.dsl;

import java.util.List;
import java.util.stream.Stream;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Field.Format;
import org.pinwise.rules.model.Field.Kind;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Condition.Relation;
import org.pinwise.rules.spi.Operand;

/**
 * Comparisons of any field of any fact. Fields are named as rule files name them.
 *
 * {@snippet :
 * Trait large = Fields.number(MrRequest.TYPE, "length").isAtLeast(Size.GIB);
 * Trait pinned = Fields.flags(MrRequest.TYPE, "access").hasNo(AccessFlag.ON_DEMAND);
 * }
 */
public final class Fields {
  private Fields() {}

  /**
   * Returns a field that is true or false.
   *
   * @throws IllegalArgumentException if the type has no such field
   */
  public static FlagField flag(FactType<?> type, String name) {
    return new DefaultFields.Flag(find(type, name, Kind.BOOLEAN));
  }

  /**
   * Returns a field that holds a number.
   *
   * @throws IllegalArgumentException if the type has no such field
   */
  public static NumberTerm number(FactType<?> type, String name) {
    Operand.FieldOf<?> field = find(type, name, Kind.NUMBER);
    return new DefaultFields.Numeric(field, field.field().format());
  }

  /** Returns a parameter of the rule; {@link Rules.Complete#parameter} declares it. */
  public static NumberTerm parameter(String name) {
    return new DefaultFields.Numeric(new Operand.Parameter(name), Format.PLAIN);
  }

  /**
   * Returns a field that holds text.
   *
   * @throws IllegalArgumentException if the type has no such field
   */
  public static ValueField<String> text(FactType<?> type, String name) {
    return new DefaultFields.Value<>(find(type, name, Kind.TEXT), Constants::of);
  }

  /**
   * Returns a field that holds one of an enum's constants.
   *
   * @throws IllegalArgumentException if the type has no such field
   */
  public static <E extends Enum<E>> ValueField<E> choice(
      FactType<?> type, String name, Class<E> choices) {
    return new DefaultFields.Value<>(
        find(type, name, Kind.CHOICE, choices), choice -> Constants.of((Enum<?>) choice));
  }

  /**
   * Returns a field that holds a set of an enum's constants.
   *
   * @throws IllegalArgumentException if the type has no such field
   */
  public static <E extends Enum<E>> FlagsField<E> flags(
      FactType<?> type, String name, Class<E> members) {
    return new DefaultFields.Flags<>(find(type, name, Kind.FLAGS, members));
  }

  /** A field that is true or false. */
  public interface FlagField {
    /** Returns the trait that the field is true. */
    Trait isTrue();

    /** Returns the trait that the field is false. */
    Trait isFalse();
  }

  /** A number of a fact, a parameter, or what is computed of such; computing saturates. */
  public interface NumberTerm {
    /** Returns the trait of being equal. */
    Trait is(long value);

    /** Returns the trait of not being equal. */
    Trait isNot(long value);

    /** Returns the trait of being less. */
    Trait isLessThan(long value);

    /** Returns the trait of being less. */
    Trait isLessThan(NumberTerm other);

    /** Returns the trait of being less or equal. */
    Trait isAtMost(long value);

    /** Returns the trait of being less or equal. */
    Trait isAtMost(NumberTerm other);

    /** Returns the trait of being more. */
    Trait isMoreThan(long value);

    /** Returns the trait of being more. */
    Trait isMoreThan(NumberTerm other);

    /** Returns the trait of being more or equal. */
    Trait isAtLeast(long value);

    /** Returns the trait of being more or equal. */
    Trait isAtLeast(NumberTerm other);

    /** Returns the sum. */
    NumberTerm plus(NumberTerm other);

    /** Returns the difference. */
    NumberTerm minus(NumberTerm other);

    /** Returns the product. */
    NumberTerm times(NumberTerm other);

    /** Returns the product. */
    NumberTerm times(long factor);

    /**
     * Returns the quotient, rounded down.
     *
     * @throws IllegalArgumentException if the divisor is not positive
     */
    NumberTerm dividedBy(long divisor);

    /**
     * Returns the remainder.
     *
     * @throws IllegalArgumentException if the divisor is not positive
     */
    NumberTerm modulo(long divisor);

    /** Returns the operand. */
    Operand operand();
  }

  /**
   * A field that holds one value.
   *
   * @param <V> the value's type
   */
  public interface ValueField<V> {
    /** Returns the trait of holding the value. */
    Trait is(V value);

    /** Returns the trait of holding another value. */
    Trait isNot(V value);

    /** Returns the trait of holding one of the values. */
    Trait isOneOf(List<V> values);

    /** Returns the trait of holding another value than these. */
    Trait isNoneOf(List<V> values);
  }

  /**
   * A field that holds a set.
   *
   * @param <E> the members' type
   */
  public interface FlagsField<E extends Enum<E>> {
    /** Returns the trait of having the member. */
    Trait has(E member);

    /** Returns the trait of not having the member. */
    Trait hasNo(E member);
  }

  static Operand.FieldOf<?> find(FactType<?> type, String name, Kind kind) {
    return found(type, name, kind);
  }

  private static Operand.FieldOf<?> find(
      FactType<?> type, String name, Kind kind, Class<?> valueType) {
    Operand.FieldOf<?> field = found(type, name, kind);
    if (!field.field().valueType().equals(valueType)) {
      throw new IllegalArgumentException(
          "%s is %s, not of %s".formatted(field, field.kind(), valueType.getSimpleName()));
    }
    return field;
  }

  private static <F> Operand.FieldOf<F> found(FactType<F> type, String name, Kind kind) {
    Field<F> field =
        type.field(name)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "%s has no field %s; it has %s"
                        .formatted(
                            type.name(), name, type.fields().stream().map(Field::name).toList())));
    Operand.FieldOf<F> operand = new Operand.FieldOf<>(type, field);
    if (field.kind() != kind) {
      throw new IllegalArgumentException("%s is %s".formatted(operand, operand.kind()));
    }
    return operand;
  }

  /** Describes a comparison of a field: {@code have request.length at least Size.GIB}. */
  static Trait have(Condition.Compare compare) {
    String words = compare.relation().words().replaceFirst("is ?", "");
    String between = words.isEmpty() ? " " : " " + words + " ";
    return Trait.of(compare, "have " + compare.left() + between + compare.right());
  }

  static Trait have(Operand left, Relation relation, Operand right) {
    return have(new Condition.Compare(left, relation, right));
  }

  static Trait haveOneOf(Condition.OneOf oneOf) {
    Stream<String> values = oneOf.values().stream().map(Operand.Constant::toString);
    return Trait.of(
        oneOf,
        "have %s %s %s"
            .formatted(
                oneOf.left(),
                oneOf.negated() ? "none of" : "one of",
                String.join(", ", values.toList())));
  }
}

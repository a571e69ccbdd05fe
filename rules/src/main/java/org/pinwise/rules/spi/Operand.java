package org.pinwise.rules.spi;

import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;

/** What a comparison compares. */
public sealed interface Operand {

  /** Returns the kind of value in words; operands of equal kinds compare. */
  default String kind() {
    if (this instanceof FieldOf<?> field) {
      return switch (field.field().kind()) {
        case BOOLEAN -> "true or false";
        case NUMBER -> "a number";
        case TEXT -> "text";
        case CHOICE -> "a " + field.field().valueType().getSimpleName();
        case FLAGS -> "a set of " + field.field().valueType().getSimpleName();
      };
    }
    if (this instanceof Constant constant) {
      Object value = constant.value();
      return value instanceof Long
          ? "a number"
          : value instanceof String
              ? "text"
              : value instanceof Boolean
                  ? "true or false"
                  : value instanceof Enum<?> choice
                      ? "a " + choice.getDeclaringClass().getSimpleName()
                      : "a " + value.getClass().getName();
    }
    return "a number";
  }

  /** Returns whether the value depends on a fact. */
  default boolean readsFact() {
    return this instanceof Arithmetic sum
        ? sum.left().readsFact() || sum.right().readsFact()
        : this instanceof FieldOf<?>;
  }

  /**
   * A field of a fact.
   *
   * @param <F> the fact's record
   * @param type the fact's type
   * @param field the field
   */
  record FieldOf<F>(FactType<F> type, Field<F> field) implements Operand {
    // The names say it all; the generated methods take long to be linked, and compare all that a
    // field is.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof FieldOf<?> f
          && type.equals(f.type)
          && field.name().equals(f.field.name());
    }

    @Override
    public int hashCode() {
      return 31 * type.key().hashCode() + field.name().hashCode();
    }

    @Override
    public String toString() {
      return type.key() + "." + field.name();
    }
  }

  /**
   * A constant.
   *
   * @param value a Long, a String, a Boolean or an enum's constant
   * @param text how the rule's author wrote it
   */
  record Constant(Object value, String text) implements Operand {
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * A parameter of the rule, which a profile may set.
   *
   * @param name the name declared with {@code @param}
   */
  record Parameter(String name) implements Operand {
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Arithmetic on whole numbers; it saturates at 2^63-1.
   *
   * @param left the left operand
   * @param operator one of {@code + - * / %}
   * @param right the right operand
   */
  record Arithmetic(Operand left, char operator, Operand right) implements Operand {
    @Override
    public String toString() {
      return "(" + left + " " + operator + " " + right + ")";
    }
  }
}

package org.pinwise.rules.model;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A field of a fact: what a rule can compare and a facts file can give.
 *
 * @param <F> the fact's type
 * @param name the field's name in rules and in facts files; also the record component's
 * @param kind what kind of value it holds
 * @param valueType the enum of a {@link Kind#CHOICE} or of the members of a {@link Kind#FLAGS};
 *     else the boxed type
 * @param format how a person reads the value
 * @param volatility how long a value that was read stays true
 * @param doc what the field says: a noun phrase without a period
 * @param reader reads the field of a fact; null where it is unknown
 */
public record Field<F>(
    String name,
    Kind kind,
    Class<?> valueType,
    Format format,
    Volatility volatility,
    String doc,
    Function<F, @Nullable Object> reader) {

  /** Kinds of values. */
  public enum Kind {
    /** True or false. */
    BOOLEAN,
    /** A whole number, 0 to 2^63-1. */
    NUMBER,
    /** Text. */
    TEXT,
    /** One constant of an enum. */
    CHOICE,
    /** A set of constants of an enum. */
    FLAGS
  }

  /** How a number is shown. */
  public enum Format {
    /** As it is. */
    PLAIN,
    /** Bytes, with a unit. */
    BYTES,
    /** In hexadecimal. */
    HEX,
    /** A kernel version. */
    KERNEL
  }

  /** Returns the field's value, null where it is unknown. */
  public @Nullable Object read(F fact) {
    return reader.apply(fact);
  }

  /** Returns the members of a value of {@link Kind#FLAGS} as bits, by the places of constants. */
  public static long bits(Set<? extends Enum<?>> members) {
    return FlagSet.bits(members);
  }

  /**
   * Returns a value of this field as people read it: {@code 64MiB}, {@code 0x7f..}, {@code [A, B]}.
   */
  public String show(@Nullable Object value) {
    if (value == null) {
      return "unknown";
    }
    if (value instanceof Number number) {
      return switch (format) {
        case PLAIN -> number.toString();
        case BYTES -> Size.text(number.longValue());
        case HEX -> "0x%x".formatted(number.longValue());
        case KERNEL -> Kernel.text(number.intValue());
      };
    }
    if (value instanceof Collection<?> members) {
      // A set of constants has no order of its own that two runs share.
      return members.stream()
          .sorted()
          .map(Field::constant)
          .collect(Collectors.joining("|", "[", "]"));
    }
    return constant(value);
  }

  private static String constant(Object value) {
    return value instanceof AccessFlag flag
        ? flag.name()
        : value instanceof Enum<?> e ? e.name().toLowerCase(Locale.ROOT) : value.toString();
  }
}

package org.pinwise.rules.dsl;

import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import org.pinwise.rules.model.Field.Format;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.spi.Operand;

/** Constants, written as an author of a rule file would write them. */
final class Constants {
  private static final Map<Long, String> KERNELS = names(Kernel.class);
  private static final Map<Long, String> SIZES = names(Size.class);

  private Constants() {}

  /** Rule files name these constants, so that a class's public numbers are the names there are. */
  private static Map<Long, String> names(Class<?> holder) {
    Map<Long, String> names = new HashMap<>();
    for (var field : holder.getFields()) {
      if (Modifier.isStatic(field.getModifiers())) {
        try {
          names.put(field.getLong(null), holder.getSimpleName() + "." + field.getName());
        } catch (IllegalAccessException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    return names;
  }

  static Operand.Constant of(Enum<?> value) {
    return new Operand.Constant(
        value, value.getDeclaringClass().getSimpleName() + "." + value.name());
  }

  static Operand.Constant of(String value) {
    return new Operand.Constant(value, '"' + value + '"');
  }

  static Operand.Constant of(long value, Format format) {
    if (value < 0) {
      throw new IllegalArgumentException(
          "%d is negative, and no fact is; numbers are 0 to 2^63-1".formatted(value));
    }
    Map<Long, String> names =
        switch (format) {
          case KERNEL -> KERNELS;
          case BYTES -> SIZES;
          case HEX, PLAIN -> Map.of();
        };
    String plain = value > Integer.MAX_VALUE ? value + "L" : Long.toString(value);
    return new Operand.Constant(value, names.getOrDefault(value, plain));
  }
}

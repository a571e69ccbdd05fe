package org.pinwise.engine.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.text.Quantity;

/** Reads the values of options. */
final class Options {
  private Options() {}

  /** Reads a value by a function that says by {@link IllegalArgumentException} what is wrong. */
  static <T> T read(String option, String text, Function<String, T> reader) {
    if (text.isBlank()) {
      throw new UsageException(option, "the value is empty");
    }
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option, String.valueOf(e.getMessage()));
    }
  }

  static long number(String option, String text) {
    return read(option, text, Quantity::parse);
  }

  static long pid(String text) {
    return read(
        "--pid",
        text,
        value -> {
          if (!value.matches("[1-9]\\d{0,9}")) {
            throw new IllegalArgumentException(Printable.cut(value) + " is no process id");
          }
          return Long.parseLong(value);
        });
  }

  static Path path(String option, String text) {
    if (text.isBlank()) {
      throw new UsageException(option, "the value is empty");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UsageException(option, "%s is no path".formatted(text));
    }
  }

  /** Finds an enum's constant, in any case and with {@code -} for {@code _}. */
  static <E extends Enum<E>> E choice(String option, String text, Class<E> type) {
    return read(
        option,
        text,
        value -> {
          String name = value.strip().toUpperCase(Locale.ROOT).replace('-', '_');
          for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(name)) {
              return constant;
            }
          }
          List<String> names = names(type);
          throw new IllegalArgumentException(
              "%s is none of %s%s"
                  .formatted(value, String.join(", ", names), Nearest.hint(value, names)));
        });
  }

  /** Returns an enum's names as options take them. */
  static List<String> names(Class<? extends Enum<?>> type) {
    return Stream.of(type.getEnumConstants()).map(Options::lower).toList();
  }

  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}

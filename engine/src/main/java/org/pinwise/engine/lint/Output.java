package org.pinwise.engine.lint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.regex.Pattern;

/** Writes text without checked exceptions, and without what steers a terminal. */
final class Output {
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private final Appendable out;

  Output(Appendable out) {
    this.out = out;
  }

  void print(String text) {
    try {
      out.append(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void line(String text) {
    print(text + "\n");
  }

  /** Returns text of a file with tabs as spaces and control and format characters as {@code ?}. */
  static String visible(String text) {
    return UNPRINTABLE.matcher(text.replace('\t', ' ')).replaceAll("?");
  }

  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}

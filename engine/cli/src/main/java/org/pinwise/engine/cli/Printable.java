package org.pinwise.engine.cli;

import java.util.regex.Pattern;

/** Keeps what files and arguments hold from steering a terminal. */
final class Printable {
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  /** Arguments may be of megabytes. */
  private static final int MAX = 60;

  private Printable() {}

  /** Returns what somebody wrote, on one line and not too long to be read. */
  static String cut(String text) {
    return line(text.length() > MAX ? text.substring(0, MAX) + ".." : text);
  }

  /** Returns the text on one line, with control and format characters as {@code ?}. */
  static String line(String text) {
    return UNPRINTABLE.matcher(text.replaceAll("\\R\\s*", " ")).replaceAll("?");
  }

  /**
   * Returns the text with its line breaks, and other control and format characters as {@code ?}.
   */
  static String lines(String text) {
    StringBuilder clean = new StringBuilder();
    text.lines().forEach(line -> clean.append(line(line.replace("\t", "  "))).append('\n'));
    return clean.toString();
  }
}

package org.pinwise.engine.cli;

import java.util.regex.Pattern;

/** Keeps what files and arguments hold from steering a terminal. */
final class Printable {
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private static final int MAX = 60;
  private static final int MAX_LINE = 1500;

  /** PATH_MAX is 4096, but who reads that; a name in a path has at most 255. */
  private static final Pattern LONG_WORD = Pattern.compile("(\\S{60})\\S{240,}");

  private Printable() {}

  /** Returns what somebody wrote, on one line and not too long to be read. */
  static String cut(String text) {
    return line(text.length() > MAX ? text.substring(0, MAX) + ".." : text);
  }

  /**
   * Returns what is wrong on one line; words and lines that are longer than any name or path are
   * cut, because messages quote arguments, which may be of megabytes.
   */
  static String problem(String text) {
    String line = line(text.length() > MAX_LINE ? text.substring(0, MAX_LINE) + ".." : text);
    return LONG_WORD.matcher(line).replaceAll("$1..");
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

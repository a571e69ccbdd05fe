package org.pinwise.engine.facts;

/** Shows what somebody wrote within a message of one line, whatever it was. */
final class Shown {
  private static final int MAX = 60;

  private Shown() {}

  /** Returns the text cut to a sane length, with control characters as {@code ?}. */
  static String of(String text) {
    String cut = text.length() > MAX ? text.substring(0, MAX) + ".." : text;
    String clean = cut.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", "?");
    return clean.isBlank() ? "\"" + clean + "\"" : clean;
  }
}

package org.pinwise.engine.facts;

import org.jspecify.annotations.Nullable;

/**
 * Something that was looked for and is no fact of a rule.
 *
 * @param name what it is
 * @param value what was found; null where it is unknown
 * @param where where it was read; where it is unknown, why
 */
public record Detail(String name, @Nullable String value, String where) {

  /** Returns what was found. */
  static Detail found(String name, String value, String where) {
    return new Detail(name, value, where);
  }

  /** Returns that nothing was found, and why. */
  static Detail unknown(String name, String why) {
    return new Detail(name, null, why);
  }
}

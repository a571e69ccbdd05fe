package org.pinwise.rules.model;

import org.jspecify.annotations.Nullable;

/** Unsigned 64-bit numbers, kept in facts as non-negative longs saturated at 2^63-1. */
public final class Unsigned {
  private Unsigned() {}

  /**
   * Returns the number that a fact holds for an unsigned one: itself, or 2^63-1 if it is larger.
   */
  public static long saturated(long raw) {
    return raw < 0 ? Long.MAX_VALUE : raw;
  }

  static @Nullable Long saturated(@Nullable Long raw) {
    return raw == null ? null : (Long) saturated(raw.longValue());
  }
}

package org.pinwise.rules.spi;

/** A truth value of Kleene's three-valued logic. */
public enum Truth {
  FALSE,
  UNKNOWN,
  TRUE;

  /** Returns the truth value of a boolean. */
  public static Truth of(boolean value) {
    return value ? TRUE : FALSE;
  }

  /** Returns the negation; of unknown, unknown. */
  public Truth not() {
    return switch (this) {
      case TRUE -> FALSE;
      case FALSE -> TRUE;
      case UNKNOWN -> UNKNOWN;
    };
  }

  /** Returns the conjunction: the less true of both. */
  public Truth and(Truth other) {
    return compareTo(other) < 0 ? this : other;
  }

  /** Returns the disjunction: the truer of both. */
  public Truth or(Truth other) {
    return compareTo(other) > 0 ? this : other;
  }
}

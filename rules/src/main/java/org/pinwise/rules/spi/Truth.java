package org.pinwise.rules.spi;

/** A truth value of Kleene's three-valued logic. */
public enum Truth {
  FALSE(0),
  UNKNOWN(1),
  TRUE(2);

  private final int code;

  Truth(int code) {
    this.code = code;
  }

  /** Returns a number of two bits that stands for the value. */
  public int code() {
    return code;
  }

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

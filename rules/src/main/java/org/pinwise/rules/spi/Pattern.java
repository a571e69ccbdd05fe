package org.pinwise.rules.spi;

import org.pinwise.rules.model.FactType;

/**
 * A pattern of a rule: what it demands of one fact.
 *
 * @param quantifier whether such a fact must be there, or must not
 * @param type the fact's type
 * @param condition what the fact must fulfil; it may also read facts of the patterns before it
 */
public record Pattern(Quantifier quantifier, FactType<?> type, Condition condition) {

  /** How a pattern counts facts. */
  public enum Quantifier {
    /** There is such a fact. */
    EXISTS,
    /** There is no such fact. */
    NOT
  }

  @Override
  public String toString() {
    return quantifier == Quantifier.NOT
        ? "there is no %s with %s".formatted(type, condition)
        : condition.toString();
  }
}

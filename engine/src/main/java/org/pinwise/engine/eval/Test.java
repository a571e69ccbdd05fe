package org.pinwise.engine.eval;

import org.pinwise.rules.spi.Truth;

/** A condition ready to be evaluated. */
@FunctionalInterface
public interface Test {
  /** Returns whether the condition holds. */
  Truth of(FactTuple facts);
}

package org.pinwise.engine.drools;

import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;

/** Decides which rules fire and which are undecided. Thread-safe. */
@FunctionalInterface
public interface Judge {
  /** Returns what the rules say of the facts. */
  Outcome judge(FactTuple facts);
}

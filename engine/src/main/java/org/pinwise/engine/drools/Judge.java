package org.pinwise.engine.drools;

import org.pinwise.engine.eval.Comparisons;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;

/** Decides which rules fire and which are undecided. Thread-safe. */
public interface Judge {
  /** Returns the comparisons of the rules. */
  Comparisons comparisons();

  /** Returns what the rules say of facts, of which the comparisons have answered. */
  Outcome judge(Comparisons.Answers answers);

  /** Returns what the rules say of the facts. */
  default Outcome judge(FactTuple facts) {
    return judge(comparisons().of(facts));
  }
}

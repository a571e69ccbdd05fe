package org.pinwise.engine;

import java.util.concurrent.ConcurrentHashMap;
import org.pinwise.engine.drools.Judge;
import org.pinwise.engine.eval.Comparisons;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;

/**
 * Remembers what Drools decided, by the truth values of all comparisons in the rules: facts on
 * which every comparison answers alike have one outcome. Thread-safe and bounded.
 */
final class OutcomeMemo {
  /** Beyond so many outcomes the memo starts anew; one takes about a hundred bytes. */
  static final int MAX_OUTCOMES = 100_000;

  private final Judge judge;
  private final int maxOutcomes;
  private final ConcurrentHashMap<Comparisons.Answers, Outcome> outcomes =
      new ConcurrentHashMap<>();

  OutcomeMemo(Judge judge, int maxOutcomes) {
    this.maxOutcomes = maxOutcomes;
    this.judge = judge;
  }

  Outcome outcome(FactTuple facts) {
    Comparisons.Answers answers = judge.comparisons().of(facts);
    Outcome known = outcomes.get(answers);
    if (known != null) {
      return known;
    }
    Outcome decided = judge.judge(answers);
    if (outcomes.size() >= maxOutcomes) {
      outcomes.clear();
    }
    outcomes.put(answers.alone(), decided);
    return decided;
  }
}

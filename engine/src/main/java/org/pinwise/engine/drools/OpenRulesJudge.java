package org.pinwise.engine.drools;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.eval.Comparisons;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.spi.Truth;

/**
 * Lets Drools decide few requests in little time: of all rules it is given those that may fire on
 * the first one's device, host, memory and plan, whatever the request is; mostly a third. Facts
 * that leave other rules open are judged by all. Thread-safe.
 */
public final class OpenRulesJudge implements Judge {
  private final List<CompiledRule> rules;
  private final Comparisons comparisons;
  private @Nullable FactTuple first;
  private @Nullable BitSet open;
  private @Nullable DroolsJudge ofOpen;
  private @Nullable DroolsJudge ofAll;

  /** Builds nothing of Drools yet. */
  public OpenRulesJudge(List<CompiledRule> rules) {
    this.rules = List.copyOf(rules);
    this.comparisons = new Comparisons(rules);
  }

  /**
   * Makes a judge of facts that agree with these, or leave unknown what is known here; it compares
   * only what the rules compare that these leave open. Builds nothing of Drools yet.
   *
   * @param around what all facts have in common; what may differ is unknown
   */
  public static Judge of(List<CompiledRule> rules, FactTuple around) {
    BitSet open = open(rules, around);
    Comparisons comparisons = new Comparisons(open.stream().mapToObj(rules::get).toList());
    return new Judge() {
      private @Nullable DroolsJudge judge;

      @Override
      public Comparisons comparisons() {
        return comparisons;
      }

      @Override
      public Outcome judge(Comparisons.Answers answers) {
        return ofOpen().judge(answers);
      }

      private synchronized DroolsJudge ofOpen() {
        if (judge == null) {
          judge = new DroolsJudge(rules, comparisons, open);
        }
        return judge;
      }
    };
  }

  @Override
  public Comparisons comparisons() {
    return comparisons;
  }

  @Override
  public Outcome judge(Comparisons.Answers answers) {
    return judgeOf(answers.facts()).judge(answers);
  }

  private synchronized DroolsJudge judgeOf(FactTuple facts) {
    if (ofAll != null) {
      return ofAll;
    }
    FactTuple around = facts.with(FactTuple.UNKNOWN.request()).with(FactTuple.UNKNOWN.range());
    if (ofOpen != null && around.equals(first)) {
      return ofOpen;
    }
    BitSet now = open(rules, around);
    if (ofOpen == null || open == null) {
      first = around;
      open = now;
      ofOpen = new DroolsJudge(rules, comparisons, now);
      return ofOpen;
    }
    now.andNot(open);
    if (now.isEmpty()) {
      return ofOpen;
    }
    ofAll = new DroolsJudge(rules, comparisons);
    return ofAll;
  }

  /** What is unknown can only leave more rules open. */
  private static BitSet open(List<CompiledRule> rules, FactTuple around) {
    BitSet places = new BitSet();
    for (int place = 0; place < rules.size(); place++) {
      places.set(place, rules.get(place).of(around) != Truth.FALSE);
    }
    return places;
  }
}

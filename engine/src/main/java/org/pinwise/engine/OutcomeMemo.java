package org.pinwise.engine;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.eval.Atom;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;

/**
 * Remembers what Drools decided, by the truth values of all comparisons in the rules: facts on
 * which every comparison answers alike have one outcome. Thread-safe and bounded.
 */
final class OutcomeMemo {
  /** Beyond so many outcomes the memo starts anew; one takes about a hundred bytes. */
  static final int MAX_OUTCOMES = 100_000;

  private static final int PER_WORD = 32;

  private final Atom[] atoms;
  private final DroolsJudge judge;
  private final int maxOutcomes;
  private final ConcurrentHashMap<Key, Outcome> outcomes = new ConcurrentHashMap<>();

  OutcomeMemo(List<CompiledRule> rules, DroolsJudge judge, int maxOutcomes) {
    this.maxOutcomes = maxOutcomes;
    Map<String, Atom> byKey = new LinkedHashMap<>();
    rules.forEach(rule -> rule.atoms().forEach(atom -> byKey.putIfAbsent(atom.key(), atom)));
    this.atoms = byKey.values().toArray(Atom[]::new);
    this.judge = judge;
  }

  Outcome outcome(FactTuple facts) {
    Key key = key(facts);
    Outcome known = outcomes.get(key);
    if (known != null) {
      return known;
    }
    Outcome decided = judge.judge(facts);
    if (outcomes.size() >= maxOutcomes) {
      outcomes.clear();
    }
    outcomes.put(key, decided);
    return decided;
  }

  private Key key(FactTuple facts) {
    long[] words = new long[(atoms.length + PER_WORD - 1) / PER_WORD];
    for (int i = 0; i < atoms.length; i++) {
      long truth = atoms[i].test().of(facts).code();
      words[i / PER_WORD] |= truth << (2 * (i % PER_WORD));
    }
    return new Key(words);
  }

  /** Truth values, two bits each. */
  private static final class Key {
    private final long[] words;

    Key(long[] words) {
      this.words = words;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && Arrays.equals(words, key.words);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(words);
    }
  }
}

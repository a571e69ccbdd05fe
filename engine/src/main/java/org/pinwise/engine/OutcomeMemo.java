package org.pinwise.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.drools.Judge;
import org.pinwise.engine.eval.Atom;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.model.FactType;

/**
 * Remembers what Drools decided, by the truth values of all comparisons in the rules: facts on
 * which every comparison answers alike have one outcome. Thread-safe and bounded.
 */
final class OutcomeMemo {
  /** Beyond so many outcomes the memo starts anew; one takes about a hundred bytes. */
  static final int MAX_OUTCOMES = 100_000;

  private final Comparisons[] comparisons;
  private final int words;
  private final Judge judge;
  private final int maxOutcomes;
  private final ConcurrentHashMap<Key, Outcome> outcomes = new ConcurrentHashMap<>();

  OutcomeMemo(List<CompiledRule> rules, Judge judge, int maxOutcomes) {
    this.maxOutcomes = maxOutcomes;
    this.judge = judge;
    Map<Set<FactType<?>>, Set<Atom>> byTypes = new LinkedHashMap<>();
    for (CompiledRule rule : rules) {
      for (Atom atom : rule.atoms()) {
        byTypes.computeIfAbsent(types(atom), types -> new LinkedHashSet<>()).add(atom);
      }
    }
    List<Atom> ofSeveral = new ArrayList<>();
    List<Comparisons> ofOne = new ArrayList<>();
    byTypes.forEach((types, atoms) -> {
      if (types.size() == 1) {
        ofOne.add(new Comparisons(types.iterator().next(), atoms));
      } else {
        ofSeveral.addAll(atoms);
      }
    });
    ofOne.add(new Comparisons(null, ofSeveral));
    this.comparisons = ofOne.toArray(Comparisons[]::new);
    this.words = ofOne.stream().mapToInt(Comparisons::words).sum();
  }

  private static Set<FactType<?>> types(Atom atom) {
    Set<FactType<?>> types = new HashSet<>();
    atom.reads().forEach(field -> types.add(field.type()));
    return types;
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
    long[] answers = new long[words];
    int place = 0;
    for (Comparisons some : comparisons) {
      some.answer(facts, answers, place);
      place += some.words();
    }
    return new Key(answers);
  }

  /** Comparisons of one fact, or of several. */
  private static final class Comparisons {
    private static final int PER_WORD = 32;

    private final @Nullable FactType<?> type;
    private final Atom[] atoms;

    /** Device, host and memory are mostly those of the call before. */
    private @Nullable Answers last;

    /** What was answered of a fact; that one thread does not see another's does no harm. */
    private record Answers(Object fact, Key key) {}

    Comparisons(@Nullable FactType<?> type, Collection<Atom> atoms) {
      this.type = type;
      this.atoms = atoms.toArray(Atom[]::new);
    }

    int words() {
      return (atoms.length + PER_WORD - 1) / PER_WORD;
    }

    void answer(FactTuple facts, long[] into, int place) {
      if (type == null) {
        evaluate(facts, into, place);
        return;
      }
      Object fact = facts.get(type);
      Answers known = last;
      if (known == null || !known.fact.equals(fact)) {
        long[] answers = new long[words()];
        evaluate(facts, answers, 0);
        known = new Answers(fact, new Key(answers));
        last = known;
      }
      System.arraycopy(known.key.words, 0, into, place, words());
    }

    private void evaluate(FactTuple facts, long[] into, int place) {
      for (int i = 0; i < atoms.length; i++) {
        long truth = atoms[i].test().of(facts).code();
        into[place + i / PER_WORD] |= truth << (2 * (i % PER_WORD));
      }
    }
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

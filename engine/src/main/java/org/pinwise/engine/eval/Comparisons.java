package org.pinwise.engine.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Truth;

/**
 * All comparisons that some rules make, each once. What they answer of facts is a few words of
 * bits: facts on which every comparison answers alike have one outcome. Thread-safe.
 */
public final class Comparisons {
  private static final int PER_WORD = 32;
  private static final long BITS = 3;

  private final OfFact[] parts;
  private final int words;
  private final Map<Atom, Integer> places = new HashMap<>();

  /** Collects the comparisons of rules. */
  public Comparisons(List<CompiledRule> rules) {
    Map<Set<FactType<?>>, Set<Atom>> byTypes = new LinkedHashMap<>();
    for (CompiledRule rule : rules) {
      for (Atom atom : rule.atoms()) {
        byTypes.computeIfAbsent(types(atom), types -> new LinkedHashSet<>()).add(atom);
      }
    }
    Set<Atom> ofSeveral = new LinkedHashSet<>();
    List<OfFact> ofOne = new ArrayList<>();
    byTypes.forEach((types, atoms) -> {
      if (types.size() == 1) {
        ofOne.add(new OfFact(types.iterator().next(), atoms));
      } else {
        ofSeveral.addAll(atoms);
      }
    });
    ofOne.add(new OfFact(null, ofSeveral));
    this.parts = ofOne.toArray(OfFact[]::new);
    int word = 0;
    for (OfFact part : parts) {
      for (int i = 0; i < part.atoms.length; i++) {
        places.put(part.atoms[i], word * PER_WORD + i);
      }
      word += part.words();
    }
    this.words = word;
  }

  private static Set<FactType<?>> types(Atom atom) {
    Set<FactType<?>> types = new HashSet<>();
    atom.reads().forEach(field -> types.add(field.type()));
    return types;
  }

  /** Makes all comparisons. */
  public Answers of(FactTuple facts) {
    long[] bits = new long[words];
    int place = 0;
    for (OfFact part : parts) {
      part.answer(facts, bits, place);
      place += part.words();
    }
    return new Answers(facts, bits);
  }

  /**
   * Returns what tells of answers whether all of some comparisons are true or, if they need not be,
   * whether none is false.
   *
   * @throws IllegalArgumentException if the rules do not make one of them
   */
  public Demand demand(Collection<Atom> atoms, boolean mustBeTrue) {
    long[] mask = new long[words];
    for (Atom atom : atoms) {
      Integer place = places.get(atom);
      if (place == null) {
        throw new IllegalArgumentException("no rule compares " + atom.key());
      }
      mask[place / PER_WORD] |= BITS << (2 * (place % PER_WORD));
    }
    return new Demand(mask, mustBeTrue);
  }

  /** What comparisons answer of facts. Equal where all answers are; the facts do not matter. */
  public static final class Answers {
    private final FactTuple facts;
    private final long[] bits;

    private Answers(FactTuple facts, long[] bits) {
      this.facts = facts;
      this.bits = bits;
    }

    /** Returns the facts of which they were asked. */
    public FactTuple facts() {
      return facts;
    }

    /** Returns the answers alone, to be kept: the facts may be large. */
    public Answers alone() {
      return about(FactTuple.UNKNOWN);
    }

    /** Returns the same answers about facts that are equal to these. */
    public Answers about(FactTuple equal) {
      return new Answers(equal, bits);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Answers answers && Arrays.equals(bits, answers.bits);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bits);
    }
  }

  /** What some comparisons must answer. */
  public static final class Demand {
    /** The high bit of each comparison. */
    private static final long HIGH = 0xaaaa_aaaa_aaaa_aaaaL;

    private final int[] words;
    private final long[] masks;
    private final boolean mustBeTrue;

    /** Most demands are of one word, and are looked at without a loop. */
    private final int firstWord;

    private final long firstMask;

    private Demand(long[] mask, boolean mustBeTrue) {
      this.mustBeTrue = mustBeTrue;
      int[] all = IntStream.range(0, mask.length).filter(i -> mask[i] != 0).toArray();
      this.firstWord = all[0];
      this.firstMask = mask[firstWord] & HIGH;
      this.words = Arrays.copyOfRange(all, 1, all.length);
      this.masks = Arrays.stream(words).mapToLong(word -> mask[word] & HIGH).toArray();
    }

    /** Returns whether the answers are as demanded. */
    public boolean isMetBy(Answers answers) {
      return has(answers.bits[firstWord], firstMask)
          && (words.length == 0 || hasRest(answers.bits));
    }

    private boolean hasRest(long[] bits) {
      for (int i = 0; i < words.length; i++) {
        if (!has(bits[words[i]], masks[i])) {
          return false;
        }
      }
      return true;
    }

    /** True has the high bit, unknown the low one, false none. */
    private boolean has(long word, long mask) {
      return ((mustBeTrue ? word : word | word << 1) & mask) == mask;
    }
  }

  /** Comparisons of one fact, or of several. */
  private static final class OfFact {
    private final @Nullable FactType<?> type;
    private final Atom[] atoms;

    /** Device, host and memory are mostly those of the call before. */
    private @Nullable Known last;

    /** What was answered of a fact; that one thread does not see another's does no harm. */
    private static final class Known {
      private final Object fact;
      private final long[] bits;

      Known(Object fact, long[] bits) {
        this.fact = fact;
        this.bits = bits;
      }
    }

    OfFact(@Nullable FactType<?> type, Collection<Atom> atoms) {
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
      Known known = last;
      if (known == null || !Objects.equals(known.fact, fact)) {
        long[] bits = new long[words()];
        evaluate(facts, bits, 0);
        known = new Known(fact, bits);
        last = known;
      }
      System.arraycopy(known.bits, 0, into, place, words());
    }

    private void evaluate(FactTuple facts, long[] into, int place) {
      for (int i = 0; i < atoms.length; i++) {
        Truth truth = atoms[i].test().of(facts);
        into[place + i / PER_WORD] |= (long) truth.code() << (2 * (i % PER_WORD));
      }
    }
  }
}

package org.pinwise.engine.eval;

import java.util.BitSet;

/**
 * What the rules say of facts: which fire and which are undecided, by their place in the rule set.
 * Immutable once it is handed out.
 */
public final class Outcome {
  private final BitSet certain = new BitSet();
  private final BitSet possible = new BitSet();

  /** Notes that a rule holds whatever the unknown facts are. */
  public void certain(int rule) {
    certain.set(rule);
  }

  /** Notes that a rule may hold. */
  public void possible(int rule) {
    possible.set(rule);
  }

  /** Returns the places of the rules that fire, ascending. */
  public int[] fired() {
    return certain.stream().toArray();
  }

  /** Returns the places of the rules that may hold, ascending. */
  public int[] possible() {
    return possible.stream().toArray();
  }

  /** Returns the places of the undecided rules, ascending. */
  public int[] undecided() {
    BitSet undecided = (BitSet) possible.clone();
    undecided.andNot(certain);
    return undecided.stream().toArray();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Outcome o && certain.equals(o.certain) && possible.equals(o.possible);
  }

  @Override
  public int hashCode() {
    return 31 * certain.hashCode() + possible.hashCode();
  }

  @Override
  public String toString() {
    return "certain " + certain + ", possible " + possible;
  }
}

package org.pinwise.engine;

/** No error is certain, but the known facts leave at least one error rule undecided. */
public final class Undecided extends Judgement implements Verdict {
  Undecided(Judgement.Parts parts) {
    super(parts);
  }
}

package org.pinwise.engine;

/** The call succeeds: no error, and no error rule is undecided. */
public final class Accepted extends Judgement implements Verdict {
  Accepted(Judgement.Parts parts) {
    super(parts);
  }
}

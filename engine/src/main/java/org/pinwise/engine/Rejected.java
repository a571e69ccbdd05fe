package org.pinwise.engine;

/** The call fails, or a team's rule or a profile refuses it. */
public final class Rejected extends Judgement implements Verdict {
  Rejected(Judgement.Parts parts) {
    super(parts);
  }
}

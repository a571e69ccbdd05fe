package org.pinwise.engine;

import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Facts;

/** The call fails, or a team's rule or a profile refuses it. */
public final class Rejected extends Judgement implements Verdict {
  Rejected(Facts facts, Decision decision, @Nullable Rendered rendered) {
    super(facts, decision, rendered);
  }
}

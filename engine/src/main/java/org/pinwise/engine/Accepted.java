package org.pinwise.engine;

import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Facts;

/** The call succeeds: no error, and no error rule is undecided. */
public final class Accepted extends Judgement implements Verdict {
  Accepted(Facts facts, Decision decision, @Nullable Rendered rendered) {
    super(facts, decision, rendered);
  }
}

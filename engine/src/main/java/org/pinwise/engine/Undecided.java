package org.pinwise.engine;

import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Facts;

/** No error is certain, but the known facts leave at least one error rule undecided. */
public final class Undecided extends Judgement implements Verdict {
  Undecided(Facts facts, Decision decision, @Nullable Rendered rendered) {
    super(facts, decision, rendered);
  }
}

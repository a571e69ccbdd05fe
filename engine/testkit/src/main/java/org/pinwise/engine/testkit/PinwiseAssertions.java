package org.pinwise.engine.testkit;

import org.jspecify.annotations.Nullable;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;

/**
 * AssertJ's assertions for Pinwise.
 *
 * {@snippet :
 * assertThat(verdict).isRejected().hasErrno(Errno.EINVAL).hasFinding("ACME101").fromTeam();
 * }
 */
public final class PinwiseAssertions {
  private PinwiseAssertions() {}

  /** Starts assertions on a verdict. */
  public static VerdictAssert assertThat(@Nullable Verdict verdict) {
    return new VerdictAssert(verdict);
  }

  /** Starts assertions on a rule set. */
  public static RuleSetAssert assertThat(@Nullable RuleSet rules) {
    return new RuleSetAssert(rules);
  }
}

package org.pinwise.engine.testkit;

import java.util.Objects;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.Finding.Origin;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.spi.Severity;

/** Assertions on a {@link Finding} of a verdict. */
public final class FindingAssert extends AbstractAssert<FindingAssert, Finding> {
  private final VerdictAssert verdict;

  FindingAssert(VerdictAssert verdict, Finding actual) {
    super(actual, FindingAssert.class);
    this.verdict = verdict;
  }

  private FindingAssert demand(boolean holds, String expected) {
    if (!holds) {
      failWithMessage(
          "expected a finding %s, but it is from %s: %s", expected, actual.origin(), actual);
    }
    return this;
  }

  /** Fails unless a team's rule says so. */
  public FindingAssert fromTeam() {
    return demand(actual.origin() == Origin.TEAM, "from a team's rule");
  }

  /** Fails unless the kernel, the driver or the library refuses. */
  public FindingAssert fromKernel() {
    return demand(actual.origin() == Origin.KERNEL, "from the kernel");
  }

  /** Fails unless a profile grades the rule so. */
  public FindingAssert fromProfile() {
    return demand(actual.origin() == Origin.PROFILE, "from a profile");
  }

  /** Fails unless it is so bad. */
  public FindingAssert hasSeverity(Severity severity) {
    return demand(actual.severity() == severity, "of severity " + severity);
  }

  /** Fails unless it has this message. */
  public FindingAssert hasMessage(String message) {
    return demand(actual.message().equals(message), "that says \"%s\"".formatted(message));
  }

  /** Fails unless a value in the message is this, by its field, such as {@code request.length}. */
  public FindingAssert hasArgument(String field, String value) {
    return demand(
        Objects.equals(actual.arguments().get(field), value),
        "with %s = %s (it has %s)".formatted(field, value, actual.arguments()));
  }

  /** Fails unless the call returns this. */
  public FindingAssert givesErrno(@Nullable Errno errno) {
    return demand(actual.errno() == errno, "with errno " + errno);
  }

  /** Returns the assertions on the verdict. */
  public VerdictAssert and() {
    return verdict;
  }
}

package org.pinwise.engine.testkit;

import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.Finding;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.MrRequest;

/** Assertions on a {@link Verdict}. */
public final class VerdictAssert extends AbstractAssert<VerdictAssert, @Nullable Verdict> {

  VerdictAssert(@Nullable Verdict actual) {
    super(actual, VerdictAssert.class);
  }

  private Verdict verdict() {
    isNotNull();
    return java.util.Objects.requireNonNull(actual);
  }

  private VerdictAssert demand(boolean holds, String expected) {
    if (!holds) {
      failWithMessage("expected a verdict that %s, but it is:\n%s", expected, verdict());
    }
    return this;
  }

  /** Fails unless the request is accepted: no error, and no error undecided. */
  public VerdictAssert isAccepted() {
    return demand(verdict() instanceof Accepted, "accepts");
  }

  /** Fails unless the request is rejected. */
  public VerdictAssert isRejected() {
    return demand(verdict() instanceof Rejected, "rejects");
  }

  /** Fails unless the verdict depends on facts that are not known. */
  public VerdictAssert isUndecided() {
    return demand(verdict() instanceof Undecided, "is undecided");
  }

  /** Fails unless {@code errno} is just one of these after the call. */
  public VerdictAssert hasErrno(Errno first, Errno... more) {
    Set<Errno> expected = EnumSet.of(first, more);
    return demand(verdict().errno().equals(expected), "has errno " + expected);
  }

  /** Fails if the kernel refuses the call for certain. */
  public VerdictAssert hasNoErrno() {
    return demand(verdict().errno().isEmpty(), "has no errno");
  }

  /** Fails unless a rule has a finding; returns assertions on it. */
  public FindingAssert hasFinding(String rule) {
    Finding found =
        verdict().findings().stream().filter(f -> f.rule().equals(rule)).findFirst().orElse(null);
    demand(found != null, "has a finding of " + rule);
    return new FindingAssert(this, java.util.Objects.requireNonNull(found));
  }

  /** Fails unless these rules, and no others, have findings. */
  public VerdictAssert hasFindingsOf(String... rules) {
    Set<String> found =
        new LinkedHashSet<>(verdict().findings().stream().map(Finding::rule).toList());
    return demand(
        found.equals(Set.copyOf(List.of(rules))), "has findings of just " + List.of(rules));
  }

  /** Fails if a rule has a finding. */
  public VerdictAssert hasNoFinding(String rule) {
    return demand(
        verdict().findings().stream().noneMatch(f -> f.rule().equals(rule)),
        "has no finding of " + rule);
  }

  /** Fails if there is any finding. */
  public VerdictAssert hasNoFindings() {
    return demand(verdict().findings().isEmpty(), "has no findings");
  }

  /** Fails unless a rule is undecided and needs these facts, among others. */
  public VerdictAssert isUndecidedBy(String rule, String... needs) {
    Stream<UndecidedRule> open = verdict().undecided().stream().filter(u -> u.rule().equals(rule));
    return demand(
        open.anyMatch(u -> u.needs().containsAll(List.of(needs))),
        "leaves %s undecided for want of %s".formatted(rule, List.of(needs)));
  }

  /** Fails unless this, such as {@code address}, was assumed, among others. */
  public VerdictAssert assumes(String... what) {
    return demand(verdict().assumed().containsAll(List.of(what)), "assumes " + List.of(what));
  }

  /** Fails if anything was assumed. */
  public VerdictAssert assumesNothing() {
    return demand(verdict().assumed().isEmpty(), "assumes nothing");
  }

  /** Fails unless there is a corrected request with this access. */
  public VerdictAssert isCorrectedTo(Access access) {
    return demand(
        verdict().corrected().map(MrRequest::accessArgument).filter(access::equals).isPresent(),
        "is corrected to access %s (it is corrected to %s)"
            .formatted(access, verdict().corrected().map(MrRequest::accessArgument).orElse(null)));
  }
}

package org.pinwise.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Stage;

/** What all verdicts hold. */
abstract class Judgement {
  /**
   * rdma-core version that brought ibv_reg_mr_iova2, which clears optional bits for old kernels.
   */
  private static final int FIRST_WITH_OPTIONAL_FLAGS = 28;

  private static final Comparator<Finding> ORDER =
      Comparator.comparing(Finding::severity)
          .thenComparing(Finding::stage, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparingInt(Finding::step)
          .thenComparing(Finding::rule);
  private static final Comparator<UndecidedRule> UNDECIDED_ORDER =
      Comparator.comparing(UndecidedRule::severity)
          .thenComparing(UndecidedRule::stage, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparingInt(UndecidedRule::step)
          .thenComparing(UndecidedRule::rule);

  private final Facts facts;
  private final Decision decision;

  /** Made when a text is first asked for; that two threads may both make it does no harm. */
  private @Nullable Rendered rendered;

  /**
   * The texts of a verdict.
   *
   * @param findings the findings, in their order
   * @param undecided the undecided rules, in their order
   * @param assumed what was assumed
   */
  record Rendered(List<Finding> findings, List<UndecidedRule> undecided, List<String> assumed) {

    /** Sorts them. */
    static Rendered of(
        List<Finding> findings, List<UndecidedRule> undecided, List<String> assumed) {
      findings.sort(ORDER);
      undecided.sort(UNDECIDED_ORDER);
      return new Rendered(List.copyOf(findings), List.copyOf(undecided), assumed);
    }
  }

  Judgement(Facts facts, Decision decision, @Nullable Rendered rendered) {
    this.facts = facts;
    this.decision = decision;
    this.rendered = rendered;
  }

  /** Makes the verdict that follows of a decision. */
  static Verdict of(Facts facts, Decision decision) {
    return of(facts, decision, null, decision.rejects(), decision.open());
  }

  /** Makes the verdict of findings that a decision alone does not hold. */
  static Verdict of(Facts facts, Decision decision, Rendered rendered) {
    boolean rejects =
        rendered.findings().stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
    boolean open =
        rendered.undecided().stream().anyMatch(rule -> rule.severity() == Severity.ERROR);
    return of(facts, decision, rendered, rejects, open);
  }

  private static Verdict of(
      Facts facts, Decision decision, @Nullable Rendered rendered, boolean rejects, boolean open) {
    return rejects
        ? new Rejected(facts, decision, rendered)
        : open ? new Undecided(facts, decision, rendered) : new Accepted(facts, decision, rendered);
  }

  private Rendered rendered() {
    Rendered made = rendered;
    if (made == null) {
      made = decision.validator().render(facts, decision);
      rendered = made;
    }
    return made;
  }

  public List<Finding> findings() {
    boolean none = rendered == null && decision.fired().isEmpty() && decision.settled().isEmpty();
    return none ? List.of() : rendered().findings();
  }

  public boolean hasUndecided() {
    Rendered made = rendered;
    return made == null ? !decision.undecided().isEmpty() : !made.undecided().isEmpty();
  }

  public List<UndecidedRule> undecided() {
    return rendered().undecided();
  }

  public List<String> assumed() {
    return rendered().assumed();
  }

  public List<String> disabled() {
    return decision.validator().disabled();
  }

  public List<String> trusted() {
    return decision.validator().ruleSet().trusted().stream().map(TrustedPack::location).toList();
  }

  public Facts facts() {
    return facts;
  }

  public Set<Errno> errno() {
    List<Decision.Possible> fired = new ArrayList<>();
    for (Finding finding : findings()) {
      add(finding.stage(), finding.step(), finding.errno(), fired);
    }
    List<Decision.Possible> certain = new ArrayList<>(fired);
    for (Decision.Settled settled : decision.settled()) {
      List<Decision.Possible> alternatives = settled.possible();
      if (!alternatives.isEmpty()) {
        // One of them holds, so what is certain is only that the call does not pass the last.
        certain.add(Collections.max(alternatives));
        fired.addAll(alternatives);
      }
    }
    if (certain.isEmpty()) {
      return Set.of();
    }
    for (UndecidedRule rule : undecided()) {
      if (rule.severity() == Severity.ERROR) {
        add(rule.stage(), rule.step(), rule.errno(), fired);
      }
    }
    Decision.Possible earliest = Collections.min(certain);
    Set<Errno> errnos = EnumSet.noneOf(Errno.class);
    for (Decision.Possible possible : fired) {
      if (possible.compareTo(earliest) <= 0) {
        errnos.add(possible.errno());
      }
    }
    return Collections.unmodifiableSet(errnos);
  }

  private static void add(
      @Nullable Stage stage, int step, @Nullable Errno errno, List<Decision.Possible> into) {
    if (stage != null && errno != null) {
      into.add(new Decision.Possible(stage, step, errno));
    }
  }

  public Optional<Access> effectiveAccess() {
    Access access = facts().request().accessArgument();
    if (access == null) {
      return Optional.empty();
    }
    Host host = facts().host();
    boolean dropped =
        (host.kernel() != null && host.kernel() < Kernel.V5_6)
            || (host.rdmaCore() != null && host.rdmaCore() < FIRST_WITH_OPTIONAL_FLAGS);
    return Optional.of(
        dropped ? Access.ofBits(access.bits() & ~AccessFlag.OPTIONAL_RANGE) : access);
  }

  public Optional<MrRequest> corrected() {
    return decision.validator().corrected((Verdict) this);
  }

  /** Returns the decision, the findings and the undecided errors, a line each. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(((Verdict) this).decision());
    if (!errno().isEmpty()) {
      text.append(' ').append(errno());
    }
    findings().forEach(finding -> text.append('\n').append(finding));
    undecided().stream()
        .filter(u -> u.severity() == Severity.ERROR)
        .forEach(
            u -> text.append("\n").append(u.rule()).append(" undecided, needs ").append(u.needs()));
    return text.toString();
  }
}

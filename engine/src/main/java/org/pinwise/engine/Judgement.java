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

  private final Parts parts;

  /**
   * What a verdict is made of.
   *
   * @param facts the facts as given
   * @param findings the findings, in any order
   * @param undecided the undecided rules, in any order
   * @param alternatives for each finding that depends on kernel or driver, the errnos that it may
   *     give with their checks' places: one of them holds
   * @param assumed what was assumed
   * @param disabled what the profile switched off
   * @param validator what judges a corrected request
   */
  record Parts(
      Facts facts,
      List<Finding> findings,
      List<UndecidedRule> undecided,
      List<List<Possible>> alternatives,
      List<String> assumed,
      List<String> disabled,
      MrValidator validator) {}

  /** An errno that a check may give. */
  record Possible(Stage stage, int step, Errno errno) implements Comparable<Possible> {
    @Override
    public int compareTo(Possible other) {
      int byStage = stage.compareTo(other.stage);
      return byStage != 0 ? byStage : Integer.compare(step, other.step);
    }
  }

  Judgement(Parts parts) {
    List<Finding> findings = new ArrayList<>(parts.findings());
    findings.sort(ORDER);
    List<UndecidedRule> undecided = new ArrayList<>(parts.undecided());
    undecided.sort(UNDECIDED_ORDER);
    this.parts =
        new Parts(
            parts.facts(),
            List.copyOf(findings),
            List.copyOf(undecided),
            List.copyOf(parts.alternatives()),
            parts.assumed(),
            parts.disabled(),
            parts.validator());
  }

  /** Makes the verdict that follows of its parts. */
  static Verdict of(Parts parts) {
    if (parts.findings().stream().anyMatch(f -> f.severity() == Severity.ERROR)) {
      return new Rejected(parts);
    }
    if (parts.undecided().stream().anyMatch(u -> u.severity() == Severity.ERROR)) {
      return new Undecided(parts);
    }
    return new Accepted(parts);
  }

  public List<Finding> findings() {
    return parts.findings();
  }

  public List<UndecidedRule> undecided() {
    return parts.undecided();
  }

  public List<String> assumed() {
    return parts.assumed();
  }

  public List<String> disabled() {
    return parts.disabled();
  }

  public List<String> trusted() {
    return parts.validator().ruleSet().trusted().stream().map(TrustedPack::location).toList();
  }

  public Facts facts() {
    return parts.facts();
  }

  public Set<Errno> errno() {
    List<Possible> fired = new ArrayList<>();
    for (Finding finding : parts.findings()) {
      add(finding.stage(), finding.step(), finding.errno(), fired);
    }
    List<Possible> certain = new ArrayList<>(fired);
    for (List<Possible> alternatives : parts.alternatives()) {
      // One of them holds, so what is certain is only that the call does not pass the last.
      certain.add(Collections.max(alternatives));
      fired.addAll(alternatives);
    }
    if (certain.isEmpty()) {
      return Set.of();
    }
    for (UndecidedRule rule : parts.undecided()) {
      if (rule.severity() == Severity.ERROR) {
        add(rule.stage(), rule.step(), rule.errno(), fired);
      }
    }
    Possible earliest = Collections.min(certain);
    Set<Errno> errnos = EnumSet.noneOf(Errno.class);
    for (Possible possible : fired) {
      if (possible.compareTo(earliest) <= 0) {
        errnos.add(possible.errno());
      }
    }
    return Collections.unmodifiableSet(errnos);
  }

  private static void add(
      @Nullable Stage stage, int step, @Nullable Errno errno, List<Possible> into) {
    if (stage != null && errno != null) {
      into.add(new Possible(stage, step, errno));
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
    return parts.validator().corrected((Verdict) this);
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

package org.pinwise.engine.testkit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Rule;

/**
 * Tests one rule on its own: what it says of a request.
 *
 * {@snippet :
 * RuleVerifier.verifyThat(AcmeRules.CUDA_NEEDS_DMABUF)
 *     .given(Facts.of(request).withMemory(cuda))
 *     .reports("requests that have memory CUDA should register via REG_DMABUF_MR");
 * }
 */
public final class RuleVerifier {
  private final Rule rule;
  private final Assumptions assumptions;
  private final Map<String, Long> parameters;

  private RuleVerifier(Rule rule, Assumptions assumptions, Map<String, Long> parameters) {
    this.rule = rule;
    this.assumptions = assumptions;
    this.parameters = parameters;
  }

  /** Starts a test of a rule. It takes for true what {@code pinwise check} does. */
  public static RuleVerifier verifyThat(Rule rule) {
    return new RuleVerifier(rule, Assumptions.USUAL, Map.of());
  }

  /** Returns a verifier that assumes what is said. */
  public RuleVerifier assuming(Assumptions newAssumptions) {
    return new RuleVerifier(rule, newAssumptions, parameters);
  }

  /** Returns a verifier of the rule under a profile that sets its parameters. */
  public RuleVerifier withParameters(Map<String, Long> newParameters) {
    return new RuleVerifier(rule, assumptions, Map.copyOf(newParameters));
  }

  /**
   * Judges a request of which nothing else is known.
   *
   * @throws org.pinwise.engine.RuleSetException if the rule is not as it must be
   */
  public Judged given(MrRequest request) {
    return given(Facts.of(request));
  }

  /**
   * Judges facts.
   *
   * @throws org.pinwise.engine.RuleSetException if the rule is not as it must be
   */
  public Judged given(Facts facts) {
    RuleSet alone = RuleSet.empty().with(() -> List.of(rule));
    if (!parameters.isEmpty()) {
      Profile.Setting setting = new Profile.Setting(null, null, parameters, "the test");
      alone = alone.with(new Profile("test", Map.of(rule.id(), setting)));
    }
    return new Judged(rule, MrValidator.create(alone, assumptions).validate(facts));
  }

  /** What the rule says. */
  public static final class Judged {
    private final Rule rule;
    private final Verdict verdict;

    private Judged(Rule rule, Verdict verdict) {
      this.rule = rule;
      this.verdict = verdict;
    }

    /** Returns the verdict, for what is not asked for here. */
    public Verdict verdict() {
      return verdict;
    }

    /** Fails unless the rule reports. */
    public Judged reports() {
      if (verdict.findings().isEmpty()) {
        throw failure("to report");
      }
      return this;
    }

    /** Fails unless the rule reports just this message. */
    public Judged reports(String message) {
      List<String> messages = verdict.findings().stream().map(Finding::message).toList();
      if (!messages.equals(List.of(message))) {
        throw failure("to report \"%s\"".formatted(message));
      }
      return this;
    }

    /** Fails unless the rule is decided and does not report. */
    public Judged isSilent() {
      if (!verdict.findings().isEmpty() || !verdict.undecided().isEmpty()) {
        throw failure("to be silent");
      }
      return this;
    }

    /**
     * Fails unless the rule is undecided.
     *
     * @param needs the facts that would decide it, such as {@code device.odp}, all of them; none
     *     where that does not matter
     */
    public Judged isUndecided(String... needs) {
      Set<String> needed = new LinkedHashSet<>();
      verdict.undecided().stream().map(UndecidedRule::needs).forEach(needed::addAll);
      if (verdict.undecided().isEmpty()
          || (needs.length > 0 && !needed.equals(new LinkedHashSet<>(List.of(needs))))) {
        throw failure(
            needs.length == 0
                ? "to be undecided"
                : "to be undecided and need " + String.join(", ", needs));
      }
      return this;
    }

    private AssertionError failure(String expected) {
      String said =
          !verdict.findings().isEmpty()
              ? verdict.findings().stream()
                  .map(finding -> "\"" + finding.message() + "\"")
                  .collect(Collectors.joining(", ", "it reports ", ""))
              : !verdict.undecided().isEmpty()
                  ? "it is undecided and needs "
                      + String.join(", ", verdict.undecided().get(0).needs())
                  : "it is silent";
      return new AssertionError(
          "expected %s %s, but %s%n  it reports if %s%n  on %s%n  assumed: %s"
              .formatted(
                  rule.id(), expected, said, rule.inWords(), verdict.facts(), verdict.assumed()));
    }
  }
}

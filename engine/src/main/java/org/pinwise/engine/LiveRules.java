package org.pinwise.engine;

import java.util.List;
import java.util.function.Supplier;
import org.pinwise.rules.model.Facts;

/**
 * A validator that can be replaced while it is in use. Thread-safe: a verdict comes of the old
 * rules or of the new ones, whole, and none waits for the change.
 *
 * {@snippet :
 * LiveRules rules = LiveRules.of(RuleSet.builtIn().withFiles(directory));
 * Verdict verdict = rules.validate(facts);
 * rules.replace(() -> RuleSet.builtIn().withFiles(directory)).forEach(System.err::println);
 * }
 */
public final class LiveRules {
  private final Object changing = new Object();
  private volatile MrValidator validator;

  private LiveRules(MrValidator validator) {
    this.validator = validator;
  }

  /**
   * Starts with a rule set.
   *
   * @throws RuleSetException if the rule set has problems; it names them all
   */
  public static LiveRules of(RuleSet rules) {
    return new LiveRules(MrValidator.create(rules));
  }

  /** Returns what judges now. Keep it for as long as verdicts must come of the same rules. */
  public MrValidator validator() {
    return validator;
  }

  /** Returns the verdict of the rules of this moment. */
  public Verdict validate(Facts facts) {
    return validator.validate(facts);
  }

  /**
   * Replaces the rules. Where the new ones cannot be read or used, the old ones stay.
   *
   * @param rules reads the new rules
   * @return what is wrong with the new rules; empty where they judge from now on
   */
  public List<RuleProblem> replace(Supplier<RuleSet> rules) {
    synchronized (changing) {
      try {
        MrValidator next = MrValidator.create(rules.get());
        validator = next;
        return List.of();
      } catch (RuleSetException e) {
        return e.problems();
      } catch (InputException e) {
        return List.of(
            new RuleProblem("the new rules", 0, 0, null, String.valueOf(e.getMessage())));
      }
    }
  }
}

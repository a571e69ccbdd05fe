package org.pinwise.engine;

import java.util.List;
import java.util.Map;
import org.pinwise.rules.spi.Truth;

/**
 * Why a rule reports, is undecided or is silent.
 *
 * @param rule the rule's id
 * @param truth true where it reports, false where it is silent, unknown where it is undecided
 * @param covered whether the rule is known to be right on this kernel and driver stack; where it is
 *     not, it is undecided although all that it demands may hold
 * @param trusted whether the rule is full DRL, of whose conditions nothing is known; such a rule is
 *     undecided only where it fails
 * @param reasons what decided it: all that it demands where it reports, what does not hold where it
 *     is silent, what is not known where it is undecided; empty for full DRL
 */
public record Why(
    String rule, Truth truth, boolean covered, boolean trusted, List<Reason> reasons) {

  /** Keeps an immutable copy. */
  public Why {
    reasons = List.copyOf(reasons);
  }

  static Why ofTrusted(String rule, boolean reports, boolean failed) {
    Truth truth = failed ? Truth.UNKNOWN : Truth.of(reports);
    return new Why(rule, truth, true, true, List.of());
  }

  /**
   * A condition of a rule on the facts at hand.
   *
   * @param condition the condition in words
   * @param truth whether it holds
   * @param values the fields that it reads with their values, as people read them
   */
  public record Reason(String condition, Truth truth, Map<String, String> values) {}
}

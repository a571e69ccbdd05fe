package org.pinwise.rules.spi;

import java.util.List;

/**
 * Rules written in Java, found by {@link java.util.ServiceLoader}: name the implementation in
 * {@code META-INF/services/org.pinwise.rules.spi.RuleProvider}.
 */
public interface RuleProvider {

  /** Returns the rules; called once for a rule set. */
  List<Rule> rules();
}

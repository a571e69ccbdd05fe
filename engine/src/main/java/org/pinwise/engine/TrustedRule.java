package org.pinwise.engine;

import org.pinwise.rules.spi.RuleMeta;

/**
 * A rule in full DRL. Pinwise knows what is said about it, and not what it demands: its conditions
 * and its consequence are any code.
 *
 * @param meta what is said about it; neither stage nor errno, no fix, no parameter
 * @param source where it was written, such as {@code ACME201-..../rule.drl:7}
 */
public record TrustedRule(RuleMeta meta, String source) {

  /** Returns the rule's name. */
  public String id() {
    return meta.id();
  }
}

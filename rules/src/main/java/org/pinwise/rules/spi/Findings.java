package org.pinwise.rules.spi;

/** The port through which a rule file reports; its global {@code findings}. */
public interface Findings {

  /**
   * Reports a finding. A rule file calls this once, as its only consequence.
   *
   * @param ruleId the rule's name
   * @param fact the fact of which the finding speaks
   * @param template the text, with places such as {@code {access}} for a field of that fact and
   *     {@code {device.driver}} for a field of another
   */
  void report(String ruleId, Object fact, String template);
}

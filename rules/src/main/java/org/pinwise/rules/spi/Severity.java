package org.pinwise.rules.spi;

/** How bad a finding is; the worst first. */
public enum Severity {
  /** The call returns an error. */
  ERROR,
  /** The call succeeds, but a flag has no effect, or a later verb fails. */
  WARNING,
  /** Advice: cost, alignment, tuning. */
  INFO
}

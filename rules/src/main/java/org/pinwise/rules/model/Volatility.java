package org.pinwise.rules.model;

/** How long a fact that was read stays true. */
public enum Volatility {
  /** Belongs to the request or the hardware. */
  FIXED,
  /** Stays until the host, the process or the container starts again. */
  BOOT,
  /** May differ by the time of the call: counters, mappings. */
  LIVE
}

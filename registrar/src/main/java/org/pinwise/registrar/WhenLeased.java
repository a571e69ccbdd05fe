package org.pinwise.registrar;

import java.time.Duration;

/** What closing a region does while work is in flight on it. Immutable. */
public final class WhenLeased {

  private static final WhenLeased REFUSE = new WhenLeased(Duration.ZERO, false);
  private static final WhenLeased DEFER = new WhenLeased(Duration.ZERO, true);

  private final Duration wait;
  private final boolean defer;

  private WhenLeased(Duration wait, boolean defer) {
    this.wait = wait;
    this.defer = defer;
  }

  /** Throws {@link RegionInUseException}, and leaves the region as open as before. */
  public static WhenLeased refuse() {
    return REFUSE;
  }

  /**
   * Gives out no new lease, and lets whoever closes the last one give the region back. The call
   * returns at once.
   */
  public static WhenLeased defer() {
    return DEFER;
  }

  /**
   * Waits until the last lease is closed, then gives the region back; refuses after this time.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public static WhenLeased waitFor(Duration longest) {
    if (longest.isNegative()) {
      throw new IllegalArgumentException("time to wait " + longest + " is negative");
    }
    return new WhenLeased(longest, false);
  }

  Duration longestWait() {
    return wait;
  }

  boolean defers() {
    return defer;
  }

  @Override
  public String toString() {
    return defer ? "defer" : wait.isZero() ? "refuse" : "wait for " + wait;
  }
}

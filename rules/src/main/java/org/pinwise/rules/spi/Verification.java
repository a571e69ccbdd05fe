package org.pinwise.rules.spi;

import org.pinwise.rules.model.Kernel;

/**
 * A kernel on which a rule is known to be right, and by what.
 *
 * @param kernel the version, see {@link Kernel}
 * @param means how it is known
 */
public record Verification(int kernel, Means means) {

  /** How a rule is known to be right. */
  public enum Means {
    /** A running kernel answered so. */
    LAB,
    /** The sources or the documentation say so. */
    SOURCE,
    /** It is believed: such a rule does not decide a request. */
    BELIEF
  }

  /** Returns the kernel and the means, such as {@code 6.12 lab}. */
  @Override
  public String toString() {
    return Kernel.text(kernel) + " " + means.name().toLowerCase(java.util.Locale.ROOT);
  }
}

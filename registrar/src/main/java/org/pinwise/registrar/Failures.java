package org.pinwise.registrar;

import org.jspecify.annotations.Nullable;

/** Collects what goes wrong in steps that are all to be tried: the first failure holds the rest. */
final class Failures {
  private @Nullable RuntimeException first;

  /** Runs a step; whether it went well. */
  boolean run(Runnable step) {
    try {
      step.run();
      return true;
    } catch (RuntimeException e) {
      if (first == null) {
        first = e;
      } else {
        first.addSuppressed(e);
      }
      return false;
    }
  }

  /** Whether a step failed. */
  boolean any() {
    return first != null;
  }

  /** Adds the first failure, if there was one, to what caused the steps. */
  void addTo(Throwable cause) {
    if (first != null) {
      cause.addSuppressed(first);
    }
  }

  /** Throws the first failure, if there was one. */
  void rethrow() {
    if (first != null) {
      throw first;
    }
  }
}

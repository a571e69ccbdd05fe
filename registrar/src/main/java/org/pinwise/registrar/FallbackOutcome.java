package org.pinwise.registrar;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of a registration with a ladder to fall back on: every step, none silent.
 *
 * @param memory what the device can reach, which the caller closes; empty if no rung held
 * @param steps what was tried and passed over, in order: first the registration as asked. The last
 *     one registered, unless {@code memory} is empty
 */
public record FallbackOutcome(Optional<RegisteredMemory> memory, List<FallbackStep> steps) {

  /** Makes an outcome of these parts. */
  public FallbackOutcome {
    steps = List.copyOf(steps);
  }

  /** Whether the memory is registered, but not as asked. */
  public boolean fellBack() {
    return memory.isPresent() && steps.size() > 1;
  }

  /**
   * The memory, or why it could not be registered as asked; why the rungs did not hold is
   * suppressed in it.
   *
   * @throws RegistrationRejectedException if the rules refused it
   * @throws VerbsException if the call failed
   */
  public RegisteredMemory orElseThrow() {
    if (memory.isPresent()) {
      return memory.get();
    }
    RuntimeException first = null;
    for (FallbackStep step : steps) {
      RuntimeException why = exceptionOf(step);
      if (first == null) {
        first = why;
      } else if (why != null && !why.equals(first)) {
        first.addSuppressed(why);
      }
    }
    throw first == null ? new IllegalStateException("nothing was tried: " + steps) : first;
  }

  private static @Nullable RuntimeException exceptionOf(FallbackStep step) {
    return switch (step.result()) {
      case FAILED -> step.error().orElse(null);
      case REFUSED -> step.verdict().map(RegistrationRejectedException::new).orElse(null);
      case REGISTERED, NOT_APPLICABLE -> null;
    };
  }
}

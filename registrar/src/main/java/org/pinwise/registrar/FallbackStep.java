package org.pinwise.registrar;

import java.util.Locale;
import java.util.Optional;
import org.pinwise.engine.Verdict;

/**
 * One rung of a fallback ladder, and what became of it.
 *
 * @param rung what was changed of the request, in words; {@code as asked} for the first attempt
 * @param result what became of it
 * @param detail why it does not apply, what was refused or what failed; empty where it registered
 * @param verdict what the rules said; empty where the rung does not apply
 * @param error what the library said; empty unless the call failed
 */
public record FallbackStep(
    String rung,
    Result result,
    String detail,
    Optional<Verdict> verdict,
    Optional<VerbsException> error) {

  /** What became of a rung. */
  public enum Result {
    /** The memory is registered this way. */
    REGISTERED,
    /** The rules refused it; no native call was made. */
    REFUSED,
    /** The native call failed. */
    FAILED,
    /** The rung changes nothing of this request, so it was not tried. */
    NOT_APPLICABLE
  }

  @Override
  public String toString() {
    return rung
        + ": "
        + result.name().toLowerCase(Locale.ROOT).replace('_', ' ')
        + (detail.isEmpty() ? "" : ", " + detail);
  }
}

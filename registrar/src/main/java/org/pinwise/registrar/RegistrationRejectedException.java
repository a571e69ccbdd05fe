package org.pinwise.registrar;

import java.io.Serial;
import java.util.stream.Collectors;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.spi.Severity;

/** The rules refused a registration; no native call was made. */
public final class RegistrationRejectedException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient Verdict verdict;

  /** The message has a line for each error. */
  RegistrationRejectedException(Verdict verdict) {
    super(message(verdict));
    this.verdict = verdict;
  }

  private static String message(Verdict verdict) {
    return "refused before the call"
        + verdict.findings(Severity.ERROR).stream()
            .map(finding -> "\n" + finding)
            .collect(Collectors.joining());
  }

  /** What the rules say, with all findings. */
  public Verdict verdict() {
    return verdict;
  }
}

package org.pinwise.registrar;

import java.util.Optional;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.advice.Diagnosis;
import org.pinwise.rules.model.Errno;

/**
 * What became of a registration. A switch over it is exhaustive:
 *
 * {@snippet :
 * switch (registrar.register(buffer, Access.of(LOCAL_WRITE))) {
 *   case RegistrationOutcome.Registered(RegisteredRegion region, Verdict verdict) -> use(region);
 *   case RegistrationOutcome.Refused(Verdict verdict) -> log(verdict.findings());
 *   case RegistrationOutcome.Failed(VerbsException error, Verdict diagnosis) ->
 *       log(error.errnoName(), diagnosis.findings());
 * }
 * }
 */
public sealed interface RegistrationOutcome {

  /**
   * What the rules say: before the call where the memory was registered or refused, after it where
   * the call failed.
   */
  Verdict verdict();

  /**
   * The region, or an exception.
   *
   * @throws RegistrationRejectedException if the rules refused it
   * @throws VerbsException if the call failed; look at {@link Failed#diagnosis} for why
   */
  RegisteredRegion orElseThrow();

  /**
   * The memory is registered.
   *
   * @param region the region, which the caller closes
   * @param verdict its warnings and advice, and what was assumed
   */
  record Registered(RegisteredRegion region, Verdict verdict) implements RegistrationOutcome {
    @Override
    public RegisteredRegion orElseThrow() {
      return region;
    }
  }

  /**
   * The rules refused it, and no native call was made.
   *
   * @param verdict why
   */
  record Refused(Verdict verdict) implements RegistrationOutcome {
    @Override
    public RegisteredRegion orElseThrow() {
      throw new RegistrationRejectedException(verdict);
    }
  }

  /**
   * The call failed.
   *
   * @param error what the library said
   * @param diagnosis the same request judged again with what the memory and the host are after the
   *     call. Where it is not rejected the rules know no reason
   */
  record Failed(VerbsException error, Verdict diagnosis) implements RegistrationOutcome {
    @Override
    public Verdict verdict() {
      return diagnosis;
    }

    /** Whether the diagnosis gives the errno that the call gave. */
    public boolean isExplained() {
      Optional<Errno> errno = Errno.of(error.errno());
      return errno.isPresent() && diagnosis.errno().contains(errno.get());
    }

    /**
     * Returns what may have caused it, ranked, with the evidence and the command that confirms it;
     * empty for an errno that no verb is known to give. Ranks anew when called.
     */
    public Optional<Diagnosis> causes() {
      return Errno.of(error.errno()).map(errno -> Diagnosis.of(errno, diagnosis));
    }

    @Override
    public RegisteredRegion orElseThrow() {
      throw error;
    }
  }
}

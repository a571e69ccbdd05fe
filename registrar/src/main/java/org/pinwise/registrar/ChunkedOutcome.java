package org.pinwise.registrar;

import java.util.List;
import org.pinwise.engine.Verdict;

/** What became of a registration in chunks. */
public sealed interface ChunkedOutcome {

  /**
   * The regions, or an exception.
   *
   * @throws RegistrationRejectedException if the rules refused a chunk
   * @throws VerbsException if the call for a chunk failed
   */
  ChunkedRegion orElseThrow();

  /**
   * All chunks are registered.
   *
   * @param region all chunks, which the caller closes
   * @param verdicts what the rules said of each, in order
   */
  record Registered(ChunkedRegion region, List<Verdict> verdicts) implements ChunkedOutcome {
    @Override
    public ChunkedRegion orElseThrow() {
      return region;
    }
  }

  /**
   * A chunk was refused or failed, and those before it were given back.
   *
   * @param chunk which one, counted from 0
   * @param of how many there would have been
   * @param outcome what became of it: refused or failed
   * @param notGivenBack chunks that the library did not take back; the registrar tries again when
   *     it is closed
   */
  record NotRegistered(
      int chunk, int of, RegistrationOutcome outcome, List<VerbsException> notGivenBack)
      implements ChunkedOutcome {
    @Override
    public ChunkedRegion orElseThrow() {
      try {
        outcome.orElseThrow();
      } catch (RegistrationRejectedException | VerbsException e) {
        notGivenBack.forEach(e::addSuppressed);
        throw e;
      }
      throw new IllegalStateException("chunk " + chunk + " of " + of + " is registered");
    }
  }
}

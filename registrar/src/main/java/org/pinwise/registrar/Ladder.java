package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.FallbackStep.Result;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;

/** Goes down a ladder of rungs until one holds. For one registration. */
final class Ladder {

  /** What more a pool's access may give: nothing to peers. */
  private static final int MORE_FOR_US = AccessFlag.LOCAL_WRITE.bit() | AccessFlag.MW_BIND.bit();

  private final MemoryRegistrar registrar;
  private final MemorySegment memory;
  private final Registration asked;
  private final List<FallbackStep> steps = new ArrayList<>();

  Ladder(MemoryRegistrar registrar, MemorySegment memory, Registration asked) {
    this.registrar = registrar;
    this.memory = memory;
    this.asked = asked;
  }

  FallbackOutcome descend(List<Rung> rungs) {
    RegisteredMemory registered = attempt(Rung.asAsked());
    if (registered == null) {
      tell();
    }
    for (int i = 0; registered == null && i < rungs.size(); i++) {
      registered = attempt(rungs.get(i));
      tell();
    }
    return new FallbackOutcome(Optional.ofNullable(registered), steps);
  }

  private void tell() {
    registrar.listener().fellBack(registrar, steps.getLast());
  }

  private @Nullable RegisteredMemory attempt(Rung rung) {
    RegionPool pool = rung.poolOrNull();
    if (pool != null) {
      return bounce(rung, pool);
    }
    Registration changed = asked.access(rung.accessFor(asked.access()));
    Chunks chunks = rung.chunksOrNull();
    if (chunks != null && memory.byteSize() > chunks.longest(registrar.device().maxMrSize())) {
      return inChunks(rung, changed, chunks);
    }
    if (!steps.isEmpty() && changed.access().equals(asked.access())) {
      return pass(
          rung,
          "it changes nothing of access "
              + asked.access()
              + (chunks == null
                  ? ""
                  : ", and %d bytes are one chunk".formatted(memory.byteSize())));
    }
    return switch (registrar.register(memory, changed)) {
      case RegistrationOutcome.Registered(RegisteredRegion region, Verdict verdict) -> {
        step(rung, Result.REGISTERED, "", verdict, null);
        yield region;
      }
      case RegistrationOutcome.Refused(Verdict verdict) -> refused(rung, "", verdict);
      case RegistrationOutcome.Failed(VerbsException error, Verdict diagnosis) ->
          failed(rung, "", error, diagnosis);
    };
  }

  private @Nullable RegisteredMemory inChunks(Rung rung, Registration changed, Chunks chunks) {
    return switch (registrar.registerChunked(memory, changed, chunks)) {
      case ChunkedOutcome.Registered(ChunkedRegion region, List<Verdict> verdicts) -> {
        step(
            rung,
            Result.REGISTERED,
            region.chunks().size() + " regions",
            verdicts.getFirst(),
            null);
        yield region;
      }
      case ChunkedOutcome.NotRegistered(
              int chunk,
              int of,
              RegistrationOutcome outcome,
              List<VerbsException> notGivenBack) -> {
        String where = "chunk %d of %d: ".formatted(chunk + 1, of);
        if (outcome instanceof RegistrationOutcome.Failed(VerbsException error, Verdict why)) {
          notGivenBack.forEach(error::addSuppressed);
          yield failed(rung, where, error, why);
        }
        String left =
            notGivenBack.isEmpty()
                ? ""
                : "; not given back: " + notGivenBack.getFirst().arguments();
        yield refused(rung, where + left, outcome.verdict());
      }
    };
  }

  private @Nullable RegisteredMemory bounce(Rung rung, RegionPool pool) {
    Access wanted = rung.accessFor(asked.access());
    if (!serves(pool.access(), wanted)) {
      return pass(rung, "the pool's access is %s, asked is %s".formatted(pool.access(), wanted));
    }
    if (memory.byteSize() > pool.options().largestBytes()) {
      return pass(
          rung,
          "%d bytes are more than the pool's largest buffer of %d"
              .formatted(memory.byteSize(), pool.options().largestBytes()));
    }
    if (asked.iova().isPresent()) {
      return pass(rung, "a buffer has an address of its own, not the iova asked for");
    }
    try {
      Optional<PooledBuffer> buffer = pool.tryAcquire(memory.byteSize());
      if (buffer.isEmpty()) {
        return pass(rung, "the pool has no free buffer of %d bytes".formatted(memory.byteSize()));
      }
      steps.add(
          new FallbackStep(
              rung.toString(), Result.REGISTERED, "", Optional.empty(), Optional.empty()));
      return new BounceBuffer(memory, buffer.get());
    } catch (RegistrationRejectedException e) {
      return refused(rung, "another slab: ", e.verdict());
    } catch (VerbsException e) {
      steps.add(
          new FallbackStep(
              rung.toString(),
              Result.FAILED,
              "another slab: " + firstLine(e),
              Optional.empty(),
              Optional.of(e)));
      return null;
    }
  }

  private static boolean serves(Access pool, Access wanted) {
    return (pool.bits() & ~MORE_FOR_US) == (wanted.bits() & ~MORE_FOR_US)
        && (pool.bits() & wanted.bits()) == wanted.bits();
  }

  // ---- writing down ----

  private @Nullable RegisteredMemory pass(Rung rung, String why) {
    steps.add(
        new FallbackStep(
            rung.toString(), Result.NOT_APPLICABLE, why, Optional.empty(), Optional.empty()));
    return null;
  }

  private @Nullable RegisteredMemory refused(Rung rung, String where, Verdict verdict) {
    step(rung, Result.REFUSED, where + verdict.findings().getFirst(), verdict, null);
    return null;
  }

  private @Nullable RegisteredMemory failed(
      Rung rung, String where, VerbsException error, Verdict diagnosis) {
    step(rung, Result.FAILED, where + firstLine(error), diagnosis, error);
    return null;
  }

  private static String firstLine(VerbsException error) {
    return error.operation() + " failed with " + error.errnoName() + ": " + error.arguments();
  }

  private void step(
      Rung rung, Result result, String detail, Verdict verdict, @Nullable VerbsException error) {
    steps.add(
        new FallbackStep(
            rung.toString(), result, detail, Optional.of(verdict), Optional.ofNullable(error)));
  }
}

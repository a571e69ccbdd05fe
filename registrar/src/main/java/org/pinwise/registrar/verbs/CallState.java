package org.pinwise.registrar.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

/**
 * Where the linker stores errno after a call: one segment per thread.
 *
 * <p>One segment for all would let threads read each other's errno, and one per call would cost an
 * allocation where a whole registration should cost little more than the call. A virtual thread has
 * its own, and cannot change carriers between the call and the store. The automatic arena frees the
 * segment after its thread.
 *
 * <p>errno is what the C function left, even if it succeeded: read it only after a failure. It
 * cannot be set to 0 before the call.
 */
final class CallState {

  /** To be passed to the linker for every function whose errno is read. */
  static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

  private static final long ERRNO = Layouts.offset(Linker.Option.captureStateLayout(), "errno");

  private static final ThreadLocal<MemorySegment> SEGMENT =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

  private CallState() {}

  /** The current thread's segment, to be passed as the capturing argument of a call. */
  static MemorySegment ofThisThread() {
    return SEGMENT.get();
  }

  /** What the last call with this segment left. */
  static int errno(MemorySegment state) {
    return state.get(JAVA_INT, ERRNO);
  }
}

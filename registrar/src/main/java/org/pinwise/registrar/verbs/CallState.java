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
public final class CallState {

  /** To be passed to the linker for every function whose errno is read. */
  public static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

  private static final long ERRNO = Layouts.offset(Linker.Option.captureStateLayout(), "errno");

  private static final ThreadLocal<MemorySegment> SEGMENT =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

  private CallState() {}

  /** The current thread's segment, to be passed as the capturing argument of a call. */
  public static MemorySegment ofThisThread() {
    return SEGMENT.get();
  }

  /** What the last call with this segment left. */
  public static int errno(MemorySegment state) {
    return state.get(JAVA_INT, ERRNO);
  }

  /**
   * What a downcall handle threw. A C function throws nothing; the linker throws only unchecked
   * exceptions, such as that of a segment whose arena another thread has just closed.
   */
  public static RuntimeException unexpected(Throwable e) {
    if (e instanceof RuntimeException unchecked) {
      return unchecked;
    }
    if (e instanceof Error error) {
      throw error;
    }
    throw new AssertionError("a downcall threw a checked exception", e);
  }
}

package org.pinwise.registrar;

import org.pinwise.engine.Verdict;

/**
 * Is told what happens to regions: the one place on which monitoring hangs.
 *
 * {@snippet :
 * registrar.listen(new RegistrarListener() {
 *   @Override
 *   public void refused(MemoryRegistrar registrar, Verdict verdict) {
 *     log.warn("refused: {}", verdict);
 *   }
 * });
 * }
 *
 * <p>Called by the thread that did it, right after it was done, while no other registration and no
 * closing of a region waits. So a listener may register, and may close what it is told of: the
 * region, its arena, the registrar. Within the closing of an arena or a registrar it must not wait
 * for another thread that closes the same. A listener should be quick. One that throws harms
 * nothing: what it threw is logged, and goes no further. With several threads, that a region was
 * given back may be told before it is told that it was registered.
 */
public interface RegistrarListener {

  /**
   * Whether it wants to hear anything now. Asked before each call is timed, so that a listener that
   * is switched off costs next to nothing.
   */
  default boolean isListening() {
    return true;
  }

  /**
   * Memory was registered.
   *
   * @param region open, unless another thread has closed it since
   * @param verdict what the rules said before the call
   * @param nanos how long the native call took
   */
  default void registered(RegisteredRegion region, Verdict verdict, long nanos) {}

  /**
   * The rules refused a registration; no native call was made.
   *
   * @param verdict why; its {@linkplain Verdict#request request} has range and access
   */
  default void refused(MemoryRegistrar registrar, Verdict verdict) {}

  /**
   * A registering call failed.
   *
   * @param error what the library said
   * @param diagnosis what the rules say with what is known after the call
   * @param nanos how long the native call took
   */
  default void failed(
      MemoryRegistrar registrar, VerbsException error, Verdict diagnosis, long nanos) {}

  /**
   * A region was given back.
   *
   * @param region closed
   * @param nanos how long the native call took
   */
  default void deregistered(RegisteredRegion region, long nanos) {}

  /**
   * A region was not given back, and is as open as before.
   *
   * @param error what the library said
   * @param nanos how long the native call took
   */
  default void notDeregistered(RegisteredRegion region, VerbsException error, long nanos) {}

  /** A rung of a fallback ladder was tried or passed over, the first attempt included. */
  default void fellBack(MemoryRegistrar registrar, FallbackStep step) {}

  /**
   * A cache lets a region go. It is given back now, or when its last lease is closed.
   *
   * @param why what made the cache do it
   */
  default void evicted(RegisteredRegion region, Eviction why) {}

  /**
   * A lease became unreachable without having been closed. Its region can no longer be closed but
   * by deferring. Only with {@link RegistrarOptions#withLeaseTracking}.
   *
   * @param where the frames of the program that took it, one a line
   */
  default void leaseLost(RegisteredRegion region, String where) {}
}

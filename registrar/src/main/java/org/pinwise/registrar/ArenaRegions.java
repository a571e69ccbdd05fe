package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The regions on the memory of one arena, and how many registrations of it run. It is sealed when
 * that memory goes: then no registration begins, and those that run are waited for, because the
 * kernel works on the memory meanwhile.
 */
final class ArenaRegions {
  private final Set<RegisteredRegion> regions = new HashSet<>();
  private boolean sealed;
  private int running;

  /**
   * Says that a native call on the memory begins. Between this and {@link #exit} nothing may be
   * called that is not ours: a listener that closed the arena would wait for itself.
   *
   * @return false if the memory is going; then there is nothing to exit
   */
  synchronized boolean enter() {
    if (sealed) {
      return false;
    }
    running++;
    return true;
  }

  /** Ends what an {@link #enter} that was true began. */
  synchronized void exit() {
    running--;
    if (running == 0) {
      notifyAll();
    }
  }

  /** Adds a region; false if the memory is going, and nobody waits before it does. */
  synchronized boolean add(RegisteredRegion region) {
    if (sealed && running == 0) {
      return false;
    }
    regions.add(region);
    return true;
  }

  synchronized void remove(RegisteredRegion region) {
    regions.remove(region);
  }

  /**
   * Lets no registration begin, and returns when none runs. An interrupt does not end the wait, it
   * is kept for later: the kernel cannot be told to stop.
   */
  synchronized void seal() {
    sealed = true;
    boolean interrupted = false;
    while (running > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes regions again, since closing failed. */
  synchronized void unseal() {
    sealed = false;
  }

  synchronized boolean isSealed() {
    return sealed;
  }

  synchronized boolean isEmpty() {
    return regions.isEmpty();
  }

  synchronized List<RegisteredRegion> all() {
    return new ArrayList<>(regions);
  }
}

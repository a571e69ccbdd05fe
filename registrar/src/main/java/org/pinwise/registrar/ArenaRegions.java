package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The regions on the memory of one arena. It is sealed when that memory goes: a region whose
 * registration was under way is then turned away, and given back by who made it.
 */
final class ArenaRegions {
  private final Set<RegisteredRegion> regions = new HashSet<>();
  private boolean sealed;

  /** Adds a region; false if the memory is going. */
  synchronized boolean add(RegisteredRegion region) {
    if (!sealed) {
      regions.add(region);
    }
    return !sealed;
  }

  synchronized void remove(RegisteredRegion region) {
    regions.remove(region);
  }

  synchronized void seal() {
    sealed = true;
  }

  /** Takes regions again, since closing failed. */
  synchronized void unseal() {
    sealed = false;
  }

  synchronized boolean isEmpty() {
    return regions.isEmpty();
  }

  synchronized List<RegisteredRegion> all() {
    return new ArrayList<>(regions);
  }
}

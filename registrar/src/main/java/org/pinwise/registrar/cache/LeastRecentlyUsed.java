package org.pinwise.registrar.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the open entry that was used least recently and has no lease.
 *
 * <p>A hit only writes the cache's time to its entry. So an entry's place in the queue is that of
 * an older use, which never is later than the true one: whoever comes first and has not moved is
 * the oldest, and whoever has moved is put back.
 *
 * <p>Used under the cache's lock.
 */
final class LeastRecentlyUsed {

  /** The cache's time may wrap; two entries are never half its range apart. */
  private static final Comparator<Entry> OLDEST_FIRST =
      (a, b) ->
          a.queuedUse != b.queuedUse
              ? (a.queuedUse - b.queuedUse < 0 ? -1 : 1)
              : Long.compare(a.number, b.number);

  private PriorityQueue<Entry> queue = new PriorityQueue<>(OLDEST_FIRST);
  private int gone;

  void add(Entry entry) {
    queue.add(entry);
  }

  /** Says that an entry of the queue is no longer open. */
  void left() {
    if (++gone > 64 && gone > queue.size() / 2) {
      PriorityQueue<Entry> open = new PriorityQueue<>(OLDEST_FIRST);
      for (Entry entry : queue) {
        if (entry.isOpen()) {
          open.add(entry);
        }
      }
      queue = open;
      gone = 0;
    }
  }

  /** Lets the oldest idle entry go; null if all have leases. */
  @Nullable Entry doomOldest() {
    List<Entry> leased = new ArrayList<>();
    Entry victim = null;
    while (victim == null && !queue.isEmpty()) {
      Entry entry = queue.remove();
      if (entry.lastUse() != entry.queuedUse && entry.isOpen()) {
        entry.queuedUse = entry.lastUse();
        queue.add(entry);
      } else if (entry.doomIfIdle()) {
        victim = entry;
      } else if (entry.isOpen()) {
        leased.add(entry);
      } else {
        gone--;
      }
    }
    queue.addAll(leased);
    return victim;
  }
}

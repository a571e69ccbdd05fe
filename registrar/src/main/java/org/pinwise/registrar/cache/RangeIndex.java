package org.pinwise.registrar.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a lane by address, none of which covers another. So starts and ends sort alike,
 * and the last entry that starts at or before an address is the only one to look at: if it does not
 * reach far enough, none does.
 *
 * <p>Two levels: leaves of at most {@value #CAPACITY} entries, which never change, and a directory,
 * in which leaves are replaced. A reader takes no lock and sees each leaf as it was at some moment.
 * An insertion copies one leaf; every so often it splits one and copies the directory, which is
 * short: so its cost grows with the number of leaves, by little, not with that of entries.
 *
 * <p>Readers may be many; writers must hold the cache's lock.
 */
final class RangeIndex {

  static final int CAPACITY = 128;

  private volatile Directory directory = new Directory(List.of(Leaf.EMPTY));
  private int size;

  /** Sorted by start, with as many places as there are entries. */
  private static final class Leaf {
    static final Leaf EMPTY = new Leaf(new long[0], new Entry[0]);

    final long[] starts;
    final Entry[] entries;

    private Leaf(long[] starts, Entry[] entries) {
      this.starts = starts;
      this.entries = entries;
    }

    int size() {
      return starts.length;
    }

    Leaf with(Entry entry) {
      int at = floor(starts, entry.start) + 1;
      long[] newStarts = new long[starts.length + 1];
      Entry[] newEntries = new Entry[entries.length + 1];
      System.arraycopy(starts, 0, newStarts, 0, at);
      System.arraycopy(entries, 0, newEntries, 0, at);
      newStarts[at] = entry.start;
      newEntries[at] = entry;
      System.arraycopy(starts, at, newStarts, at + 1, starts.length - at);
      System.arraycopy(entries, at, newEntries, at + 1, entries.length - at);
      return new Leaf(newStarts, newEntries);
    }

    Leaf without(int at) {
      long[] newStarts = new long[starts.length - 1];
      Entry[] newEntries = new Entry[entries.length - 1];
      System.arraycopy(starts, 0, newStarts, 0, at);
      System.arraycopy(entries, 0, newEntries, 0, at);
      System.arraycopy(starts, at + 1, newStarts, at, newStarts.length - at);
      System.arraycopy(entries, at + 1, newEntries, at, newEntries.length - at);
      return new Leaf(newStarts, newEntries);
    }

    Leaf part(int from, int to) {
      return new Leaf(Arrays.copyOfRange(starts, from, to), Arrays.copyOfRange(entries, from, to));
    }

    Leaf and(Leaf next) {
      long[] newStarts = Arrays.copyOf(starts, size() + next.size());
      Entry[] newEntries = Arrays.copyOf(entries, size() + next.size());
      System.arraycopy(next.starts, 0, newStarts, size(), next.size());
      System.arraycopy(next.entries, 0, newEntries, size(), next.size());
      return new Leaf(newStarts, newEntries);
    }
  }

  /** Leaf i has the entries that start at from[i] or later, and before from[i + 1]. */
  private static final class Directory {
    final long[] from;
    private final AtomicReferenceArray<Leaf> leaves;

    Directory(List<Leaf> all) {
      from = new long[all.size()];
      leaves = new AtomicReferenceArray<>(all.size());
      for (int i = 0; i < from.length; i++) {
        from[i] = i == 0 ? Long.MIN_VALUE : all.get(i).starts[0];
        leaves.setPlain(i, all.get(i));
      }
    }

    private Directory(long[] from, AtomicReferenceArray<Leaf> leaves) {
      this.from = from;
      this.leaves = leaves;
    }

    int indexOf(long address) {
      return floor(from, address);
    }

    Leaf leaf(int i) {
      return leaves.getAcquire(i);
    }

    void replace(int i, Leaf leaf) {
      leaves.setRelease(i, leaf);
    }

    int size() {
      return from.length;
    }

    /** With leaves i to j, exclusive, replaced by others, of which only the first may be empty. */
    Directory with(int i, int j, Leaf... others) {
      int change = others.length - (j - i);
      long[] newFrom = new long[from.length + change];
      AtomicReferenceArray<Leaf> newLeaves = new AtomicReferenceArray<>(newFrom.length);
      for (int k = 0; k < newFrom.length; k++) {
        if (k < i || k >= i + others.length) {
          int old = k < i ? k : k - change;
          newFrom[k] = from[old];
          newLeaves.setPlain(k, leaf(old));
        } else {
          Leaf other = others[k - i];
          newFrom[k] = k == i ? from[i] : other.starts[0];
          newLeaves.setPlain(k, other);
        }
      }
      return new Directory(newFrom, newLeaves);
    }
  }

  /** The last place whose value is at most this; -1 if all are greater. Without branches. */
  private static int floor(long[] sorted, long value) {
    int n = sorted.length;
    if (n == 0) {
      return -1;
    }
    int base = 0;
    while (n > 1) {
      int half = n >>> 1;
      base = sorted[base + half] <= value ? base + half : base;
      n -= half;
    }
    return sorted[base] <= value ? base : -1;
  }

  /** The last entry that starts at or before an address; null if there is none. */
  @Nullable Entry floor(long address) {
    Directory now = directory;
    int i = now.indexOf(address);
    Leaf leaf = now.leaf(i);
    int at = floor(leaf.starts, address);
    while (at < 0) {
      if (--i < 0) {
        return null;
      }
      leaf = now.leaf(i);
      at = leaf.size() - 1;
    }
    return leaf.entries[at];
  }

  /** Adds an entry, which neither covers another nor is covered. */
  void add(Entry entry) {
    Directory now = directory;
    int i = now.indexOf(entry.start);
    Leaf leaf = now.leaf(i).with(entry);
    if (leaf.size() <= CAPACITY) {
      now.replace(i, leaf);
    } else {
      int half = leaf.size() / 2;
      directory = now.with(i, i + 1, leaf.part(0, half), leaf.part(half, leaf.size()));
    }
    size++;
  }

  /** Removes an entry; does nothing if it is not there. */
  @SuppressWarnings("ReferenceEquality") // an entry is one object; there is no equal one
  void remove(Entry entry) {
    Directory now = directory;
    int i = now.indexOf(entry.start);
    Leaf old = now.leaf(i);
    int at = floor(old.starts, entry.start);
    if (at < 0 || old.entries[at] != entry) {
      return;
    }
    Leaf leaf = old.without(at);
    size--;
    if (i > 0 && now.leaf(i - 1).size() + leaf.size() <= CAPACITY / 2) {
      directory = now.with(i - 1, i + 1, now.leaf(i - 1).and(leaf));
    } else {
      now.replace(i, leaf);
    }
  }

  /** The entries that overlap a range. For writers. */
  List<Entry> overlapping(long from, long to) {
    Directory now = directory;
    List<Entry> found = new ArrayList<>();
    // To the left as long as they reach into the range: ends sort like starts.
    int i = now.indexOf(from);
    Leaf leaf = now.leaf(i);
    for (int at = floor(leaf.starts, from); i >= 0; ) {
      if (at < 0) {
        if (--i >= 0) {
          leaf = now.leaf(i);
          at = leaf.size() - 1;
        }
        continue;
      }
      Entry entry = leaf.entries[at--];
      if (entry.end <= from) {
        break;
      }
      found.add(entry);
    }
    for (int j = now.indexOf(from); j < now.size(); j++) {
      Leaf right = now.leaf(j);
      for (int at = floor(right.starts, from) + 1; at < right.size(); at++) {
        if (right.starts[at] >= to) {
          return found;
        }
        found.add(right.entries[at]);
      }
    }
    return found;
  }

  /** Runs over all entries; those that come or go meanwhile may be seen or not. */
  void forEach(Consumer<Entry> action) {
    Directory now = directory;
    for (int i = 0; i < now.size(); i++) {
      for (Entry entry : now.leaf(i).entries) {
        action.accept(entry);
      }
    }
  }

  /** How many there are. For writers. */
  int size() {
    return size;
  }
}

package org.pinwise.registrar.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
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
 * <p>Before it a table of hints: the number of the entry that served the same page, or a larger
 * block, the last time. Where it holds, a hit reads a slot, the entry's place and the entry,
 * instead of going down the two levels. A hint is checked before it is believed: it may be of
 * another address, or of an entry that is gone, whose number may be another's by now. So nobody has
 * to take one away, and none keeps an entry's memory.
 *
 * <p>Readers may be many; writers must hold the cache's lock.
 */
final class RangeIndex {

  static final int CAPACITY = 128;

  /** Blocks for which there are hints: a page, 64 KiB, a huge page. */
  private static final int PAGE_SHIFT = 12;

  private static final int BLOCK_SHIFT = 16;
  private static final int HUGE_SHIFT = 21;

  private static final int FEWEST_SLOTS = 1024;

  /** Neighbours, on one cache line, of which any has the hint that is not at home; a power of 2. */
  private static final int WAYS = 4;

  /** Of so many occasions to replace a hint that may still be of use, one is taken. */
  private static final int RELUCTANCE = 8;

  /** A hint is a tag of 8 bits, which tells most blocks apart, and the number of an entry. */
  private static final int NUMBER_BITS = 24;

  private static final int MAX_NUMBER = (1 << NUMBER_BITS) - 1;

  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final VarHandle NUMBERED = MethodHandles.arrayElementVarHandle(Entry[].class);
  private static final VarHandle HINT = MethodHandles.arrayElementVarHandle(int[].class);

  private volatile Directory directory = new Directory(List.of(Leaf.EMPTY));

  /** 0 is none. At least twice as many as entries, a power of 2. */
  private volatile int[] hints = new int[FEWEST_SLOTS];

  /** The entries by number; 0 is nobody's. */
  private volatile @Nullable Entry[] numbered = new Entry[FEWEST_SLOTS / 2];

  /** Numbers that are free again, and how many; those from the next one on never were taken. */
  private int[] free = new int[FEWEST_SLOTS / 2];

  private int freed;
  private int next = 1;
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

  // ---- hints ----

  /** An open entry that covers a range; null if there is none. */
  @Nullable Entry covering(long from, long to) {
    int[] slots = hints;
    Entry entry = atHome(slots, from, to, PAGE_SHIFT);
    if (entry == null) {
      entry = atHome(slots, from, to, BLOCK_SHIFT);
    }
    if (entry == null) {
      entry = atHome(slots, from, to, HUGE_SHIFT);
    }
    return entry != null ? entry : away(slots, from, to);
  }

  private @Nullable Entry away(int[] slots, long from, long to) {
    Entry entry = elsewhere(slots, from, to, PAGE_SHIFT);
    if (entry == null) {
      entry = elsewhere(slots, from, to, BLOCK_SHIFT);
    }
    if (entry == null) {
      entry = elsewhere(slots, from, to, HUGE_SHIFT);
    }
    if (entry != null) {
      return entry;
    }
    entry = floor(from);
    if (entry == null || to > entry.end) {
      return null;
    }
    remember(slots, from, entry);
    return entry;
  }

  /**
   * A number of a block by multiplication: those of blocks that are equally far apart seldom meet,
   * but for some distances they often do.
   */
  private static long spread(long address, int shift) {
    return ((address >>> shift) + ((long) shift << 56)) * MIX;
  }

  /** The slot where a hint is looked for first. */
  private static int home(int[] slots, long spread) {
    return (int) (spread >>> (Long.numberOfLeadingZeros(slots.length) + 1));
  }

  /** The upper 8 bits are a hint's tag; the lower ones say where it is if it is not at home. */
  private static int hash(long spread) {
    return (int) (((spread ^ (spread >>> 32)) * MIX) >>> 32);
  }

  /** What the hint for the block of this size leads to, if it is open and covers the range. */
  private @Nullable Entry atHome(int[] slots, long from, long to, int shift) {
    long spread = spread(from, shift);
    return checked((int) HINT.getOpaque(slots, home(slots, spread)), hash(spread), from, to);
  }

  private @Nullable Entry elsewhere(int[] slots, long from, long to, int shift) {
    int hash = hash(spread(from, shift));
    for (int way = 0; way < WAYS; way++) {
      int hint = (int) HINT.getOpaque(slots, wayOf(slots, hash, way));
      Entry entry = checked(hint, hash, from, to);
      if (entry != null) {
        return entry;
      }
    }
    return null;
  }

  private static int wayOf(int[] slots, int hash, int way) {
    return (hash & (slots.length - 1)) ^ way;
  }

  private @Nullable Entry checked(int hint, int hash, long from, long to) {
    if ((hint ^ hash) >>> NUMBER_BITS != 0) {
      return null;
    }
    Entry entry = numbered(hint);
    return entry != null && entry.covers(from, to) && entry.isOpen() ? entry : null;
  }

  private @Nullable Entry numbered(int hint) {
    @Nullable Entry[] all = numbered;
    int number = hint & MAX_NUMBER;
    return number < all.length ? (Entry) NUMBERED.getAcquire(all, number) : null;
  }

  private void remember(int[] slots, long address, Entry entry) {
    int number = entry.indexNumber;
    if (number == 0) {
      return; // it is gone, or has none
    }
    long spread = spread(address, blockOf(entry, address));
    int hash = hash(spread);
    int at = home(slots, spread);
    boolean vacant = isVacant(slots, at);
    for (int way = 0; way < WAYS && !vacant; way++) {
      at = wayOf(slots, hash, way);
      vacant = isVacant(slots, at);
    }
    if (!vacant) {
      // Where more blocks are in use than there are slots, threads had to write all the time.
      ThreadLocalRandom random = ThreadLocalRandom.current();
      vacant = random.nextInt(RELUCTANCE) == 0;
      at = wayOf(slots, hash, random.nextInt(WAYS));
    }
    if (vacant) {
      HINT.setOpaque(slots, at, (hash & ~MAX_NUMBER) | number);
    }
  }

  private boolean isVacant(int[] slots, int at) {
    Entry old = numbered((int) HINT.getOpaque(slots, at));
    return old == null || !old.isOpen();
  }

  /** The largest block around an address that is all the entry's; a page need not be. */
  private static int blockOf(Entry entry, long address) {
    if (fills(entry, address, HUGE_SHIFT)) {
      return HUGE_SHIFT;
    }
    return fills(entry, address, BLOCK_SHIFT) ? BLOCK_SHIFT : PAGE_SHIFT;
  }

  private static boolean fills(Entry entry, long address, int shift) {
    long first = address >>> shift << shift;
    return entry.covers(first, first + (1L << shift));
  }

  /** Gives an entry a number, if there is one: those without are found by their order. */
  private void number(Entry entry) {
    if (size > hints.length / 2) {
      hints = new int[2 * hints.length]; // who reads finds out anew
    }
    if (freed == 0 && next > MAX_NUMBER) {
      return;
    }
    int number = freed > 0 ? free[--freed] : next++;
    if (number == numbered.length) {
      numbered = Arrays.copyOf(numbered, 2 * number);
    }
    NUMBERED.setRelease(numbered, number, entry);
    entry.indexNumber = number;
  }

  private void unnumber(Entry entry) {
    int number = entry.indexNumber;
    if (number != 0) {
      entry.indexNumber = 0;
      NUMBERED.setRelease(numbered, number, null);
      if (freed == free.length) {
        free = Arrays.copyOf(free, 2 * freed);
      }
      free[freed++] = number;
    }
  }

  // ---- the ordered entries ----

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
    number(entry);
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
    unnumber(entry);
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

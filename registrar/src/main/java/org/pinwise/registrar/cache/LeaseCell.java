package org.pinwise.registrar.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.RegisteredRegion;

/**
 * A count of leases on an entry, and the lease itself. An entry is one; where threads compete for
 * it, it has more, so that each finds one on a cache line of its own.
 *
 * <p>It also counts the leases that have ended, in the same word: so that a hit is counted costs no
 * operation of its own.
 */
sealed class LeaseCell extends CacheLease permits EntryHead, LeaseCell.Padded {

  /** In {@link #count}: the lower half counts open leases, the upper half those that ended. */
  private static final long ENDED = 1L << 32;

  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(LeaseCell.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Entry entry;
  private volatile long count;

  /** Of this entry; null if it is the entry itself. */
  LeaseCell(@Nullable Entry entry) {
    this.entry = entry == null ? (Entry) this : entry;
  }

  /** Open leases. */
  final int open() {
    return (int) count;
  }

  /** Leases that were given out, but for multiples of 2^32 that the cache was told of. */
  final long givenHere() {
    long seen = count;
    return (seen >>> 32) + (int) seen;
  }

  /** Counts one more, if no other thread interferes. */
  final boolean tryIncrement() {
    long seen = count;
    return COUNT.compareAndSet(this, seen, seen + 1);
  }

  final void increment() {
    COUNT.getAndAdd(this, 1L);
  }

  /** Undoes an increment of a lease that was not given out. */
  final void undo() {
    COUNT.getAndAdd(this, -1L);
    entry.leaseUndone();
  }

  @Override
  public final RegisteredRegion region() {
    return entry.registered();
  }

  @Override
  public final int lkey() {
    return entry.localKey;
  }

  @Override
  public final int rkey() {
    return entry.remoteKey;
  }

  /** Never below zero, not even for a moment: who adds up the cells would miss another's lease. */
  @Override
  public final void close() {
    for (long seen = count; ; seen = count) {
      if ((int) seen <= 0) {
        throw new IllegalStateException(
            "lease on "
                + entry.registered()
                + " was closed more often than it was acquired\nMaybe two places close it; lease"
                + " tracking (RegistrarOptions) gives each an object of its own.");
      }
      long next = seen - 1 + ENDED;
      if (COUNT.compareAndSet(this, seen, next)) {
        if (next >>> 32 == 0) {
          entry.countedRound(ENDED);
        }
        entry.leaseEnded();
        return;
      }
    }
  }

  @Override
  public final String toString() {
    return "lease on " + entry.registered();
  }

  /** With so much behind it that the next cell is on another pair of cache lines. */
  @SuppressWarnings("unused") // the fields are there to take up room
  static final class Padded extends LeaseCell {
    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;
    private long p8;
    private long p9;
    private long p10;
    private long p11;
    private long p12;
    private long p13;
    private long p14;

    Padded(Entry entry) {
      super(entry);
    }
  }
}

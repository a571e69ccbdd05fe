package org.pinwise.registrar.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.RegionHolder;
import org.pinwise.registrar.RegionLease;
import org.pinwise.registrar.RegisteredRegion;

/**
 * A region in the cache.
 *
 * <p>A lease is taken by counting first and looking at the state after; the entry is let go by
 * setting the state first and looking at the counts after. Both are volatile, so one of the two
 * sees the other: a region is never given back under a lease.
 */
final class Entry extends EntryHead implements RegionHolder {

  /** Leases are given out. */
  private static final int OPEN = 0;

  /** Somebody looks whether there are leases; then it is open again, or let go. */
  private static final int PROBED = 1;

  /** Let go: no more leases; given back when there are none. */
  private static final int DOOMED = 2;

  /** One thread gives it back, or has. */
  private static final int GONE = 3;

  /** Enough that neighbouring thread numbers do not share one on the usual machine. */
  private static final int CELLS =
      Integer.highestOneBit(Math.max(2, 4 * Runtime.getRuntime().availableProcessors() - 1));

  private static final int CELL_SHIFT = 32 - Integer.numberOfTrailingZeros(CELLS);

  private static final VarHandle HOLD;

  static {
    try {
      HOLD = MethodHandles.lookup().findVarHandle(Entry.class, "hold", RegionLease.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final int remoteKey;
  final Lane lane;
  private final RegionCache cache;
  private final RegisteredRegion region;

  /** The cache's time of its place in the queue of {@link LeastRecentlyUsed}, and its number. */
  int queuedUse;

  final long number;

  /** Whether it is in its lane's index. Under the cache's lock. */
  boolean indexed;

  /**
   * Its number in its lane's index, for hints; 0 for none. Written under the cache's lock, read
   * without: whoever reads an old one leaves a hint that leads nowhere.
   */
  int indexNumber;

  /** Leases that the region counts itself; only with lease tracking. */
  private final AtomicInteger tracked = new AtomicInteger();

  /** Null before {@link #hold} and after {@link #endHold}. */
  @SuppressWarnings("UnusedVariable") // through HOLD
  private volatile @Nullable RegionLease hold;

  /** Written under the cache's lock, when the entry is let go. */
  @Nullable Eviction why;

  Entry(RegionCache cache, Lane lane, RegisteredRegion region, long number, int now) {
    super(
        region.address(),
        region.address() + region.length(),
        region.lkey(),
        region.segment().scope(),
        now);
    this.cache = cache;
    this.lane = lane;
    this.region = region;
    this.remoteKey = region.rkey();
    this.number = number;
    this.queuedUse = now;
  }

  /** Keeps others from giving the region back, unless one has asked for it already. */
  void hold() {
    hold = region.hold(this);
    if (isGone()) { // whoever asked found no hold to end yet
      endHold();
    }
  }

  RegisteredRegion registered() {
    return region;
  }

  long length() {
    return end - start;
  }

  boolean isMemoryAlive() {
    return scope.isAlive();
  }

  boolean isOpen() {
    return state == OPEN;
  }

  // ---- leases ----

  /** A lease, or null if the entry is not to be had. Takes no lock, and allocates nothing. */
  @Nullable LeaseCell tryLease(int now) {
    LeaseCell[] cells = more;
    LeaseCell cell;
    if (cells == null && tryIncrement()) {
      cell = this;
    } else {
      cell = (cells == null ? spread() : cells)[cellOfThread()];
      cell.increment();
    }
    if (state != OPEN || !scope.isAlive()) {
      cell.undo();
      return null;
    }
    used(now);
    return cell;
  }

  private static int cellOfThread() {
    return ((int) Thread.currentThread().threadId() * 0x9E3779B9) >>> CELL_SHIFT;
  }

  /** Threads compete: from now on each has a cell. What was counted here stays here. */
  private LeaseCell[] spread() {
    LeaseCell[] cells = new LeaseCell[CELLS];
    for (int i = 0; i < CELLS; i++) {
      cells[i] = new LeaseCell.Padded(this);
    }
    LeaseCell[] first = (LeaseCell[]) MORE.compareAndExchange(this, null, cells);
    return first == null ? cells : first;
  }

  /** All leases, tracked ones included. */
  int allLeases() {
    int sum = open();
    LeaseCell[] cells = more;
    if (cells != null) {
      for (LeaseCell cell : cells) {
        sum += cell.open();
      }
    }
    return sum;
  }

  /** How many leases were given out; final once the entry is gone. */
  long given() {
    long sum = givenHere();
    LeaseCell[] cells = more;
    if (cells != null) {
      for (LeaseCell cell : cells) {
        sum += cell.givenHere();
      }
    }
    return sum;
  }

  /** A cell has counted so many, and begins again at zero. */
  void countedRound(long many) {
    cache.countedRound(many);
  }

  /** Those that the region does not count itself. */
  @Override
  public int leases() {
    return allLeases() - tracked.get();
  }

  TrackedLease track(LeaseCell cell) {
    RegionLease lease = region.lease();
    tracked.incrementAndGet();
    return new TrackedLease(this, cell, lease);
  }

  void trackedEnded() {
    tracked.decrementAndGet();
  }

  void leaseEnded() {
    if (state == DOOMED) {
      cache.settle(this);
    }
  }

  /** Whoever let the entry go may have seen that lease, and left the rest to us. */
  void leaseUndone() {
    if (state == DOOMED) {
      cache.settleQuietly(this);
    }
  }

  // ---- letting go ----

  /** Lets the entry go if nobody has a lease. Under the cache's lock. */
  boolean doomIfIdle() {
    if (allLeases() != 0 || !STATE.compareAndSet(this, OPEN, PROBED)) {
      return false;
    }
    boolean idle = allLeases() == 0;
    state = idle ? DOOMED : OPEN;
    return idle;
  }

  /** Lets the entry go; false if that was done before. Under the cache's lock. */
  boolean doom() {
    return STATE.compareAndSet(this, OPEN, DOOMED);
  }

  /** Claims the right to give the region back, if it is let go and nobody has a lease. */
  boolean claim() {
    return state == DOOMED && allLeases() == 0 && STATE.compareAndSet(this, DOOMED, GONE);
  }

  /** Whether somebody gives the region back, or has. */
  boolean isGone() {
    return state == GONE;
  }

  /** Lets others give the region back. After {@link #claim}. */
  void endHold() {
    RegionLease held = (RegionLease) HOLD.getAndSet(this, null);
    if (held != null) {
      held.close();
    }
  }

  @Override
  public void giveUp() {
    cache.giveUp(this);
  }
}

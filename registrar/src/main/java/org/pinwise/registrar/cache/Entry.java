package org.pinwise.registrar.cache;

import java.lang.foreign.MemorySegment;
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
final class Entry extends LeaseCell implements RegionHolder {

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

  private static final VarHandle STATE;
  private static final VarHandle MORE;
  private static final VarHandle LAST_USE;
  private static final VarHandle HOLD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Entry.class, "state", int.class);
      MORE = lookup.findVarHandle(Entry.class, "more", LeaseCell[].class);
      LAST_USE = lookup.findVarHandle(Entry.class, "lastUse", int.class);
      HOLD = lookup.findVarHandle(Entry.class, "hold", RegionLease.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long start;
  final long end;
  final int localKey;
  final int remoteKey;
  final Lane lane;
  private final RegionCache cache;
  private final RegisteredRegion region;
  private final MemorySegment.Scope scope;
  private volatile int state;
  private volatile LeaseCell @Nullable [] more;

  /** The cache's time when it was last used; see {@link RegionCache#now}. */
  @SuppressWarnings("UnusedVariable") // through LAST_USE
  private int lastUse;

  /** The cache's time of its place in the queue of {@link LeastRecentlyUsed}, and its number. */
  int queuedUse;

  final long number;

  /** Whether it is in its lane's index. Under the cache's lock. */
  boolean indexed;

  /** Leases that the region counts itself; only with lease tracking. */
  private final AtomicInteger tracked = new AtomicInteger();

  /** Null before {@link #hold} and after {@link #endHold}. */
  @SuppressWarnings("UnusedVariable") // through HOLD
  private volatile @Nullable RegionLease hold;

  /** Written under the cache's lock, when the entry is let go. */
  @Nullable Eviction why;

  Entry(RegionCache cache, Lane lane, RegisteredRegion region, long number, int now) {
    super(null);
    this.cache = cache;
    this.lane = lane;
    this.region = region;
    this.start = region.address();
    this.end = start + region.length();
    this.localKey = region.lkey();
    this.remoteKey = region.rkey();
    this.scope = region.segment().scope();
    this.number = number;
    this.lastUse = now;
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

  boolean covers(long from, long to) {
    return start <= from && to <= end;
  }

  boolean isMemoryAlive() {
    return scope.isAlive();
  }

  boolean isOpen() {
    return state == OPEN;
  }

  /** The cache's time of the last use. */
  int lastUse() {
    return (int) LAST_USE.getOpaque(this);
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
    if (lastUse() != now) {
      LAST_USE.setOpaque(this, now);
    }
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
    int sum = count();
    LeaseCell[] cells = more;
    if (cells != null) {
      for (LeaseCell cell : cells) {
        sum += cell.count();
      }
    }
    return sum;
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

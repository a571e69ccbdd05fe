package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.rules.model.Access;

/**
 * Memory that is registered, until it is closed.
 *
 * <p>A region belongs to the registrar that made it, which closes it if nobody has when it is
 * closed itself. Close a region before the arena of its memory: Java has no way to hold an arena
 * open, so a closed one leaves the device with pages that the process may use for something else.
 * {@link RegistrationArena} does both in the right order, and {@link MemoryRegistrar#watch} gives
 * the regions of any other arena back when it is closed; memory of an automatic arena stays at
 * least as long as its region.
 *
 * <p>While work is in flight, hold a {@linkplain #lease lease}: the region is not given back under
 * it.
 *
 * <p>Thread-safe.
 */
public final class RegisteredRegion implements RegisteredMemory {

  /** Set in {@link #uses} while the region is given back, and for good once it is. */
  private static final int CLAIMED = 1 << 31;

  /** Set in {@link #uses} when the last lease is to give the region back. */
  private static final int DEFERRED = 1 << 30;

  /** The part of {@link #uses} that counts leases. */
  private static final int LEASES = DEFERRED - 1;

  private static final VarHandle USES;

  static {
    try {
      USES = MethodHandles.lookup().findVarHandle(RegisteredRegion.class, "uses", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemoryRegistrar registrar;
  private final MemoryRegion region;
  private final Access access;
  private final long remoteAddress;
  private final String label;
  private final long since = System.nanoTime();
  private volatile int uses;
  private volatile @Nullable RegionHolder holder;
  private volatile @Nullable ArenaRegions owner;
  private volatile @Nullable Runnable afterClose;

  RegisteredRegion(
      MemoryRegistrar registrar,
      MemoryRegion region,
      Access access,
      long remoteAddress,
      String label) {
    this.registrar = registrar;
    this.region = region;
    this.access = access;
    this.remoteAddress = remoteAddress;
    this.label = label;
  }

  /** The key for this process's own scatter and gather entries. */
  public int lkey() {
    return region.lkey();
  }

  /** The key for peers. */
  public int rkey() {
    return region.rkey();
  }

  /** Where the memory starts in this process, unsigned; of a dma-buf, the offset in it. */
  public long address() {
    return region.address();
  }

  /**
   * Where the region starts for peers, unsigned, and in this process's own scatter and gather
   * entries: the iova that was asked for, else {@link #address()}. siw knows no iova, so there it
   * is the address always. Where the device honours ZERO_BASED it counts from 0 instead; the
   * verdict warns where it does not.
   */
  public long remoteAddress() {
    return remoteAddress;
  }

  @Override
  public long length() {
    return region.length();
  }

  @Override
  public Access access() {
    return access;
  }

  /** The memory, as it was passed; {@link MemorySegment#NULL} of a dma-buf. */
  public MemorySegment segment() {
    return region.memory();
  }

  /** Whether the keys are made up, and mean nothing to any hardware. */
  public boolean isSimulated() {
    return region.isSimulated();
  }

  @Override
  public boolean isClosed() {
    return region.isClosed();
  }

  /**
   * Whether the memory is still there. If it is not, the region was closed too late: the device can
   * still write to pages that now belong to nobody, or to someone else.
   */
  public boolean isMemoryAlive() {
    return segment().scope().isAlive();
  }

  /** The address by which peers reach an offset; empty if the offset is not in the region. */
  public OptionalLong remoteAddressAt(long offset) {
    return Long.compareUnsigned(offset, length()) < 0
        ? OptionalLong.of(remoteAddress + offset)
        : OptionalLong.empty();
  }

  @Override
  public Part at(long offset) {
    if (Long.compareUnsigned(offset, length()) >= 0) {
      throw new IndexOutOfBoundsException(
          "offset %s is not within %s".formatted(Long.toUnsignedString(offset), this));
    }
    return new Part(this, offset, length() - offset);
  }

  /** What the region is for, as {@link Registration#label} said; empty if it did not. */
  public String label() {
    return label;
  }

  /** How long the region has been registered. */
  public Duration age() {
    return Duration.ofNanos(System.nanoTime() - since);
  }

  /** The registrar that made it. */
  public MemoryRegistrar registrar() {
    return registrar;
  }

  // ---- leases ----

  /**
   * Says that work is in flight. The region is given back only when all leases are closed.
   *
   * @throws IllegalStateException if the region is closed, or is to be closed when its leases are
   */
  public RegionLease lease() {
    acquire();
    LeaseTracker tracker = registrar.leaseTracker();
    return tracker == null ? new RegionLease(this, null) : tracker.track(this);
  }

  /**
   * Takes the region to lend it on: one lease, for someone who counts those that it gives out.
   *
   * @param lender asked when the region is to be closed
   * @throws IllegalStateException if the region is closed, is to be closed, or somebody holds it
   */
  public RegionLease hold(RegionHolder lender) {
    acquire();
    synchronized (this) {
      if (holder == null) {
        holder = lender;
        return new RegionLease(this, null);
      }
    }
    endLease();
    throw new IllegalStateException(
        this + " is held by " + holder + "\nMaybe register the memory again for another holder.");
  }

  /** How many leases are open, those of a holder included. */
  public int leases() {
    int direct = uses & LEASES;
    RegionHolder lender = holder;
    return lender == null || direct == 0 ? direct : direct - 1 + lender.leases();
  }

  private void acquire() {
    for (int seen = uses; ; seen = uses) {
      if ((seen & (CLAIMED | DEFERRED)) != 0) {
        throw new IllegalStateException(
            this
                + (isClosed() ? "" : " is being closed")
                + "\nMaybe its owner closed it while it was still in use.");
      }
      if (USES.compareAndSet(this, seen, seen + 1)) {
        return;
      }
    }
  }

  void endLease() {
    int left = (int) USES.getAndAdd(this, -1) - 1;
    if (left == DEFERRED) {
      registrar.close(this, WhenLeased.defer());
    }
  }

  /** Asks who holds the region, if anyone does, to give it up. */
  void askBack() {
    RegionHolder lender = holder;
    if (lender != null) {
      lender.giveUp();
    }
  }

  /**
   * Claims the right to give the region back, which nobody can lease then.
   *
   * @return false if the last lease will do it
   * @throws RegionInUseException if there are leases, and the policy does not wait for them
   */
  boolean claim(WhenLeased policy) {
    long start = System.nanoTime();
    long pause = 1_000;
    while (true) {
      int seen = uses;
      if ((seen & CLAIMED) != 0) {
        return false;
      }
      if ((seen & LEASES) == 0) {
        if (USES.compareAndSet(this, seen, seen | CLAIMED)) {
          return true;
        }
      } else if (policy.defers()) {
        if (USES.compareAndSet(this, seen, seen | DEFERRED)) {
          return false;
        }
      } else if (System.nanoTime() - start >= policy.longestWait().toNanos()) {
        throw new RegionInUseException(this, leases(), registrar.leaseSites(this));
      } else {
        LockSupport.parkNanos(pause);
        pause = Math.min(pause * 2, 1_000_000);
      }
    }
  }

  /** Undoes {@link #claim}: the region was not given back. */
  void unclaim() {
    USES.getAndBitwiseAnd(this, ~CLAIMED);
  }

  // ---- closing ----

  /**
   * Gives the region back; any thread may, and a second call does nothing. If another thread is
   * doing it, waits for that, so that the memory may be freed after this returns. What it does
   * while there are leases, {@link RegistrarOptions#withWhenLeased} says: refuse, by default.
   *
   * @throws RegionInUseException if there are leases; the region is then as open as before
   * @throws VerbsException if the library does not take it back, for example while a memory window
   *     is bound to it; the region is then as open as before
   */
  @Override
  public void close() {
    registrar.close(this, registrar.options().whenLeased());
  }

  /**
   * Gives the region back, with a word on what to do while there are leases.
   *
   * @return whether the region is closed now; false if the last lease will close it
   * @throws RegionInUseException if there are leases, and the policy does not defer
   * @throws VerbsException if the library does not take it back; the region is then as open as
   *     before
   */
  public boolean closeWith(WhenLeased policy) {
    registrar.close(this, policy);
    return isClosed();
  }

  void ownedBy(ArenaRegions arena) {
    owner = arena;
  }

  @Nullable ArenaRegions owner() {
    return owner;
  }

  /** Runs once the region is given back, by whoever does it. */
  void afterClose(Runnable action) {
    afterClose = action;
  }

  @Nullable Runnable afterClose() {
    return afterClose;
  }

  MemoryRegion region() {
    return region;
  }

  @Override
  public String toString() {
    return "%sregion of %s: address 0x%x, length %s, %s, lkey 0x%x, rkey 0x%x%s"
        .formatted(
            isSimulated() ? "simulated " : "",
            region.pd().context().device().name(),
            address(),
            Long.toUnsignedString(length()),
            access,
            lkey(),
            rkey(),
            isClosed() ? ", closed" : "");
  }
}

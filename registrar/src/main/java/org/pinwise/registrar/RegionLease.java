package org.pinwise.registrar;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Work in flight on a region: while it is open the region is not given back.
 *
 * {@snippet :
 * try (RegionLease lease = region.lease()) {
 *   post(lease.region().lkey());
 *   awaitCompletion();
 * }
 * }
 *
 * <p>Thread-safe; any thread may close it, and a second close does nothing.
 */
public final class RegionLease implements AutoCloseable {

  private static final VarHandle OPEN;

  static {
    try {
      OPEN = MethodHandles.lookup().findVarHandle(RegionLease.class, "open", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RegisteredRegion region;
  private final LeaseTracker.@Nullable Site site;
  private volatile boolean open = true;

  RegionLease(RegisteredRegion region, LeaseTracker.@Nullable Site site) {
    this.region = region;
    this.site = site;
  }

  /** The region, which is registered as long as this is open. */
  public RegisteredRegion region() {
    return region;
  }

  /** Whether it has not been closed. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Ends the lease. If it was the last one of a region whose closing was deferred, gives that back.
   *
   * @throws VerbsException if the region should be given back, and the library does not take it;
   *     the lease is closed all the same, and closing the region or its registrar tries again
   */
  @Override
  public void close() {
    if (OPEN.compareAndSet(this, true, false)) {
      if (site != null) {
        site.closed();
      }
      region.endLease();
    }
  }

  @Override
  public String toString() {
    return (open ? "lease on " : "closed lease on ") + region;
  }
}

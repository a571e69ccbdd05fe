package org.pinwise.registrar.cache;

import java.util.concurrent.atomic.AtomicBoolean;
import org.pinwise.registrar.RegionLease;
import org.pinwise.registrar.RegisteredRegion;

/** A lease of its own, with a lease on the region that remembers where it was taken. */
final class TrackedLease extends CacheLease {
  private final Entry entry;
  private final LeaseCell cell;
  private final RegionLease tracked;
  private final AtomicBoolean open = new AtomicBoolean(true);

  TrackedLease(Entry entry, LeaseCell cell, RegionLease tracked) {
    this.entry = entry;
    this.cell = cell;
    this.tracked = tracked;
  }

  @Override
  public RegisteredRegion region() {
    return tracked.region();
  }

  @Override
  public int lkey() {
    return cell.lkey();
  }

  @Override
  public int rkey() {
    return cell.rkey();
  }

  @Override
  public void close() {
    if (!open.compareAndSet(true, false)) {
      throw new IllegalStateException(
          "lease on " + tracked.region() + " is closed already\nMaybe two places close it.");
    }
    entry.trackedEnded();
    try {
      tracked.close();
    } finally {
      cell.close();
    }
  }

  @Override
  public String toString() {
    return (open.get() ? "lease on " : "closed lease on ") + tracked.region();
  }
}

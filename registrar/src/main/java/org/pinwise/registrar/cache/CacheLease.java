package org.pinwise.registrar.cache;

import java.lang.foreign.MemorySegment;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.VerbsException;

/**
 * The right to use a cached region, until it is closed.
 *
 * <p>So that a hit allocates nothing, threads share this object: close it once for each {@link
 * RegionCache#acquire}, from any thread. Closing more often than that is an error that is found
 * when the count would fall below zero. With {@code RegistrarOptions.withLeaseTracking} each is an
 * object of its own, and a second close is always found.
 */
public abstract sealed class CacheLease implements AutoCloseable permits LeaseCell, TrackedLease {

  CacheLease() {}

  /** The region, which may start before the memory that was asked for, and end after it. */
  public abstract RegisteredRegion region();

  /** The key for this process's own scatter and gather entries. */
  public abstract int lkey();

  /** The key for peers. */
  public abstract int rkey();

  /**
   * The address by which peers reach a segment that lies within the region.
   *
   * @throws IllegalArgumentException if it does not
   */
  public final long remoteAddressOf(MemorySegment segment) {
    RegisteredRegion region = region();
    long offset = segment.address() - region.address();
    if (offset < 0 || segment.byteSize() > region.length() - offset) {
      throw new IllegalArgumentException(
          "0x%x, length %d is not within %s"
              .formatted(segment.address(), segment.byteSize(), region));
    }
    return region.remoteAddress() + offset;
  }

  /**
   * Gives the right back. If the cache has let the region go meanwhile and this was the last lease,
   * the region is given back.
   *
   * @throws IllegalStateException if it is closed more often than it was acquired
   * @throws VerbsException if the library does not take the region back; the cache tries again when
   *     it scans and when it is closed
   */
  @Override
  public abstract void close();
}

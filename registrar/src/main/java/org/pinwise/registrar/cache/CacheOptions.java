package org.pinwise.registrar.cache;

import java.time.Duration;

/** How much a cache keeps, and for how long. Immutable; each method returns another one. */
public final class CacheOptions {

  /** At most 4,096 regions of together 4 GiB, each at most 10 minutes after its last use. */
  public static final CacheOptions DEFAULT =
      new CacheOptions(4096, 4L << 30, Duration.ofMinutes(10), true);

  private final int maxRegions;
  private final long maxBytes;
  private final Duration maxIdle;
  private final boolean scansItself;

  private CacheOptions(int maxRegions, long maxBytes, Duration maxIdle, boolean scansItself) {
    this.maxRegions = maxRegions;
    this.maxBytes = maxBytes;
    this.maxIdle = maxIdle;
    this.scansItself = scansItself;
  }

  /**
   * Returns options that keep at most so many regions.
   *
   * @throws IllegalArgumentException if it is negative; 0 keeps none beyond its leases
   */
  public CacheOptions withMaxRegions(int regions) {
    if (regions < 0) {
      throw new IllegalArgumentException("maxRegions " + regions + " is negative; 0 keeps none");
    }
    return new CacheOptions(regions, maxBytes, maxIdle, scansItself);
  }

  /**
   * Returns options that keep regions of at most so many bytes together.
   *
   * @throws IllegalArgumentException if it is negative; 0 keeps none beyond its leases
   */
  public CacheOptions withMaxBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("maxBytes " + bytes + " is negative; 0 keeps none");
    }
    return new CacheOptions(maxRegions, bytes, maxIdle, scansItself);
  }

  /**
   * Returns options with which a scan releases what nobody has used for so long.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public CacheOptions withMaxIdle(Duration idle) {
    if (idle.isNegative() || idle.isZero()) {
      throw new IllegalArgumentException("maxIdle " + idle + " is not positive");
    }
    return new CacheOptions(maxRegions, maxBytes, idle, scansItself);
  }

  /**
   * Returns options with which the cache scans by itself, four times in {@link #maxIdle}, in a
   * thread of its own; or only when {@link RegionCache#scan} is called.
   */
  public CacheOptions withOwnScans(boolean scans) {
    return new CacheOptions(maxRegions, maxBytes, maxIdle, scans);
  }

  /** How many regions are kept at most. */
  public int maxRegions() {
    return maxRegions;
  }

  /** How many bytes the kept regions have together at most. */
  public long maxBytes() {
    return maxBytes;
  }

  /** How long a region is kept after its last use, when there is a scan. */
  public Duration maxIdle() {
    return maxIdle;
  }

  /** Whether the cache scans by itself. */
  public boolean scansItself() {
    return scansItself;
  }
}

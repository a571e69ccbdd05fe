package org.pinwise.registrar;

/** How a pool's buffers are made. Immutable; each method returns another one. */
public final class PoolOptions {

  /** Buffers of 256 bytes to 64 KiB, in slabs of 1 MiB, of which there are at most 64 MiB. */
  public static final PoolOptions DEFAULT = new PoolOptions(256, 64 << 10, 1 << 20, 64L << 20);

  private final int smallest;
  private final int largest;
  private final int slab;
  private final long maxBytes;

  private PoolOptions(int smallest, int largest, int slab, long maxBytes) {
    this.smallest = smallest;
    this.largest = largest;
    this.slab = slab;
    this.maxBytes = maxBytes;
  }

  /**
   * Returns options with buffers of these sizes, and all powers of 2 between them.
   *
   * @throws IllegalArgumentException unless both are powers of 2, in order, and at least 8
   */
  public PoolOptions withSizes(int smallestBytes, int largestBytes) {
    if (smallestBytes < 8
        || smallestBytes > largestBytes
        || Integer.bitCount(smallestBytes) != 1
        || Integer.bitCount(largestBytes) != 1) {
      throw new IllegalArgumentException(
          "buffers of %d to %d bytes: both must be powers of 2, in order, from 8 on"
              .formatted(smallestBytes, largestBytes));
    }
    return new PoolOptions(smallestBytes, largestBytes, Math.max(slab, largestBytes), maxBytes);
  }

  /**
   * Returns options with slabs of so many bytes, each of which is one region.
   *
   * @throws IllegalArgumentException unless it is a power of 2 that holds the largest buffer
   */
  public PoolOptions withSlabBytes(int bytes) {
    if (bytes < largest || Integer.bitCount(bytes) != 1) {
      throw new IllegalArgumentException(
          "slabs of %d bytes: must be a power of 2, and hold a buffer of %d"
              .formatted(bytes, largest));
    }
    return new PoolOptions(smallest, largest, bytes, maxBytes);
  }

  /**
   * Returns options with which all slabs together have at most so many bytes. One slab of each size
   * is made when the pool is opened, and counts.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public PoolOptions withMaxBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("maxBytes " + bytes + " is negative");
    }
    return new PoolOptions(smallest, largest, slab, bytes);
  }

  /** The smallest buffers, in bytes. */
  public int smallestBytes() {
    return smallest;
  }

  /** The largest buffers, in bytes. */
  public int largestBytes() {
    return largest;
  }

  /** A slab, in bytes. */
  public int slabBytes() {
    return slab;
  }

  /** All slabs together, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }
}

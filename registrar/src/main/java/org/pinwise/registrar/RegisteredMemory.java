package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.pinwise.rules.model.Access;

/**
 * Memory that the device can reach, by one region or by several: what a program that transfers
 * needs to know, whatever became of its registration.
 *
 * {@snippet :
 * for (RegisteredMemory.Part part : memory.split(offset, length)) {
 *   post(part.address(), part.length(), part.lkey());
 * }
 * }
 */
public sealed interface RegisteredMemory extends AutoCloseable
    permits RegisteredRegion, ChunkedRegion, PooledBuffer, BounceBuffer {

  /**
   * A stretch of memory within one region.
   *
   * @param region the region
   * @param offset where it starts in the region, in bytes
   * @param length bytes
   */
  record Part(RegisteredRegion region, long offset, long length) {

    /** Where it starts in this process. */
    public long address() {
      return region.address() + offset;
    }

    /** Where it starts for peers; see {@link RegisteredRegion#remoteAddress}. */
    public long remoteAddress() {
      return region.remoteAddress() + offset;
    }

    /** The key for this process's own scatter and gather entries. */
    public int lkey() {
      return region.lkey();
    }

    /** The key for peers. */
    public int rkey() {
      return region.rkey();
    }
  }

  /** Bytes, unsigned. */
  long length();

  /** The access flags with which it is registered. */
  Access access();

  /** Whether it has been given back. */
  boolean isClosed();

  /**
   * What lies at an offset: as far as the region reaches.
   *
   * @throws IndexOutOfBoundsException if the offset is not within the memory
   */
  Part at(long offset);

  /**
   * Splits a transfer where regions end.
   *
   * @return the parts in order; none if the length is 0
   * @throws IndexOutOfBoundsException if the range is not within the memory
   */
  default List<Part> split(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, length() < 0 ? Long.MAX_VALUE : length());
    List<Part> parts = new ArrayList<>();
    for (long done = 0; done < length; ) {
      Part part = at(offset + done);
      long taken = Math.min(part.length < 0 ? Long.MAX_VALUE : part.length, length - done);
      parts.add(new Part(part.region, part.offset, taken));
      done += taken;
    }
    return List.copyOf(parts);
  }

  /**
   * Says that work is in flight on a range: a lease on each of its regions, or on none.
   *
   * @throws IndexOutOfBoundsException if the range is not within the memory
   * @throws IllegalStateException if a region is closed, or is to be closed
   */
  default List<RegionLease> lease(long offset, long length) {
    List<RegionLease> leases = new ArrayList<>();
    try {
      for (Part part : split(offset, length)) {
        leases.add(part.region.lease());
      }
      return List.copyOf(leases);
    } catch (IllegalStateException e) {
      leases.forEach(RegionLease::close);
      throw e;
    }
  }

  /**
   * Gives it back; a second call does nothing.
   *
   * @throws RegionInUseException if there are leases, and the registrar's options say so
   * @throws VerbsException if the library does not take a region back; another call tries again
   */
  @Override
  void close();
}

package org.pinwise.registrar;

import java.util.List;
import java.util.Objects;
import org.pinwise.rules.model.Access;

/**
 * Memory that is registered in several regions, one after the other. Made as a whole or not at all.
 *
 * {@snippet :
 * try (ChunkedRegion memory =
 *     registrar.registerChunked(huge, Registration.of(LOCAL_WRITE), Chunks.of(1L << 30))
 *         .orElseThrow()) {
 *   for (RegisteredMemory.Part part : memory.split(offset, length)) {
 *     post(part.address(), part.length(), part.lkey());
 *   }
 * }
 * }
 *
 * <p>Thread-safe.
 */
public final class ChunkedRegion implements RegisteredMemory {
  private final List<RegisteredRegion> chunks;
  private final long[] starts;
  private final long length;

  ChunkedRegion(List<RegisteredRegion> chunks) {
    this.chunks = List.copyOf(chunks);
    this.starts = new long[chunks.size()];
    long total = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = total;
      total += chunks.get(i).length();
    }
    this.length = total;
  }

  /** The regions in the order of their addresses. */
  public List<RegisteredRegion> chunks() {
    return chunks;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Access access() {
    return chunks.getFirst().access();
  }

  /** Whether all regions are given back. */
  @Override
  public boolean isClosed() {
    return chunks.stream().allMatch(RegisteredRegion::isClosed);
  }

  @Override
  public Part at(long offset) {
    Objects.checkIndex(offset, length);
    int low = 0;
    int high = starts.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    RegisteredRegion region = chunks.get(low);
    long within = offset - starts[low];
    return new Part(region, within, region.length() - within);
  }

  @Override
  public void close() {
    closeWith(chunks.getFirst().registrar().options().whenLeased());
  }

  /**
   * Gives all regions back, with a word on what to do while there are leases. Those that can be
   * given back are, also if others cannot; another call tries those again.
   *
   * @return whether all are given back now; false if last leases will do it
   * @throws RegionInUseException if there are leases, and the policy does not defer
   * @throws VerbsException if the library does not take a region back
   */
  public boolean closeWith(WhenLeased policy) {
    Failures failures = new Failures();
    for (RegisteredRegion chunk : chunks) {
      failures.run(() -> chunk.closeWith(policy));
    }
    failures.rethrow();
    return isClosed();
  }

  @Override
  public String toString() {
    return "%d regions of together %d bytes, the first %s"
        .formatted(chunks.size(), length, chunks.getFirst());
  }
}

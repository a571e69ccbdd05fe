package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import org.pinwise.rules.model.Access;

/**
 * Stands in for memory that could not be registered: a buffer of a pool as long as the memory. The
 * device reads and writes the buffer, so the program copies: {@link #copyIn} before the device
 * reads, {@link #copyOut} after it has written.
 *
 * <p>Thread-safe; copying is as safe as the program's own access to the memory.
 */
public final class BounceBuffer implements RegisteredMemory {
  private final MemorySegment origin;
  private final PooledBuffer buffer;

  BounceBuffer(MemorySegment origin, PooledBuffer buffer) {
    this.origin = origin;
    this.buffer = buffer;
  }

  /** The memory that it stands in for. */
  public MemorySegment origin() {
    return origin;
  }

  /** The memory that the device reaches. */
  public MemorySegment segment() {
    return buffer.segment();
  }

  /**
   * Copies the memory to the buffer.
   *
   * @throws IllegalStateException if either is closed
   */
  public void copyIn() {
    buffer.segment().copyFrom(origin);
  }

  /**
   * Copies the buffer to the memory.
   *
   * @throws IllegalStateException if either is closed
   * @throws IllegalArgumentException if the memory is read-only
   */
  public void copyOut() {
    origin.copyFrom(buffer.segment());
  }

  @Override
  public long length() {
    return buffer.length();
  }

  @Override
  public Access access() {
    return buffer.access();
  }

  @Override
  public boolean isClosed() {
    return buffer.isClosed();
  }

  @Override
  public Part at(long offset) {
    return buffer.at(offset);
  }

  /** Returns the buffer to its pool; a second call does nothing. Copies nothing. */
  @Override
  public void close() {
    buffer.close();
  }

  @Override
  public String toString() {
    return "bounce " + buffer;
  }
}

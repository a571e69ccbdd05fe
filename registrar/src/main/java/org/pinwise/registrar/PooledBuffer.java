package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pinwise.rules.model.Access;

/**
 * A buffer of a pool, until it is closed; its region is not given back before.
 *
 * <p>Its content is what the one before left. Thread-safe.
 */
public final class PooledBuffer implements RegisteredMemory {
  private final RegionPool.Slot slot;
  private final RegionLease lease;
  private final long length;
  private final AtomicBoolean open = new AtomicBoolean(true);

  PooledBuffer(RegionPool.Slot slot, RegionLease lease, long length) {
    this.slot = slot;
    this.lease = lease;
    this.length = length;
  }

  /**
   * The memory, of the length asked for.
   *
   * @throws IllegalStateException if the buffer is closed: it may be another's by now
   */
  public MemorySegment segment() {
    requireOpen();
    return slot.slab().segment().asSlice(slot.offset(), length);
  }

  private void requireOpen() {
    if (!open.get()) {
      throw new IllegalStateException(
          "a pool's buffer of " + length + " bytes is closed\nMaybe it was closed too early.");
    }
  }

  /** Where it starts in this process. */
  public long address() {
    return slot.slab().address() + slot.offset();
  }

  /** Where it starts for peers. */
  public long remoteAddress() {
    return slot.slab().remoteAddress() + slot.offset();
  }

  /** The key for this process's own scatter and gather entries. */
  public int lkey() {
    return slot.slab().lkey();
  }

  /** The key for peers, which reaches the whole slab. */
  public int rkey() {
    return slot.slab().rkey();
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Access access() {
    return slot.slab().access();
  }

  @Override
  public boolean isClosed() {
    return !open.get();
  }

  @Override
  public Part at(long offset) {
    requireOpen();
    Objects.checkIndex(offset, length);
    return new Part(slot.slab(), slot.offset() + offset, length - offset);
  }

  /**
   * Returns the buffer to its pool; a second call does nothing. If the pool's closing was deferred
   * and this was the last buffer, frees the slab.
   *
   * @throws VerbsException if the library does not take that slab back
   */
  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      RegionPool.takeBack(slot);
      lease.close();
    }
  }

  @Override
  public String toString() {
    return (open.get() ? "buffer" : "closed buffer") + " of " + length + " bytes in " + slot.slab();
  }
}

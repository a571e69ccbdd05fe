package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.rules.model.Access;

/**
 * Memory that is registered, until it is closed.
 *
 * <p>A region belongs to the registrar that made it, which closes it if nobody has when it is
 * closed itself. Close a region before the arena of its memory: Java has no way to hold an arena
 * open, so a closed one leaves the device with pages that the process may use for something else.
 * {@link RegistrationArena} does both in the right order; memory of an automatic arena stays at
 * least as long as its region.
 *
 * <p>Thread-safe.
 */
public final class RegisteredRegion implements AutoCloseable {
  private final MemoryRegistrar registrar;
  private final MemoryRegion region;
  private final Access access;
  private final long remoteAddress;

  RegisteredRegion(
      MemoryRegistrar registrar, MemoryRegion region, Access access, long remoteAddress) {
    this.registrar = registrar;
    this.region = region;
    this.access = access;
    this.remoteAddress = remoteAddress;
  }

  /** The key for this process's own scatter and gather entries. */
  public int lkey() {
    return region.lkey();
  }

  /** The key for peers. */
  public int rkey() {
    return region.rkey();
  }

  /** Where the memory starts in this process, unsigned. */
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

  /** Bytes. */
  public long length() {
    return region.length();
  }

  /** The access flags that were asked for. */
  public Access access() {
    return access;
  }

  /** The memory, as it was passed. */
  public MemorySegment segment() {
    return region.memory();
  }

  /** Whether the keys are made up, and mean nothing to any hardware. */
  public boolean isSimulated() {
    return region.isSimulated();
  }

  /** Whether the region has been given back. */
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

  /**
   * Gives the region back; any thread may, and a second call does nothing. If another thread is
   * doing it, waits for that, so that the memory may be freed after this returns.
   *
   * @throws VerbsException if the library does not take it back, for example while a memory window
   *     is bound to it; the region is then as open as before
   */
  @Override
  public void close() {
    registrar.close(this);
  }

  MemoryRegion region() {
    return region;
  }

  @Override
  public String toString() {
    return "%sregion of %s: address 0x%x, length %d, %s, lkey 0x%x, rkey 0x%x%s"
        .formatted(
            isSimulated() ? "simulated " : "",
            region.pd().context().device().name(),
            address(),
            length(),
            access,
            lkey(),
            rkey(),
            isClosed() ? ", closed" : "");
  }
}

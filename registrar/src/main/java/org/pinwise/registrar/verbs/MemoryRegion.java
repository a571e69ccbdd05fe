package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A registered memory region: {@code struct ibv_mr *}, with what it says.
 *
 * <p>It keeps the memory segment that was registered, so that memory of an automatic arena lives at
 * least as long as this handle is reachable. Nothing stops the owner of a closeable arena from
 * closing it: that is for the task API to prevent.
 */
public final class MemoryRegion extends VerbsHandle implements Result<MemoryRegion> {

  private final ProtectionDomain pd;
  private final MemorySegment memory;
  private final MemorySegment pointer;
  private final long address;
  private final long length;
  private final int handle;
  private final int lkey;
  private final int rkey;

  /**
   * @param memory what was registered, to keep it reachable
   * @param pointer the C object; a token of the issuer's choice where there is none
   * @param address see {@link #address()}
   * @param length see {@link #length()}
   * @param handle see {@link #handle()}
   * @param lkey see {@link #lkey()}
   * @param rkey see {@link #rkey()}
   */
  MemoryRegion(
      Verbs issuer,
      ProtectionDomain pd,
      MemorySegment memory,
      MemorySegment pointer,
      long address,
      long length,
      int handle,
      int lkey,
      int rkey) {
    super(issuer);
    this.pd = pd;
    this.memory = memory;
    this.pointer = pointer;
    this.address = address;
    this.length = length;
    this.handle = handle;
    this.lkey = lkey;
    this.rkey = rkey;
  }

  /** The protection domain that it belongs to. */
  public ProtectionDomain pd() {
    return pd;
  }

  /** The segment that was passed to the registering call. */
  public MemorySegment memory() {
    return memory;
  }

  /** {@code ibv_mr.addr}: the first byte, unsigned. */
  public long address() {
    return address;
  }

  /** {@code ibv_mr.length}: bytes, unsigned. */
  public long length() {
    return length;
  }

  /** {@code ibv_mr.handle}: the number of the kernel's object. */
  public int handle() {
    return handle;
  }

  /** {@code ibv_mr.lkey}, for the local side's scatter and gather entries. */
  public int lkey() {
    return lkey;
  }

  /** {@code ibv_mr.rkey}, for the remote side's RDMA operations. */
  public int rkey() {
    return rkey;
  }

  MemorySegment pointer() {
    return pointer;
  }

  @Override
  public String toString() {
    return (isSimulated() ? "simulated " : "")
        + "memory region of %s, address 0x%x, length %s, lkey 0x%x"
            .formatted(pd.context().device().name(), address, Long.toUnsignedString(length), lkey);
  }
}

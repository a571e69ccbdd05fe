package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.pinwise.rules.model.Errno;

/**
 * The half of a port that is the same for every device, real or not: who owns what, who may be
 * closed, what is live, which segments may be passed on.
 *
 * <p>The other half is C-shaped and trusts its arguments: when one of its methods runs, the handle
 * passed to it was issued by this port, is open, and stays so until the method returns.
 */
abstract class TrackingVerbs implements Verbs {

  private final Ledger ledger = new Ledger();

  /** Opens a device. */
  abstract Result<DeviceContext> open(String name);

  /** Closes a device that has no children. */
  abstract int close(DeviceContext context);

  /** Queries an open device. */
  abstract Result<DeviceAttributes> query(DeviceContext context);

  /** Queries an open device, extended. */
  abstract Result<DeviceAttributesEx> queryEx(DeviceContext context);

  /** Allocates a protection domain on an open device. */
  abstract Result<ProtectionDomain> allocate(DeviceContext context);

  /** Gives a protection domain back that has no regions. */
  abstract int deallocate(ProtectionDomain pd);

  /** Registers a range that starts at an off-heap segment which was open a moment ago. */
  abstract Result<MemoryRegion> register(
      ProtectionDomain pd, MemorySegment base, long length, int access);

  /** The same, under an address of the caller's choice. */
  abstract Result<MemoryRegion> registerIova(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access);

  /** Registers a part of a dma-buf. */
  abstract Result<MemoryRegion> registerDmabuf(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access);

  /** Gives advice about parts of regions. */
  abstract int advise(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts);

  /** Gives an open region back. */
  abstract int deregister(MemoryRegion region);

  @Override
  public final Result<DeviceContext> openDevice(String name) {
    Result<DeviceContext> result = open(name);
    if (result instanceof DeviceContext) {
      ledger.opened();
    }
    return result;
  }

  @Override
  public final int closeDevice(DeviceContext context) {
    if (!context.beginClose(this)) {
      return Errno.EBUSY.number();
    }
    boolean closed = false;
    try {
      int errno = close(context);
      closed = errno == 0;
      return errno;
    } finally {
      context.endClose(closed);
      if (closed) {
        ledger.closed();
      }
    }
  }

  @Override
  public final Result<DeviceAttributes> queryDevice(DeviceContext context) {
    context.acquire(this);
    try {
      return query(context);
    } finally {
      context.release();
    }
  }

  @Override
  public final Result<DeviceAttributesEx> queryDeviceEx(DeviceContext context) {
    context.acquire(this);
    try {
      return queryEx(context);
    } finally {
      context.release();
    }
  }

  @Override
  public final Result<ProtectionDomain> allocPd(DeviceContext context) {
    context.acquire(this);
    boolean adopted = false;
    try {
      Result<ProtectionDomain> result = allocate(context);
      adopted = result instanceof ProtectionDomain;
      return result;
    } finally {
      if (adopted) {
        ledger.allocated();
      } else {
        context.release();
      }
    }
  }

  @Override
  public final int deallocPd(ProtectionDomain pd) {
    if (!pd.beginClose(this)) {
      return Errno.EBUSY.number();
    }
    boolean closed = false;
    try {
      int errno = deallocate(pd);
      closed = errno == 0;
      return errno;
    } finally {
      pd.endClose(closed);
      if (closed) {
        pd.context().release();
        ledger.deallocated();
      }
    }
  }

  @Override
  public final Result<MemoryRegion> regMrRange(
      ProtectionDomain pd, MemorySegment base, long length, int access) {
    Verbs.requirePassable(base);
    pd.acquire(this);
    boolean adopted = false;
    try {
      Result<MemoryRegion> result = register(pd, base, length, access);
      adopted = result instanceof MemoryRegion;
      return result;
    } finally {
      settle(pd, adopted);
    }
  }

  @Override
  public final Result<MemoryRegion> regMrIova2Range(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access) {
    Verbs.requirePassable(base);
    pd.acquire(this);
    boolean adopted = false;
    try {
      Result<MemoryRegion> result = registerIova(pd, base, length, iova, access);
      adopted = result instanceof MemoryRegion;
      return result;
    } finally {
      settle(pd, adopted);
    }
  }

  @Override
  public final Result<MemoryRegion> regDmabufMr(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access) {
    pd.acquire(this);
    boolean adopted = false;
    try {
      Result<MemoryRegion> result = registerDmabuf(pd, fd, offset, length, iova, access);
      adopted = result instanceof MemoryRegion;
      return result;
    } finally {
      settle(pd, adopted);
    }
  }

  @Override
  public final int adviseMr(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts) {
    pd.acquire(this);
    try {
      return advise(pd, advice, flags, parts);
    } finally {
      pd.release();
    }
  }

  @Override
  public final int deregMr(MemoryRegion region) {
    if (!region.beginClose(this)) {
      return Errno.EBUSY.number();
    }
    boolean closed = false;
    try {
      int errno = deregister(region);
      closed = errno == 0;
      return errno;
    } finally {
      region.endClose(closed);
      if (closed) {
        region.pd().release();
        ledger.deregistered();
      }
    }
  }

  @Override
  public final LiveObjects liveObjects() {
    return ledger.live();
  }

  private void settle(ProtectionDomain pd, boolean adopted) {
    if (adopted) {
      ledger.registered();
    } else {
      pd.release();
    }
  }
}

package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * The port: the verbs that memory registration needs, C-shaped but typed.
 *
 * <p>Conventions, the same for every implementation:
 *
 * <ul>
 *   <li>A verb that yields an object answers a {@link Result}; a verb that gives one back answers 0
 *       or the errno. The C library mixes three conventions; here there is one.
 *   <li>What only a bug in the caller can cause is an exception, raised before any call: a heap
 *       segment, an object of another port ({@link IllegalArgumentException}), an object given back
 *       already, a closed segment ({@link IllegalStateException}), a confined segment of another
 *       thread ({@link WrongThreadException}).
 *   <li>An object that has children is not given back: the verb answers EBUSY and nothing is
 *       called. The kernel says so itself for a protection domain; for a device the C library would
 *       free the context under its children.
 *   <li>Access flags, addresses and lengths are raw bits. Nothing is checked that the kernel
 *       checks.
 *   <li>All methods may be called from any thread, at the same time.
 * </ul>
 */
public interface Verbs {

  /**
   * The verbs of this machine: those of libibverbs, or the reason why there are none.
   *
   * <p>Never throws and never falls back to a simulation. The library is loaded once; whether there
   * are devices is looked up by each call, since they come and go.
   *
   * @see #unavailability()
   */
  static Verbs system() {
    return LibibverbsVerbs.system();
  }

  /**
   * A simulated machine with one device, in this process.
   *
   * @see SimulatedVerbs
   */
  static Verbs simulated(SimulatedDevice device) {
    return new SimulatedVerbs(device);
  }

  /**
   * Refuses what must not reach a C function, in words; the linker would refuse most of it too, in
   * its own. Every registering call asks this first.
   *
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if it is closed
   * @throws WrongThreadException if it is confined to another thread
   */
  static void requirePassable(MemorySegment base) {
    if (!base.isNative()) {
      throw new IllegalArgumentException(
          "memory segment of "
              + base.byteSize()
              + " bytes is on the Java heap, where the collector moves it; RDMA needs memory that"
              + " stays\nMaybe allocate it from an Arena.");
    }
    if (!base.scope().isAlive()) {
      throw new IllegalStateException(
          "memory segment at 0x%x of %d bytes is closed\nMaybe its arena was closed too early."
              .formatted(base.address(), base.byteSize()));
    }
    if (!base.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(
          "memory segment at 0x%x of %d bytes belongs to another thread\nMaybe use a shared arena."
              .formatted(base.address(), base.byteSize()));
    }
  }

  /** Why nothing can be opened here; empty if something can. */
  default Optional<Unavailability> unavailability() {
    return Optional.empty();
  }

  /** Whether the objects are made up: their keys mean nothing to any hardware. */
  default boolean isSimulated() {
    return false;
  }

  /** Whether {@code ibv_reg_mr_iova2} exists: in rdma-core since v28. */
  default boolean hasRegMrIova2() {
    return true;
  }

  /**
   * Lists the devices: ibv_get_device_list(3).
   *
   * <p>In C: an array, or NULL and errno; ENOSYS if the kernel has no RDMA support.
   */
  Result<DeviceList> listDevices();

  /**
   * Opens a device: ibv_open_device(3).
   *
   * <p>In C: a pointer, or NULL and errno.
   *
   * @param name as {@link DeviceInfo#name()}
   * @return the context; ENODEV if no device has this name; or why the list could not be had
   */
  Result<DeviceContext> openDevice(String name);

  /**
   * Closes a device: ibv_close_device(3).
   *
   * <p>In C: 0, or -1 and errno.
   *
   * @return 0 or the errno; EBUSY if the context is in use
   */
  int closeDevice(DeviceContext context);

  /**
   * What the device says about itself: ibv_query_device(3).
   *
   * <p>In C: 0 or the errno.
   */
  Result<DeviceAttributes> queryDevice(DeviceContext context);

  /**
   * The same, extended: ibv_query_device_ex(3).
   *
   * <p>In C: 0 or the errno. The C function is inline and falls back to ibv_query_device where the
   * device has no extended query; here the answer is EOPNOTSUPP, so that "not known" is not taken
   * for "not there".
   */
  Result<DeviceAttributesEx> queryDeviceEx(DeviceContext context);

  /**
   * Allocates a protection domain: ibv_alloc_pd(3).
   *
   * <p>In C: a pointer, or NULL and errno.
   */
  Result<ProtectionDomain> allocPd(DeviceContext context);

  /**
   * Gives a protection domain back: ibv_dealloc_pd(3).
   *
   * <p>In C: 0 or the errno.
   *
   * @return 0 or the errno; EBUSY if regions are registered in it
   */
  int deallocPd(ProtectionDomain pd);

  /**
   * Registers a whole segment: ibv_reg_mr(3), the exported function, with which the device knows
   * the memory by its virtual address.
   *
   * @param memory off-heap
   * @param access bits of {@code enum ibv_access_flags}
   */
  default Result<MemoryRegion> regMr(ProtectionDomain pd, MemorySegment memory, int access) {
    return regMrRange(pd, memory, memory.byteSize(), access);
  }

  /**
   * Registers a range that need not be the segment's: ibv_reg_mr(3).
   *
   * <p>For requests that no segment can describe, such as an implicit on-demand region (NULL and
   * 2^64-1), and for probing what the kernel answers. The range beyond the segment is kept alive by
   * nobody.
   *
   * <p>In C: a pointer, or NULL and errno.
   *
   * @param base where the range starts; kept alive during the call. {@link MemorySegment#ofAddress}
   *     makes one from a number
   * @param length bytes, unsigned
   * @param access bits of {@code enum ibv_access_flags}
   */
  Result<MemoryRegion> regMrRange(ProtectionDomain pd, MemorySegment base, long length, int access);

  /**
   * Registers a whole segment under an address of the caller's choice: {@code ibv_reg_mr_iova2},
   * ibv_reg_mr(3). The header's macros call it unless the flags are a constant without optional
   * bits; it drops the optional ones, silently, where the kernel does not know them.
   *
   * @param memory off-heap
   * @param iova the address by which the device knows the memory, unsigned
   * @param access bits of {@code enum ibv_access_flags}
   */
  default Result<MemoryRegion> regMrIova2(
      ProtectionDomain pd, MemorySegment memory, long iova, int access) {
    return regMrIova2Range(pd, memory, memory.byteSize(), iova, access);
  }

  /**
   * {@link #regMrIova2} for a range that need not be the segment's; see {@link #regMrRange}.
   *
   * <p>In C: a pointer, or NULL and errno.
   *
   * @return the region; EOPNOTSUPP where {@link #hasRegMrIova2()} is false
   */
  Result<MemoryRegion> regMrIova2Range(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access);

  /**
   * Registers a part of a dma-buf, such as a GPU exports: {@code ibv_reg_dmabuf_mr}, ibv_reg_mr(3).
   * The exported function of rdma-core since v34.
   *
   * <p>In C: a pointer, or NULL and errno. The kernel takes the buffer, not the descriptor, which
   * may be closed after the call.
   *
   * @param fd the descriptor of the dma-buf
   * @param offset where the part starts in the buffer, in bytes, unsigned
   * @param length bytes, unsigned
   * @param iova the address by which the device knows the part, unsigned
   * @param access bits of {@code enum ibv_access_flags}
   * @return the region, of which {@link MemoryRegion#address} is the offset, and {@link
   *     MemoryRegion#memory} is NULL; EOPNOTSUPP where the library or the driver has no such call
   */
  Result<MemoryRegion> regDmabufMr(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access);

  /**
   * Gives advice about parts of regions: ibv_advise_mr(3), an inline function of the header.
   *
   * <p>In C: 0 or the errno.
   *
   * @param advice a value of {@code enum ibv_advise_mr_advice}
   * @param flags bits of {@code enum ibv_advise_mr_flags}
   * @return 0 or the errno; EOPNOTSUPP where the library or the driver has no such call
   */
  int adviseMr(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts);

  /**
   * Gives a region back: ibv_dereg_mr(3).
   *
   * <p>In C: 0 or the errno, for example while a memory window is bound to it. The region is then
   * as live as before.
   *
   * @return 0 or the errno
   */
  int deregMr(MemoryRegion region);

  /** What was handed out and not given back. */
  LiveObjects liveObjects();
}

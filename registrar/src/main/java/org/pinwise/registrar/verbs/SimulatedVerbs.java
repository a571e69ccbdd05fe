package org.pinwise.registrar.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.BoundValidator;
import org.pinwise.engine.Finding;
import org.pinwise.engine.Finding.Origin;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.facts.LiveMemory;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.AtomicSupport;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Transport;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Severity;

/**
 * A device in this process: any device's limits, flags and errnos, and no hardware.
 *
 * <p>It answers a registration with the errno that the rules give, so there is one truth about
 * drivers and kernels, and this class holds none of it but what there is no rule for: the errno of
 * a full table, of a descriptor that is no dma-buf, and of prefetching. Memory is real, so what the
 * kernel would find wrong with it is looked up: a range within a segment of an arena is ordinary
 * memory; for any other, such as one made of an address or a mapped file, {@code /proc/self/maps}
 * is read.
 *
 * <p>It does not pretend to know:
 *
 * <ul>
 *   <li>Where the rules leave it undecided whether the kernel refuses, the answer is EOPNOTSUPP: a
 *       program that works here should not fail on hardware. The verdict on the same facts says
 *       what is undecided.
 *   <li>Keys are never 0, never the same for two live regions, and lie in 0x5000_0000 to
 *       0x5fff_ffff; lkeys are even, rkeys odd, so that one is never taken for the other.
 *   <li>A dma-buf is looked up in {@code /proc/self/fdinfo}, for it must be a real one: what is no
 *       dma-buf is refused as the kernel does. Nothing is ever transferred.
 *   <li>What {@code ibv_query_device} must say and nobody knows is 0, as in C. Who wants to tell
 *       unknown from 0 asks the {@link SimulatedDevice} itself.
 * </ul>
 */
final class SimulatedVerbs extends TrackingVerbs {

  /** The upper four bits of every simulated key. */
  static final int KEY_MARK = 0x5000_0000;

  private static final int KEY_NUMBERS = 1 << 27;
  private static final long PAGE_SIZE = 4096;

  /** How long a list of one call may be: the kernel's attribute is shorter than 64 KiB. */
  private static final int MAX_PARTS = 0xffff / 16;

  private static final int PREFETCH_WRITE = 1;
  private static final int PREFETCH_NO_FAULT = 2;
  private static final int FLUSH = 1;

  private static final int ODP = 1;
  private static final int IMPLICIT_ODP = 2;
  private static final int MEMORY_WINDOWS = 1 << 17;
  private static final int FLUSH_GLOBAL = 38;
  private static final int FLUSH_PERSISTENT = 39;

  private static final MemorySegment.Scope GLOBAL = Arena.global().scope();

  private final SimulatedDevice simulated;
  private final DeviceInfo info;
  private final BoundValidator kernel;
  private final boolean limited;
  private final Path descriptors;
  private final Set<Integer> liveKeys = ConcurrentHashMap.newKeySet();

  /** The regions that can be prefetched, by lkey; with what the device knows of each. */
  private final Map<Integer, OnDemand> onDemand = new ConcurrentHashMap<>();

  private final AtomicInteger keys = new AtomicInteger();
  private final AtomicInteger handles = new AtomicInteger();
  private final AtomicLong regions = new AtomicLong();
  private final AtomicLong pinnedPages = new AtomicLong();

  /** A region whose pages come when they are asked for. */
  private record OnDemand(
      ProtectionDomain pd, long address, long length, long iova, boolean writable, boolean dmabuf) {

    /** Where a part lies in this process; empty if it is not within the region. */
    OptionalLong addressOf(ScatterGather part) {
      long offset = part.address() - iova;
      long bytes = Integer.toUnsignedLong(part.length());
      boolean within =
          Long.compareUnsigned(part.address(), iova) >= 0
              && Long.compareUnsigned(offset, length) < 0
              && Long.compareUnsigned(length - offset, bytes) >= 0;
      return within ? OptionalLong.of(address + offset) : OptionalLong.empty();
    }
  }

  SimulatedVerbs(SimulatedDevice simulated) {
    this(simulated, Path.of("/proc/self/fdinfo"));
  }

  /**
   * For tests: what descriptors are is below a folder of their choice.
   *
   * @param descriptors as {@code /proc/self/fdinfo}
   */
  SimulatedVerbs(SimulatedDevice simulated, Path descriptors) {
    this.simulated = simulated;
    this.descriptors = descriptors;
    this.info = info(simulated);
    Host host = simulated.host();
    this.limited = host.memlock() != null && Boolean.FALSE.equals(host.ipcLock());
    this.kernel = simulated.kernel().forHost(simulated.device(), host());
  }

  private static DeviceInfo info(SimulatedDevice simulated) {
    Transport transport = simulated.device().transport();
    boolean iwarp = transport == Transport.IWARP;
    boolean other = transport == Transport.OTHER;
    return new DeviceInfo(
        simulated.name(),
        iwarp ? NodeType.RNIC : other ? NodeType.UNSPECIFIED : NodeType.CA,
        iwarp ? TransportType.IWARP : other ? TransportType.UNSPECIFIED : TransportType.IB,
        "uverbs-simulated",
        "/simulated/infiniband_verbs/uverbs-simulated",
        "/simulated/infiniband/" + simulated.name());
  }

  @Override
  public boolean isSimulated() {
    return true;
  }

  @Override
  public String toString() {
    return "simulated verbs of " + simulated.name();
  }

  @Override
  public Result<DeviceList> listDevices() {
    return new DeviceList(List.of(info));
  }

  @Override
  Result<DeviceContext> open(String name) {
    return name.equals(info.name())
        ? new DeviceContext(this, info, MemorySegment.NULL)
        : new Result.Failed<>(Errno.ENODEV.number());
  }

  @Override
  int close(DeviceContext context) {
    return 0;
  }

  @Override
  Result<DeviceAttributes> query(DeviceContext context) {
    return attributes();
  }

  private DeviceAttributes attributes() {
    Device device = simulated.device();
    return new DeviceAttributes(
        device.firmware() == null ? "simulated" : device.firmware(),
        0,
        0,
        device.maxMrSize() == null ? 0 : unsaturated(device.maxMrSize()),
        -PAGE_SIZE,
        orZero(device.vendorId()),
        orZero(device.vendorPartId()),
        0,
        Short.MAX_VALUE,
        Short.MAX_VALUE,
        Boolean.TRUE.equals(device.memoryWindows()) ? MEMORY_WINDOWS : 0,
        1,
        1,
        Short.MAX_VALUE,
        Short.MAX_VALUE,
        orZero(device.maxMr()),
        Short.MAX_VALUE,
        1,
        1,
        device.atomics() == AtomicSupport.GLOBAL
            ? 2
            : device.atomics() == AtomicSupport.HCA ? 1 : 0,
        0,
        0,
        1);
  }

  private static long unsaturated(long fact) {
    return fact == Long.MAX_VALUE ? -1 : fact;
  }

  private static int orZero(@Nullable Long fact) {
    return fact == null ? 0 : (int) Math.min(fact, Integer.MAX_VALUE);
  }

  @Override
  Result<DeviceAttributesEx> queryEx(DeviceContext context) {
    Device device = simulated.device();
    DeviceAttributes plain = attributes();
    int general = 0;
    general |= Boolean.TRUE.equals(device.odp()) ? ODP : 0;
    general |= Boolean.TRUE.equals(device.implicitOdp()) ? IMPLICIT_ODP : 0;
    long flags = Integer.toUnsignedLong(plain.deviceCapFlags());
    flags |= bit(device.flushGlobal(), FLUSH_GLOBAL);
    flags |= bit(device.flushPersistent(), FLUSH_PERSISTENT);
    return new DeviceAttributesEx(plain, general, 0, 0, 0, 0, flags, 0, 0, 0, 0, 1);
  }

  private static long bit(@Nullable Boolean set, int position) {
    return Boolean.TRUE.equals(set) ? 1L << position : 0;
  }

  @Override
  Result<ProtectionDomain> allocate(DeviceContext context) {
    return new ProtectionDomain(this, context, MemorySegment.NULL);
  }

  @Override
  int deallocate(ProtectionDomain pd) {
    return 0;
  }

  @Override
  Result<MemoryRegion> register(ProtectionDomain pd, MemorySegment base, long length, int access) {
    return register(
        pd,
        base,
        length,
        base.address(),
        access,
        MrRequest.range(base.address(), length).access(ofBits(access)));
  }

  @Override
  Result<MemoryRegion> registerIova(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access) {
    return register(
        pd,
        base,
        length,
        iova,
        access,
        MrRequest.range(base.address(), length).access(ofBits(access)).iova(iova));
  }

  private static Access ofBits(int access) {
    return Access.ofBits(access);
  }

  private Result<MemoryRegion> register(
      ProtectionDomain pd,
      MemorySegment base,
      long length,
      long iova,
      int access,
      MrRequest.Builder request) {
    int errno = errno(request, memory(base, length));
    if (errno != 0) {
      return new Result.Failed<>(errno);
    }
    long pages = pages(base.address(), length, access);
    Result<MemoryRegion> result = region(pd, base, base.address(), length, pages);
    if (has(access, AccessFlag.ON_DEMAND) && result instanceof MemoryRegion region) {
      onDemand.put(
          region.lkey(), new OnDemand(pd, base.address(), length, iova, isWritable(access), false));
    }
    return result;
  }

  @Override
  Result<MemoryRegion> registerDmabuf(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access) {
    MrRequest.Builder request =
        MrRequest.range(offset, length).verb(Verb.REG_DMABUF_MR).access(ofBits(access)).iova(iova);
    int errno = errno(request, Memory.TYPE.unknown());
    if (errno == 0) {
      errno = dmabufErrno(fd, offset, length);
    }
    if (errno != 0) {
      return new Result.Failed<>(errno);
    }
    Result<MemoryRegion> result = region(pd, MemorySegment.NULL, offset, length, 0);
    if (result instanceof MemoryRegion region) {
      onDemand.put(region.lkey(), new OnDemand(pd, offset, length, iova, isWritable(access), true));
    }
    return result;
  }

  /**
   * What is wrong with a part of a dma-buf: ib_umem_dmabuf_get of core/umem_dmabuf.c, dma_buf_get
   * of drivers/dma-buf/dma-buf.c. The files under fdinfo: dma_buf_show_fdinfo, the same file.
   */
  private int dmabufErrno(int fd, long offset, long length) {
    Long size = null;
    try {
      boolean exported = false;
      for (String line : Files.readAllLines(descriptors.resolve(Integer.toString(fd)))) {
        if (line.startsWith("size:")) {
          size = Long.valueOf(line.substring("size:".length()).strip());
        }
        exported |= line.startsWith("exp_name:");
      }
      size = exported ? size : null;
    } catch (IOException e) {
      return Errno.EBADF.number();
    } catch (NumberFormatException e) {
      size = null; // not a line of ours
    }
    long end = offset + length;
    boolean wraps = Long.compareUnsigned(end, offset) < 0;
    return size == null || wraps || length == 0 || Long.compareUnsigned(size, end) < 0
        ? Errno.EINVAL.number()
        : 0;
  }

  /** What the rules say that the kernel answers; 0 where it registers. */
  private int errno(MrRequest.Builder request, @Nullable Memory memory) {
    return errno(kernel.validate(new Facts(request.build(), memory, simulated.device(), host())));
  }

  /** Makes a region, if the device has room for one. */
  private Result<MemoryRegion> region(
      ProtectionDomain pd, MemorySegment base, long address, long length, long pages) {
    Long maxMr = simulated.device().maxMr();
    if (regions.incrementAndGet() > (maxMr == null ? Long.MAX_VALUE : maxMr)) {
      regions.decrementAndGet();
      return new Result.Failed<>(tableFull(simulated.device().driver()).number());
    }
    pinnedPages.addAndGet(pages);
    int number = key();
    return new MemoryRegion(
        this,
        pd,
        base,
        MemorySegment.ofAddress(pages),
        address,
        length,
        handles.incrementAndGet(),
        KEY_MARK | number << 1,
        KEY_MARK | number << 1 | 1);
  }

  @Override
  int deregister(MemoryRegion region) {
    onDemand.remove(region.lkey());
    liveKeys.remove((region.lkey() & ~KEY_MARK) >>> 1);
    regions.decrementAndGet();
    pinnedPages.addAndGet(-region.pointer().address());
    return 0;
  }

  private static boolean has(int access, AccessFlag flag) {
    return (access & flag.bit()) != 0;
  }

  /** ib_access_writable, include/rdma/ib_verbs.h. */
  private static boolean isWritable(int access) {
    return has(access, AccessFlag.LOCAL_WRITE)
        || has(access, AccessFlag.REMOTE_WRITE)
        || has(access, AccessFlag.REMOTE_ATOMIC)
        || has(access, AccessFlag.MW_BIND);
  }

  /**
   * As mlx5 does, the only driver up to Linux 6.12 that takes advice: mlx5_ib_advise_mr of
   * hw/mlx5/mr.c; get_prefetchable_mr and pagefault_mr of hw/mlx5/odp.c. Other devices do not.
   */
  @Override
  int advise(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts) {
    Device device = simulated.device();
    if (!"mlx5".equals(device.driver()) || !Boolean.TRUE.equals(device.odp())) {
      return Errno.EOPNOTSUPP.number();
    }
    if ((flags & ~FLUSH) != 0 || parts.isEmpty() || parts.size() > MAX_PARTS) {
      return Errno.EINVAL.number();
    }
    if (advice < 0 || advice > PREFETCH_NO_FAULT) {
      return Errno.EOPNOTSUPP.number();
    }
    for (ScatterGather part : parts) {
      OnDemand region = onDemand.get(part.lkey());
      if (region == null) {
        return Errno.ENOENT.number();
      }
      boolean lacksRight = advice == PREFETCH_WRITE && !region.writable();
      if (!region.pd().equals(pd) || lacksRight) {
        return Errno.EPERM.number();
      }
      if ((flags & FLUSH) != 0 && isFault(region, part)) { // without it nobody is told
        return Errno.EFAULT.number();
      }
    }
    return 0;
  }

  private static boolean isFault(OnDemand region, ScatterGather part) {
    if (region.dmabuf()) { // it comes as a whole
      return Long.compareUnsigned(part.address(), region.iova()) < 0;
    }
    OptionalLong address = region.addressOf(part);
    return address.isEmpty()
        || LiveMemory.ofThisProcess()
            .range(address.getAsLong(), Integer.toUnsignedLong(part.length()))
            .filter(memory -> Boolean.FALSE.equals(memory.mapped()))
            .isPresent();
  }

  /** A number that no live region has. */
  private int key() {
    while (true) {
      int number = keys.incrementAndGet() & (KEY_NUMBERS - 1);
      if (liveKeys.add(number)) {
        return number;
      }
    }
  }

  private Host host() {
    Host host = simulated.host();
    return limited ? host.withPinnedPages(pinnedPages.get()) : host;
  }

  private long pages(long address, long length, int access) {
    if (has(access, AccessFlag.ON_DEMAND)) {
      return 0;
    }
    Long known = simulated.host().pageSize();
    long pageSize = known == null ? PAGE_SIZE : known;
    return (address + length + pageSize - 1) / pageSize - address / pageSize;
  }

  /**
   * What the kernel would find under a range; null where it cannot be looked up, so that the rules
   * assume ordinary memory.
   */
  private static @Nullable Memory memory(MemorySegment base, long length) {
    boolean within = length >= 0 && length <= base.byteSize();
    if (within && !base.isMapped() && !base.scope().equals(GLOBAL)) {
      return Memory.ORDINARY;
    }
    return LiveMemory.ofThisProcess().range(base.address(), length).orElse(null);
  }

  /** The errno that the kernel would give; 0 where it registers. */
  private static int errno(Verdict verdict) {
    if (verdict instanceof Accepted) {
      return 0; // its findings need not be made
    }
    for (Finding finding : verdict.findings()) {
      if (finding.severity() == Severity.ERROR
          && finding.origin() == Origin.KERNEL
          && finding.errno() != null) {
        return finding.errno().number();
      }
    }
    // An error whose errno depends on what is not known, or none that is certain.
    return verdict.errno().stream()
        .findFirst()
        .or(() -> verdict instanceof Undecided ? Optional.of(Errno.EOPNOTSUPP) : Optional.empty())
        .map(Errno::number)
        .orElse(0);
  }

  /**
   * What a driver says when its table of regions is full: rxe_alloc of sw/rxe/rxe_pool.c,
   * siw_reg_user_mr of sw/siw/siw_verbs.c, qedr_reg_user_mr of hw/qedr/verbs.c, erdma_reg_user_mr
   * of hw/erdma/erdma_verbs.c; ENOMEM in the others that were read.
   */
  private static Errno tableFull(@Nullable String driver) {
    return switch (driver == null ? "" : driver) {
      case "rxe", "qedr" -> Errno.EINVAL;
      case "erdma" -> Errno.ENOSPC;
      default -> Errno.ENOMEM;
    };
  }
}

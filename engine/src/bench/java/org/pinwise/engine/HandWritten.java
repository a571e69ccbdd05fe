package org.pinwise.engine;

import static org.pinwise.rules.model.AccessFlag.FLUSH_GLOBAL;
import static org.pinwise.rules.model.AccessFlag.FLUSH_PERSISTENT;
import static org.pinwise.rules.model.AccessFlag.HUGETLB;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.MW_BIND;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_ATOMIC;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;
import static org.pinwise.rules.model.AccessFlag.ZERO_BASED;

import java.util.Set;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.AtomicSupport;
import org.pinwise.rules.model.Cpu;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.OdpOperation;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Transport;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;

/**
 * The built-in rules about one call as a programmer would write them by hand: plain ifs, driver and
 * verb told apart once, for inbox drivers and verified kernels. A fact that is not known (null) is
 * taken as harmless, where Pinwise says that it is undecided. Rules about a plan of many
 * registrations and about configuration files are not here: a registration cannot meet them.
 *
 * <p>What the benchmark compares with; {@link HandWrittenCheck} holds it against the rules on
 * random facts.
 */
final class HandWritten {
  private static final long UNLIMITED = Long.MAX_VALUE;

  private HandWritten() {}

  /**
   * Sets the bits of the rules that fire.
   *
   * @param fired the words of {@link HandRule}, of which no bit is set
   */
  static void judge(MrRequest request, Memory memory, Device device, Host host, long[] fired) {
    Verb verb = request.verb();
    if (verb == Verb.BIND_MW) {
      bind(request, device, host.kernel(), fired);
      return;
    }
    Set<AccessFlag> access = request.access();
    String driver = device.driver();
    int kernel = host.kernel();
    anyRegion(request, access, driver, kernel, device, fired);
    if (verb == Verb.REG_DM_MR) {
      deviceMemory(access, driver, kernel, fired);
      return;
    }
    gpuWindow(request, memory, host, fired);
    if (verb != Verb.REG_MR) {
      Long iova = request.rawIova();
      if (iova != null && ((request.rawAddress() ^ iova) & (host.pageSize() - 1)) != 0) {
        HandRule.MR017.fires(fired);
      }
    }
    if (verb == Verb.REG_DMABUF_MR) {
      dmabuf(request, access, driver, kernel, fired);
      return;
    }
    Range range =
        new Range(
            request.rawAddress(),
            request.rawLength(),
            host.pageSize(),
            host.memlock(),
            host.pinnedPages());
    memoryRegion(request, access, driver, kernel, range, memory, device, host, fired);
    if (access.contains(ON_DEMAND)) {
      onDemand(request, access, driver, kernel, range, memory, device, fired);
    } else {
      pinned(request, access, driver, kernel, range, memory, device, host, fired);
    }
    advice(request, access, driver, device, fired);
  }

  /** What follows of address and length; an object that the JIT compiler takes apart. */
  private static final class Range {
    final long address;
    final long length;
    final long pageSize;
    final boolean endWraps;
    final boolean wraps;
    final long pages;
    final boolean tooManyPages;
    final boolean beyondMemlock;
    final boolean beyondMemlockLeft;

    Range(long address, long length, long pageSize, Long memlock, Long pinned) {
      this.address = address;
      this.length = length;
      this.pageSize = pageSize;
      long end = address + length;
      long alignedEnd = (end + pageSize - 1) & -pageSize;
      endWraps = Long.compareUnsigned(end, address) < 0;
      wraps = endWraps || Long.compareUnsigned(alignedEnd, end) < 0;
      int shift = Long.numberOfTrailingZeros(pageSize);
      pages = wraps ? UNLIMITED : (alignedEnd - (address & -pageSize)) >>> shift;
      tooManyPages = !wraps && pages > 0xffff_ffffL;
      boolean counts =
          !wraps
              && !tooManyPages
              && pages > 0
              && memlock != null
              && memlock != 0
              && memlock != UNLIMITED;
      long allowed = counts ? memlock >>> shift : 0;
      beyondMemlock = counts && pages > allowed;
      beyondMemlockLeft = counts && !beyondMemlock && pinned != null && pinned > allowed - pages;
    }

    boolean pageAligned() {
      return (address & (pageSize - 1)) == 0;
    }

    boolean whole() {
      return address == 0 && length == -1;
    }

    boolean siwTableTooLarge() {
      long bytes = ((address & (pageSize - 1)) + length + pageSize - 1) & -pageSize;
      int low = (int) (bytes >>> Long.numberOfTrailingZeros(pageSize));
      int chunks = (low >> 9) + 1;
      return chunks < 0 || chunks > (4 << 20) / 8;
    }
  }

  private static boolean writes(Set<AccessFlag> access) {
    return access.contains(LOCAL_WRITE)
        || access.contains(REMOTE_WRITE)
        || access.contains(REMOTE_ATOMIC)
        || access.contains(MW_BIND);
  }

  private static boolean isOfGpu(Memory memory) {
    MemoryKind kind = memory.kind();
    return kind == MemoryKind.CUDA || kind == MemoryKind.CUDA_VMM || kind == MemoryKind.ROCM;
  }

  private static void bind(MrRequest request, Device device, int kernel, long[] fired) {
    Set<AccessFlag> access = request.access();
    Set<AccessFlag> region = request.regionAccess();
    switch (device.driver()) {
      case "mlx5", "rxe", "irdma", "mlx4" -> {
        String driver = device.driver();
        if (driver.equals("irdma") && isIrdmaWithoutWindows(device, kernel)) {
          HandRule.MR027_BIND_NEW_KERNEL.fires(fired);
        }
        boolean rxe = driver.equals("rxe");
        boolean mlx5 = driver.equals("mlx5");
        if ((access.contains(REMOTE_WRITE) || access.contains(REMOTE_ATOMIC))
            && region != null
            && !region.contains(LOCAL_WRITE)) {
          HandRule.MR023_BIND.fires(fired);
        }
        if (!mlx5 && region != null && !region.contains(MW_BIND)) {
          HandRule.MR023_NO_BIND.fires(fired);
        }
        if ((mlx5 || rxe) && access.contains(ZERO_BASED)) {
          HandRule.MR025_BIND.fires(fired);
        }
        if (region != null && region.contains(ZERO_BASED)) {
          if (rxe) {
            HandRule.MR025_REGION_RXE.fires(fired);
          } else if (!driver.equals("mlx4")) {
            HandRule.MR025_REGION.fires(fired);
          }
        }
        if (mlx5 && request.length() > 2_147_483_648L) {
          HandRule.MR044.fires(fired);
        }
        if (access.contains(LOCAL_WRITE)
            || access.contains(MW_BIND)
            || access.contains(ON_DEMAND)
            || access.contains(RELAXED_ORDERING)) {
          HandRule.MR062.fires(fired);
        }
        boolean huge = access.contains(HUGETLB);
        if (rxe) {
          if (kernel >= Kernel.V6_5 && (huge || request.unknownBits() != 0)) {
            HandRule.MR062_RXE.fires(fired);
          }
        } else if (huge
            || access.contains(FLUSH_GLOBAL)
            || access.contains(FLUSH_PERSISTENT)
            || request.unknownBits() != 0
            || request.unknownOptionalBits() != 0) {
          HandRule.MR062_OTHERS.fires(fired);
        }
      }
      case "siw",
          "bnxt_re",
          "cxgb4",
          "qedr",
          "ocrdma",
          "erdma",
          "hfi1",
          "qib",
          "usnic",
          "vmw_pvrdma",
          "mthca",
          "efa",
          "mana" ->
          HandRule.MR027_BIND.fires(fired);
      case "hns" -> {
        if (kernel >= Kernel.V7_0) {
          HandRule.MR027_BIND_NEW_KERNEL.fires(fired);
        }
      }
      default -> {}
    }
  }

  /** What holds of all regions, whatever their memory is. */
  private static void anyRegion(
      MrRequest request,
      Set<AccessFlag> access,
      String driver,
      int kernel,
      Device device,
      long[] fired) {
    if (!access.contains(LOCAL_WRITE)) {
      if (access.contains(REMOTE_WRITE)) {
        HandRule.MR001.fires(fired);
      }
      if (access.contains(REMOTE_ATOMIC)) {
        HandRule.MR002.fires(fired);
      }
    }
    if (request.unknownBits() != 0) {
      HandRule.MR003.fires(fired);
    }
    boolean global = access.contains(FLUSH_GLOBAL);
    boolean persistent = access.contains(FLUSH_PERSISTENT);
    if (global || persistent) {
      if (kernel < Kernel.V6_2) {
        HandRule.MR005_BEFORE_6_2.fires(fired);
      } else {
        if (global && isFalse(device.flushGlobal())) {
          HandRule.MR005_GLOBAL.fires(fired);
        }
        if (persistent && isFalse(device.flushPersistent())) {
          HandRule.MR005_PERSISTENT.fires(fired);
        }
      }
    }
    Long quota = device.objectLimit();
    if (quota != null && quota < UNLIMITED) {
      Long used = device.objectsInUse();
      if (quota == 0 || (used != null && used >= quota)) {
        HandRule.MR021.fires(fired);
      }
    }
    boolean simple = driver.equals("rxe") || driver.equals("siw") || driver.equals("irdma");
    if (!simple && isFull(device)) {
      HandRule.MR049.fires(fired);
    }
    Long most = device.maxMrSize();
    if (most != null && most < request.length() && !access.contains(ON_DEMAND)) {
      switch (driver) {
        case "erdma", "vmw_pvrdma", "irdma", "bnxt_re" -> {}
        default -> HandRule.MR051.fires(fired);
      }
    }
    switch (driver) {
      case "mana" -> {
        if (kernel < Kernel.V6_2) {
          HandRule.MR060.fires(fired);
        }
      }
      case "ionic" -> {
        if (kernel < Kernel.V6_18) {
          HandRule.MR060.fires(fired);
        }
      }
      case "qib" -> {
        if (kernel > Kernel.V6_12) {
          HandRule.MR060.fires(fired);
        }
      }
      default -> {}
    }
  }

  private static boolean isFull(Device device) {
    Long inUse = device.mrInUse();
    Long most = device.maxMr();
    return inUse != null && most != null && inUse > 0 && most < UNLIMITED && inUse >= most;
  }

  private static boolean isFalse(Boolean known) {
    return known != null && !known;
  }

  private static boolean isTrue(Boolean known) {
    return known != null && known;
  }

  /** From 7.0 on irdma allocates windows on idpf's devices only. */
  private static boolean isIrdmaWithoutWindows(Device device, int kernel) {
    Long part = device.vendorPartId();
    return kernel >= Kernel.V7_0 && part != null && part != 5202 && part != 5212;
  }

  private static void deviceMemory(
      Set<AccessFlag> access, String driver, int kernel, long[] fired) {
    if (!access.contains(ZERO_BASED)) {
      HandRule.MR019_ZERO_BASED.fires(fired);
    }
    if (driver.equals("mana")) {
      if (kernel < Kernel.V7_0) {
        HandRule.MR019_MANA_OLD.fires(fired);
      } else if (access.contains(HUGETLB)) {
        HandRule.MR019_MANA.fires(fired);
      }
      return;
    }
    if (!driver.equals("mlx5")) {
      HandRule.MR019_NO_DEVICE_MEMORY.fires(fired);
      return;
    }
    if (access.contains(ON_DEMAND)
        || access.contains(MW_BIND)
        || access.contains(HUGETLB)
        || access.contains(FLUSH_GLOBAL)
        || access.contains(FLUSH_PERSISTENT)) {
      HandRule.MR019_MLX5.fires(fired);
    }
    if (access.contains(RELAXED_ORDERING)) {
      HandRule.MR019_MLX5_RELAXED_ORDERING.fires(fired);
    }
  }

  private static void gpuWindow(MrRequest request, Memory memory, Host host, long[] fired) {
    Long window = host.gpuBarSize();
    if (window != null && window < request.length() && isOfGpu(memory)) {
      HandRule.MR054.fires(fired);
    }
  }

  private static void dmabuf(
      MrRequest request, Set<AccessFlag> access, String driver, int kernel, long[] fired) {
    if (access.contains(MW_BIND)
        || access.contains(ZERO_BASED)
        || access.contains(ON_DEMAND)
        || access.contains(HUGETLB)
        || access.contains(FLUSH_GLOBAL)
        || access.contains(FLUSH_PERSISTENT)) {
      HandRule.MR020_FLAGS.fires(fired);
    }
    if (request.unknownOptionalBits() != 0) {
      HandRule.MR020_UNKNOWN_OPTIONAL_BITS.fires(fired);
    }
    switch (driver) {
      case "mlx5", "efa", "ionic" -> {}
      case "irdma", "bnxt_re" -> {
        if (kernel < Kernel.V6_5) {
          HandRule.MR020_OLD_KERNEL.fires(fired);
        }
      }
      case "mana" -> {
        if (kernel < Kernel.V7_0) {
          HandRule.MR020_OLD_KERNEL.fires(fired);
        }
      }
      default -> HandRule.MR020_DRIVER.fires(fired);
    }
  }

  /** What holds of regions of memory, pinned or not. */
  private static void memoryRegion(
      MrRequest request,
      Set<AccessFlag> access,
      String driver,
      int kernel,
      Range range,
      Memory memory,
      Device device,
      Host host,
      long[] fired) {
    switch (driver) {
      case "rxe" -> rxe(access, kernel, device, fired);
      case "efa" -> efa(request, access, kernel, memory, device, fired);
      case "mana" -> {
        if (access.contains(HUGETLB)) {
          HandRule.MR006_MANA.fires(fired);
        }
        if (kernel < Kernel.V7_0
            && (access.contains(REMOTE_ATOMIC)
                || access.contains(MW_BIND)
                || access.contains(ZERO_BASED))) {
          HandRule.MR006_MANA_OLD.fires(fired);
        }
      }
      case "siw" -> {
        if (isFull(device)) {
          HandRule.MR049_SIW.fires(fired);
        }
        Long iova = request.iova();
        if (request.verb() == Verb.REG_MR_IOVA && iova != null && !iova.equals(request.address())) {
          HandRule.MR059.fires(fired);
        }
      }
      default -> {}
    }
    boolean bind = access.contains(MW_BIND);
    boolean zeroBased = access.contains(ZERO_BASED);
    if (bind && !access.contains(LOCAL_WRITE)) {
      HandRule.MR023.fires(fired);
    }
    if (zeroBased) {
      zeroBased(driver, kernel, bind, fired);
    }
    if (bind) {
      switch (driver) {
        case "siw",
            "bnxt_re",
            "cxgb4",
            "qedr",
            "ocrdma",
            "erdma",
            "hfi1",
            "qib",
            "usnic",
            "vmw_pvrdma",
            "mthca" ->
            HandRule.MR027.fires(fired);
        case "irdma" -> {
          if (isIrdmaWithoutWindows(device, kernel)) {
            HandRule.MR027_IRDMA.fires(fired);
          }
        }
        case "hns" -> {
          if (kernel >= Kernel.V7_0) {
            HandRule.MR027_HNS.fires(fired);
          }
        }
        default -> {}
      }
    }
    if (access.contains(REMOTE_ATOMIC)) {
      if (device.atomics() == AtomicSupport.NONE && !driver.equals("efa")) {
        HandRule.MR026.fires(fired);
      }
      if ((range.address & 7) != 0) {
        HandRule.MR040.fires(fired);
      }
    }
    if (access.contains(RELAXED_ORDERING)) {
      relaxedOrdering(request, driver, kernel, device, host, fired);
    }
    if (Long.compareUnsigned(range.length, 1L << 20) >= 0 && !range.pageAligned()) {
      HandRule.MR041.fires(fired);
    }
    Long pageSize = memory.pageSize();
    if (pageSize != null && pageSize <= 4096 && request.length() >= 1L << 30) {
      HandRule.MR042.fires(fired);
    }
    Integer node = memory.numaNode();
    Integer nodeOfDevice = device.numaNode();
    if (node != null && nodeOfDevice != null && !node.equals(nodeOfDevice)) {
      HandRule.MR056.fires(fired);
    }
  }

  private static void rxe(Set<AccessFlag> access, int kernel, Device device, long[] fired) {
    if (kernel >= Kernel.V6_5 && (access.contains(ZERO_BASED) || access.contains(HUGETLB))) {
      HandRule.MR006_RXE.fires(fired);
    }
    if (isFull(device)) {
      HandRule.MR049_RXE.fires(fired);
    }
  }

  private static void efa(
      MrRequest request,
      Set<AccessFlag> access,
      int kernel,
      Memory memory,
      Device device,
      long[] fired) {
    if (access.contains(REMOTE_ATOMIC)
        || access.contains(MW_BIND)
        || access.contains(ZERO_BASED)
        || access.contains(HUGETLB)) {
      HandRule.MR006_EFA.fires(fired);
    }
    if (access.contains(REMOTE_READ) && isFalse(device.rdmaRead())) {
      HandRule.MR006_EFA_READ.fires(fired);
    }
    if (access.contains(REMOTE_WRITE)) {
      if (kernel < Kernel.V6_5) {
        HandRule.MR006_EFA_WRITE_OLD.fires(fired);
      } else if (isFalse(device.rdmaWrite())) {
        HandRule.MR006_EFA_WRITE.fires(fired);
      }
    }
    Long pageSize = memory.pageSize();
    if (pageSize != null && pageSize <= 4096 && request.length() > 1L << 32) {
      HandRule.MR042_EFA.fires(fired);
    }
  }

  private static void zeroBased(String driver, int kernel, boolean bind, long[] fired) {
    switch (driver) {
      case "mlx5" -> {
        HandRule.MR024.fires(fired);
        if (bind) {
          HandRule.MR025.fires(fired);
        }
      }
      case "mlx4", "siw", "hns", "erdma", "cxgb4", "qedr", "ocrdma", "hfi1", "qib", "mthca" ->
          HandRule.MR024.fires(fired);
      case "irdma" -> {
        if (bind) {
          HandRule.MR025.fires(fired);
        }
      }
      case "rxe" -> {
        if (kernel < Kernel.V6_5) {
          HandRule.MR024_RXE_OLD.fires(fired);
          if (bind) {
            HandRule.MR025_RXE.fires(fired);
          }
        }
      }
      default -> {}
    }
  }

  private static void relaxedOrdering(
      MrRequest request, String driver, int kernel, Device device, Host host, long[] fired) {
    switch (driver) {
      case "mlx4",
          "rxe",
          "siw",
          "irdma",
          "efa",
          "hns",
          "erdma",
          "mana",
          "cxgb4",
          "qedr",
          "ocrdma",
          "hfi1",
          "qib",
          "ionic",
          "usnic",
          "mthca" ->
          HandRule.MR030.fires(fired);
      case "mlx5", "bnxt_re" -> {
        if (driver.equals("bnxt_re") && kernel < Kernel.V6_2) {
          HandRule.MR030_BNXT_RE_OLD.fires(fired);
        }
        Boolean enabled = device.relaxedOrderingEnabled();
        if (enabled != null) {
          (enabled
                  ? HandRule.MR030_FIRMWARE
                  : driver.equals("mlx5") && kernel >= Kernel.V6_5
                      ? HandRule.MR030_NIC_WRITES
                      : HandRule.MR030_NIC)
              .fires(fired);
        }
        if (host.cpu() == Cpu.INTEL_HASWELL_BROADWELL) {
          HandRule.MR030_PROCESSOR.fires(fired);
        }
      }
      default -> {}
    }
    if (kernel < Kernel.V5_6) {
      HandRule.MR030_OLD_KERNEL.fires(fired);
    }
    Integer library = host.rdmaCore();
    if (library != null && library < 28) {
      HandRule.MR030_LIBRARY.fires(fired);
    }
    Set<Use> uses = request.uses();
    if (uses != null && uses.contains(Use.POLLS_MEMORY)) {
      HandRule.MR030_POLLS_MEMORY.fires(fired);
    }
  }

  private static void onDemand(
      MrRequest request,
      Set<AccessFlag> access,
      String driver,
      int kernel,
      Range range,
      Memory memory,
      Device device,
      long[] fired) {
    if (range.length == -1 && range.address != 0) {
      HandRule.MR007_LIBRARY.fires(fired);
    }
    if (isFalse(device.odp())) {
      (kernel >= Kernel.V6_2 ? HandRule.MR004 : HandRule.MR004_BEFORE_6_2).fires(fired);
      return;
    }
    if (device.odp() == null) {
      return;
    }
    boolean huge = access.contains(HUGETLB);
    if (range.whole()) {
      if (driver.equals("rxe")) {
        (kernel >= Kernel.V7_3 ? HandRule.MR007_RXE : HandRule.MR007_RXE_OLD).fires(fired);
      } else if (driver.equals("mlx5")) {
        Long iova = request.rawIova();
        if (request.verb() == Verb.REG_MR_IOVA && iova != null && iova != 0) {
          HandRule.MR007_IOVA.fires(fired);
        }
        if (isFalse(device.implicitOdp())) {
          HandRule.MR007_NO_IMPLICIT.fires(fired);
        }
        if (huge) {
          HandRule.MR007_HUGETLB.fires(fired);
        }
      }
    } else if (driver.equals("mlx5")
        && isFalse(device.implicitOdp())
        && isFalse(device.odpLargeRegions())
        && Long.compareUnsigned(range.length, 65_536 * range.pageSize) >= 0) {
      HandRule.MR057.fires(fired);
    }
    if (range.length == 0 && !huge && range.pageAligned()) {
      HandRule.MR015_ODP.fires(fired);
    }
    if (range.wraps) {
      if (range.length != -1) {
        HandRule.MR016_ODP.fires(fired);
      }
    } else if (range.pages > Integer.MAX_VALUE / 8) {
      HandRule.MR016_ODP_TABLE.fires(fired);
    }
    Long pageSize = memory.pageSize();
    if (huge && pageSize != null && pageSize < 2 << 20) {
      HandRule.MR029.fires(fired);
    }
    Set<Use> uses = request.uses();
    Set<OdpOperation> can = device.odpOperations();
    if (uses != null
        && can != null
        && ((uses.contains(Use.RECEIVE) && !can.contains(OdpOperation.RECV))
            || (uses.contains(Use.SEND_SOURCE) && !can.contains(OdpOperation.SEND))
            || (uses.contains(Use.WRITE_TARGET) && !can.contains(OdpOperation.WRITE))
            || (uses.contains(Use.READ_SOURCE) && !can.contains(OdpOperation.READ))
            || (uses.contains(Use.READ_SINK) && !can.contains(OdpOperation.READ))
            || (uses.contains(Use.ATOMIC_TARGET) && !can.contains(OdpOperation.ATOMIC)))) {
      HandRule.MR043.fires(fired);
    }
  }

  /** What holds of memory that the call pins. */
  private static void pinned(
      MrRequest request,
      Set<AccessFlag> access,
      String driver,
      int kernel,
      Range range,
      Memory memory,
      Device device,
      Host host,
      long[] fired) {
    if (access.contains(HUGETLB)) {
      switch (driver) {
        case "mlx5",
            "mlx4",
            "siw",
            "irdma",
            "bnxt_re",
            "hns",
            "erdma",
            "cxgb4",
            "qedr",
            "ocrdma",
            "hfi1",
            "qib",
            "ionic",
            "mthca",
            "usnic" ->
            HandRule.MR028.fires(fired);
        case "rxe" -> {
          if (kernel < Kernel.V6_5) {
            HandRule.MR028_RXE_OLD.fires(fired);
          }
        }
        default -> {}
      }
    }
    if (kernel >= Kernel.V7_0 && isTrue(host.dmaBounce())) {
      HandRule.MR022.fires(fired);
    }
    boolean cxgb4 = driver.equals("cxgb4");
    boolean hns = driver.equals("hns");
    mapping(writes(access), driver, cxgb4, hns, kernel, memory, host, fired);
    limits(driver, cxgb4, hns, kernel, range, host, fired);
    range(driver, cxgb4, hns, kernel, range, fired);
    ofDriver(request, access, driver, kernel, range, memory, device, fired);
    if (range.length != 0
        && Long.compareUnsigned(range.length, 1L << 62) < 0
        && !range.wraps
        && (range.address & (1L << 63 | 1L << 55)) == (1L << 63 | 1L << 55)) {
      (cxgb4 || hns ? HandRule.MR058_ENOMEM : HandRule.MR058).fires(fired);
    }
    if (range.length != 0 && memory.kind() == MemoryKind.HUGETLB && isFalse(memory.populated())) {
      Long most = host.hugetlbLimit();
      if (most != null && most < request.length()) {
        HandRule.MR061.fires(fired);
      }
      Long free = host.hugePagesFree();
      if (free != null && free == 0) {
        HandRule.MR061_POOL.fires(fired);
      }
    }
    if (kernel < Kernel.V5_12 && isTrue(host.forkProtection()) && isTrue(host.hugePagesSafe())) {
      HandRule.MR033_SLOW.fires(fired);
    }
  }

  /** What pinning finds when it walks the pages. */
  private static void mapping(
      boolean writes,
      String driver,
      boolean cxgb4,
      boolean hns,
      int kernel,
      Memory memory,
      Host host,
      long[] fired) {
    Protection protection = memory.protection();
    MemoryKind kind = memory.kind();
    boolean notWritable = protection == Protection.NONE || protection == Protection.READ;
    boolean usnic = driver.equals("usnic");
    if (writes) {
      if (notWritable) {
        (cxgb4 ? HandRule.MR008_ENOMEM : hns ? HandRule.MR008_HNS : HandRule.MR008).fires(fired);
      }
    } else {
      if (notWritable) {
        if (usnic) {
          HandRule.MR008_USNIC.fires(fired);
        } else if (kernel < Kernel.V6_2
            && (kind == MemoryKind.HUGETLB || isTrue(memory.shared()))) {
          (cxgb4 ? HandRule.MR009_ENOMEM : hns ? HandRule.MR009_HNS : HandRule.MR009).fires(fired);
        }
        Long mappings = memory.mappings();
        if (mappings != null && mappings > 1 && driver.equals("mlx4")) {
          HandRule.MR045.fires(fired);
        }
      }
      if (kernel >= Kernel.V6_2 && !usnic) {
        if (protection == Protection.NONE) {
          (cxgb4
                  ? HandRule.MR011_UNREADABLE_ENOMEM
                  : hns ? HandRule.MR011_UNREADABLE_HNS : HandRule.MR011_UNREADABLE)
              .fires(fired);
        } else if (protection == Protection.WRITE
            && isFalse(memory.populated())
            && !driver.equals("mlx4")) {
          (cxgb4
                  ? HandRule.MR011_WRITE_ONLY_ENOMEM
                  : hns ? HandRule.MR011_WRITE_ONLY_HNS : HandRule.MR011_WRITE_ONLY)
              .fires(fired);
        }
      }
    }
    if (isFalse(memory.mapped())) {
      (cxgb4 ? HandRule.MR011_ENOMEM : hns ? HandRule.MR011_HNS : HandRule.MR011).fires(fired);
    }
    if (kind == null) {
      return;
    }
    switch (kind) {
      case FSDAX -> {
        switch (driver) {
          case "cxgb4" -> HandRule.MR010_ENOMEM.fires(fired);
          case "hns" -> HandRule.MR010_HNS.fires(fired);
          case "qedr", "ocrdma" -> HandRule.MR010_EFAULT.fires(fired);
          case "bnxt_re" ->
              (kernel < Kernel.V6_5 ? HandRule.MR010_EFAULT : HandRule.MR010).fires(fired);
          default -> HandRule.MR010.fires(fired);
        }
      }
      case DEVICE_IO, SECRET ->
          (cxgb4
                  ? HandRule.MR011_DEVICE_MEMORY_ENOMEM
                  : hns ? HandRule.MR011_DEVICE_MEMORY_HNS : HandRule.MR011_DEVICE_MEMORY)
              .fires(fired);
      case FILE -> {
        if (isTrue(memory.shared())
            && (protection == Protection.WRITE || protection == Protection.READ_WRITE)) {
          sharedFile(writes, driver, cxgb4, hns, kernel, fired);
        }
      }
      case CUDA, CUDA_VMM, ROCM -> {
        if (isFalse(host.peerMemory())) {
          (cxgb4 || hns ? HandRule.MR053_ENOMEM : HandRule.MR053).fires(fired);
        } else if (kind == MemoryKind.CUDA_VMM && isTrue(host.peerMemory())) {
          HandRule.MR053_VIRTUAL.fires(fired);
        }
      }
      default -> {}
    }
  }

  private static void sharedFile(
      boolean writes, String driver, boolean cxgb4, boolean hns, int kernel, long[] fired) {
    if (kernel < Kernel.V6_5) {
      if (writes) {
        HandRule.MR012_BEFORE_6_5.fires(fired);
      }
    } else if (writes) {
      (cxgb4 ? HandRule.MR012_ENOMEM : hns ? HandRule.MR012_HNS : HandRule.MR012).fires(fired);
    } else if (driver.equals("mlx4") || driver.equals("usnic")) {
      HandRule.MR012_ALWAYS_WRITABLE.fires(fired);
    }
  }

  /** What RLIMIT_MEMLOCK forbids. */
  private static void limits(
      String driver, boolean cxgb4, boolean hns, int kernel, Range range, Host host, long[] fired) {
    Long memlock = host.memlock();
    boolean none = memlock != null && memlock == 0;
    if (driver.equals("siw") && kernel < Kernel.V6_8) {
      if (range.beyondMemlock) {
        HandRule.MR013_SIW.fires(fired);
      }
      if (range.beyondMemlockLeft) {
        HandRule.MR013_SIW_PINNED.fires(fired);
      }
      if (none && range.length != 0 && !range.wraps) {
        HandRule.MR014_SIW.fires(fired);
      }
      return;
    }
    if (!isFalse(host.ipcLock())) {
      return;
    }
    boolean efault = answersEfault(driver, kernel);
    if (range.beyondMemlock) {
      (efault ? HandRule.MR013_EFAULT : HandRule.MR013).fires(fired);
    }
    if (range.beyondMemlockLeft) {
      (efault ? HandRule.MR013_PINNED_EFAULT : HandRule.MR013_PINNED).fires(fired);
    }
    if (none) {
      (efault
              ? HandRule.MR014_EFAULT
              : cxgb4 ? HandRule.MR014_ENOMEM : hns ? HandRule.MR014_HNS : HandRule.MR014)
          .fires(fired);
    }
  }

  /** Drivers that answer EFAULT whatever pinning says. */
  private static boolean answersEfault(String driver, int kernel) {
    return driver.equals("qedr")
        || driver.equals("ocrdma")
        || (driver.equals("bnxt_re") && kernel < Kernel.V6_5);
  }

  /** What a range must be. */
  private static void range(
      String driver, boolean cxgb4, boolean hns, int kernel, Range range, long[] fired) {
    if (range.length == 0) {
      switch (driver) {
        case "siw", "erdma", "hfi1", "qib", "vmw_pvrdma", "usnic" ->
            HandRule.MR015_DRIVER.fires(fired);
        default -> {
          if (range.pageAligned()) {
            HandRule rule =
                cxgb4
                    ? HandRule.MR015_ENOMEM
                    : hns
                        ? (kernel >= Kernel.V6_5 ? HandRule.MR015_HNS : HandRule.MR015_HNS_OLD)
                        : answersEfault(driver, kernel) ? HandRule.MR015_EFAULT : HandRule.MR015;
            rule.fires(fired);
          }
        }
      }
    }
    if (cxgb4 && (range.endWraps || range.length == -1)) {
      HandRule.MR016_CXGB4.fires(fired);
    }
    if (range.wraps) {
      if (cxgb4) {
        if (!range.endWraps && range.length != -1) {
          HandRule.MR016_ENOMEM.fires(fired);
        }
      } else if (hns) {
        HandRule.MR016_HNS.fires(fired);
      } else if (answersEfault(driver, kernel)) {
        HandRule.MR016_EFAULT.fires(fired);
      } else if (!driver.equals("siw") || kernel >= Kernel.V6_8) {
        HandRule.MR016.fires(fired);
      }
    } else if (range.tooManyPages) {
      if (cxgb4) {
        HandRule.MR016_PAGES_ENOMEM.fires(fired);
      } else if (hns) {
        HandRule.MR016_PAGES_HNS.fires(fired);
      } else if (answersEfault(driver, kernel)) {
        HandRule.MR016_PAGES_EFAULT.fires(fired);
      } else if (!driver.equals("usnic") && (!driver.equals("siw") || kernel >= Kernel.V6_8)) {
        HandRule.MR016_PAGES.fires(fired);
      }
    }
  }

  /** What single drivers refuse of pinned memory. */
  private static void ofDriver(
      MrRequest request,
      Set<AccessFlag> access,
      String driver,
      int kernel,
      Range range,
      Memory memory,
      Device device,
      long[] fired) {
    long length = request.length();
    switch (driver) {
      case "irdma" -> {
        if (length > 1L << 45) {
          HandRule.MR018_IRDMA.fires(fired);
        }
      }
      case "erdma", "vmw_pvrdma" -> {
        Long most = device.maxMrSize();
        if (most != null && most != UNLIMITED && most < length) {
          HandRule.MR018_DEVICE.fires(fired);
        }
        if (driver.equals("vmw_pvrdma") && !range.wraps && range.pages > 512 * 512) {
          HandRule.MR018_PVRDMA_PAGES.fires(fired);
        }
      }
      case "cxgb4" -> {
        Long part = device.vendorPartId();
        if (length >= 1L << 33 && part != null && part < 24_576) {
          HandRule.MR018_CXGB4.fires(fired);
        }
      }
      case "bnxt_re" -> {
        if (length > 1L << 39) {
          (kernel >= Kernel.V6_5 ? HandRule.MR018_BNXT_RE : HandRule.MR018_BNXT_RE_OLD)
              .fires(fired);
        }
      }
      case "siw" -> {
        if (length != 0 && range.siwTableTooLarge()) {
          HandRule.MR047.fires(fired);
        }
      }
      case "rxe" -> {
        if (access.contains(FLUSH_PERSISTENT)
            && isTrue(device.flushPersistent())
            && isFalse(memory.persistent())) {
          HandRule.MR046.fires(fired);
        }
      }
      default -> {}
    }
  }

  /** What the caller could do better. */
  private static void advice(
      MrRequest request, Set<AccessFlag> access, String driver, Device device, long[] fired) {
    Set<Use> uses = request.uses();
    if (uses == null) {
      return;
    }
    boolean remoteWrite = access.contains(REMOTE_WRITE);
    boolean remoteAtomic = access.contains(REMOTE_ATOMIC);
    boolean receives =
        uses.contains(Use.RECEIVE)
            || uses.contains(Use.READ_SINK)
            || uses.contains(Use.ATOMIC_RESULT);
    boolean iwarp = device.transport() == Transport.IWARP;
    if (!access.contains(LOCAL_WRITE)) {
      if (receives) {
        HandRule.MR031.fires(fired);
      }
    } else if (!receives
        && !uses.contains(Use.WRITE_TARGET)
        && !uses.contains(Use.ATOMIC_TARGET)
        && !remoteWrite
        && !remoteAtomic) {
      HandRule.MR036.fires(fired);
    }
    if (!remoteWrite) {
      if (iwarp && uses.contains(Use.READ_SINK) && !driver.equals("siw")) {
        HandRule.MR032.fires(fired);
      }
    } else if (!uses.contains(Use.WRITE_TARGET)
        && device.transport() != null
        && (!iwarp || !uses.contains(Use.READ_SINK))) {
      HandRule.MR036_REMOTE_WRITE.fires(fired);
    }
    if (access.contains(REMOTE_READ) && !uses.contains(Use.READ_SOURCE)) {
      HandRule.MR036_REMOTE_READ.fires(fired);
    }
    if (remoteAtomic && !uses.contains(Use.ATOMIC_TARGET)) {
      HandRule.MR036_REMOTE_ATOMIC.fires(fired);
    }
  }
}

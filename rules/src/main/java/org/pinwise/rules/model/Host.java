package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.KERNEL;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.BOOT;
import static org.pinwise.rules.model.Volatility.FIXED;
import static org.pinwise.rules.model.Volatility.LIVE;

import org.jspecify.annotations.Nullable;

/**
 * The host and the process that makes the call. A null component is unknown.
 *
 * @param kernel the kernel's version, see {@link Kernel}
 * @param stack where the RDMA modules come from
 * @param rdmaCore the version of rdma-core (libibverbs), its first number
 * @param pageSize the kernel's page size in bytes
 * @param memlock RLIMIT_MEMLOCK (soft) in bytes; {@link Long#MAX_VALUE} is unlimited
 * @param memlockHard RLIMIT_MEMLOCK (hard), up to which the process may raise its soft limit
 * @param ipcLock whether CAP_IPC_LOCK counts: effective, and in the initial user namespace
 * @param pinnedPages pages that the process has pinned so far, VmPin
 * @param dmaBounce whether it is a confidential virtual machine in which the devices' DMA goes
 *     through bounce buffers: {@code device_cap_flags_ex} bit 41, Linux 7
 * @param ram the host's memory in bytes, MemTotal
 * @param memoryLimit the smallest memory limit of the process's control groups that it can see, in
 *     bytes; {@link Long#MAX_VALUE} is unlimited
 * @param hugePageSize the size of the default pool's huge pages in bytes
 * @param hugePagesFree how many pages of that pool are free
 * @param thp when anonymous memory gets transparent huge pages
 * @param selinux what SELinux does
 * @param copyOnFork whether the kernel copies pinned pages on fork, so that {@code ibv_fork_init}
 *     has nothing to do
 * @param forkProtection whether the environment turns libibverbs' fork protection on
 * @param maxMapCount how many mappings a process may have, {@code vm.max_map_count}
 * @param mappings how many mappings the process has
 * @param logNumMtt the parameter {@code log_num_mtt} of mlx4_core, where that module has it
 * @param logMttsPerSeg the parameter {@code log_mtts_per_seg} of mlx4_core
 * @param hugePagesSafe whether the environment has RDMAV_HUGEPAGES_SAFE, so that fork protection
 *     looks up the size of pages
 * @param peerMemory whether a module is loaded that lets {@code ibv_reg_mr} take addresses of a
 *     GPU's memory: nvidia-peermem, amdgpu's peer memory
 * @param cpu the family of the processor
 * @param hugetlbLimit how many bytes of huge pages the control group allows, {@code hugetlb.*.max};
 *     {@link Long#MAX_VALUE} is unlimited
 * @param gpuBarSize how much of a GPU's memory other devices can reach, the size of its BAR1
 */
public record Host(
    @Nullable Integer kernel,
    @Nullable DriverStack stack,
    @Nullable Integer rdmaCore,
    @Nullable Long pageSize,
    @Nullable Long memlock,
    @Nullable Long memlockHard,
    @Nullable Boolean ipcLock,
    @Nullable Long pinnedPages,
    @Nullable Boolean dmaBounce,
    @Nullable Long ram,
    @Nullable Long memoryLimit,
    @Nullable Long hugePageSize,
    @Nullable Long hugePagesFree,
    @Nullable HugePagePolicy thp,
    @Nullable SelinuxMode selinux,
    @Nullable Boolean copyOnFork,
    @Nullable Boolean forkProtection,
    @Nullable Long maxMapCount,
    @Nullable Long mappings,
    @Nullable Integer logNumMtt,
    @Nullable Integer logMttsPerSeg,
    @Nullable Boolean hugePagesSafe,
    @Nullable Boolean peerMemory,
    @Nullable Cpu cpu,
    @Nullable Long hugetlbLimit,
    @Nullable Long gpuBarSize) {

  /** The fields of a host. */
  public static final FactType<Host> TYPE =
      FactType.of(Host.class, "host")
          .number("kernel", Host::kernel, KERNEL, BOOT, "the kernel's version")
          .choice("stack", DriverStack.class, Host::stack, BOOT, "where the RDMA modules come from")
          .number("rdmaCore", Host::rdmaCore, PLAIN, BOOT, "the version of rdma-core")
          .pageSize("pageSize", Host::pageSize, BOOT, "the kernel's page size")
          .number("memlock", Host::memlock, BYTES, BOOT, "RLIMIT_MEMLOCK of the process")
          .number(
              "memlockHard",
              Host::memlockHard,
              BYTES,
              BOOT,
              "how far the process may raise RLIMIT_MEMLOCK")
          .flag("ipcLock", Host::ipcLock, BOOT, "whether CAP_IPC_LOCK counts for the process")
          .number(
              "pinnedPages",
              Host::pinnedPages,
              PLAIN,
              LIVE,
              "pages that the process has pinned so far")
          .flag(
              "dmaBounce",
              Host::dmaBounce,
              BOOT,
              "whether it is a confidential virtual machine that bounces DMA")
          .number("ram", Host::ram, BYTES, BOOT, "the host's memory")
          .number(
              "memoryLimit",
              Host::memoryLimit,
              BYTES,
              BOOT,
              "the smallest memory limit of the process's control groups")
          .pageSize("hugePageSize", Host::hugePageSize, BOOT, "the default huge page size")
          .number(
              "hugePagesFree",
              Host::hugePagesFree,
              PLAIN,
              LIVE,
              "free huge pages of the default size")
          .choice(
              "thp",
              HugePagePolicy.class,
              Host::thp,
              BOOT,
              "when memory gets transparent huge pages")
          .choice("selinux", SelinuxMode.class, Host::selinux, BOOT, "what SELinux does")
          .flag("copyOnFork", Host::copyOnFork, BOOT, "whether fork copies pinned pages")
          .flag(
              "forkProtection",
              Host::forkProtection,
              BOOT,
              "whether the environment turns fork protection on")
          .number(
              "maxMapCount", Host::maxMapCount, PLAIN, BOOT, "how many mappings a process may have")
          .number("mappings", Host::mappings, PLAIN, LIVE, "how many mappings the process has")
          .number(
              "logNumMtt", Host::logNumMtt, PLAIN, BOOT, "log_num_mtt of mlx4_core, if it has one")
          .number(
              "logMttsPerSeg", Host::logMttsPerSeg, PLAIN, BOOT, "log_mtts_per_seg of mlx4_core")
          .flag(
              "hugePagesSafe",
              Host::hugePagesSafe,
              BOOT,
              "whether RDMAV_HUGEPAGES_SAFE is in the environment")
          .flag("peerMemory", Host::peerMemory, BOOT, "whether a peer memory module is loaded")
          .choice("cpu", Cpu.class, Host::cpu, FIXED, "the family of the processor")
          .number(
              "hugetlbLimit",
              Host::hugetlbLimit,
              BYTES,
              BOOT,
              "how much of huge pages the control group allows")
          .number("gpuBarSize", Host::gpuBarSize, BYTES, BOOT, "the size of the GPU's BAR1")
          .build(v ->
              new Host(
                  v.smallNumber("kernel"),
                  v.choice("stack", DriverStack.class),
                  v.smallNumber("rdmaCore"),
                  v.number("pageSize"),
                  v.number("memlock"),
                  v.number("memlockHard"),
                  v.flag("ipcLock"),
                  v.number("pinnedPages"),
                  v.flag("dmaBounce"),
                  v.number("ram"),
                  v.number("memoryLimit"),
                  v.number("hugePageSize"),
                  v.number("hugePagesFree"),
                  v.choice("thp", HugePagePolicy.class),
                  v.choice("selinux", SelinuxMode.class),
                  v.flag("copyOnFork"),
                  v.flag("forkProtection"),
                  v.number("maxMapCount"),
                  v.number("mappings"),
                  v.smallNumber("logNumMtt"),
                  v.smallNumber("logMttsPerSeg"),
                  v.flag("hugePagesSafe"),
                  v.flag("peerMemory"),
                  v.choice("cpu", Cpu.class),
                  v.number("hugetlbLimit"),
                  v.number("gpuBarSize")));

  /** A host of which nothing is known. */
  public static final Host UNKNOWN = TYPE.unknown();

  /** Returns this host with other limits of locked memory. */
  public Host withLimits(@Nullable Long newMemlock, @Nullable Boolean newIpcLock) {
    return new Host(
        kernel,
        stack,
        rdmaCore,
        pageSize,
        newMemlock,
        memlockHard,
        newIpcLock,
        pinnedPages,
        dmaBounce,
        ram,
        memoryLimit,
        hugePageSize,
        hugePagesFree,
        thp,
        selinux,
        copyOnFork,
        forkProtection,
        maxMapCount,
        mappings,
        logNumMtt,
        logMttsPerSeg,
        hugePagesSafe,
        peerMemory,
        cpu,
        hugetlbLimit,
        gpuBarSize);
  }

  /** Returns this host with other pages pinned. */
  public Host withPinnedPages(@Nullable Long newPinnedPages) {
    return new Host(
        kernel,
        stack,
        rdmaCore,
        pageSize,
        memlock,
        memlockHard,
        ipcLock,
        newPinnedPages,
        dmaBounce,
        ram,
        memoryLimit,
        hugePageSize,
        hugePagesFree,
        thp,
        selinux,
        copyOnFork,
        forkProtection,
        maxMapCount,
        mappings,
        logNumMtt,
        logMttsPerSeg,
        hugePagesSafe,
        peerMemory,
        cpu,
        hugetlbLimit,
        gpuBarSize);
  }

  /** Returns this host with bounce buffers or without. */
  public Host withDmaBounce(@Nullable Boolean newDmaBounce) {
    return new Host(
        kernel,
        stack,
        rdmaCore,
        pageSize,
        memlock,
        memlockHard,
        ipcLock,
        pinnedPages,
        newDmaBounce,
        ram,
        memoryLimit,
        hugePageSize,
        hugePagesFree,
        thp,
        selinux,
        copyOnFork,
        forkProtection,
        maxMapCount,
        mappings,
        logNumMtt,
        logMttsPerSeg,
        hugePagesSafe,
        peerMemory,
        cpu,
        hugetlbLimit,
        gpuBarSize);
  }

  /**
   * Returns how many pages the translation table of mlx4_core maps: 2^log_num_mtt x
   * 2^log_mtts_per_seg, at most 2^63-1; null where a parameter is unknown, and none has a default
   * that could stand for it. The first is a parameter of a vendor's driver only.
   */
  public @Nullable Long translationEntries() {
    if (logNumMtt == null || logMttsPerSeg == null) {
      return null;
    }
    int log = logNumMtt + logMttsPerSeg;
    return log > 62 ? Long.MAX_VALUE : 1L << log;
  }
}

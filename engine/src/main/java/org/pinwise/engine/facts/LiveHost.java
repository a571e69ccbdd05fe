package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.rules.model.Cpu;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.HugePagePolicy;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.SelinuxMode;
import org.pinwise.rules.model.Unsigned;

/**
 * Facts of this host and this process, read from /proc, /sys and the environment. Reading never
 * fails: what cannot be read is unknown, with the reason.
 *
 * @param host the facts
 * @param sources where each known field of {@link Host} was read, by the field's name; immutable
 * @param reasons why a field of {@link Host} is unknown, by the field's name; immutable
 */
public record LiveHost(Host host, Map<String, String> sources, Map<String, String> reasons) {

  private static final String STATUS = "/proc/self/status";

  /** Makes the value. */
  public LiveHost {
    sources = Map.copyOf(sources);
    reasons = Map.copyOf(reasons);
  }

  /** Reads this host and this process. */
  public static LiveHost read() {
    return read(SystemFiles.ofThisHost(), System.getenv());
  }

  /** Reads a host whose /proc, /sys and /usr are below {@code root}. */
  static LiveHost read(Path root) {
    return read(new SystemFiles(root), Map.of());
  }

  static LiveHost read(SystemFiles files, Map<String, String> environment) {
    return new Reading(files, environment).read();
  }

  /** Returns a line of a process's status, such as {@code VmPin}. */
  static String status(SystemFiles files, String name) throws IOException, UnknownException {
    Matcher matcher = Pattern.compile("(?m)^" + name + ":\\s*(.*)$").matcher(files.text(STATUS));
    if (!matcher.find()) {
      throw new UnknownException(STATUS + " has no " + name);
    }
    return matcher.group(1).strip();
  }

  /** Reads all facts of a root. */
  private static final class Reading {
    private static final String LIMITS = "/proc/self/limits";
    private static final String MEMINFO = "/proc/meminfo";
    private static final String MODULES = "/sys/module/";
    private static final String MLX4 = MODULES + "mlx4_core";
    private static final String FILE_SYSTEMS = "/proc/filesystems";
    private static final String SELINUX = "/sys/fs/selinux/enforce";

    /** libibverbs/init.c, ibverbs_init. */
    private static final List<String> FORK_SAFE = List.of("RDMAV_FORK_SAFE", "IBV_FORK_SAFE");

    private static final String HUGE_PAGES_SAFE = "RDMAV_HUGEPAGES_SAFE";
    private static final String CPUINFO = "/proc/cpuinfo";

    /** Modules through which ibv_reg_mr takes addresses of a GPU's memory. */
    private static final List<String> PEER_MEMORY =
        List.of("nvidia_peermem", "nv_peer_mem", "amdp2p", "ib_peer_mem");

    /** Haswell and Broadwell: arch/x86/include/asm/intel-family.h. */
    private static final Set<Integer> HASWELL_BROADWELL =
        Set.of(0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56);

    /** {@code AT_PAGESZ}, {@code include/uapi/linux/auxvec.h}. */
    private static final long AT_PAGESZ = 6;

    /** {@code CAP_IPC_LOCK}, {@code include/uapi/linux/capability.h}. */
    private static final int CAP_IPC_LOCK = 14;

    /** The inode of the initial user namespace, {@code PROC_USER_INIT_INO}, {@code proc_ns.h}. */
    private static final String INITIAL_USER_NAMESPACE = "user:[4026531837]";

    /** What {@code uid_map} says where all ids are mapped to themselves. */
    private static final Pattern ALL_IDS = Pattern.compile("\\s*0\\s+0\\s+4294967295\\s*");

    private static final Pattern LIBRARY =
        Pattern.compile("libibverbs\\.so\\.1\\.\\d{1,4}\\.(\\d{1,6})\\.\\d{1,4}");

    /** Modules that a vendor stack replaces as a whole. */
    private static final List<String> CORE_MODULES =
        List.of("ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "mlx4_core", "mlx4_ib");

    /** Versions that the modules of MLNX_OFED and DOCA carry, such as 24.10-1.1.4. */
    private static final Pattern OFED_VERSION = Pattern.compile("\\d+\\.\\d+-\\d+\\.\\d+\\.\\d+.*");

    private final SystemFiles files;
    private final Map<String, String> environment;
    private final Readings readings;

    private Reading(SystemFiles files, Map<String, String> environment) {
      this.files = files;
      this.environment = environment;
      this.readings = new Readings(files);
    }

    LiveHost read() {
      readings.read("kernel", "/proc/sys/kernel/osrelease", this::kernel);
      readings.read("stack", MODULES + "*/taint, */version", this::stack);
      readings.read("rdmaCore", "the file name of libibverbs.so.1", this::rdmaCore);
      readings.read("pageSize", "/proc/self/auxv, AT_PAGESZ", this::pageSize);
      readings.read("memlock", LIMITS + ", Max locked memory, soft", () -> memlock(1));
      readings.read("memlockHard", LIMITS + ", Max locked memory, hard", () -> memlock(2));
      readings.read("ipcLock", STATUS + ", CapEff; /proc/self/ns/user", this::ipcLock);
      readings.read("pinnedPages", STATUS + ", VmPin", this::pinnedPages);
      readings.unknown(
          "dmaBounce", "the kernel tells it per device only (device_cap_flags_ex bit 41)");
      readings.unknown(
          "hugetlbLimit",
          "each page size has one of its own; give that of the memory's (hugetlb.*.max)");
      readings.unknown("gpuBarSize", "ask the GPU's own tool (nvidia-smi -q, BAR1 Memory Usage)");
      readings.read("ram", MEMINFO + ", MemTotal", () -> 1024 * meminfo("MemTotal", " kB"));
      memoryLimit();
      readings.read(
          "hugePageSize", MEMINFO + ", Hugepagesize", () -> 1024 * meminfo("Hugepagesize", " kB"));
      readings.read(
          "hugePagesFree", MEMINFO + ", HugePages_Free", () -> meminfo("HugePages_Free", ""));
      readings.read(
          "thp", "/sys/kernel/mm/transparent_hugepage/enabled", this::transparentHugePages);
      readings.read("selinux", SELINUX + ", " + FILE_SYSTEMS, this::selinux);
      readings.read("copyOnFork", "the kernel's version", this::copyOnFork);
      readings.read(
          "forkProtection",
          "the environment, " + String.join(", ", FORK_SAFE),
          () -> FORK_SAFE.stream().anyMatch(environment::containsKey));
      readings.read(
          "maxMapCount",
          "/proc/sys/vm/max_map_count",
          () -> unsigned("max_map_count", files.text("/proc/sys/vm/max_map_count").strip()));
      readings.read(
          "mappings",
          "/proc/self/maps, lines",
          () -> files.text("/proc/self/maps").lines().count());
      readings.read("logNumMtt", MLX4 + "/parameters/log_num_mtt", () -> parameter("log_num_mtt"));
      readings.read(
          "logMttsPerSeg",
          MLX4 + "/parameters/log_mtts_per_seg",
          () -> parameter("log_mtts_per_seg"));
      readings.read(
          "hugePagesSafe",
          "the environment, " + HUGE_PAGES_SAFE,
          () -> environment.containsKey(HUGE_PAGES_SAFE));
      readings.read(
          "peerMemory", MODULES + "{" + String.join(",", PEER_MEMORY) + "}", this::peerMemory);
      readings.read("cpu", CPUINFO, this::cpu);
      return new LiveHost(readings.fact(Host.TYPE), readings.sources(), readings.reasons());
    }

    private int kernel() throws IOException, UnknownException {
      String release = files.text("/proc/sys/kernel/osrelease").strip();
      return Kernel.parse(release)
          .orElseThrow(() -> new UnknownException("osrelease is no version: " + Shown.of(release)));
    }

    private long pageSize() throws IOException, UnknownException {
      ByteBuffer auxv =
          ByteBuffer.wrap(files.bytes("/proc/self/auxv")).order(ByteOrder.nativeOrder());
      while (auxv.remaining() >= 2 * Long.BYTES) {
        long key = auxv.getLong();
        long value = auxv.getLong();
        if (key == AT_PAGESZ && Long.bitCount(value) == 1) {
          return value;
        }
      }
      throw new UnknownException("/proc/self/auxv has no AT_PAGESZ");
    }

    private boolean peerMemory() throws UnknownException {
      if (!files.isDirectory("/sys/module")) {
        throw new UnknownException("there is no /sys/module");
      }
      return PEER_MEMORY.stream().anyMatch(module -> files.isDirectory(MODULES + module));
    }

    private Cpu cpu() throws IOException, UnknownException {
      String text = files.text(CPUINFO);
      String vendor = cpuinfo(text, "vendor_id");
      if (vendor.equals("AuthenticAMD") && cpuinfo(text, "model name").contains("EPYC")) {
        return Cpu.AMD_EPYC;
      }
      if (vendor.equals("GenuineIntel") && cpuinfo(text, "cpu family").equals("6")) {
        long model = unsigned("model", cpuinfo(text, "model"));
        return HASWELL_BROADWELL.contains((int) model) ? Cpu.INTEL_HASWELL_BROADWELL : Cpu.OTHER;
      }
      return Cpu.OTHER;
    }

    private static String cpuinfo(String text, String name) throws UnknownException {
      Matcher matcher = Pattern.compile("(?m)^" + name + "\\s*:\\s*(.*)$").matcher(text);
      if (!matcher.find()) {
        throw new UnknownException(CPUINFO + " has no " + name);
      }
      return matcher.group(1).strip();
    }

    private long memlock(int column) throws IOException, UnknownException {
      Matcher matcher =
          Pattern.compile("Max locked memory\\s+(\\w+)\\s+(\\w+)\\s").matcher(files.text(LIMITS));
      if (!matcher.find()) {
        throw new UnknownException(LIMITS + " has no Max locked memory");
      }
      String limit = matcher.group(column);
      return limit.equals("unlimited") ? Long.MAX_VALUE : unsigned("Max locked memory", limit);
    }

    private static long unsigned(String name, String digits) throws UnknownException {
      try {
        return Unsigned.saturated(Long.parseUnsignedLong(digits));
      } catch (NumberFormatException e) {
        throw new UnknownException("%s is no number: %s".formatted(name, Shown.of(digits)));
      }
    }

    private String status(String name) throws IOException, UnknownException {
      return LiveHost.status(files, name);
    }

    private boolean ipcLock() throws IOException, UnknownException {
      String effective = status("CapEff");
      long capabilities;
      try {
        capabilities = Long.parseUnsignedLong(effective, 16);
      } catch (NumberFormatException e) {
        throw new UnknownException("CapEff is no number: " + Shown.of(effective));
      }
      // capable() asks for the capability in the initial user namespace:
      // include/linux/capability.h.
      return (capabilities & (1L << CAP_IPC_LOCK)) != 0 && inInitialUserNamespace();
    }

    private boolean inInitialUserNamespace() throws IOException {
      Optional<String> namespace = files.linkName("/proc/self/ns/user");
      return namespace.isPresent()
          ? namespace.get().equals(INITIAL_USER_NAMESPACE)
          : ALL_IDS.matcher(files.text("/proc/self/uid_map")).matches();
    }

    private long pinnedPages() throws IOException, UnknownException {
      String pinned = status("VmPin");
      Matcher matcher = Pattern.compile("(\\d{1,16}) kB").matcher(pinned);
      if (!matcher.matches()) {
        throw new UnknownException("VmPin is not in kB: " + Shown.of(pinned));
      }
      if (!(readings.value("pageSize") instanceof Long pageSize)) {
        throw new UnknownException("the page size is unknown");
      }
      return Long.parseLong(matcher.group(1)) * 1024 / pageSize;
    }

    private long meminfo(String name, String unit) throws IOException, UnknownException {
      Matcher matcher =
          Pattern.compile("(?m)^" + name + ":\\s*(\\d{1,15})" + unit + "$")
              .matcher(files.text(MEMINFO));
      if (!matcher.find()) {
        throw new UnknownException(MEMINFO + " has no " + name);
      }
      return Long.parseLong(matcher.group(1));
    }

    private void memoryLimit() {
      try {
        ControlGroups.Limit limit = new ControlGroups(files).memory();
        readings.known("memoryLimit", limit.value(), limit.file());
      } catch (IOException | UnknownException | RuntimeException e) {
        readings.unknown("memoryLimit", files.reason(e));
      }
    }

    private HugePagePolicy transparentHugePages() throws IOException, UnknownException {
      String policies = files.text("/sys/kernel/mm/transparent_hugepage/enabled").strip();
      for (HugePagePolicy policy : HugePagePolicy.values()) {
        if (policies.contains("[" + policy.name().toLowerCase(Locale.ROOT) + "]")) {
          return policy;
        }
      }
      throw new UnknownException("enabled names no policy: " + Shown.of(policies));
    }

    private SelinuxMode selinux() throws IOException, UnknownException {
      Optional<String> enforce = files.textIfAny(SELINUX);
      if (enforce.isPresent()) {
        return switch (enforce.get().strip()) {
          case "1" -> SelinuxMode.ENFORCING;
          case "0" -> SelinuxMode.PERMISSIVE;
          default -> throw new UnknownException(SELINUX + " holds " + Shown.of(enforce.get()));
        };
      }
      if (!files.text(FILE_SYSTEMS).contains("selinuxfs")) {
        return SelinuxMode.DISABLED;
      }
      throw new UnknownException("the kernel has SELinux, but " + SELINUX + " is not to be seen");
    }

    /** nldev_sys_get_doit, core/nldev.c, says so whatever the device is; read in 6.1 and 6.12. */
    private boolean copyOnFork() throws UnknownException {
      if (readings.value("kernel") instanceof Integer kernel && kernel >= Kernel.V6_1) {
        return true;
      }
      throw new UnknownException("it is known of kernels from 6.1 on; see 'rdma system show'");
    }

    private int parameter(String name) throws IOException, UnknownException {
      if (!files.isDirectory(MLX4)) {
        throw new UnknownException("mlx4_core is not loaded");
      }
      String file = MLX4 + "/parameters/" + name;
      if (!files.exists(file)) {
        throw new UnknownException(
            "this mlx4_core has no parameter " + name + ", so the driver chooses by itself");
      }
      String text = files.text(file).strip();
      if (!text.matches("-?\\d{1,3}")) {
        throw new UnknownException(file + " is no number: " + Shown.of(text));
      }
      int value = Integer.parseInt(text);
      if (value < 0 || (value == 0 && name.equals("log_num_mtt"))) {
        throw new UnknownException(file + " is " + value + ", so the driver chooses by itself");
      }
      return value;
    }

    private DriverStack stack() throws IOException, UnknownException {
      if (files.isDirectory(MODULES + "mlx_compat")) {
        return DriverStack.VENDOR; // the backport module, which no kernel has
      }
      boolean loaded = false;
      for (String module : CORE_MODULES) {
        String directory = MODULES + module;
        if (files.isDirectory(directory)) {
          loaded = true;
          if (isForeign(directory)
              || OFED_VERSION
                  .matcher(files.textIfAny(directory + "/version").orElse("").strip())
                  .matches()) {
            return DriverStack.VENDOR;
          }
        }
      }
      if (!loaded) {
        throw new UnknownException("no RDMA module is loaded");
      }
      for (String driver : DeviceCatalog.load().names()) {
        if (isForeign(MODULES + driver)) {
          throw new UnknownException(
              "the driver %s is out of tree, the core modules are not".formatted(driver));
        }
      }
      return DriverStack.INBOX;
    }

    private boolean isForeign(String module) {
      return files.textIfAny(module + "/taint").orElse("").contains("O");
    }

    private int rdmaCore() throws IOException, UnknownException {
      TreeSet<Integer> versions = new TreeSet<>();
      for (Path directory : libraryDirectories()) {
        Path link = directory.resolve("libibverbs.so.1");
        if (Files.isSymbolicLink(link)) {
          addVersion(versions, Files.readSymbolicLink(link));
        } else if (Files.isDirectory(directory)) {
          try (DirectoryStream<Path> files =
              Files.newDirectoryStream(directory, "libibverbs.so.1.*")) {
            files.forEach(file -> addVersion(versions, file));
          }
        }
      }
      if (versions.isEmpty()) {
        throw new UnknownException("libibverbs.so.1 is in none of the usual directories");
      }
      if (versions.size() > 1) {
        throw new UnknownException(
            "several libibverbs.so.1 are installed, of rdma-core " + versions);
      }
      return versions.first();
    }

    /** libibverbs.so.1.14.44.0 is of rdma-core 44: CMakeLists.txt, rdma_library(ibverbs ..). */
    private static void addVersion(Set<Integer> versions, Path file) {
      Matcher matcher = LIBRARY.matcher(String.valueOf(file.getFileName()));
      if (matcher.matches()) {
        versions.add(Integer.parseInt(matcher.group(1)));
      }
    }

    private List<Path> libraryDirectories() throws IOException {
      List<Path> directories = new ArrayList<>();
      for (String name : List.of("usr/lib64", "usr/lib", "usr/local/lib64", "usr/local/lib")) {
        directories.add(files.at(name));
      }
      Path multiarch = files.at("usr/lib");
      if (Files.isDirectory(multiarch)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(multiarch, "*-linux-gnu*")) {
          found.forEach(directories::add);
        }
      }
      return directories;
    }
  }
}

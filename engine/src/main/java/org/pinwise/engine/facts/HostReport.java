package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pinwise.engine.InputException;

/**
 * All that can be read of this host, of one of its processes, and of its RDMA devices. Reading
 * never fails; it is true of the moment only.
 *
 * {@snippet :
 * HostReport report = HostReport.ofThisProcess();
 * report.live().reasons().forEach((field, why) -> out.println(field + " is unknown: " + why));
 * }
 *
 * @param live the host's facts
 * @param details what else there is to know of host and process
 * @param devices its RDMA devices; none on a host without RDMA
 */
public record HostReport(LiveHost live, List<Detail> details, List<LiveDevice> devices) {
  private static final String MODULES = "/sys/module/";
  private static final String DEVICE_NODES = "/dev/infiniband";
  private static final String STATUS = "/proc/self/status";

  /** Modules whose parameters and versions matter, beside those of the catalogue's drivers. */
  private static final List<String> CORE =
      List.of("ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "mlx4_core", "mlx4_ib", "rdma_rxe");

  /** Makes the value. */
  public HostReport {
    details = List.copyOf(details);
    devices = List.copyOf(devices);
  }

  /** Reads this host, and this process for what belongs to a process. */
  public static HostReport ofThisProcess() {
    SystemFiles files = SystemFiles.ofThisHost();
    return read(files, System.getenv(), devices(files));
  }

  /**
   * Reads this host, and another process for what belongs to a process: its limits, its
   * capabilities, its control groups, its environment.
   *
   * @throws InputException if there is no such process
   */
  public static HostReport ofProcess(long pid) {
    SystemFiles files = SystemFiles.ofThisHost().ofProcess(pid);
    if (!files.isDirectory("/proc/self/")) {
      throw new InputException("--pid", "there is no process " + pid);
    }
    return read(files, environment(files), devices(files));
  }

  /**
   * Reads a host whose {@code /proc}, {@code /sys} and {@code /dev} are kept below a folder; the
   * devices are not asked, and nothing is run.
   */
  public static HostReport below(Path root) {
    SystemFiles files = new SystemFiles(root);
    Integer kernel = LiveHost.read(files, Map.of()).host().kernel();
    LiveDevice.Query none =
        name -> {
          throw new UnknownException("the device was not asked");
        };
    return read(
        files,
        environment(files),
        LiveDevice.names(files).stream()
            .map(name -> LiveDevice.read(files, RdmaTool.NONE, none, name, kernel))
            .toList());
  }

  private static List<LiveDevice> devices(SystemFiles files) {
    Integer kernel = LiveHost.read(files, Map.of()).host().kernel();
    List<LiveDevice> devices = new ArrayList<>();
    for (String name : LiveDevice.names(files)) {
      devices.add(LiveDevice.read(name, kernel));
    }
    return devices;
  }

  private static HostReport read(
      SystemFiles files, Map<String, String> environment, List<LiveDevice> devices) {
    return new HostReport(
        LiveHost.read(files, environment), new Reading(files, environment).details(), devices);
  }

  /** Returns a process's environment; empty where it may not be read. */
  private static Map<String, String> environment(SystemFiles files) {
    Map<String, String> environment = new HashMap<>();
    for (String entry : files.textIfAny("/proc/self/environ").orElse("").split("\0", -1)) {
      int equals = entry.indexOf('=');
      if (equals > 0) {
        environment.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    return environment;
  }

  /** Reads what is no fact. */
  private static final class Reading {
    private static final long IPC_LOCK = 1L << 14;

    /** libibverbs/init.c, memory.c. */
    private static final List<String> VARIABLES =
        List.of("RDMAV_FORK_SAFE", "IBV_FORK_SAFE", "RDMAV_HUGEPAGES_SAFE");

    private final SystemFiles files;
    private final Map<String, String> environment;
    private final Readings readings;
    private final List<Detail> details = new ArrayList<>();

    Reading(SystemFiles files, Map<String, String> environment) {
      this.files = files;
      this.environment = environment;
      this.readings = new Readings(files);
    }

    List<Detail> details() {
      detail(
          "release",
          "/proc/sys/kernel/osrelease",
          () -> files.text("/proc/sys/kernel/osrelease").strip());
      detail("user", STATUS + ", Uid", () -> "uid " + status("Uid").split("\\s+")[1]);
      detail("CAP_IPC_LOCK", STATUS + ", CapEff, CapBnd; /proc/self/ns/user", this::ipcLock);
      detail(
          "user namespace",
          "/proc/self/ns/user",
          () -> files.linkName("/proc/self/ns/user").orElse(null));
      detail("locked memory", STATUS + ", VmLck", () -> status("VmLck"));
      detail(
          "control groups",
          "/proc/self/cgroup",
          () -> String.join(" ", files.text("/proc/self/cgroup").strip().split("\\R", -1)));
      for (String name : VARIABLES) {
        String value = environment.get(name);
        if (value != null) {
          details.add(Detail.found(name, value.isEmpty() ? "set" : value, "the environment"));
        }
      }
      nodes();
      detail(
          "NUMA nodes",
          "/sys/devices/system/node/online",
          () -> files.text("/sys/devices/system/node/online").strip());
      for (String pool : files.names("/sys/kernel/mm/hugepages")) {
        String at = "/sys/kernel/mm/hugepages/" + pool;
        detail(
            pool,
            at,
            () ->
                "%s, %s free"
                    .formatted(
                        files.text(at + "/nr_hugepages").strip(),
                        files.text(at + "/free_hugepages").strip()));
      }
      modules();
      return details;
    }

    private void detail(String name, String where, Readings.Source source) {
      readings.detail(details, name, where, source);
    }

    private String status(String name) throws IOException, UnknownException {
      return LiveHost.status(files, name);
    }

    /** Says whether the capability is there, and why it does not count where it does not. */
    private String ipcLock() throws IOException, UnknownException {
      boolean effective = has("CapEff");
      if (!effective) {
        return has("CapBnd") ? "not effective" : "not effective, and taken from the bounding set";
      }
      Boolean counts = LiveHost.read(files, environment).host().ipcLock();
      return counts == null
          ? "effective; whether it counts is unknown"
          : counts
              ? "effective"
              : "effective in a user namespace only, where the kernel does not count it";
    }

    private boolean has(String set) throws IOException, UnknownException {
      try {
        return (Long.parseUnsignedLong(status(set), 16) & IPC_LOCK) != 0;
      } catch (NumberFormatException e) {
        throw new UnknownException(set + " is no number");
      }
    }

    private void nodes() {
      List<String> names = files.names(DEVICE_NODES);
      if (names.isEmpty()) {
        details.add(
            Detail.unknown(
                DEVICE_NODES,
                files.isDirectory(DEVICE_NODES)
                    ? DEVICE_NODES + " is empty"
                    : "there is no " + DEVICE_NODES));
      }
      for (String name : names) {
        String node = DEVICE_NODES + "/" + name;
        detail(node, node, () -> permissions(files.at(node)));
      }
    }

    private static String permissions(Path node) throws IOException {
      PosixFileAttributes attributes =
          Files.readAttributes(node, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return "%s %s:%s%s"
          .formatted(
              PosixFilePermissions.toString(attributes.permissions()),
              attributes.owner().getName(),
              attributes.group().getName(),
              Files.isReadable(node) && Files.isWritable(node)
                  ? ""
                  : ", and this user may not open it for reading and writing");
    }

    private void modules() {
      List<String> modules = new ArrayList<>(CORE);
      modules.addAll(DeviceCatalog.load().names());
      boolean loaded = false;
      for (String module : modules) {
        String directory = MODULES + module;
        if (!files.isDirectory(directory)) {
          continue;
        }
        loaded = true;
        Optional<String> version = files.textIfAny(directory + "/version");
        details.add(
            Detail.found(
                "module " + module,
                version.map(v -> "version " + v.strip()).orElse("loaded"),
                directory));
        for (String parameter : files.names(directory + "/parameters")) {
          String file = directory + "/parameters/" + parameter;
          detail(module + "." + parameter, file, () -> files.text(file).strip());
        }
      }
      if (!loaded) {
        details.add(Detail.unknown("RDMA modules", "none is loaded: see " + MODULES));
      }
    }
  }
}

package org.pinwise.engine.facts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Transport;

/**
 * A device of this host: what sysfs and the {@code rdma} tool say, what its own queries say where
 * the registrar can ask them, and what the catalogue says of its driver. What cannot be read is
 * unknown, with the reason.
 *
 * @param name its name, such as {@code mlx5_0}
 * @param device the facts
 * @param sources where each known field of {@link Device} was read; immutable
 * @param reasons why a field of {@link Device} is unknown; immutable
 * @param details what else there is to know, such as its PCI address
 */
public record LiveDevice(
    String name,
    Device device,
    Map<String, String> sources,
    Map<String, String> reasons,
    List<Detail> details) {

  private static final String CLASS = "/sys/class/infiniband/";

  /** What {@code ibv_query_device(3)} and {@code ibv_query_device_ex(3)} say. */
  private static final Map<String, String> QUERIED =
      Map.ofEntries(
          Map.entry("vendorId", "ibv_query_device"),
          Map.entry("vendorPartId", "ibv_query_device"),
          Map.entry("firmware", "ibv_query_device"),
          Map.entry("atomics", "ibv_query_device"),
          Map.entry("memoryWindows", "ibv_query_device"),
          Map.entry("maxMr", "ibv_query_device"),
          Map.entry("maxMrSize", "ibv_query_device"),
          Map.entry("odp", "ibv_query_device_ex"),
          Map.entry("implicitOdp", "ibv_query_device_ex"));

  /** RDMA drivers by the driver of the bus device that they sit on, where the names differ. */
  private static final Map<String, String> BY_BUS_DRIVER =
      Map.ofEntries(
          Map.entry("mlx5_core", "mlx5"),
          Map.entry("mlx4_core", "mlx4"),
          Map.entry("ib_mthca", "mthca"),
          Map.entry("ice", "irdma"),
          Map.entry("i40e", "irdma"),
          Map.entry("idpf", "irdma"),
          Map.entry("bnxt_en", "bnxt_re"),
          Map.entry("hns3", "hns"),
          Map.entry("hns_roce_hw_v2", "hns"),
          Map.entry("qede", "qedr"),
          Map.entry("be2net", "ocrdma"),
          Map.entry("ib_qib", "qib"),
          Map.entry("enic", "usnic"));

  /** Makes the value. */
  public LiveDevice {
    sources = Map.copyOf(sources);
    reasons = Map.copyOf(reasons);
    details = List.copyOf(details);
  }

  /** Returns the names of this host's devices, as sysfs lists them; none without RDMA. */
  public static List<String> names() {
    return names(SystemFiles.ofThisHost());
  }

  static List<String> names(SystemFiles files) {
    return files.names(CLASS);
  }

  /**
   * Reads a device of this host.
   *
   * @param kernel the host's kernel; null where it is unknown
   * @throws InputException if there is no such device
   */
  public static LiveDevice read(String name, @Nullable Integer kernel) {
    return read(SystemFiles.ofThisHost(), new RdmaTool(), LiveDevice::query, name, kernel);
  }

  /**
   * Returns what a device's own queries said, with what sysfs and its control groups say. Starts no
   * process, so what only the {@code rdma} tool tells stays unknown.
   *
   * @param asked what it said; its name is known
   * @param kernel the host's kernel; null where it is unknown
   */
  public static Device completed(Device asked, @Nullable Integer kernel) {
    return completed(asked, kernel, RdmaTool.NONE);
  }

  /** Returns the same with how many regions the device has now. */
  static Device counted(Device asked, @Nullable Integer kernel) {
    return completed(asked, kernel, new RdmaTool());
  }

  private static Device completed(Device asked, @Nullable Integer kernel, RdmaTool rdma) {
    SystemFiles files = SystemFiles.ofThisHost();
    String name = asked.name();
    return name == null || !names(files).contains(name)
        ? asked
        : new Reading(files, rdma, n -> asked, name, kernel).read().device();
  }

  /** Asks a device itself. */
  @FunctionalInterface
  interface Query {
    /**
     * Returns what the device says.
     *
     * @throws UnknownException if it cannot be asked
     */
    Device device(String name) throws UnknownException;
  }

  static LiveDevice read(
      SystemFiles files, RdmaTool rdma, Query query, String name, @Nullable Integer kernel) {
    if (!files.names(CLASS).contains(name)) {
      throw new InputException(
          "--device",
          "this host has no RDMA device %s; it has %s"
              .formatted(Shown.of(name), names(files).isEmpty() ? "none" : names(files)));
    }
    return new Reading(files, rdma, query, name, kernel).read();
  }

  private static Device query(String name) throws UnknownException {
    try {
      Iterator<LiveDevices> readers = ServiceLoader.load(LiveDevices.class).iterator();
      if (readers.hasNext()) {
        return readers.next().read(name);
      }
    } catch (ServiceConfigurationError | UnsupportedClassVersionError e) {
      throw new UnknownException("the reader of live devices needs a JDK 25");
    } catch (InputException e) {
      throw new UnknownException(String.valueOf(e.getMessage()));
    }
    throw new UnknownException("asking the device needs the registrar, which needs a JDK 25");
  }

  /**
   * Returns the RDMA driver under a device, by the driver of the bus device that it sits on; empty
   * where that is not to be seen, as for software devices.
   *
   * @param sysfs where {@code /sys} is
   */
  public static Optional<String> driver(java.nio.file.Path sysfs, String name) {
    return driver(new SystemFiles(sysfs), "/class/infiniband/" + name + "/device/driver");
  }

  private static Optional<String> driver(SystemFiles files, String link) {
    return files
        .linkName(link)
        .map(bus -> BY_BUS_DRIVER.getOrDefault(bus, bus))
        .flatMap(driver -> DeviceCatalog.load().byDriver(driver))
        .map(CatalogDevice::driver);
  }

  /** Reads all of one device. */
  private static final class Reading {
    private final SystemFiles files;
    private final RdmaTool rdma;
    private final Query query;
    private final String name;
    private final @Nullable Integer kernel;
    private final String directory;
    private final Readings readings;
    private final List<Detail> details = new ArrayList<>();

    Reading(SystemFiles files, RdmaTool rdma, Query query, String name, @Nullable Integer kernel) {
      this.files = files;
      this.rdma = rdma;
      this.query = query;
      this.name = name;
      this.kernel = kernel;
      this.directory = CLASS + name;
      this.readings = new Readings(files);
    }

    LiveDevice read() {
      readings.known("name", name, CLASS);
      Device asked = asked();
      String driver =
          asked.driver() == null
              ? driver(files, directory + "/device/driver").orElse(null)
              : asked.driver();
      if (driver == null) {
        readings.unknown(
            "driver", directory + "/device/driver names none that the catalogue knows");
      } else {
        readings.known("driver", driver, directory + "/device/driver, vendor and part");
        DeviceCatalog.load()
            .byDriver(driver)
            .ifPresent(
                common -> known(common.facts(kernel), field -> "the catalogue, for " + driver));
      }
      // What the registrar does not ask, it has of the catalogue.
      known(
          asked,
          field ->
              QUERIED.getOrDefault(field, readings.sources().getOrDefault(field, "the catalogue")));
      readings.readIfUnknown("firmware", directory + "/fw_ver", this::firmware);
      readings.read("transport", directory + "/node_type, ports/1/link_layer", this::transport);
      readings.read("numaNode", directory + "/device/numa_node", this::numaNode);
      readings.read(
          "relaxedOrderingEnabled",
          directory + "/device/config, Device Control bit 4",
          () -> PciFunction.read(files, directory + "/device").relaxedOrderingEnabled());
      readings.read("mrInUse", "rdma -j resource show dev " + name, () -> rdma.regions(name));
      objects();
      details();
      for (Field<Device> field : Device.TYPE.fields()) {
        if (readings.value(field.name()) == null) {
          readings
              .reasons()
              .putIfAbsent(field.name(), "neither the device nor the catalogue tells");
        }
      }
      return new LiveDevice(
          name, readings.fact(Device.TYPE), readings.sources(), readings.reasons(), details);
    }

    private Device asked() {
      try {
        return query.device(name);
      } catch (UnknownException e) {
        for (String field : QUERIED.keySet()) {
          readings.unknown(field, String.valueOf(e.getMessage()));
        }
        details.add(Detail.unknown("its own queries", String.valueOf(e.getMessage())));
        return Device.UNKNOWN;
      }
    }

    private void known(Device facts, UnaryOperator<String> where) {
      Device.TYPE
          .values(facts)
          .forEach((field, value) -> {
            if (value != null && !field.equals("driver") && !field.equals("name")) {
              readings.known(field, value, where.apply(field));
            }
          });
    }

    private String firmware() throws IOException, UnknownException {
      return known(files.text(directory + "/fw_ver"));
    }

    private static String known(String text) throws UnknownException {
      if (text.isBlank()) {
        throw new UnknownException("the device names none");
      }
      return text.strip();
    }

    private @Nullable Transport transport() throws IOException, UnknownException {
      String type = files.text(directory + "/node_type").strip();
      if (type.startsWith("4:")) {
        return Transport.IWARP; // RDMA_NODE_RNIC, include/rdma/ib_verbs.h
      }
      if (!type.startsWith("1:")) {
        return Transport.OTHER;
      }
      String layer = files.text(directory + "/ports/1/link_layer").strip();
      return switch (layer) {
        case "InfiniBand" -> Transport.INFINIBAND;
        case "Ethernet" -> Transport.ROCE;
        default -> throw new UnknownException("link_layer is " + Shown.of(layer));
      };
    }

    private long numaNode() throws IOException, UnknownException {
      String node = files.text(directory + "/device/numa_node").strip();
      if (!node.matches("\\d{1,6}")) { // -1 where the firmware names none
        throw new UnknownException("numa_node is " + Shown.of(node) + ": the host names none");
      }
      return Long.parseLong(node);
    }

    private void objects() {
      try {
        ControlGroups.Objects objects = new ControlGroups(files).objects(name);
        readings.known("objectLimit", objects.limit(), objects.file() + ", hca_object");
        readings.known(
            "objectsInUse", objects.inUse(), objects.file().replace("rdma.max", "rdma.current"));
      } catch (IOException | UnknownException | RuntimeException e) {
        readings.unknown("objectLimit", files.reason(e));
        readings.unknown("objectsInUse", files.reason(e));
      }
    }

    private void details() {
      detail(
          "PCI address",
          directory + "/device",
          () -> files.linkName(directory + "/device").orElse(null));
      for (String id : List.of("vendor", "device", "subsystem_vendor", "subsystem_device")) {
        detail("PCI " + id, directory + "/device/" + id);
      }
      detail("PCI link speed", directory + "/device/current_link_speed");
      detail("PCI link width", directory + "/device/current_link_width");
      detail("board", directory + "/board_id");
      detail("node guid", directory + "/node_guid");
      for (String port : files.names(directory + "/ports")) {
        String at = directory + "/ports/" + port;
        detail(
            "port " + port,
            at + "/state, link_layer, rate",
            () ->
                "%s, %s, %s"
                    .formatted(
                        files.text(at + "/state").strip(),
                        files.text(at + "/link_layer").strip(),
                        files.text(at + "/rate").strip()));
      }
      List<String> interfaces = files.names(directory + "/device/net");
      if (!interfaces.isEmpty()) {
        details.add(
            Detail.found(
                "network interfaces", String.join(", ", interfaces), directory + "/device/net"));
      }
    }

    private void detail(String what, String file) {
      detail(what, file, () -> files.text(file).strip());
    }

    private void detail(String what, String where, Readings.Source source) {
      readings.detail(details, what, where, source);
    }
  }
}

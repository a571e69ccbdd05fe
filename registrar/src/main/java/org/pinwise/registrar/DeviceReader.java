package org.pinwise.registrar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.facts.CatalogDevice;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.LiveDevice;
import org.pinwise.registrar.verbs.DeviceAttributes;
import org.pinwise.registrar.verbs.DeviceAttributesEx;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.DeviceInfo;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.TransportType;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.AtomicSupport;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Transport;
import org.pinwise.rules.model.Unsigned;

/**
 * Reads what an open device is: from its two queries, from sysfs, and, for what neither says, from
 * what the catalogue says of its driver.
 *
 * <p>The driver decides most, and no query names it. A software device is known by its vendor's id,
 * for its sysfs entry has no driver of its own and may have the parent of its network device. Else
 * {@code /sys/class/infiniband/NAME/device/driver} names the driver of the bus device, which for
 * some is that of the network card. Else the part's id is looked up.
 */
final class DeviceReader {

  /** {@code IBV_ODP_SUPPORT} and {@code IBV_ODP_SUPPORT_IMPLICIT}, infiniband/verbs.h. */
  private static final long ODP = 1;

  private static final long IMPLICIT_ODP = 2;

  /** {@code IBV_DEVICE_MEM_WINDOW}, infiniband/verbs.h. */
  private static final int MEMORY_WINDOWS = 1 << 17;

  /** {@code IB_UVERBS_DEVICE_FLUSH_GLOBAL} and {@code _PERSISTENT}, rdma/ib_user_verbs.h. */
  private static final long FLUSH_GLOBAL = 1L << 38;

  private static final long FLUSH_PERSISTENT = 1L << 39;

  /** Only this driver sets the flush bits; a vendor's stack uses bit 38 for something else. */
  private static final String RXE = "rxe";

  /**
   * The drivers of software devices by their vendor's id: RXE_VENDOR_ID, sw/rxe/rxe_param.h;
   * SIW_VENDOR_ID, sw/siw/siw.h. siw numbers its parts.
   */
  private static final Map<Integer, String> BY_VENDOR = Map.of(0xffffff, RXE, 0x626d74, "siw");

  private final Path sysfs;

  DeviceReader(Path sysfs) {
    this.sysfs = sysfs;
  }

  /**
   * Reads an open device.
   *
   * @param kernel the host's kernel; null where it is unknown
   * @throws VerbsException if it cannot be queried
   */
  static Device read(Verbs verbs, DeviceContext context, @Nullable Integer kernel) {
    DeviceInfo info = context.device();
    DeviceAttributes plain =
        verbs
            .queryDevice(context)
            .orElseThrow(errno -> new VerbsException("ibv_query_device", info.name(), errno));
    DeviceAttributesEx extended =
        switch (verbs.queryDeviceEx(context)) {
          case DeviceAttributesEx known -> known;
          case Result.Failed<DeviceAttributesEx>(int errno) when isAbsent(errno) -> null;
          case Result.Failed<DeviceAttributesEx>(int errno) ->
              throw new VerbsException("ibv_query_device_ex", info.name(), errno);
        };
    Device asked = new DeviceReader(Path.of("/sys")).facts(info, plain, extended, kernel);
    return LiveDevice.completed(asked, kernel);
  }

  private static boolean isAbsent(int errno) {
    return errno == Errno.EOPNOTSUPP.number() || errno == Errno.ENOSYS.number();
  }

  Device facts(
      DeviceInfo info,
      DeviceAttributes plain,
      @Nullable DeviceAttributesEx extended,
      @Nullable Integer kernel) {
    String driver = driver(info.name(), plain);
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    if (driver != null) {
      DeviceCatalog.load()
          .byDriver(driver)
          .ifPresent(common -> values.putAll(Device.TYPE.values(common.facts(kernel))));
    }
    values.put("driver", driver);
    values.put("name", info.name());
    values.put("vendorId", Integer.toUnsignedLong(plain.vendorId()));
    values.put("vendorPartId", Integer.toUnsignedLong(plain.vendorPartId()));
    put(values, "firmware", plain.fwVer().isBlank() ? null : plain.fwVer());
    put(values, "transport", transport(info));
    values.put("atomics", atomics(plain.atomicCap()));
    values.put("memoryWindows", (plain.deviceCapFlags() & MEMORY_WINDOWS) != 0);
    put(values, "maxMr", plain.maxMr() <= 0 ? null : (Long) (long) plain.maxMr());
    put(
        values,
        "maxMrSize",
        plain.maxMrSize() == 0 ? null : (Long) Unsigned.saturated(plain.maxMrSize()));
    if (extended != null) {
      values.put("odp", (extended.odpGeneralCaps() & ODP) != 0);
      values.put("implicitOdp", (extended.odpGeneralCaps() & IMPLICIT_ODP) != 0);
      if (RXE.equals(driver)) {
        values.put("flushGlobal", (extended.deviceCapFlagsEx() & FLUSH_GLOBAL) != 0);
        values.put("flushPersistent", (extended.deviceCapFlagsEx() & FLUSH_PERSISTENT) != 0);
      }
    }
    return Device.TYPE.of(values);
  }

  /** What was read wins over the catalogue; what was not does not hide it. */
  private static void put(
      Map<String, @Nullable Object> values, String field, @Nullable Object value) {
    if (value != null) {
      values.put(field, value);
    }
  }

  private static @Nullable AtomicSupport atomics(int capability) {
    return switch (capability) {
      case 0 -> AtomicSupport.NONE;
      case 1 -> AtomicSupport.HCA;
      case 2 -> AtomicSupport.GLOBAL;
      default -> null;
    };
  }

  private @Nullable String driver(String name, DeviceAttributes attributes) {
    String software = BY_VENDOR.get(attributes.vendorId());
    if (software != null) {
      return software;
    }
    return LiveDevice.driver(sysfs, name).or(() -> byIds(attributes)).orElse(null);
  }

  private static Optional<String> byIds(DeviceAttributes attributes) {
    return DeviceCatalog.load()
        .byIds(
            Integer.toUnsignedLong(attributes.vendorPartId()),
            Integer.toUnsignedLong(attributes.vendorId()))
        .map(CatalogDevice::driver);
  }

  private @Nullable Transport transport(DeviceInfo info) {
    if (info.transportType() == TransportType.IWARP) {
      return Transport.IWARP;
    }
    if (info.transportType() != TransportType.IB) {
      return info.transportType() == TransportType.UNKNOWN ? null : Transport.OTHER;
    }
    return switch (text("class/infiniband/" + info.name() + "/ports/1/link_layer")) {
      case "InfiniBand" -> Transport.INFINIBAND;
      case "Ethernet" -> Transport.ROCE;
      default -> null;
    };
  }

  private String text(String file) {
    try {
      return Files.readString(sysfs.resolve(file), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      return "";
    }
  }
}

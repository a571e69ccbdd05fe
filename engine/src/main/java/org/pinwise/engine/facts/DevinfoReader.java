package org.pinwise.engine.facts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.text.Quantity;
import org.pinwise.rules.model.AtomicSupport;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.OdpOperation;
import org.pinwise.rules.model.Transport;
import org.pinwise.rules.model.Unsigned;

/**
 * Reads the text that {@code ibv_devinfo -v} prints: of rdma-core or of the old vendor stacks,
 * whole or cut short. Thread-safe.
 *
 * <p>It reads what the text says and guesses nothing: an attribute that is absent, malformed or cut
 * is unknown and named in {@link Devinfo#missing}. Source of the format: rdma-core {@code
 * libibverbs/examples/devinfo.c}.
 */
public final class DevinfoReader {
  /** {@code IBV_DEVICE_MEM_WINDOW}, rdma-core {@code libibverbs/verbs.h}. */
  private static final long MEM_WINDOW = 1L << 17;

  /** {@code IB_UVERBS_DEVICE_FLUSH_GLOBAL}, Linux {@code include/uapi/rdma/ib_user_verbs.h}. */
  private static final long FLUSH_GLOBAL = 1L << 38;

  /** {@code IB_UVERBS_DEVICE_FLUSH_PERSISTENT}, likewise. */
  private static final long FLUSH_PERSISTENT = 1L << 39;

  /** The only driver that has the flush bits; vendor stacks use bit 38 for something else. */
  private static final String FLUSHING_DRIVER = "rxe";

  private static final String ODP_SUPPORT = "ODP_SUPPORT";

  private static final Map<String, AtomicSupport> ATOMICS =
      Map.of(
          "ATOMIC_NONE", AtomicSupport.NONE,
          "ATOMIC_HCA", AtomicSupport.HCA,
          "ATOMIC_GLOB", AtomicSupport.GLOBAL);

  private static final Map<String, Transport> LINK_LAYERS =
      Map.of("InfiniBand", Transport.INFINIBAND, "Ethernet", Transport.ROCE);

  private final DeviceCatalog catalog;

  private DevinfoReader(DeviceCatalog catalog) {
    this.catalog = catalog;
  }

  /** Makes a reader that recognises drivers by this catalogue. */
  public static DevinfoReader of(DeviceCatalog catalog) {
    return new DevinfoReader(catalog);
  }

  /** Returns whether a text is of {@code ibv_devinfo}, whatever is wrong with it. */
  public static boolean looksLike(String text) {
    return DevinfoText.looksLike(text);
  }

  /**
   * Reads one device of a text.
   *
   * @param source how messages name the text: a file's name
   * @param hcaId the device to read; null is the first, with a note where there are others
   * @throws InputException if the text is of no such output, or has no such device
   */
  public Devinfo read(String source, String text, @Nullable String hcaId) {
    List<DevinfoText> devices = DevinfoText.devices(text);
    if (devices.isEmpty()) {
      throw new InputException(
          source, "is no output of ibv_devinfo -v; it has neither hca_id: nor max_mr:");
    }
    List<String> names = new ArrayList<>();
    devices.forEach(device -> {
      if (device.name() != null) {
        names.add(device.name());
      }
    });
    Reading reading = new Reading();
    DevinfoText chosen = choose(source, devices, names, hcaId, reading);
    Device device = reading.device(chosen);
    return new Devinfo(device, reading.missing, reading.doubtful, reading.notes, names);
  }

  private static DevinfoText choose(
      String source,
      List<DevinfoText> devices,
      List<String> names,
      @Nullable String hcaId,
      Reading reading) {
    if (hcaId == null) {
      if (devices.size() > 1) {
        reading.notes.add(
            "%d devices are there, %s; the first is read"
                .formatted(devices.size(), Shown.of(String.join(", ", names))));
      }
      return devices.get(0);
    }
    for (DevinfoText device : devices) {
      if (hcaId.equals(device.name())) {
        return device;
      }
    }
    String shown = Shown.of(hcaId);
    throw new InputException(
        source,
        "has no device %s%s; it has %s"
            .formatted(shown, Nearest.hint(shown, names), Shown.of(String.join(", ", names))));
  }

  /** Reads one device and keeps what was not found. */
  private final class Reading {
    private final List<String> missing = new ArrayList<>();
    private final Set<String> doubtful = new LinkedHashSet<>();
    private final List<String> notes = new ArrayList<>();

    private Device device(DevinfoText text) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      if (text.name() != null) {
        values.put("name", text.name());
      }
      Transport transport = transport(text);
      values.put("transport", transport);
      values.put("firmware", text(text, "fw_ver"));
      Long vendorId = number(text, "vendor_id");
      Long partId = number(text, "vendor_part_id");
      values.put("vendorId", vendorId);
      values.put("vendorPartId", partId);
      String driver = driver(text, vendorId, partId, transport);
      values.put("driver", driver);
      values.put("maxMrSize", saturated(number(text, "max_mr_size")));
      Long flags = number(text, "device_cap_flags");
      values.put("memoryWindows", flags == null ? null : (Boolean) ((flags & MEM_WINDOW) != 0));
      values.put("maxMr", saturated(number(text, "max_mr")));
      values.put("atomics", atomics(text));
      onDemandPaging(text, values);
      values.put("odpOperations", odpOperations(text));
      Long extended = number(text, "device_cap_flags_ex");
      flush(values, "flushGlobal", extended, FLUSH_GLOBAL, driver);
      flush(values, "flushPersistent", extended, FLUSH_PERSISTENT, driver);
      return Device.TYPE.of(values);
    }

    private @Nullable Long saturated(@Nullable Long raw) {
      return raw == null ? null : (Long) Unsigned.saturated(raw.longValue());
    }

    private @Nullable String text(DevinfoText text, String key) {
      String value = text.attribute(key).map(DevinfoText.Attribute::value).orElse("");
      if (value.isEmpty()) {
        missing.add(key);
        return null;
      }
      return value;
    }

    private @Nullable Long number(DevinfoText text, String key) {
      String value = text(text, key);
      if (value == null) {
        return null;
      }
      try {
        return Quantity.parse(value);
      } catch (IllegalArgumentException e) {
        notes.add("%s is no number: %s".formatted(key, Shown.of(value)));
        missing.add(key);
        return null;
      }
    }

    private @Nullable AtomicSupport atomics(DevinfoText text) {
      String value = text(text, "atomic_cap");
      if (value == null) {
        return null;
      }
      AtomicSupport support = ATOMICS.get(value.split("\\s", 2)[0]);
      if (support == null) {
        notes.add("atomic_cap is none of ATOMIC_NONE, _HCA, _GLOB: " + Shown.of(value));
        missing.add("atomic_cap");
      }
      return support;
    }

    private @Nullable Transport transport(DevinfoText text) {
      String value = text(text, "transport");
      if (value == null) {
        return null;
      }
      if (value.startsWith("InfiniBand")) {
        return byLinkLayer(text);
      }
      if (value.startsWith("iWARP")) {
        return Transport.IWARP;
      }
      if (value.startsWith("unspecified") || value.startsWith("usNIC")) {
        return Transport.OTHER;
      }
      notes.add("transport is not known: " + Shown.of(value));
      missing.add("transport");
      return null;
    }

    /** The transport says InfiniBand of RoCE, too; only the ports' link layers tell. */
    private @Nullable Transport byLinkLayer(DevinfoText text) {
      Set<String> layers = new HashSet<>(text.values("link_layer"));
      Transport transport = layers.size() == 1 ? LINK_LAYERS.get(layers.iterator().next()) : null;
      if (transport != null) {
        return transport;
      }
      missing.add("link_layer");
      notes.add(
          layers.isEmpty()
              ? "the transport may be InfiniBand or RoCE: the text has no link_layer"
              : "the transport cannot be told by port: link_layer is "
                  + Shown.of(String.join(", ", layers)));
      return null;
    }

    private @Nullable String driver(
        DevinfoText text,
        @Nullable Long vendorId,
        @Nullable Long partId,
        @Nullable Transport transport) {
      Optional<CatalogDevice> found =
          partId == null ? Optional.empty() : catalog.byIds(partId, vendorId);
      if (found.isEmpty() && vendorId != null && transport != null) {
        found = catalog.byVendorAndTransport(vendorId, transport);
      }
      String name = text.name();
      if (found.isEmpty() && name != null) {
        found = catalog.byHcaId(name);
        found.ifPresent(device ->
            notes.add(
                "the driver %s is taken from the device's name, %s: the ids do not tell it"
                    .formatted(device.driver(), Shown.of(name))));
      }
      if (found.isEmpty()) {
        missing.add("driver");
      }
      return found.map(CatalogDevice::driver).orElse(null);
    }

    private void onDemandPaging(DevinfoText text, Map<String, @Nullable Object> values) {
      Optional<DevinfoText.Attribute> caps = text.attribute("general_odp_caps");
      if (caps.isPresent()) {
        values.put("odp", present(caps.get(), ODP_SUPPORT));
        values.put("implicitOdp", present(caps.get(), "ODP_SUPPORT_IMPLICIT"));
        if (values.get("odp") == null || values.get("implicitOdp") == null) {
          missing.add("general_odp_caps");
          notes.add("the text ends within general_odp_caps");
        }
        return;
      }
      missing.add("general_odp_caps");
      // The vendor stacks of before rdma-core said so by a flag of their own.
      if (text.attribute("device_cap_exp_flags")
          .filter(f -> f.names().contains("EXP_ODP"))
          .isPresent()) {
        values.put("odp", true);
        notes.add("on-demand paging is read from EXP_ODP; whether it is implicit is not said");
      }
    }

    /** What RC can do on pages on demand; unknown where the text ends within the list. */
    private @Nullable Set<OdpOperation> odpOperations(DevinfoText text) {
      DevinfoText.Attribute caps = text.attribute("rc_odp_caps").orElse(null);
      if (caps == null || !caps.whole()) {
        missing.add("rc_odp_caps");
        return null;
      }
      Set<OdpOperation> operations = EnumSet.noneOf(OdpOperation.class);
      for (OdpOperation operation : OdpOperation.values()) {
        // rdma-core libibverbs/examples/devinfo.c names the last SUPPORT_SRQ.
        String name = operation == OdpOperation.SRQ_RECV ? "SRQ" : operation.name();
        if (caps.names().contains("SUPPORT_" + name)) {
          operations.add(operation);
        }
      }
      return Collections.unmodifiableSet(operations);
    }

    private @Nullable Boolean present(DevinfoText.Attribute attribute, String name) {
      return attribute.names().contains(name)
          ? (Boolean) true
          : attribute.whole() ? (Boolean) false : null;
    }

    private void flush(
        Map<String, @Nullable Object> values,
        String field,
        @Nullable Long extended,
        long bit,
        @Nullable String driver) {
      if (extended == null) {
        return;
      }
      boolean set = (extended & bit) != 0;
      if (set && !FLUSHING_DRIVER.equals(driver)) {
        doubtful.add(field);
        notes.add(
            "device_cap_flags_ex bit %d is set, which means a flush on %s only"
                .formatted(Long.numberOfTrailingZeros(bit), FLUSHING_DRIVER));
        return;
      }
      values.put(field, set);
    }
  }
}

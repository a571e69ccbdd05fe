package org.pinwise.engine.facts;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;

/**
 * What {@code --device} takes: a name of the catalogue, a file with the text of {@code ibv_devinfo
 * -v} ({@code FILE#mlx5_1} chooses one of several), a facts file, or {@code live:NAME}.
 */
public final class DeviceOption {
  private static final String OPTION = "--device";
  private static final String LIVE = "live:";

  private DeviceOption() {}

  /**
   * Finds the device.
   *
   * @param named what the option holds
   * @param kernel the kernel under which a device of the catalogue is meant, see {@link
   *     org.pinwise.rules.model.Kernel}; null is unknown, or what a facts file says
   * @throws InputException if there is neither such a name nor such a file, or it cannot be read;
   *     one line
   */
  public static ResolvedDevice resolve(String named, @Nullable Integer kernel) {
    return resolve(named, kernel, Path.of(""));
  }

  /** Finds the device; files that are not absolute are in {@code directory}. */
  static ResolvedDevice resolve(String named, @Nullable Integer kernel, Path directory) {
    if (named.startsWith(LIVE)) {
      return live(named.substring(LIVE.length()));
    }
    DeviceCatalog catalog = DeviceCatalog.load();
    Optional<CatalogDevice> known = catalog.find(named);
    if (known.isPresent()) {
      CatalogDevice device = known.get();
      return new ResolvedDevice(
          ResolvedDevice.Origin.CATALOG,
          device.title(),
          device.facts(kernel),
          null,
          List.of(),
          List.of());
    }
    if (named.isBlank()) {
      throw new InputException(OPTION, "is empty; give a device such as connectx5, or a file");
    }
    Path file = path(named, directory);
    if (Files.exists(file)) {
      return file(file, null, kernel, catalog);
    }
    int hash = named.lastIndexOf('#');
    if (hash > 0) {
      Path before = path(named.substring(0, hash), directory);
      if (Files.exists(before)) {
        return file(before, named.substring(hash + 1), kernel, catalog);
      }
    }
    String shown = Shown.of(named);
    throw new InputException(
        OPTION,
        "there is neither a device %s in the catalogue%s nor such a file; pinwise devices lists them"
            .formatted(shown, Nearest.hint(shown, catalog.names())));
  }

  private static Path path(String named, Path directory) {
    try {
      return directory.resolve(named);
    } catch (InvalidPathException e) {
      throw new InputException(OPTION, "is no name and no path: " + Shown.of(named));
    }
  }

  private static ResolvedDevice file(
      Path file, @Nullable String hcaId, @Nullable Integer kernel, DeviceCatalog catalog) {
    String text = TextFile.read(file);
    if (DevinfoReader.looksLike(text)) {
      Devinfo devinfo = DevinfoReader.of(catalog).read(file.toString(), text, hcaId);
      return completed(devinfo, kernel, catalog);
    }
    FactsFile facts = FactsReader.of(catalog).onKernel(kernel).read(file.toString(), text);
    if (!facts.has(Device.TYPE.key())) {
      throw new InputException(file.toString(), "says nothing of a device; add device: ..");
    }
    Device device = facts.facts().device();
    Host host = facts.has(Host.TYPE.key()) ? facts.facts().host() : null;
    return new ResolvedDevice(
        ResolvedDevice.Origin.FACTS, title(device, file), device, host, List.of(), List.of());
  }

  private static String title(Device device, Path file) {
    return device.name() == null ? String.valueOf(file.getFileName()) : device.name();
  }

  /**
   * Adds what the catalogue says of all devices of the driver to what the text does not say: some
   * facts are the driver's, and {@code ibv_devinfo} prints none of them.
   */
  private static ResolvedDevice completed(
      Devinfo devinfo, @Nullable Integer kernel, DeviceCatalog catalog) {
    Device read = devinfo.device();
    List<String> notes = new ArrayList<>(devinfo.notes());
    Map<String, @Nullable Object> values = new LinkedHashMap<>(Device.TYPE.values(read));
    String driver = read.driver();
    if (driver != null) {
      Optional<CatalogDevice> common = catalog.byDriver(driver);
      List<String> added = new ArrayList<>();
      common.ifPresent(device ->
          Device.TYPE
              .values(device.facts(kernel))
              .forEach((field, value) -> {
                if (value != null
                    && values.get(field) == null
                    && !devinfo.doubtful().contains(field)
                    && device.sources().containsKey(field)) {
                  values.put(field, value);
                  added.add(field);
                }
              }));
      if (!added.isEmpty()) {
        notes.add(
            "of the catalogue, as the text does not say it of this %s device: %s"
                .formatted(driver, String.join(", ", added)));
      }
    }
    return new ResolvedDevice(
        ResolvedDevice.Origin.DEVINFO,
        read.name() == null ? "ibv_devinfo" : read.name(),
        Device.TYPE.of(values),
        null,
        devinfo.missing(),
        notes);
  }

  private static ResolvedDevice live(String name) {
    if (name.isBlank()) {
      throw new InputException(OPTION, "live: needs the device's name, such as live:mlx5_0");
    }
    try {
      Iterator<LiveDevices> readers = ServiceLoader.load(LiveDevices.class).iterator();
      if (readers.hasNext()) {
        return new ResolvedDevice(
            ResolvedDevice.Origin.LIVE,
            name,
            LiveDevice.counted(readers.next().read(name), LiveHost.read().host().kernel()),
            null,
            List.of(),
            List.of());
      }
    } catch (ServiceConfigurationError e) {
      throw new InputException(
          OPTION, "the reader of live devices cannot start: " + e.getMessage());
    }
    throw new InputException(
        OPTION,
        "live devices need the registrar, which needs a JDK 25; name a file or a catalogue device");
  }
}

package org.pinwise.engine.facts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Device;

/**
 * The devices that Pinwise knows. Immutable and thread-safe.
 *
 * <p>It ships in the rules jar, one file per driver, found by walking the jar: a file that is put
 * there is in the catalogue. Files are parsed when a device of theirs is asked for.
 *
 * {@snippet :
 * Device device = DeviceCatalog.load().find("rxe").orElseThrow().facts(Kernel.V6_12);
 * }
 */
public final class DeviceCatalog {
  private static final String ROOT = "org/pinwise/devices/";
  private static final String ENDING = ".yaml";

  /** The first line of a file names its devices, so that finding one parses one file. */
  private static final Pattern NAMES = Pattern.compile("names: \\[([^\\]]*)\\]\\R");

  private final Map<String, String> texts;
  private final Map<String, String> familyByName;
  private final Map<String, DeviceFamily> families = new ConcurrentHashMap<>();

  private DeviceCatalog(Map<String, String> texts) {
    this.texts = texts;
    Map<String, String> byName = new TreeMap<>();
    texts.forEach((family, text) ->
        names(family, text)
            .forEach(name -> {
              String other = byName.put(name, family);
              if (other != null) {
                throw new IllegalStateException(
                    "device %s is both in %s and %s".formatted(name, other, family));
              }
            }));
    this.familyByName = Collections.unmodifiableMap(byName);
  }

  private static List<String> names(String family, String text) {
    Matcher matcher = NAMES.matcher(text);
    if (!matcher.lookingAt()) {
      throw new IllegalStateException(
          ROOT + family + ENDING + " must start with a line names: [a, b]");
    }
    return List.of(matcher.group(1).split(",\\s*"));
  }

  /**
   * Returns the catalogue that comes with Pinwise.
   *
   * @throws UncheckedIOException if the rules jar cannot be read
   */
  public static DeviceCatalog load() {
    return Loaded.CATALOG;
  }

  /** Reads the files once, on first use. */
  private static final class Loaded {
    static final DeviceCatalog CATALOG = new DeviceCatalog(read());
  }

  /** Makes a catalogue of texts by family name. */
  static DeviceCatalog of(Map<String, String> texts) {
    return new DeviceCatalog(new TreeMap<>(texts));
  }

  private static Map<String, String> read() {
    CodeSource source = Device.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException(
          "the rules jar cannot be found: its class has no code source");
    }
    URL location = source.getLocation();
    try {
      Path path = Path.of(location.toURI());
      return Files.isDirectory(path) ? inDirectory(path.resolve(ROOT)) : inJar(path);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the rules jar's location is no path: " + location, e);
    } catch (IOException e) {
      throw new UncheckedIOException("the rules jar cannot be read: " + location, e);
    }
  }

  private static Map<String, String> inDirectory(Path directory) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + ENDING)) {
      for (Path file : files) {
        texts.put(family(String.valueOf(file.getFileName())), Files.readString(file));
      }
    }
    return texts;
  }

  private static Map<String, String> inJar(Path path) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (JarFile jar = new JarFile(path.toFile())) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        String name = entry.getName();
        if (name.startsWith(ROOT)
            && name.endsWith(ENDING)
            && name.indexOf('/', ROOT.length()) < 0) {
          try (InputStream in = jar.getInputStream(entry)) {
            texts.put(
                family(name.substring(ROOT.length())),
                new String(in.readAllBytes(), StandardCharsets.UTF_8));
          }
        }
      }
    }
    return texts;
  }

  private static String family(String fileName) {
    return fileName.substring(0, fileName.length() - ENDING.length());
  }

  private DeviceFamily family(Map.Entry<String, String> entry) {
    return families.computeIfAbsent(entry.getKey(), name -> parse(name, entry.getValue()));
  }

  private static DeviceFamily parse(String name, String text) {
    String file = ROOT + name + ENDING;
    DeviceFamily family = DeviceFamily.parse(name, file, text);
    if (!family.names().equals(Set.copyOf(names(name, text)))) {
      throw new IllegalStateException(
          "%s has the devices %s, but its first line names others".formatted(file, family.names()));
    }
    return family;
  }

  private DeviceFamily familyNamed(String family) {
    return family(Map.entry(family, Objects.requireNonNull(texts.get(family))));
  }

  /**
   * Returns the families whose text has a word somewhere: parsing is most of the cost of a cold
   * start and one or two of the files are of interest.
   */
  private List<DeviceFamily> familiesWith(String word) {
    List<DeviceFamily> found = new ArrayList<>();
    texts
        .entrySet()
        .forEach(entry -> {
          if (entry.getValue().contains(word)) {
            found.add(family(entry));
          }
        });
    return found;
  }

  /** Returns an id as the files write it. */
  private static String hex(long id) {
    return "0x" + Long.toHexString(id);
  }

  /**
   * Returns all names, sorted: of devices, and of drivers for what their devices have in common.
   */
  public List<String> names() {
    return List.copyOf(familyByName.keySet());
  }

  /** Finds a device by its name in the catalogue, such as {@code connectx5} or {@code efa}. */
  public Optional<CatalogDevice> find(String name) {
    String family = familyByName.get(name);
    return family == null ? Optional.empty() : familyNamed(family).byName(name);
  }

  /**
   * Finds what all devices of a driver have in common.
   *
   * @param driver the kernel driver's short name, such as {@code vmw_pvrdma}
   */
  public Optional<CatalogDevice> byDriver(String driver) {
    return find(driver).filter(device -> device.driver().equals(driver)).flatMap(this::common);
  }

  private Optional<CatalogDevice> common(CatalogDevice device) {
    return Optional.ofNullable(familyByName.get(device.name()))
        .map(family -> familyNamed(family).common());
  }

  /**
   * Finds a device by the ids that {@code ibv_devinfo -v} prints. A vendor id never decides alone,
   * because an OEM's board carries the OEM's; it decides between drivers that have the same part.
   *
   * @param vendorPartId the part's id, unsigned
   * @param vendorId the board vendor's id; null where it is unknown
   * @return empty where no driver has the part, or several may
   */
  public Optional<CatalogDevice> byIds(long vendorPartId, @Nullable Long vendorId) {
    List<CatalogDevice> ofItsVendor = new ArrayList<>();
    List<CatalogDevice> ofAnyVendor = new ArrayList<>();
    boolean vendorDecides = false;
    for (DeviceFamily family : familiesWith(hex(vendorPartId))) {
      CatalogDevice device = family.byPartId(vendorPartId).orElse(null);
      if (device == null) {
        continue;
      }
      if (family.vendorIds().isEmpty()) {
        ofAnyVendor.add(device);
      } else if (vendorId == null) {
        vendorDecides = true;
      } else if (family.vendorIds().contains(vendorId)) {
        ofItsVendor.add(device);
      }
    }
    List<CatalogDevice> found = ofItsVendor.isEmpty() ? ofAnyVendor : ofItsVendor;
    return found.size() == 1 && !vendorDecides ? Optional.of(found.get(0)) : Optional.empty();
  }

  /**
   * Finds a software device that numbers its parts: by its vendor id and its transport together.
   *
   * @return empty where no driver fits
   */
  Optional<CatalogDevice> byVendorAndTransport(long vendorId, Object transport) {
    for (DeviceFamily family : familiesWith(hex(vendorId))) {
      if (family.vendorIds().contains(vendorId) && transport.equals(family.common("transport"))) {
        return Optional.of(family.common());
      }
    }
    return Optional.empty();
  }

  /** Finds the driver whose devices are named so when nobody renames them; a hint, no proof. */
  Optional<CatalogDevice> byHcaId(String hcaId) {
    List<CatalogDevice> found = new ArrayList<>();
    for (DeviceFamily family : familiesWith(DeviceFamily.prefix(hcaId))) {
      if (family.names(hcaId)) {
        found.add(family.common());
      }
    }
    return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
  }
}

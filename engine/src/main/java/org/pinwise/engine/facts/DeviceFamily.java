package org.pinwise.engine.facts;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Kernel;

/**
 * One file of the catalogue: a driver, what all its devices have in common, and its devices.
 *
 * @param common what the driver's name alone says
 * @param devices the devices by name
 * @param vendorIds vendor ids that tell this driver from another where the part id does not
 * @param hcaPrefixes how names of its devices start when nobody renames them
 */
record DeviceFamily(
    CatalogDevice common,
    Map<String, CatalogDevice> devices,
    Set<Long> vendorIds,
    Set<String> hcaPrefixes) {

  private static final Pattern NUMBER = Pattern.compile("(_bond)?_?\\d{1,4}$");

  /**
   * Reads a file of the catalogue.
   *
   * @param name the file's name without its ending
   * @throws org.pinwise.engine.InputException if it is malformed
   */
  static DeviceFamily parse(String name, String file, String text) {
    Yaml.Mapping root = Yaml.parse(file, text).asMapping("a device family");
    root.allow(
        "names",
        "driver",
        "title",
        "hcaPrefixes",
        "vendorIds",
        "partIds",
        "inKernel",
        "facts",
        "devices");
    String driver = root.require("driver").asText();
    Map<String, CatalogValue> shared = values(root.require("facts"), Map.of());
    Set<Long> ids = new LinkedHashSet<>();
    root.get("partIds")
        .ifPresent(value -> {
          Yaml.Mapping partIds = value.asMapping("partIds");
          partIds.allow("source", "ids");
          partIds.require("source").asText();
          ids.addAll(numbers(partIds.require("ids")));
        });
    CatalogValue inKernel =
        root.get("inKernel").map(v -> value(v.asMapping("inKernel"), Yaml::asBoolean)).orElse(null);
    CatalogDevice common =
        new CatalogDevice(name, root.require("title").asText(), driver, ids, inKernel, shared);
    Map<String, CatalogDevice> devices = new LinkedHashMap<>();
    root.get("devices")
        .ifPresent(value ->
            value
                .asMapping("devices")
                .entries()
                .forEach((key, v) -> devices.put(key, device(key, v, common, shared))));
    Set<Long> vendorIds = root.get("vendorIds").map(DeviceFamily::numbers).orElse(Set.of());
    Set<String> prefixes = new LinkedHashSet<>(List.of(name, driver));
    root.get("hcaPrefixes").ifPresent(v -> v.asList().forEach(p -> prefixes.add(p.asText())));
    return new DeviceFamily(common, devices, vendorIds, prefixes);
  }

  private static CatalogDevice device(
      String name, Yaml value, CatalogDevice common, Map<String, CatalogValue> shared) {
    Yaml.Mapping mapping = value.asMapping("a device");
    mapping.allow("title", "partIds", "facts");
    return new CatalogDevice(
        name,
        mapping.require("title").asText(),
        common.driver(),
        numbers(mapping.require("partIds")),
        common.inKernel(),
        mapping.get("facts").map(facts -> values(facts, shared)).orElse(shared));
  }

  private static Map<String, CatalogValue> values(Yaml value, Map<String, CatalogValue> shared) {
    Map<String, CatalogValue> values = new LinkedHashMap<>(shared);
    value
        .asMapping("facts")
        .entries()
        .forEach((key, v) -> {
          Field<Device> field =
              Device.TYPE.field(key).orElseThrow(() -> v.problem("a device has no field " + key));
          values.put(
              key, value(v.asMapping("a fact"), of -> FieldParser.value(Device.TYPE, field, of)));
        });
    return values;
  }

  private static CatalogValue value(Yaml.Mapping fact, Function<Yaml, @Nullable Object> parser) {
    fact.allow("value", "kernels", "source");
    String source = fact.require("source").asText();
    Optional<Yaml> kernels = fact.get("kernels");
    if (kernels.isEmpty()) {
      Object always = parser.apply(fact.require("value"));
      if (always == null) {
        throw fact.problem("an unknown fact is left out");
      }
      return CatalogValue.always(source, always);
    }
    Map<Integer, Optional<Object>> byKernel = new LinkedHashMap<>();
    kernels
        .get()
        .asMapping("kernels")
        .entries()
        .forEach((version, v) -> {
          OptionalInt kernel = Kernel.parse(version);
          byKernel.put(
              kernel.orElseThrow(() -> v.problem(version + " is no kernel version")),
              Optional.ofNullable(parser.apply(v)));
        });
    return CatalogValue.byKernel(source, byKernel);
  }

  private static Set<Long> numbers(Yaml value) {
    Set<Long> numbers = new LinkedHashSet<>();
    value.asList().forEach(item -> numbers.add(item.asUnsigned()));
    return numbers;
  }

  /** Returns the names by which the file's devices are found. */
  Set<String> names() {
    Set<String> names = new LinkedHashSet<>(devices.keySet());
    names.add(common.name());
    names.add(common.driver());
    return names;
  }

  /** Finds the device of a part id; the driver's common device where no other has it. */
  Optional<CatalogDevice> byPartId(long partId) {
    for (CatalogDevice device : devices.values()) {
      if (device.partIds().contains(partId)) {
        return Optional.of(device);
      }
    }
    return common.partIds().contains(partId) ? Optional.of(common) : Optional.empty();
  }

  /** Finds a device by name; the driver's and the family's own names mean the common device. */
  Optional<CatalogDevice> byName(String name) {
    return name.equals(common.name()) || name.equals(common.driver())
        ? Optional.of(common)
        : Optional.ofNullable(devices.get(name));
  }

  /** Returns whether a device's name on its host starts as this driver's devices do. */
  boolean names(String hcaId) {
    String prefix = prefix(hcaId);
    return !prefix.equals(hcaId) && hcaPrefixes.contains(prefix);
  }

  /** Returns a device's name without the number that the kernel appends; itself if it has none. */
  static String prefix(String hcaId) {
    return NUMBER.matcher(hcaId).replaceFirst("");
  }

  /** Returns a fact that all devices of the driver have, whatever the kernel. */
  @Nullable Object common(String field) {
    return Device.TYPE.field(field).orElseThrow().read(common.facts(null));
  }
}

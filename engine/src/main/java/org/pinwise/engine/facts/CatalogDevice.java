package org.pinwise.engine.facts;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Device;

/**
 * A device of the catalogue, or what all devices of a driver have in common. Immutable.
 *
 * <p>What no source says is unknown in its facts.
 */
public final class CatalogDevice {
  private static final String PART_ID = "vendorPartId";

  private final String name;
  private final String title;
  private final String driver;
  private final Set<Long> partIds;
  private final @Nullable CatalogValue inKernel;
  private final Map<String, CatalogValue> values;

  CatalogDevice(
      String name,
      String title,
      String driver,
      Set<Long> partIds,
      @Nullable CatalogValue inKernel,
      Map<String, CatalogValue> values) {
    this.name = name;
    this.title = title;
    this.driver = driver;
    this.partIds = Set.copyOf(partIds);
    this.inKernel = inKernel;
    this.values = new LinkedHashMap<>(values);
  }

  /** Returns the name by which it is asked for, such as {@code connectx5}. */
  public String name() {
    return name;
  }

  /** Returns the name that people know, such as {@code ConnectX-5}. */
  public String title() {
    return title;
  }

  /** Returns the kernel driver's short name, such as {@code mlx5}. */
  public String driver() {
    return driver;
  }

  /** Returns the part ids that are this device and no other of the catalogue. */
  public Set<Long> partIds() {
    return partIds;
  }

  /** Returns where each fact was read, by the name of the field of {@link Device}. */
  public Map<String, String> sources() {
    Map<String, String> sources = new LinkedHashMap<>();
    values.forEach((field, value) -> sources.put(field, value.source()));
    return sources;
  }

  /** Returns whether a kernel itself has the driver; null where no file says it. */
  @Nullable CatalogValue inKernel() {
    return inKernel;
  }

  /**
   * Returns whether a kernel itself has the driver.
   *
   * @param kernel see {@link org.pinwise.rules.model.Kernel}; null where it is unknown
   * @return null where that is unknown
   */
  @Nullable Boolean inKernel(@Nullable Integer kernel) {
    return inKernel == null ? null : (Boolean) inKernel.on(kernel);
  }

  /** Returns the kernels that were read for each fact that depends on the kernel. */
  Map<String, Set<Integer>> kernels() {
    Map<String, Set<Integer>> kernels = new LinkedHashMap<>();
    values.forEach((field, value) -> {
      if (value.always() == null) {
        kernels.put(field, value.byKernel().keySet());
      }
    });
    return kernels;
  }

  /**
   * Returns what is known of the device under a kernel. Where a kernel does not have its driver,
   * one from elsewhere may be there, of which nothing was read: then all but its ids is unknown.
   *
   * @param kernel see {@link org.pinwise.rules.model.Kernel}; null where it is unknown, which
   *     leaves unknown what kernels differ in
   */
  public Device facts(@Nullable Integer kernel) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("driver", driver);
    if (partIds.size() == 1) {
      facts.put(PART_ID, partIds.iterator().next());
    }
    if (!Boolean.FALSE.equals(inKernel(kernel))) {
      values.forEach((field, value) -> facts.put(field, value.on(kernel)));
    }
    return Device.TYPE.of(facts);
  }

  @Override
  public String toString() {
    return name;
  }
}

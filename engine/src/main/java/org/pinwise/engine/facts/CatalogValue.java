package org.pinwise.engine.facts;

import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A value of the catalogue: one for all kernels, as hardware has it, or what was seen on some
 * kernels, as drivers have it.
 *
 * @param source where it was read
 * @param always the value for all kernels; null where {@code byKernel} holds values
 * @param byKernel the value of each kernel that was read; empty means unknown there
 */
record CatalogValue(
    String source, @Nullable Object always, NavigableMap<Integer, Optional<Object>> byKernel) {

  static CatalogValue always(String source, Object value) {
    return new CatalogValue(source, value, new TreeMap<>());
  }

  static CatalogValue byKernel(String source, Map<Integer, Optional<Object>> values) {
    return new CatalogValue(source, null, new TreeMap<>(values));
  }

  /**
   * Returns the value for a kernel: what was read there, or what the neighbours on both sides agree
   * on; with no kernel, what all agree on.
   *
   * @return null where that is unknown, such as beyond the kernels that were read
   */
  @Nullable Object on(@Nullable Integer kernel) {
    if (always != null) {
      return always;
    }
    if (kernel == null) {
      Set<Optional<Object>> distinct = new HashSet<>(byKernel.values());
      return distinct.size() == 1 ? distinct.iterator().next().orElse(null) : null;
    }
    Map.Entry<Integer, Optional<Object>> floor = byKernel.floorEntry(kernel);
    Map.Entry<Integer, Optional<Object>> ceiling = byKernel.ceilingEntry(kernel);
    return floor != null && ceiling != null && Objects.equals(floor.getValue(), ceiling.getValue())
        ? floor.getValue().orElse(null)
        : null;
  }
}

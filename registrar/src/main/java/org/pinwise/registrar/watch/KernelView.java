package org.pinwise.registrar.watch;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the kernel knows. A part that cannot be read is empty, and {@code problems} says why.
 *
 * @param regions all regions that it told of, of all processes
 * @param counts how many regions each device has, which everyone is told
 * @param paging what on-demand regions did, by device and figure such as {@code page_faults},
 *     summed over regions; empty where no region is on demand
 * @param counters hardware counters that are not 0, by device, port and name: {@code
 *     mlx5_0/1/local_ack_timeout_err}
 * @param problems why a part is empty; each is one line
 */
public record KernelView(
    List<KernelRegion> regions,
    Map<String, Long> counts,
    Map<String, Map<String, Long>> paging,
    Map<String, Long> counters,
    List<String> problems) {

  /** Makes the value. */
  public KernelView {
    regions = List.copyOf(regions);
    problems = List.copyOf(problems);
    counts = sorted(counts);
    counters = sorted(counters);
    Map<String, Map<String, Long>> devices = new TreeMap<>();
    paging.forEach((device, figures) -> devices.put(device, sorted(figures)));
    paging = Collections.unmodifiableMap(devices);
  }

  /** A copy in the order of its names, as which it is shown. */
  static <V> Map<String, V> sorted(Map<String, V> map) {
    return Collections.unmodifiableMap(new TreeMap<>(map));
  }

  /** Whether nothing at all could be read. */
  public boolean isEmpty() {
    return counts.isEmpty() && regions.isEmpty() && counters.isEmpty();
  }

  /** Whether the kernel told the keys of its regions. */
  public boolean hasKeys() {
    return regions.stream().anyMatch(region -> region.lkey() != null);
  }
}

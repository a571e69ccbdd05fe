package org.pinwise.registrar.watch;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pinwise.registrar.monitor.LatencyFigures;
import org.pinwise.registrar.monitor.RegionFigures;

/**
 * A registrar of a running JVM, as its bean told; see {@link
 * org.pinwise.registrar.monitor.RegistrarMXBean} for the figures.
 *
 * @param name the bean's name
 */
public record JvmRegistrar(
    String name,
    String device,
    boolean simulated,
    long maxRegions,
    long registrations,
    long deregistrations,
    long refusals,
    long failures,
    long failedDeregistrations,
    long fallbacks,
    long evictions,
    long lostLeases,
    LatencyFigures registrationLatency,
    LatencyFigures deregistrationLatency,
    List<RegionFigures> regions,
    Map<String, Map<String, Long>> caches) {

  /** Makes the value. */
  public JvmRegistrar {
    regions = List.copyOf(regions);
    Map<String, Map<String, Long>> named = new TreeMap<>();
    caches.forEach((cache, figures) -> named.put(cache, KernelView.sorted(figures)));
    caches = Collections.unmodifiableMap(named);
  }
}

package org.pinwise.registrar.monitor;

import java.util.List;
import java.util.Map;

/**
 * The figures of one registrar, for JMX. Its name is {@code
 * org.pinwise:type=Registrar,device="mlx5_0",id=1}; the id tells registrars of one device apart.
 *
 * <p>Counts start at 0 when the monitor was opened, and only rise. They are read one after the
 * other, while the registrar works: a region that is registered meanwhile may be in one and not yet
 * in the next.
 */
public interface RegistrarMXBean {

  /** A pattern that the names of all such beans match. */
  String NAMES = "org.pinwise:type=Registrar,*";

  /** The device's name, such as {@code mlx5_0}; of a simulated device that in the catalogue. */
  String getDevice();

  /** Whether the device is simulated: its keys mean nothing to any hardware. */
  boolean isSimulated();

  /** How many regions the device has room for, {@code max_mr}; -1 where that is unknown. */
  long getMaxRegions();

  /** How many regions were registered. */
  long getRegistrations();

  /** How many regions were given back. */
  long getDeregistrations();

  /** How many registrations the rules refused, without a native call. */
  long getRefusals();

  /** How many registering calls failed. */
  long getFailures();

  /** How many times a region was not taken back. */
  long getFailedDeregistrations();

  /** How many rungs of fallback ladders were tried or passed over, first attempts not counted. */
  long getFallbacks();

  /** How many regions caches let go, for whatever reason. */
  long getEvictions();

  /** How many leases became unreachable without being closed; only where leases are tracked. */
  long getLostLeases();

  /** How many regions are registered now, those from before the monitor was opened included. */
  int getLiveRegions();

  /** How many bytes are registered now; bytes of several regions count for each. */
  long getLiveBytes();

  /** How long native registering calls took that succeeded. */
  LatencyFigures getRegistrationLatency();

  /** How long native deregistering calls took that succeeded. */
  LatencyFigures getDeregistrationLatency();

  /** The regions that are registered now, oldest first. Takes time and memory by their number. */
  List<RegionFigures> getRegions();

  /**
   * The figures of the caches that are watched, by cache and figure; what increments what says the
   * documentation of {@code CacheStats}. Empty where no cache is watched.
   */
  Map<String, Map<String, Long>> getCaches();
}

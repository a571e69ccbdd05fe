package org.pinwise.registrar.monitor;

import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.FallbackStep;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.cache.CacheStats;
import org.pinwise.registrar.cache.RegionCache;

/**
 * Watches a registrar: makes Flight Recorder events of what it does, counts it, and shows the
 * figures as a management bean, by which {@code pinwise monitor --pid} finds them.
 *
 * {@snippet :
 * try (MemoryRegistrar registrar = MemoryRegistrar.open("mlx5_0", validator);
 *     RegistrarMonitor monitor = RegistrarMonitor.open(registrar)) {
 *   run(registrar);
 * }
 * }
 *
 * <p>The events are {@code org.pinwise.Registration}, {@code Deregistration}, {@code Refusal},
 * {@code Failure}, {@code Fallback}, {@code Eviction} and {@code LostLease}; without a recording
 * they cost next to nothing.
 *
 * <p>Thread-safe.
 */
public final class RegistrarMonitor implements AutoCloseable {

  private final MemoryRegistrar registrar;
  private final FlightEvents events;
  private final Figures figures;
  private final MBeanServer server;
  private @Nullable ObjectName name;

  private RegistrarMonitor(MemoryRegistrar registrar, MBeanServer server) {
    this.registrar = registrar;
    this.events = new FlightEvents(registrar);
    this.figures = new Figures(registrar);
    this.server = server;
  }

  /**
   * Starts to watch a registrar, with its bean in the platform's server.
   *
   * @throws IllegalStateException if the bean cannot be registered, for lack of permission
   */
  public static RegistrarMonitor open(MemoryRegistrar registrar) {
    RegistrarMonitor monitor =
        new RegistrarMonitor(registrar, ManagementFactory.getPlatformMBeanServer());
    monitor.start();
    return monitor;
  }

  private synchronized void start() {
    try {
      int id = 1;
      while (!register(id)) {
        id++; // another registrar of this device
      }
    } catch (JMException e) {
      throw new IllegalStateException(
          "the management bean of %s cannot be registered: %s\nMaybe a security policy forbids it."
              .formatted(registrar, e.getMessage()),
          e);
    }
    registrar.listen(events);
    registrar.listen(figures);
  }

  /** Whether the number was free. */
  private synchronized boolean register(int id) throws JMException {
    ObjectName next =
        new ObjectName(
            "org.pinwise:type=Registrar,device=%s,id=%d"
                .formatted(ObjectName.quote(registrar.deviceName()), id));
    try {
      server.registerMBean(figures, next);
    } catch (InstanceAlreadyExistsException e) {
      return false;
    }
    name = next;
    return true;
  }

  /**
   * Shows the figures of a cache, too.
   *
   * @param cacheName unique among the caches of this registrar
   */
  public void watchCache(String cacheName, RegionCache cache) {
    figures.caches.put(cacheName, cache);
  }

  /** The figures, as the bean has them. */
  public RegistrarMXBean figures() {
    return figures;
  }

  /** The bean's name. */
  public synchronized String beanName() {
    return String.valueOf(name);
  }

  /** Stops watching, and takes the bean away. A second call does nothing. */
  @Override
  public synchronized void close() {
    registrar.unlisten(events);
    registrar.unlisten(figures);
    ObjectName registered = name;
    if (registered == null) {
      return;
    }
    name = null;
    try {
      server.unregisterMBean(registered);
    } catch (InstanceNotFoundException e) {
      return; // someone else took it away
    } catch (JMException e) {
      throw new IllegalStateException(
          "%s cannot be unregistered: %s\nMaybe a security policy forbids it."
              .formatted(registered, e.getMessage()),
          e);
    }
  }

  /** The figures by the names that their documentation has. */
  private static Map<String, Long> named(CacheStats stats) {
    Map<String, Long> figures = new TreeMap<>();
    for (RecordComponent component : CacheStats.class.getRecordComponents()) {
      try {
        figures.put(component.getName(), (Long) component.getAccessor().invoke(stats));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("a public accessor cannot be called", e);
      }
    }
    return figures;
  }

  /** Counts, and answers as the bean. */
  private static final class Figures implements RegistrarMXBean, RegistrarListener {
    /** What a ladder calls the first attempt, which is no fallback. */
    private static final String FIRST_ATTEMPT = "as asked";

    private final MemoryRegistrar registrar;
    private final LongAdder registrations = new LongAdder();
    private final LongAdder deregistrations = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder failedDeregistrations = new LongAdder();
    private final LongAdder fallbacks = new LongAdder();
    private final LongAdder evictions = new LongAdder();
    private final LongAdder lostLeases = new LongAdder();
    private final Latencies registering = new Latencies();
    private final Latencies deregistering = new Latencies();
    private final Map<String, RegionCache> caches = new ConcurrentHashMap<>();

    Figures(MemoryRegistrar registrar) {
      this.registrar = registrar;
    }

    @Override
    public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
      registrations.increment();
      registering.record(nanos);
    }

    @Override
    public void deregistered(RegisteredRegion region, long nanos) {
      deregistrations.increment();
      deregistering.record(nanos);
    }

    @Override
    public void refused(MemoryRegistrar of, Verdict verdict) {
      refusals.increment();
    }

    @Override
    public void failed(MemoryRegistrar of, VerbsException error, Verdict diagnosis, long nanos) {
      failures.increment();
    }

    @Override
    public void notDeregistered(RegisteredRegion region, VerbsException error, long nanos) {
      failedDeregistrations.increment();
    }

    @Override
    public void fellBack(MemoryRegistrar of, FallbackStep step) {
      if (!step.rung().equals(FIRST_ATTEMPT)) {
        fallbacks.increment();
      }
    }

    @Override
    public void evicted(RegisteredRegion region, Eviction why) {
      evictions.increment();
    }

    @Override
    public void leaseLost(RegisteredRegion region, String where) {
      lostLeases.increment();
    }

    @Override
    public String getDevice() {
      return registrar.deviceName();
    }

    @Override
    public boolean isSimulated() {
      return registrar.isSimulated();
    }

    @Override
    public long getMaxRegions() {
      Long max = registrar.device().maxMr();
      return max == null ? -1 : max;
    }

    @Override
    public long getRegistrations() {
      return registrations.sum();
    }

    @Override
    public long getDeregistrations() {
      return deregistrations.sum();
    }

    @Override
    public long getRefusals() {
      return refusals.sum();
    }

    @Override
    public long getFailures() {
      return failures.sum();
    }

    @Override
    public long getFailedDeregistrations() {
      return failedDeregistrations.sum();
    }

    @Override
    public long getFallbacks() {
      return fallbacks.sum();
    }

    @Override
    public long getEvictions() {
      return evictions.sum();
    }

    @Override
    public long getLostLeases() {
      return lostLeases.sum();
    }

    @Override
    public int getLiveRegions() {
      return registrar.regionCount();
    }

    @Override
    public long getLiveBytes() {
      return registrar.regions().stream().mapToLong(RegisteredRegion::length).sum();
    }

    @Override
    public LatencyFigures getRegistrationLatency() {
      return registering.figures();
    }

    @Override
    public LatencyFigures getDeregistrationLatency() {
      return deregistering.figures();
    }

    @Override
    public List<RegionFigures> getRegions() {
      return registrar.regions().stream()
          .map(region ->
              new RegionFigures(
                  Integer.toUnsignedLong(region.lkey()),
                  Integer.toUnsignedLong(region.rkey()),
                  "0x%x".formatted(region.address()),
                  region.length(),
                  region.access().toString(),
                  region.age().toMillis(),
                  region.leases(),
                  region.label()))
          .sorted(Comparator.comparingLong(RegionFigures::ageMillis).reversed())
          .toList();
    }

    @Override
    public Map<String, Map<String, Long>> getCaches() {
      Map<String, Map<String, Long>> read = new TreeMap<>();
      caches.forEach((cacheName, cache) -> read.put(cacheName, named(cache.stats())));
      return read;
    }
  }
}

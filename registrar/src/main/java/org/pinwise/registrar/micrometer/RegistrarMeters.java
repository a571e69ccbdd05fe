package org.pinwise.registrar.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.FallbackStep;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.VerbsException;

/**
 * The figures of a registrar as meters.
 *
 * {@snippet :
 * try (MemoryRegistrar registrar = MemoryRegistrar.open("mlx5_0", validator);
 *     RegistrarMeters meters = RegistrarMeters.bind(registrar, registry)) {
 *   run(registrar);
 * }
 * }
 *
 * <p>All have the tags {@code device} and {@code simulated}:
 *
 * <ul>
 *   <li>timers {@code pinwise.register} and {@code pinwise.deregister}: native calls that succeeded
 *   <li>counters {@code pinwise.refusals} (tag {@code rule}: the first that refused it), {@code
 *       pinwise.failures} (tags {@code operation}, {@code errno}), {@code pinwise.fallbacks} (tags
 *       {@code rung}, {@code result}; the first attempt has the rung {@code as asked}), {@code
 *       pinwise.evictions} (tag {@code reason}), {@code pinwise.leases.lost}
 *   <li>gauges {@code pinwise.regions} and {@code pinwise.bytes}: what is registered now
 * </ul>
 *
 * <p>Registrars of one device that are bound to one registry add up in the timers and counters; of
 * the gauges Micrometer keeps the first one's.
 *
 * <p>Thread-safe.
 */
public final class RegistrarMeters implements AutoCloseable {
  private final MemoryRegistrar registrar;
  private final MeterRegistry registry;
  private final Listener listener;
  private final List<Meter> gauges;

  private RegistrarMeters(MemoryRegistrar registrar, MeterRegistry registry) {
    this.registrar = registrar;
    this.registry = registry;
    Tags tags =
        Tags.of(
            "device",
            registrar.deviceName(),
            "simulated",
            Boolean.toString(registrar.isSimulated()));
    this.listener = new Listener(registry, tags);
    this.gauges =
        List.of(
            Gauge.builder("pinwise.regions", registrar, MemoryRegistrar::regionCount)
                .description("Regions that are registered now")
                .tags(tags)
                .register(registry),
            Gauge.builder("pinwise.bytes", registrar, RegistrarMeters::bytes)
                .description("Bytes that are registered now, for each region that covers them")
                .baseUnit(BaseUnits.BYTES)
                .tags(tags)
                .register(registry));
  }

  /** Starts to measure a registrar. */
  public static RegistrarMeters bind(MemoryRegistrar registrar, MeterRegistry registry) {
    RegistrarMeters meters = new RegistrarMeters(registrar, registry);
    registrar.listen(meters.listener);
    return meters;
  }

  private static double bytes(MemoryRegistrar registrar) {
    return registrar.regions().stream().mapToLong(RegisteredRegion::length).sum();
  }

  /** Stops measuring; timers and counters stay as they are, the gauges go. */
  @Override
  public void close() {
    registrar.unlisten(listener);
    gauges.forEach(registry::remove);
  }

  private static final class Listener implements RegistrarListener {
    private final MeterRegistry registry;
    private final Tags tags;
    private final Timer registering;
    private final Timer deregistering;

    Listener(MeterRegistry registry, Tags tags) {
      this.registry = registry;
      this.tags = tags;
      this.registering =
          Timer.builder("pinwise.register")
              .description("Native registering calls that succeeded")
              .tags(tags)
              .register(registry);
      this.deregistering =
          Timer.builder("pinwise.deregister")
              .description("Native deregistering calls that succeeded")
              .tags(tags)
              .register(registry);
    }

    private void count(String name, String... more) {
      registry.counter(name, tags.and(more)).increment();
    }

    @Override
    public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
      registering.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void deregistered(RegisteredRegion region, long nanos) {
      deregistering.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void refused(MemoryRegistrar of, Verdict verdict) {
      // Errors come first.
      count("pinwise.refusals", "rule", verdict.findings().getFirst().rule());
    }

    @Override
    public void failed(MemoryRegistrar of, VerbsException error, Verdict diagnosis, long nanos) {
      count("pinwise.failures", "operation", error.operation(), "errno", error.errnoName());
    }

    @Override
    public void notDeregistered(RegisteredRegion region, VerbsException error, long nanos) {
      count("pinwise.failures", "operation", error.operation(), "errno", error.errnoName());
    }

    @Override
    public void fellBack(MemoryRegistrar of, FallbackStep step) {
      count(
          "pinwise.fallbacks",
          "rung",
          step.rung(),
          "result",
          step.result().name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void evicted(RegisteredRegion region, Eviction why) {
      count("pinwise.evictions", "reason", why.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void leaseLost(RegisteredRegion region, String where) {
      count("pinwise.leases.lost");
    }
  }
}

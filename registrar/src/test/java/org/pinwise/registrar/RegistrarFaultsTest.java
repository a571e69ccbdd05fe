package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.registrar.cache.CacheLease;
import org.pinwise.registrar.cache.CacheOptions;
import org.pinwise.registrar.cache.RegionCache;
import org.pinwise.registrar.verbs.DmaBufs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

/**
 * Every native call of every scenario fails once. Whatever it is, the error names the call, what
 * can be closed is, and nothing is live in the end.
 */
class RegistrarFaultsTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final SimulatedDevice DEVICE = Simulations.device("rxe");
  private static final int DMABUF = 1000;

  @TempDir private static Path descriptors;

  /** A program; what it leaves open after a failure, a second close must close. */
  enum Scenario {
    OPEN_AND_CLOSE {
      @Override
      void run(Run run) {}
    },
    REGIONS_CLOSED_BY_THEIR_OWNER {
      @Override
      void run(Run run) {
        run.register().close();
        RegisteredRegion first = run.register();
        RegisteredRegion second = run.registerUnderIova();
        first.close();
        second.close();
      }
    },
    REGIONS_CLOSED_BY_THE_REGISTRAR {
      @Override
      void run(Run run) {
        run.register();
        run.registerUnderIova();
        run.register();
      }
    },
    ARENA {
      @Override
      void run(Run run) {
        RegistrationArena arena = run.registrar().openArena(WRITE);
        run.closeLater(arena);
        arena.allocateRegistered(4096, 4096);
        arena.allocateRegistered(4096, 4096);
        run.register();
        arena.close();
      }
    },
    LEASES {
      @Override
      void run(Run run) {
        RegistrationArena arena = run.registrar().openArena(WRITE);
        run.closeLater(arena);
        RegionLease inArena = run.lease(arena.allocateRegistered(4096, 4096));
        RegisteredRegion region = run.register();
        RegionLease lease = run.lease(region);
        region.closeWith(WhenLeased.defer());
        arena.closeWith(WhenLeased.defer());
        run.closeAll(lease, inArena);
      }
    },
    WATCHED_ARENA {
      @Override
      void run(Run run) {
        run.listen();
        try (Arena watched = Arena.ofShared()) {
          run.registrar().watch(watched);
          run.registrar().register(watched.allocate(4096, 4096), WRITE).orElseThrow();
          run.registrar().register(watched.allocate(4096, 4096), WRITE).orElseThrow();
        }
        run.throwWhatWasTold();
      }
    },
    CHUNKS {
      @Override
      void run(Run run) {
        ChunkedRegion region =
            run.registrar()
                .registerChunked(run.allocate(5 * 4096), Registration.of(WRITE), Chunks.of(4096))
                .orElseThrow();
        run.closeLater(region);
        region.close();
      }
    },
    POOL {
      @Override
      void run(Run run) {
        RegionPool pool =
            run.registrar()
                .openPool(WRITE, PoolOptions.DEFAULT.withSizes(256, 512).withSlabBytes(512));
        run.closeLater(pool);
        PooledBuffer first = pool.acquire(512);
        run.closeFirst(first);
        PooledBuffer second = pool.acquire(512);
        run.closeFirst(second);
        run.closeAll(first, second);
        pool.close();
      }
    },
    FALLBACK {
      @Override
      void run(Run run) {
        RegionPool pool =
            run.registrar().openPool(WRITE, PoolOptions.DEFAULT.withSizes(4096, 8192));
        run.closeLater(pool);
        FallbackOutcome outcome =
            run.registrar()
                .register(
                    run.allocate(2 * 4096),
                    Registration.of(WRITE),
                    List.of(
                        Rung.withoutOptionalFlags(),
                        Rung.chunks(Chunks.of(4096)),
                        Rung.bounce(pool)));
        run.closeLater(outcome.orElseThrow());
        outcome.orElseThrow().close();
        outcome.steps().stream()
            .flatMap(step -> step.error().stream())
            .forEach(error -> {
              throw error;
            });
      }
    },
    CACHE {
      @Override
      void run(Run run) {
        run.listen();
        RegionCache cache =
            RegionCache.on(
                run.registrar(), CacheOptions.DEFAULT.withMaxRegions(2).withOwnScans(false));
        run.closeLater(cache);
        MemorySegment memory = run.allocate(8 * 4096);
        for (int i = 0; i < 4; i++) { // two are evicted
          cache.acquire(memory.asSlice(i * 4096L, 4096), WRITE).close();
        }
        cache.acquire(memory, WRITE).close(); // covers the others
        CacheLease lease = cache.acquire(memory, WRITE);
        cache.invalidate(memory);
        run.closeAll(lease); // gives it back
        cache.acquire(memory, WRITE).close();
        cache.scan();
        cache.clear();
        cache.close();
        run.throwWhatWasTold();
      }
    },
    DMABUF_AND_PREFETCH {
      @Override
      SimulatedDevice device() {
        return Simulations.device("connectx5");
      }

      @Override
      void run(Run run) {
        MemoryRegistrar registrar = run.registrar();
        RegisteredRegion exported =
            registrar
                .registerDmaBuf(new DmaBuf(DMABUF, 0, 4096), Registration.of(WRITE))
                .orElseThrow();
        RegisteredRegion paged =
            registrar.register(run.allocate(4096), Access.of(LOCAL_WRITE, ON_DEMAND)).orElseThrow();
        registrar.prefetch(Prefetch.WRITE, paged.split(0, 4096));
        registrar.prefetchAndWait(Prefetch.READ, paged.split(0, 4096));
        exported.close();
      }
    },
    TWO_REGISTRARS {
      @Override
      void run(Run run) {
        run.register();
        run.open();
        run.register();
      }
    };

    abstract void run(Run run);

    SimulatedDevice device() {
      return DEVICE;
    }
  }

  /** What a scenario has opened, and how it cleans up when told to. */
  static final class Run {
    private final FaultInjectingVerbs verbs;
    private final SimulatedDevice device;
    private final Arena memory;
    private final List<MemoryRegistrar> registrars = new ArrayList<>();
    private final List<AutoCloseable> others = new ArrayList<>();
    private final List<VerbsException> told = new ArrayList<>();

    Run(FaultInjectingVerbs verbs, SimulatedDevice device, Arena memory) {
      this.verbs = verbs;
      this.device = device;
      this.memory = memory;
    }

    void open() {
      registrars.add(Simulations.open(verbs, device));
    }

    MemoryRegistrar registrar() {
      return registrars.getLast();
    }

    RegisteredRegion register() {
      return registrar().register(memory.allocate(4096, 4096), WRITE).orElseThrow();
    }

    RegisteredRegion registerUnderIova() {
      return registrar()
          .register(memory.allocate(4096, 4096), Registration.of(WRITE).iova(0))
          .orElseThrow();
    }

    MemorySegment allocate(long bytes) {
      return memory.allocate(bytes, 4096);
    }

    /** Remembers failures that no call reports, because it has done what it was asked. */
    void listen() {
      registrar()
          .listen(
              new RegistrarListener() {
                @Override
                public void notDeregistered(
                    RegisteredRegion region, VerbsException error, long nanos) {
                  told.add(error);
                }
              });
    }

    void throwWhatWasTold() {
      if (!told.isEmpty()) {
        throw told.getFirst();
      }
    }

    /** Closes these, all of them, and throws the first failure. */
    void closeAll(AutoCloseable... closeables) {
      Failures failures = new Failures();
      for (AutoCloseable one : closeables) {
        failures.run(() -> closeUnchecked(one));
      }
      failures.rethrow();
    }

    RegionLease lease(RegisteredRegion region) {
      RegionLease lease = region.lease();
      closeFirst(lease);
      return lease;
    }

    /** Later, but before all that was opened before. */
    void closeFirst(AutoCloseable other) {
      others.addFirst(other);
    }

    void closeLater(AutoCloseable other) {
      others.add(other);
    }

    /** Closes all; goes on after a failure, and throws the first. */
    void close() {
      Failures failures = new Failures();
      for (AutoCloseable other : others) {
        failures.run(() -> closeUnchecked(other));
      }
      for (MemoryRegistrar registrar : registrars) {
        failures.run(registrar::close);
      }
      failures.rethrow();
    }

    private static void closeUnchecked(AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** All calls of all scenarios, found by a run without faults. */
  static Stream<Arguments> calls() {
    List<Arguments> all = new ArrayList<>();
    for (Scenario scenario : Scenario.values()) {
      FaultInjectingVerbs verbs = verbs(scenario);
      assertThat(failuresOf(scenario, verbs)).isEmpty();
      for (Operation operation : Operation.values()) {
        for (int call = 1; call <= verbs.calls(operation); call++) {
          all.add(Arguments.of(scenario, operation, call));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}: {1} {2}")
  @MethodSource("calls")
  void nothingLeaks(Scenario scenario, Operation operation, int call) {
    FaultInjectingVerbs verbs = verbs(scenario).fail(operation, call, Errno.EIO);

    List<RuntimeException> failures = failuresOf(scenario, verbs);

    assertThat(failures)
        .singleElement()
        .isInstanceOfSatisfying(
            VerbsException.class,
            e -> {
              assertThat(e.operation()).isEqualTo(operation.function());
              assertThat(e.errno()).isEqualTo(Errno.EIO.number());
              assertThat(e.getSuppressed()).isEmpty();
            });
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  private static FaultInjectingVerbs verbs(Scenario scenario) {
    return new FaultInjectingVerbs(
        DmaBufs.simulated(scenario.device(), descriptors, DMABUF, 1 << 20));
  }

  /** Runs a scenario, closes what it opened, and closes again where that failed. */
  private static List<RuntimeException> failuresOf(Scenario scenario, FaultInjectingVerbs verbs) {
    List<RuntimeException> failures = new ArrayList<>();
    try (Arena memory = Arena.ofShared()) {
      Run run = new Run(verbs, scenario.device(), memory);
      List<Runnable> steps =
          List.of(
              () -> {
                run.open();
                scenario.run(run);
              },
              run::close,
              run::close);
      for (Runnable step : steps) {
        try {
          step.run();
        } catch (RuntimeException e) {
          failures.add(e);
        }
      }
    }
    return failures;
  }
}

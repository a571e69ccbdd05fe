package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.BounceBuffer;
import org.pinwise.registrar.ChunkedOutcome;
import org.pinwise.registrar.Chunks;
import org.pinwise.registrar.FallbackOutcome;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.PoolOptions;
import org.pinwise.registrar.RegionInUseException;
import org.pinwise.registrar.RegionPool;
import org.pinwise.registrar.RegisteredMemory;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.RegistrationArena;
import org.pinwise.registrar.RegistrationOutcome;
import org.pinwise.registrar.Rung;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.cache.CacheLease;
import org.pinwise.registrar.cache.CacheOptions;
import org.pinwise.registrar.cache.CacheStats;
import org.pinwise.registrar.cache.RegionCache;
import org.pinwise.rules.model.Access;

/**
 * A hundred thousand times memory is registered and given back, through cache, chunks and ladder,
 * on two threads, under a limit on locked memory that binds, while arenas are closed. In the end
 * the kernel counts no region, and as many pinned pages as in the beginning. Exits with 0 if all
 * held.
 *
 * <p>{@code LifeLab [TIMES [SEED]]}, as a user without capabilities, with a small RLIMIT_MEMLOCK.
 */
final class LifeLab {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final Access PEERS = Access.of(LOCAL_WRITE, REMOTE_READ);
  private static final long PAGE = 4096;
  private static final int ARENA_PAGES = 64;
  private static final int ARENAS = 3;
  private static final int THREADS = 2;
  private static final double SHARE_OF_RXE = 0.5;

  private static int failures;

  private LifeLab() {}

  public static void main(String[] args) throws Exception {
    int times = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
    System.out.printf("%d times, seed %d, %s%n", times, seed, memlock());
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    Path file = Files.write(Files.createTempFile("mapped", ""), new byte[(int) PAGE]);
    long pinned = RegistrarLab.pinned();
    check("the kernel counts no region before", RegistrarLab.kernelsRegions() == 0);
    int slow = (int) (times * SHARE_OF_RXE);
    for (String device : List.of("rxe0", "siw0")) {
      new Run(device, validator, file).run(device.equals("rxe0") ? slow : times - slow, seed);
      check(device + ": the kernel counts no region", RegistrarLab.kernelsRegions() == 0);
      check(device + ": VmPin is " + pinned + " again", RegistrarLab.pinned() == pinned);
    }
    System.exit(failures == 0 ? 0 : 1);
  }

  private static String memlock() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/limits")).stream()
        .filter(line -> line.startsWith("Max locked memory"))
        .findFirst()
        .orElse("no limit known")
        .replaceAll(" +", " ");
  }

  /** What two threads do on one device. */
  private static final class Run {
    private final String device;
    private final MrValidator validator;
    private final Path file;
    private final AtomicLong chunked = new AtomicLong();
    private final AtomicLong bounced = new AtomicLong();
    private final AtomicLong lacking = new AtomicLong();
    private final AtomicLong tooLate = new AtomicLong();
    private final AtomicLong arenasClosed = new AtomicLong();
    private final Calls calls = new Calls();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<AtomicReference<RegistrationArena>> arenas = new ArrayList<>();
    private final List<AtomicReference<MemorySegment>> segments = new ArrayList<>();

    Run(String device, MrValidator validator, Path file) {
      this.device = device;
      this.validator = validator;
      this.file = file;
    }

    void run(int times, long seed) throws Exception {
      try (MemoryRegistrar registrar = MemoryRegistrar.open(device, validator);
          Arena arena = Arena.ofShared();
          FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
          RegionPool pool =
              registrar.openPool(
                  WRITE,
                  PoolOptions.DEFAULT
                      .withSizes((int) PAGE, (int) PAGE)
                      .withSlabBytes(16 * (int) PAGE)
                      .withMaxBytes(16 * PAGE))) {
        registrar.listen(calls);
        MemorySegment readOnly = channel.map(FileChannel.MapMode.READ_ONLY, 0, PAGE, arena);
        MemorySegment large = arena.allocate(64 * PAGE, PAGE);
        for (int i = 0; i < ARENAS; i++) {
          arenas.add(new AtomicReference<>());
          segments.add(new AtomicReference<>());
          replaceArena(registrar, i);
        }
        RegionCache cache =
            RegionCache.on(
                registrar,
                CacheOptions.DEFAULT
                    .withMaxRegions(48)
                    .withMaxBytes(192 * PAGE)
                    .withMaxIdle(Duration.ofMillis(1))
                    .withOwnScans(false));
        long start = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
          Random random = new Random(seed + t);
          threads.add(
              Thread.ofPlatform()
                  .uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                  .start(() -> {
                    while (calls.registrations.get() < times && failure.get() == null) {
                      round(registrar, cache, pool, readOnly, large, random);
                    }
                  }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
        System.out.printf(
            "%s: %d s; %s%n", device, (System.nanoTime() - start) / 1_000_000_000, calls);
        if (failure.get() != null) {
          failure.get().printStackTrace(System.out);
        }
        check(device + ": no failure in seed " + seed, failure.get() == null);
        verdict(cache.stats());
        for (AtomicReference<RegistrationArena> one : arenas) {
          one.get().close();
        }
        cache.close();
        check(device + ": only the pool's slab is left", registrar.regionCount() == 1);
        check(
            device + ": what was registered was given back",
            calls.registrations.get() >= times
                && calls.registrations.get() == calls.deregistrations.get());
      }
    }

    private void verdict(CacheStats stats) {
      System.out.printf(
          "%s: %s; %d in chunks, %d bounced, %d lacking memory, %d too late, %d arenas closed%n",
          device,
          stats,
          chunked.get(),
          bounced.get(),
          lacking.get(),
          tooLate.get(),
          arenasClosed.get());
      check(device + ": no lease is left", stats.leases() == 0);
      check(
          device + ": the counts agree",
          stats.misses() == stats.registered() + stats.refused() + stats.failed()
              && stats.registered() == stats.regions() + stats.evicted()
              && stats.releaseFailures() == 0);
      check(
          device + ": all of it happened",
          stats.hits() > 0
              && stats.overBudget() > 0
              && stats.invalidated() > 0
              && chunked.get() > 0
              && bounced.get() > 0
              && arenasClosed.get() > 0);
      check(device + ": the limit on locked memory did bind", lacking.get() + stats.retries() > 0);
    }

    private void round(
        MemoryRegistrar registrar,
        RegionCache cache,
        RegionPool pool,
        MemorySegment readOnly,
        MemorySegment large,
        Random random) {
      int dice = random.nextInt(10_000);
      if (dice < 5) {
        bounce(registrar, pool, readOnly);
      } else if (dice < 105) {
        inChunks(registrar, large.asSlice(random.nextInt(4096), 24 * PAGE));
      } else if (dice < 115) {
        inChunks(registrar, large);
      } else if (dice < 145) {
        replaceArena(registrar, random.nextInt(ARENAS));
      } else if (dice < 195) {
        cache.scan();
      } else if (dice < 245) {
        cache.invalidate(pages(random));
      } else {
        acquire(cache, pages(random), random.nextBoolean() ? WRITE : PEERS);
      }
    }

    private MemorySegment pages(Random random) {
      MemorySegment segment = segments.get(random.nextInt(ARENAS)).get();
      int first = random.nextInt(ARENA_PAGES - 8);
      return segment.asSlice(first * PAGE, (1 + random.nextInt(8)) * PAGE);
    }

    private void acquire(RegionCache cache, MemorySegment memory, Access access) {
      try (CacheLease lease = cache.acquire(memory, access)) {
        if (lease.region().isClosed() || !lease.region().isMemoryAlive()) {
          throw new AssertionError("leased, and gone: " + lease.region());
        }
      } catch (VerbsException e) {
        mustLackMemory(e);
      } catch (IllegalStateException e) {
        tooLate.incrementAndGet(); // another thread has closed the arena
      }
    }

    private void inChunks(MemoryRegistrar registrar, MemorySegment memory) {
      ChunkedOutcome outcome =
          registrar.registerChunked(memory, Registration.of(WRITE), Chunks.of(5 * PAGE));
      switch (outcome) {
        case ChunkedOutcome.Registered registered -> {
          chunked.incrementAndGet();
          registered.region().close();
        }
        case ChunkedOutcome.NotRegistered not -> {
          if (!(not.outcome() instanceof RegistrationOutcome.Failed failed)
              || !not.notGivenBack().isEmpty()) {
            throw new AssertionError(not.toString());
          }
          mustLackMemory(failed.error());
        }
      }
    }

    /** Read-only memory fails with EFAULT; the ladder ends at the pool. */
    private void bounce(MemoryRegistrar registrar, RegionPool pool, MemorySegment readOnly) {
      FallbackOutcome outcome =
          registrar.register(
              readOnly,
              Registration.of(WRITE),
              List.of(Rung.withoutOptionalFlags(), Rung.onDemand(), Rung.bounce(pool)));
      try (RegisteredMemory memory = outcome.orElseThrow()) {
        if (!(memory instanceof BounceBuffer bounce)) {
          throw new AssertionError(outcome.steps().toString());
        }
        bounce.copyIn();
        bounced.incrementAndGet();
      }
    }

    private void mustLackMemory(VerbsException e) {
      if (!e.errnoName().equals("ENOMEM")) {
        throw e;
      }
      lacking.incrementAndGet();
    }

    private void replaceArena(MemoryRegistrar registrar, int i) {
      RegistrationArena fresh = registrar.openArena(WRITE);
      MemorySegment segment = fresh.allocate(ARENA_PAGES * PAGE, PAGE);
      RegistrationArena old = arenas.get(i).getAndSet(fresh);
      segments.get(i).set(segment);
      while (old != null && old.scope().isAlive()) {
        try {
          old.close(); // while the other thread may be registering its memory
          arenasClosed.incrementAndGet();
        } catch (RegionInUseException e) { // the other thread has a lease
          Thread.yield();
        }
      }
    }
  }

  /** Counts and times the native calls. */
  private static final class Calls implements RegistrarListener {
    final AtomicLong registrations = new AtomicLong();
    final AtomicLong deregistrations = new AtomicLong();
    private final AtomicLong registering = new AtomicLong();
    private final AtomicLong deregistering = new AtomicLong();

    @Override
    public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
      registrations.incrementAndGet();
      registering.addAndGet(nanos);
    }

    @Override
    public void deregistered(RegisteredRegion region, long nanos) {
      deregistrations.incrementAndGet();
      deregistering.addAndGet(nanos);
    }

    @Override
    public String toString() {
      return "%d registrations of %d us, %d deregistrations of %d us on average"
          .formatted(
              registrations.get(),
              registering.get() / 1000 / Math.max(1, registrations.get()),
              deregistrations.get(),
              deregistering.get() / 1000 / Math.max(1, deregistrations.get()));
    }
  }

  private static void check(String what, boolean holds) {
    System.out.println((holds ? "ok   " : "FAIL ") + what);
    failures += holds ? 0 : 1;
  }
}

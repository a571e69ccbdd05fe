package org.pinwise.registrar.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegionInUseException;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.RegistrationArena;
import org.pinwise.registrar.Simulations;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.WhenLeased;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

/**
 * Hit, evict, close and invalidate against each other, on threads that do all of it at random. A
 * region that is leased must be open; in the end nothing is lost, nothing was given back twice, and
 * all counts agree. {@code -Dpinwise.stress.seconds} makes it longer, {@code -Dpinwise.stress.seed}
 * repeats the draws. With {@code -Dpinwise.stress.device} it works on a device of this machine, as
 * in the lab; what is injected to fail never reaches it.
 */
class CacheStressTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final Access READ = Access.NONE;
  private static final Access PEERS = Access.of(LOCAL_WRITE, REMOTE_READ);
  private static final Access[] ACCESSES = {WRITE, READ, PEERS};
  private static final long PAGE = 4096;
  private static final int PAGES = 48;
  private static final int THREADS = 2;

  /** Of each thread, if no time is given. */
  private static final int ROUNDS = 25_000;

  private static final long SECONDS = Long.getLong("pinwise.stress.seconds", 0);

  /** Goes on for so many times as long, until all that is to be seen has been. */
  private static final int PATIENCE = 50;

  private static final int ARENAS = 3;

  private final long seed = Long.getLong("pinwise.stress.seed", System.nanoTime());
  private final SimulatedDevice device = Simulations.device("connectx5");
  private final @Nullable String real = System.getProperty("pinwise.stress.device");
  private final FaultInjectingVerbs verbs =
      new FaultInjectingVerbs(real == null ? Verbs.simulated(device) : Verbs.system());
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Requests of which the cache must know. */
  private final AtomicLong acquired = new AtomicLong();

  private final Map<Eviction, AtomicLong> toldEvicted = new EnumMap<>(Eviction.class);
  private final AtomicLong toldRegistered = new AtomicLong();
  private final AtomicLong toldDeregistered = new AtomicLong();

  @Test
  void nothingIsLostAndNothingIsGivenBackTwice() throws Exception {
    try (MemoryRegistrar registrar =
            real == null ? Simulations.open(verbs, device) : Simulations.openReal(verbs, real);
        Arena memory = Arena.ofShared()) {
      registrar.listen(new Counting());
      AtomicLong clock = new AtomicLong();
      CacheOptions options =
          CacheOptions.DEFAULT
              .withMaxRegions(24)
              .withMaxBytes(120 * PAGE)
              .withMaxIdle(Duration.ofNanos(3));
      RegionCache cache = RegionCache.on(registrar, options, () -> clock.addAndGet(10));
      Room room = new Room(registrar, cache, memory.allocate(PAGES * PAGE, PAGE));
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        Random random = new Random(seed + t);
        threads.add(
            Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e))
                .start(() -> room.work(random)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failure.get()).as("seed %d", seed).isNull();
      verbs.heal();
      room.close();

      CacheStats stats = cache.stats();
      System.out.printf("seed %d: %d acquired, %s%n", seed, acquired.get(), stats);
      assertThat(stats.leases()).isZero();
      assertThat(stats.hits() + stats.waits() + stats.misses()).isEqualTo(acquired.get());
      assertThat(stats.misses()).isEqualTo(stats.registered() + stats.refused() + stats.failed());
      assertThat(stats.registered()).isEqualTo(stats.regions() + stats.evicted());
      assertThat(stats.idle()).isEqualTo(told(Eviction.IDLE));
      assertThat(stats.overBudget()).isEqualTo(told(Eviction.BUDGET));
      assertThat(stats.invalidated()).isEqualTo(told(Eviction.INVALIDATED));
      assertThat(stats.covered()).isEqualTo(told(Eviction.COVERED));
      assertThat(stats.closed()).isEqualTo(told(Eviction.CLOSED));
      assertThat(stats.regions()).isLessThanOrEqualTo(24);
      assertThat(stats.bytes()).isLessThanOrEqualTo(120 * PAGE);
      assertThat(hasSeenAll(stats)).as("all of it was seen: %s", stats).isTrue();
      cache.close();
      assertThat(registrar.regionCount()).isZero();
      assertThat(toldDeregistered.get()).isEqualTo(toldRegistered.get());
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    }
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  private static boolean hasSeenAll(CacheStats stats) {
    return stats.hits() > 0
        && stats.idle() > 0
        && stats.overBudget() > 0
        && stats.invalidated() > 0
        && stats.covered() > 0
        && stats.closed() > 0
        && stats.failed() > 0
        && stats.releaseFailures() > 0;
  }

  private long told(Eviction why) {
    AtomicLong count = toldEvicted.get(why);
    return count == null ? 0 : count.get();
  }

  /** Counts what happens by itself. */
  private final class Counting implements RegistrarListener {
    @Override
    public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
      toldRegistered.incrementAndGet();
    }

    @Override
    public void deregistered(RegisteredRegion region, long nanos) {
      toldDeregistered.incrementAndGet();
    }

    @Override
    public void evicted(RegisteredRegion region, Eviction why) {
      synchronized (toldEvicted) {
        toldEvicted.computeIfAbsent(why, ignored -> new AtomicLong()).incrementAndGet();
      }
    }
  }

  /** What the threads work on. */
  private final class Room {
    private final MemoryRegistrar registrar;
    private final RegionCache cache;
    private final MemorySegment memory;
    private final List<AtomicReference<RegistrationArena>> arenas = new ArrayList<>();
    private final List<AtomicReference<MemorySegment>> segments = new ArrayList<>();
    private final AtomicInteger inUse = new AtomicInteger();

    Room(MemoryRegistrar registrar, RegionCache cache, MemorySegment memory) {
      this.registrar = registrar;
      this.cache = cache;
      this.memory = memory;
      for (int i = 0; i < ARENAS; i++) {
        RegistrationArena arena = registrar.openArena(WRITE);
        arenas.add(new AtomicReference<>(arena));
        segments.add(new AtomicReference<>(arena.allocate(8 * PAGE, PAGE)));
      }
    }

    void work(Random random) {
      long start = System.nanoTime();
      for (int round = 0; goesOn(round, start) && failure.get() == null; round++) {
        switch (random.nextInt(1000)) {
          case 0, 1, 2, 3 -> quietly(() -> cache.invalidate(pages(random, 4)));
          case 4, 5, 6, 7 -> scanTwice();
          case 8, 9 -> quietly(cache::clear);
          case 10, 11, 12, 13 -> closeARegion(random);
          case 14, 15 -> replaceAnArena(random.nextInt(ARENAS));
          case 16, 17 -> verbs.failNext(Operation.DEREG_MR, Errno.EIO);
          case 18, 19 -> verbs.failNext(Operation.REG_MR, Errno.EIO);
          case 20 -> verbs.failNext(Operation.REG_MR, Errno.ENOMEM);
          default -> use(random);
        }
      }
    }

    private boolean goesOn(int round, long start) {
      long spent = SECONDS == 0 ? round : System.nanoTime() - start;
      long enough = SECONDS == 0 ? ROUNDS : TimeUnit.SECONDS.toNanos(SECONDS);
      return spent < enough || (spent < PATIENCE * enough && !hasSeenAll(cache.stats()));
    }

    /** What nobody uses in between is idle. */
    private void scanTwice() {
      quietly(cache::scan);
      LockSupport.parkNanos(1);
      quietly(cache::scan);
    }

    private MemorySegment pages(Random random, int longest) {
      int first = random.nextInt(PAGES - longest);
      return memory.asSlice(first * PAGE, (1 + random.nextInt(longest)) * PAGE);
    }

    private void use(Random random) {
      boolean ofArena = random.nextInt(4) == 0;
      int longest = random.nextInt(50) == 0 ? 30 : 3;
      MemorySegment segment =
          ofArena ? segments.get(random.nextInt(ARENAS)).get() : pages(random, longest);
      // A failed deregistration is the error of whoever closes the last lease.
      quietly(() -> {
        try (CacheLease lease = acquire(segment, ACCESSES[random.nextInt(3)])) {
          if (lease == null) {
            return;
          }
          RegisteredRegion region = lease.region();
          inUse.incrementAndGet();
          long offset = segment.address() - region.address();
          assertThat(region.isClosed()).isFalse();
          assertThat(offset).isNotNegative();
          assertThat(offset + segment.byteSize()).isLessThanOrEqualTo(region.length());
          assertThat(lease.lkey()).isEqualTo(region.lkey());
          if (random.nextInt(100) == 0) {
            LockSupport.parkNanos(1);
          }
          assertThat(region.isClosed()).isFalse();
          assertThat(region.isMemoryAlive()).isTrue();
        }
      });
    }

    /** Null where the arena was closed meanwhile, or a failure was injected. */
    private @Nullable CacheLease acquire(MemorySegment segment, Access access) {
      try {
        CacheLease lease = cache.acquire(segment, access);
        acquired.incrementAndGet();
        return lease;
      } catch (VerbsException e) {
        acquired.incrementAndGet();
        return null;
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("closed");
        acquired.addAndGet(isFoundClosedAtOnce(e) ? 0 : 1);
        return null;
      }
    }

    /** Whether the segment was closed before the cache looked anything up, so that none counts. */
    private boolean isFoundClosedAtOnce(IllegalStateException e) {
      StackTraceElement[] stack = e.getStackTrace();
      return stack[0].getClassName().equals(Verbs.class.getName())
          && stack[1].getClassName().equals(RegionCache.class.getName());
    }

    private void closeARegion(Random random) {
      List<RegisteredRegion> all = registrar.regions();
      if (!all.isEmpty()) {
        quietly(() -> all.get(random.nextInt(all.size())).closeWith(WhenLeased.defer()));
      }
    }

    private void replaceAnArena(int i) {
      RegistrationArena fresh = registrar.openArena(WRITE);
      MemorySegment segment = fresh.allocate(8 * PAGE, PAGE);
      RegistrationArena old = arenas.get(i).getAndSet(fresh);
      segments.get(i).set(segment);
      closeRepeatedly(old);
    }

    private void closeRepeatedly(RegistrationArena arena) {
      while (arena.scope().isAlive()) {
        try {
          arena.close();
        } catch (RegionInUseException | VerbsException e) {
          Thread.onSpinWait();
        }
      }
    }

    void close() {
      arenas.forEach(arena -> closeRepeatedly(arena.get()));
      quietly(cache::scan);
      assertThat(inUse.get()).isPositive();
    }
  }

  /** Injected failures of giving back are counted; they end nothing. */
  private static void quietly(Runnable step) {
    try {
      step.run();
    } catch (VerbsException e) {
      assertThat(e.operation()).isEqualTo("ibv_dereg_mr");
    }
  }
}

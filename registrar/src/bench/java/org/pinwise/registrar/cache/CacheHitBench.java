package org.pinwise.registrar.cache;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.rules.model.Access;

/**
 * A hit: acquire a lease and close it. The same work as {@code ucx-rcache.c}: regions of 64 KiB, as
 * far apart, and each time 4 KiB within a random one. And the parts of that work alone, to see
 * where the time goes.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class CacheHitBench {

  private static final long REGION = 64 << 10;
  private static final long STRIDE = 2 * REGION;
  private static final long PART = 4096;
  private static final Access WRITE = Access.of(LOCAL_WRITE);

  @Param({"1", "1000", "100000"})
  public int regions;

  private Arena arena;
  private MemoryRegistrar registrar;
  private MemorySegment memory;
  private RegionCache cache;
  private Entry[] entries;

  @Setup
  public void fill() throws Throwable {
    arena = Arena.ofShared();
    memory = reserve(regions * STRIDE, arena);
    entries = new Entry[regions];
    registrar = MemoryRegistrar.simulated("connectx5");
    cache =
        RegionCache.on(
            registrar,
            CacheOptions.DEFAULT
                .withMaxRegions(regions)
                .withMaxBytes(Long.MAX_VALUE)
                .withMaxIdle(Duration.ofDays(1)));
    for (int i = 0; i < regions; i++) {
      try (CacheLease lease = cache.acquire(memory, i * STRIDE, REGION, WRITE)) {
        entries[i] = (Entry) lease; // which it is as long as no threads compete
      }
    }
    System.gc(); // as after some time: what was made on the way no longer lies in between
  }

  /** Address space without memory behind it: nothing here touches it. */
  static MemorySegment reserve(long length, Arena arena) throws Throwable {
    Linker linker = Linker.nativeLinker();
    int privateAnonymousUnreserved = 0x4022;
    MemorySegment mapped =
        (MemorySegment)
            linker
                .downcallHandle(
                    linker.defaultLookup().findOrThrow("mmap"),
                    FunctionDescriptor.of(
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG))
                .invokeExact(MemorySegment.NULL, length, 3, privateAnonymousUnreserved, -1, 0L);
    return mapped.reinterpret(length, arena, ignored -> {});
  }

  @TearDown
  public void close() {
    cache.close();
    registrar.close();
    arena.close();
  }

  /** Random numbers of a thread: xorshift, as in the C program. */
  @State(Scope.Thread)
  public static class Dice {
    private long seed = Thread.currentThread().threadId() * 0x9E3779B97F4A7C15L + 1;

    /** Makes what comes next depend on what was read. */
    void wait(int value) {
      seed += value & 1;
    }

    int next(int bound) {
      seed ^= seed << 13;
      seed ^= seed >>> 7;
      seed ^= seed << 17;
      return (int) Math.unsignedMultiplyHigh(seed, bound);
    }
  }

  @Benchmark
  @Threads(1)
  public int oneThread(Dice dice) {
    return hit(dice);
  }

  @Benchmark
  @Threads(2)
  public int twoThreads(Dice dice) {
    return hit(dice);
  }

  /** What the memory takes: reads a word of a random entry, after that of the one before. */
  @Benchmark
  public void partRead(Dice dice) {
    dice.wait(entries[dice.next(regions)].localKey);
  }

  /** Finds a random region. */
  @Benchmark
  public long partFind(Dice dice) {
    long from = memory.address() + dice.next(regions) * STRIDE + PART;
    Entry found = entries[0].lane.index.covering(from, from + PART);
    return Objects.requireNonNull(found).start;
  }

  /** Leases a random region that is at hand. */
  @Benchmark
  public int partLease(Dice dice) {
    Entry entry = entries[dice.next(regions)];
    try (CacheLease lease = Objects.requireNonNull(entry.tryLease(entry.lastUse()))) {
      return lease.lkey();
    }
  }

  private int hit(Dice dice) {
    long offset = dice.next(regions) * STRIDE + PART;
    try (CacheLease lease = cache.acquire(memory, offset, PART, WRITE)) {
      return lease.lkey();
    }
  }
}

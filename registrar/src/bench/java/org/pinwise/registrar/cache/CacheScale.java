package org.pinwise.registrar.cache;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.Row;
import org.pinwise.rules.model.Access;

/** How a cache's time and memory grow with its regions, on the simulator. */
public final class CacheScale {
  private static final double[] REGIONS = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000};
  private static final long REGION = 64 << 10;
  private static final int HITS = 1_000_000;
  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private final List<Double> regions = new ArrayList<>();
  private final List<Double> hitNanos = new ArrayList<>();
  private final List<Double> missNanos = new ArrayList<>();
  private final List<Double> bytes = new ArrayList<>();
  private int keys;

  private CacheScale() {}

  /** Prints a row for the time of a hit, that of a miss, and the memory. */
  public static void main(String[] args) throws Throwable {
    new CacheScale().run(10_000); // warms up
    CacheScale scale = new CacheScale();
    for (double regions : REGIONS) {
      scale.run((int) regions);
    }
    String sizes = " of 1 to 1,000,000 regions";
    Row.growth("cache" + sizes + ": a hit", scale.regions, scale.hitNanos, "ns").print();
    // Below a thousand there is too little to tell from what the JVM does meanwhile.
    int from = 3;
    int to = REGIONS.length;
    List<Double> large = scale.regions.subList(from, to);
    String largeSizes = "cache of 1,000 to 1,000,000 regions: ";
    Row.growth(
            largeSizes + "a miss, with the registration",
            large,
            scale.missNanos.subList(from, to),
            "ns")
        .print();
    Row.growth(
            largeSizes + "memory for each, with the region",
            large,
            scale.bytes.subList(from, to),
            "B")
        .print();
  }

  private void run(int count) throws Throwable {
    try (Arena arena = Arena.ofShared();
        MemoryRegistrar registrar = MemoryRegistrar.simulated("connectx5");
        RegionCache cache =
            RegionCache.on(
                registrar,
                CacheOptions.DEFAULT
                    .withMaxRegions(count)
                    .withMaxBytes(Long.MAX_VALUE)
                    .withMaxIdle(Duration.ofDays(1)))) {
      MemorySegment memory = CacheHitBench.reserve(2L * REGION * count, arena);
      long before = used();
      long start = System.nanoTime();
      for (int i = 0; i < count; i++) {
        cache.acquire(memory.asSlice(2L * REGION * i, REGION), WRITE).close();
      }
      double miss = (System.nanoTime() - start) / (double) count;
      double each = (used() - before) / (double) count;
      double hit = 0;
      long seed = 88_172_645_463_325_252L;
      for (int round = 0; round < 3; round++) { // the last counts
        start = System.nanoTime();
        for (int i = 0; i < HITS; i++) {
          seed ^= seed << 13;
          seed ^= seed >>> 7;
          seed ^= seed << 17;
          long at = Math.unsignedMultiplyHigh(seed, count);
          try (CacheLease lease = cache.acquire(memory, 2L * REGION * at + 4096, 4096, WRITE)) {
            keys += lease.lkey();
          }
        }
        hit = (System.nanoTime() - start) / (double) HITS;
      }
      regions.add((double) count);
      hitNanos.add(hit);
      missNanos.add(miss);
      bytes.add(each);
    }
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}

package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.FIXED;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that a program means to register, beside the one request that is judged: sums over its
 * regions, which {@link #sums} computes, and how it keeps them. A null component is unknown.
 *
 * @param regions regions on each device, of all processes: what a device's {@code max_mr} counts
 * @param regionsPerProcess regions that one process registers, on one device
 * @param pinnedBytes bytes of whole pages that one process pins, counted as the kernel does ({@code
 *     mm->pinned_vm}): once for each device, queues too, on-demand regions and dma-buf not
 * @param residentBytes bytes of memory that stay pinned on the host, of all processes; memory that
 *     several devices register is there once
 * @param largestRegion the length of the largest region
 * @param meanRegion the mean length of the regions
 * @param deviceEntries pages of all processes' regions on one device, of the size of their memory
 * @param samePagesTwice whether pages are pinned twice: on several devices, or by regions that
 *     overlap
 * @param sharedCacheLine whether two regions that devices or peers write share a cache line of 64
 *     bytes
 * @param forks whether the process forks while it has regions, other than to execute a program
 * @param forkInitLate whether it calls {@code ibv_fork_init} after it has registered a region
 * @param registersPerMessage whether it registers and deregisters for each message
 * @param cached whether it keeps regions in a cache
 * @param cacheKey what the cache compares
 * @param cacheInvalidates whether the cache drops a region when its memory is unmapped or freed
 * @param cacheWidensAccess whether the cache registers with more access than was asked for
 * @param cacheMerges whether the cache registers a larger range than was asked for, and fails where
 *     that fails
 * @param cacheEvictsInUse whether the cache deregisters regions that are in use
 * @param cacheMaxRegions the most regions that the cache keeps; {@link Long#MAX_VALUE} is no limit
 * @param cacheMaxBytes the most bytes that the cache keeps; {@link Long#MAX_VALUE} is no limit
 * @param cacheOwners how many libraries of the process watch the allocator for a cache of their own
 */
public record Plan(
    @Nullable Long regions,
    @Nullable Long regionsPerProcess,
    @Nullable Long pinnedBytes,
    @Nullable Long residentBytes,
    @Nullable Long largestRegion,
    @Nullable Long meanRegion,
    @Nullable Long deviceEntries,
    @Nullable Boolean samePagesTwice,
    @Nullable Boolean sharedCacheLine,
    @Nullable Boolean forks,
    @Nullable Boolean forkInitLate,
    @Nullable Boolean registersPerMessage,
    @Nullable Boolean cached,
    @Nullable Set<CacheKey> cacheKey,
    @Nullable Boolean cacheInvalidates,
    @Nullable Boolean cacheWidensAccess,
    @Nullable Boolean cacheMerges,
    @Nullable Boolean cacheEvictsInUse,
    @Nullable Long cacheMaxRegions,
    @Nullable Long cacheMaxBytes,
    @Nullable Long cacheOwners) {

  /** The fields of a plan. */
  public static final FactType<Plan> TYPE =
      FactType.of(Plan.class, "plan")
          .number("regions", Plan::regions, PLAIN, FIXED, "regions of all processes on a device")
          .number(
              "regionsPerProcess",
              Plan::regionsPerProcess,
              PLAIN,
              FIXED,
              "regions of one process on a device")
          .number(
              "pinnedBytes",
              Plan::pinnedBytes,
              BYTES,
              FIXED,
              "what one process pins, in whole pages, once for each device")
          .number(
              "residentBytes",
              Plan::residentBytes,
              BYTES,
              FIXED,
              "memory of all processes that stays pinned")
          .number(
              "largestRegion",
              Plan::largestRegion,
              BYTES,
              FIXED,
              "the length of the largest region")
          .number("meanRegion", Plan::meanRegion, BYTES, FIXED, "the mean length of the regions")
          .number(
              "deviceEntries",
              Plan::deviceEntries,
              PLAIN,
              FIXED,
              "pages that a device has to know, of all processes")
          .flag("samePagesTwice", Plan::samePagesTwice, FIXED, "whether pages are pinned twice")
          .flag(
              "sharedCacheLine",
              Plan::sharedCacheLine,
              FIXED,
              "whether two writable regions share a cache line")
          .flag("forks", Plan::forks, FIXED, "whether the process forks while it has regions")
          .flag(
              "forkInitLate",
              Plan::forkInitLate,
              FIXED,
              "whether ibv_fork_init comes after the first region")
          .flag(
              "registersPerMessage",
              Plan::registersPerMessage,
              FIXED,
              "whether it registers for each message")
          .flag("cached", Plan::cached, FIXED, "whether it keeps regions in a cache")
          .flags("cacheKey", CacheKey.class, Plan::cacheKey, FIXED, "what the cache compares")
          .flag(
              "cacheInvalidates",
              Plan::cacheInvalidates,
              FIXED,
              "whether the cache drops regions whose memory goes")
          .flag(
              "cacheWidensAccess",
              Plan::cacheWidensAccess,
              FIXED,
              "whether the cache adds access flags")
          .flag(
              "cacheMerges",
              Plan::cacheMerges,
              FIXED,
              "whether the cache merges ranges and does not fall back")
          .flag(
              "cacheEvictsInUse",
              Plan::cacheEvictsInUse,
              FIXED,
              "whether the cache deregisters regions in use")
          .number(
              "cacheMaxRegions",
              Plan::cacheMaxRegions,
              PLAIN,
              FIXED,
              "the most regions that the cache keeps")
          .number(
              "cacheMaxBytes",
              Plan::cacheMaxBytes,
              BYTES,
              FIXED,
              "the most bytes that the cache keeps")
          .number(
              "cacheOwners",
              Plan::cacheOwners,
              PLAIN,
              FIXED,
              "caches of the process that watch the allocator")
          .build(v ->
              new Plan(
                  v.number("regions"),
                  v.number("regionsPerProcess"),
                  v.number("pinnedBytes"),
                  v.number("residentBytes"),
                  v.number("largestRegion"),
                  v.number("meanRegion"),
                  v.number("deviceEntries"),
                  v.flag("samePagesTwice"),
                  v.flag("sharedCacheLine"),
                  v.flag("forks"),
                  v.flag("forkInitLate"),
                  v.flag("registersPerMessage"),
                  v.flag("cached"),
                  v.flags("cacheKey"),
                  v.flag("cacheInvalidates"),
                  v.flag("cacheWidensAccess"),
                  v.flag("cacheMerges"),
                  v.flag("cacheEvictsInUse"),
                  v.number("cacheMaxRegions"),
                  v.number("cacheMaxBytes"),
                  v.number("cacheOwners")));

  private static final long[] PAGE_SIZES = {4096, 65536};
  private static final long CACHE_LINE = 64;

  /** There is nothing beside the one request: what holds where nobody gives a plan. */
  public static final Plan NONE =
      sums(new Outline(List.of(), 1, 1, 0), PAGE_SIZES[0], Map.of("forks", false));

  /**
   * What the sums are computed of.
   *
   * @param regions the regions that each process registers on each device
   * @param processes how many processes do, at least 1
   * @param devices on how many devices, at least 1
   * @param queueBytes bytes that queues pin, of a process and device
   */
  public record Outline(
      List<PlannedRegion> regions, long processes, long devices, long queueBytes) {

    /** Keeps an immutable copy. */
    public Outline {
      regions = List.copyOf(regions);
    }
  }

  /**
   * Computes a plan's sums. A sum over something unknown is unknown.
   *
   * @param pageSize the kernel's page size; null, or no power of two, where it is unknown, which
   *     leaves unknown what depends on it
   * @param said what is said of the plan by field's name; it goes before the sums
   * @throws IllegalArgumentException if a name is no field's, or a value not of the field's kind
   */
  public static Plan sums(
      Outline outline, @Nullable Long pageSize, Map<String, ? extends @Nullable Object> said) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    long perProcess = 0;
    long bytes = 0;
    long largest = 0;
    boolean lengthsKnown = true;
    for (PlannedRegion region : outline.regions()) {
      perProcess = add(perProcess, region.count());
      Long length = region.request().length();
      lengthsKnown &= length != null;
      if (length != null) {
        bytes = add(bytes, times(length, region.count()));
        largest = Math.max(largest, length);
      }
    }
    values.put("regionsPerProcess", perProcess);
    values.put("regions", times(perProcess, outline.processes()));
    values.put("largestRegion", lengthsKnown ? largest : null);
    values.put(
        "meanRegion", lengthsKnown ? (Long) (perProcess == 0 ? 0 : bytes / perProcess) : null);
    Long page = pageSize == null || Long.bitCount(pageSize) != 1 ? null : pageSize;
    Long pages = page == null ? agreed(outline) : pinned(outline, page);
    values.put(
        "pinnedBytes",
        pages == null ? null : (Long) times(add(pages, outline.queueBytes()), outline.devices()));
    values.put(
        "residentBytes",
        pages == null
            ? null
            : (Long)
                times(
                    add(pages, times(outline.queueBytes(), outline.devices())),
                    outline.processes()));
    values.put("deviceEntries", entries(outline, page));
    values.put("samePagesTwice", samePagesTwice(outline));
    values.put("sharedCacheLine", sharedCacheLine(outline.regions()));
    values.put("forkInitLate", false);
    values.put("registersPerMessage", false);
    values.put("cached", false);
    values.putAll(said);
    return TYPE.of(values);
  }

  /** Returns the bytes that are pinned where all page sizes agree on them. */
  private static @Nullable Long agreed(Outline outline) {
    Long first = pinned(outline, PAGE_SIZES[0]);
    return first != null && first.equals(pinned(outline, PAGE_SIZES[1])) ? first : null;
  }

  private static @Nullable Long pinned(Outline outline, long pageSize) {
    long bytes = 0;
    for (PlannedRegion region : outline.regions()) {
      Boolean pins = region.pins();
      Long length = region.request().length();
      if (Boolean.FALSE.equals(pins)) {
        continue;
      }
      if (pins == null || length == null) {
        return null;
      }
      Long address = region.request().rawAddress();
      long offset = address == null ? 0 : address & (pageSize - 1);
      bytes = add(bytes, times(rounded(add(length, offset), pageSize), region.count()));
    }
    return bytes;
  }

  private static long rounded(long length, long pageSize) {
    return length > Long.MAX_VALUE - pageSize
        ? Long.MAX_VALUE
        : (length + pageSize - 1) / pageSize * pageSize;
  }

  private static @Nullable Long entries(Outline outline, @Nullable Long pageSize) {
    long entries = 0;
    for (PlannedRegion region : outline.regions()) {
      Long length = region.request().length();
      Long size = region.memory() == null ? null : region.memory().pageSize();
      size = size == null ? pageSize : size;
      if (length == null || size == null || size == 0) {
        return null;
      }
      entries = add(entries, times(rounded(length, size) / size, region.count()));
    }
    return times(entries, outline.processes());
  }

  private static boolean samePagesTwice(Outline outline) {
    return (outline.devices() > 1 && !outline.regions().isEmpty())
        || meet(outline.regions(), PAGE_SIZES[0]);
  }

  private static boolean sharedCacheLine(List<PlannedRegion> regions) {
    return meet(regions.stream().filter(Plan::isWritten).toList(), CACHE_LINE);
  }

  private static boolean isWritten(PlannedRegion region) {
    Set<AccessFlag> access = region.request().access();
    return access != null && access.contains(AccessFlag.LOCAL_WRITE);
  }

  /** Returns whether two regions whose place is known touch one block of so many bytes. */
  private static boolean meet(List<PlannedRegion> regions, long block) {
    List<PlannedRegion> placed =
        regions.stream()
            .filter(region -> region.hasPlace())
            .sorted((a, b) -> Long.compareUnsigned(a.firstBlock(block), b.firstBlock(block)))
            .toList();
    long reached = 0;
    for (int i = 0; i < placed.size(); i++) {
      PlannedRegion region = placed.get(i);
      if (region.count() > 1
          || (i > 0 && Long.compareUnsigned(region.firstBlock(block), reached) <= 0)) {
        return true;
      }
      long last = region.lastBlock(block);
      reached = Long.compareUnsigned(last, reached) > 0 ? last : reached;
    }
    return false;
  }

  private static long add(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  private static long times(long a, long b) {
    return b != 0 && a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
  }
}

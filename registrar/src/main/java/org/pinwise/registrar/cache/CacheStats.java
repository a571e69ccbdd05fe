package org.pinwise.registrar.cache;

/**
 * What a cache has done since it was made, and what it holds. Exact once no call is under way:
 *
 * <ul>
 *   <li>each {@link RegionCache#acquire} that got as far as a lookup counts as one of {@code hits},
 *       {@code waits} and {@code misses};
 *   <li>{@code misses = registered + refused + failed};
 *   <li>{@code registered = regions + evicted()}.
 * </ul>
 *
 * @param hits acquired what was there; while calls are under way, also those that have counted
 *     themselves and will find that the region is being let go
 * @param waits acquired what another thread was registering, or got its failure
 * @param misses tried to register
 * @param registered misses that registered memory; a retry is not another one
 * @param refused misses that the rules refused
 * @param failed misses that failed otherwise: the native call, a closed arena
 * @param idle evicted by a scan because nobody had used them for {@link CacheOptions#maxIdle}
 * @param overBudget evicted because the cache was full, or not kept at all because what is leased
 *     leaves no room; also to make room after a native call failed for want of it
 * @param invalidated evicted because their arena was closed, they were closed by their owner, or
 *     {@link RegionCache#invalidate} was called
 * @param covered evicted because a longer region covers them
 * @param closed evicted by {@link RegionCache#close} or {@link RegionCache#clear}
 * @param retries native registrations that were repeated after making room; not among the misses
 * @param releaseFailures native deregistrations that failed; each is tried again by the next scan
 *     and by closing
 * @param regions kept now, and handed out again
 * @param bytes of these regions together
 * @param leases open now, those on evicted regions included
 */
public record CacheStats(
    long hits,
    long waits,
    long misses,
    long registered,
    long refused,
    long failed,
    long idle,
    long overBudget,
    long invalidated,
    long covered,
    long closed,
    long retries,
    long releaseFailures,
    long regions,
    long bytes,
    long leases) {

  /** How many regions were evicted, for whatever reason. */
  public long evicted() {
    return idle + overBudget + invalidated + covered + closed;
  }

  /** The part of lookups that needed no registration, 0 to 1; 0 if there was none. */
  public double hitRate() {
    long lookups = hits + waits + misses;
    return lookups == 0 ? 0 : (double) (hits + waits) / lookups;
  }
}

package org.pinwise.registrar.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegionInUseException;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.RegistrarOptions;
import org.pinwise.registrar.RegistrationArena;
import org.pinwise.registrar.RegistrationRejectedException;
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

class RegionCacheTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final Access READ = Access.NONE;
  private static final Access PEERS_READ = Access.of(REMOTE_READ);
  private static final int PAGE = 4096;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(64 * PAGE, PAGE);
  private final SimulatedDevice device = Simulations.device("connectx5");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(device));
  private final AtomicLong nanos = new AtomicLong();
  private final List<String> evictions = new ArrayList<>();
  private MemoryRegistrar registrar = Simulations.open(verbs, device);
  private RegionCache cache = cache(CacheOptions.DEFAULT);

  private RegionCache cache(CacheOptions options) {
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void evicted(RegisteredRegion region, Eviction why) {
            evictions.add(why + " " + (region.address() - memory.address()) / PAGE);
          }
        });
    return RegionCache.on(registrar, options, nanos::get);
  }

  @AfterEach
  void nothingIsLive() {
    CacheStats stats = cache.stats();
    assertThat(stats.misses()).isEqualTo(stats.registered() + stats.refused() + stats.failed());
    assertThat(stats.registered()).isEqualTo(stats.regions() + stats.evicted());
    assertThat(stats.leases()).isZero();
    cache.close();
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private MemorySegment pages(int first, int count) {
    return memory.asSlice((long) first * PAGE, (long) count * PAGE);
  }

  /** Acquires and releases at once; the region it met. */
  private RegisteredRegion use(MemorySegment segment, Access access) {
    try (CacheLease lease = cache.acquire(segment, access)) {
      return lease.region();
    }
  }

  private RegisteredRegion use(int first, int count) {
    return use(pages(first, count), WRITE);
  }

  private int registrations() {
    return verbs.calls(Operation.REG_MR);
  }

  // ---- hits ----

  @Test
  void aPartIsWhatASliceIs() {
    RegisteredRegion region = use(4, 8);
    try (CacheLease whole = cache.acquire(memory, 4 * PAGE, 8 * PAGE, WRITE);
        CacheLease part = cache.acquire(memory, 4 * PAGE + 17, 100, WRITE)) {
      assertThat(whole.region()).isSameAs(region);
      assertThat(part.region()).isSameAs(region);
    }
    try (CacheLease fresh = cache.acquire(memory, 20 * PAGE, 2 * PAGE, WRITE)) {
      assertThat(fresh.region().address()).isEqualTo(memory.address() + 20 * PAGE);
      assertThat(fresh.region().length()).isEqualTo(2 * PAGE);
    }
    assertThat(cache.stats().hits()).isEqualTo(2);
    assertThat(cache.stats().misses()).isEqualTo(2);
  }

  @Test
  void aPartLiesWithinTheMemory() {
    use(0, 64);
    for (long[] part :
        new long[][] {
          {-1, 1}, {0, -1}, {64 * PAGE, 1}, {1, 64 * PAGE}, {Long.MAX_VALUE, Long.MAX_VALUE}
        }) {
      assertThatThrownBy(() -> cache.acquire(memory, part[0], part[1], WRITE))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(cache.stats().hits()).isZero();
  }

  @Test
  void aCoveringRegionHits() {
    RegisteredRegion region = use(4, 8);

    assertThat(use(4, 8)).isSameAs(region);
    assertThat(use(4, 1)).isSameAs(region);
    assertThat(use(11, 1)).isSameAs(region);
    assertThat(use(memory.asSlice(4 * PAGE + 17, 100), WRITE)).isSameAs(region);
    assertThat(registrations()).isEqualTo(1);
    assertThat(cache.stats().hits()).isEqualTo(4);
    assertThat(cache.stats().misses()).isEqualTo(1);

    assertThat(use(3, 2)).isNotSameAs(region);
    assertThat(use(11, 2)).isNotSameAs(region);
    assertThat(registrations()).isEqualTo(3);
  }

  @Test
  void aLongerRegionThatStartsEarlierHitsPastShorterOnes() {
    RegisteredRegion inner = use(10, 2);
    RegisteredRegion outer = use(0, 32);

    assertThat(inner.isClosed()).isTrue();
    assertThat(evictions).containsExactly("COVERED 10");
    assertThat(use(10, 2)).isSameAs(outer);
    assertThat(use(20, 1)).isSameAs(outer);
    assertThat(cache.stats().regions()).isEqualTo(1);
    assertThat(cache.stats().bytes()).isEqualTo(32 * PAGE);
    assertThat(cache.stats().covered()).isEqualTo(1);
  }

  @Test
  void aCoveredRegionStaysAsLongAsItIsLeased() {
    CacheLease inner = cache.acquire(pages(10, 2), WRITE);
    use(0, 32);

    assertThat(inner.region().isClosed()).isFalse();
    inner.close();
    assertThat(inner.region().isClosed()).isTrue();
  }

  @Test
  void keysAndAddressesAreThoseOfTheRegion() {
    use(0, 8);
    try (CacheLease lease = cache.acquire(pages(2, 1), WRITE)) {
      assertThat(lease.lkey()).isEqualTo(lease.region().lkey());
      assertThat(lease.rkey()).isEqualTo(lease.region().rkey());
      assertThat(lease.remoteAddressOf(pages(2, 1))).isEqualTo(pages(2, 1).address());
      assertThatThrownBy(() -> lease.remoteAddressOf(pages(8, 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not within");
      assertThat(lease.region().label()).isEqualTo("cache");
    }
  }

  // ---- access ----

  @Test
  void moreAccessForThisProcessHits() {
    RegisteredRegion region = use(pages(0, 4), WRITE);
    assertThat(use(pages(0, 1), READ)).isSameAs(region);
    assertThat(use(pages(0, 1), Access.of(LOCAL_WRITE))).isSameAs(region);
  }

  @Test
  void lessAccessDoesNot() {
    RegisteredRegion region = use(pages(0, 4), READ);
    assertThat(use(pages(0, 4), WRITE)).isNotSameAs(region);
  }

  /**
   * A key with more rights for peers than asked for is never handed out; nor one that orders less.
   */
  @Test
  void rightsThatWereNotAskedForAreNotGiven() {
    RegisteredRegion remote = use(pages(0, 4), Access.of(LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE));
    RegisteredRegion relaxed = use(pages(0, 4), Access.of(LOCAL_WRITE, RELAXED_ORDERING));

    assertThat(use(pages(0, 4), WRITE)).isNotIn(remote, relaxed);
    assertThat(use(pages(0, 4), READ)).isNotIn(remote, relaxed);
    assertThat(use(pages(0, 4), PEERS_READ)).isNotIn(remote, relaxed);
    assertThat(use(pages(0, 4), Access.of(LOCAL_WRITE, REMOTE_READ)).access())
        .isEqualTo(Access.of(LOCAL_WRITE, REMOTE_READ));
  }

  @Test
  void whatIsRegisteredHasExactlyTheAccessAskedFor() {
    assertThat(use(pages(0, 4), READ).access()).isEqualTo(READ);
    assertThat(use(pages(8, 4), PEERS_READ).access()).isEqualTo(PEERS_READ);
  }

  // ---- leases ----

  @Test
  void aLeasedRegionIsNotEvicted() {
    restart(CacheOptions.DEFAULT.withMaxRegions(2));
    CacheLease first = cache.acquire(pages(0, 1), WRITE);
    use(2, 1);
    use(4, 1);

    assertThat(evictions).containsExactly("BUDGET 2");
    assertThat(first.region().isClosed()).isFalse();
    first.close();
  }

  @Test
  void aLeaseClosedTooOftenIsAnError() {
    CacheLease lease = cache.acquire(pages(0, 1), WRITE);
    lease.close();
    assertThatThrownBy(lease::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("more often than it was acquired");
    assertThat(cache.stats().leases()).isZero();
  }

  @Test
  void trackedLeasesAreToldApart() {
    restartTracking();
    CacheLease first = cache.acquire(pages(0, 1), WRITE);
    CacheLease second = cache.acquire(pages(0, 1), WRITE);
    RegisteredRegion region = first.region();
    assertThat(region.leases()).isEqualTo(2);
    first.close();
    assertThatThrownBy(first::close).isInstanceOf(IllegalStateException.class);
    assertThat(region.leases()).isEqualTo(1);
    assertThatThrownBy(region::close)
        .isInstanceOf(RegionInUseException.class)
        .hasMessageContaining("trackedLeasesAreToldApart");
    second.close();
    assertThat(region.isClosed()).isTrue();
  }

  @Test
  void whoClosesACachedRegionTakesItFromTheCache() {
    RegisteredRegion region = use(0, 1);
    region.close();

    assertThat(region.isClosed()).isTrue();
    assertThat(evictions).containsExactly("INVALIDATED 0");
    assertThat(use(0, 1)).isNotSameAs(region);
  }

  @Test
  void closingACachedRegionRespectsTheLeases() {
    CacheLease lease = cache.acquire(pages(0, 1), WRITE);
    CacheLease other = cache.acquire(pages(0, 1), WRITE);
    RegisteredRegion region = lease.region();

    assertThatThrownBy(region::close)
        .isInstanceOfSatisfying(
            RegionInUseException.class, e -> assertThat(e.leases()).isEqualTo(2));
    assertThat(region.closeWith(WhenLeased.defer())).isFalse();
    lease.close();
    assertThat(region.isClosed()).isFalse();
    other.close();
    assertThat(region.isClosed()).isTrue();
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(1);
  }

  // ---- budgets ----

  @Test
  void theLeastRecentlyUsedGoesFirst() {
    restart(CacheOptions.DEFAULT.withMaxRegions(3));
    use(0, 1);
    use(2, 1);
    use(4, 1);
    use(0, 1);
    use(6, 1);
    use(8, 1);

    assertThat(evictions).containsExactly("BUDGET 2", "BUDGET 4");
    assertThat(cache.stats().regions()).isEqualTo(3);
    assertThat(cache.stats().overBudget()).isEqualTo(2);
  }

  @Test
  void bytesAreABudgetToo() {
    restart(CacheOptions.DEFAULT.withMaxBytes(8 * PAGE));
    use(0, 4);
    use(4, 4);
    use(8, 2);
    assertThat(evictions).containsExactly("BUDGET 0");
    assertThat(cache.stats().bytes()).isEqualTo(6 * PAGE);
  }

  @Test
  void whatDoesNotFitLivesAsLongAsItsLease() {
    restart(CacheOptions.DEFAULT.withMaxBytes(8 * PAGE));
    use(0, 4);
    CacheLease large = cache.acquire(pages(10, 9), WRITE);

    assertThat(large.region().isClosed()).isFalse();
    assertThat(cache.stats().regions()).isEqualTo(1);
    large.close();
    assertThat(large.region().isClosed()).isTrue();
    assertThat(evictions).containsExactly("BUDGET 10");
  }

  @Test
  void nothingIsKeptWhereNothingMayBe() {
    restart(CacheOptions.DEFAULT.withMaxRegions(0));
    assertThat(use(0, 1).isClosed()).isTrue();
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void theDefaultIsBounded() {
    assertThat(CacheOptions.DEFAULT.maxRegions()).isLessThan(1 << 20);
    assertThat(CacheOptions.DEFAULT.maxBytes()).isLessThan(1L << 40);
    assertThatThrownBy(() -> CacheOptions.DEFAULT.withMaxRegions(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CacheOptions.DEFAULT.withMaxBytes(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CacheOptions.DEFAULT.withMaxIdle(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- scans ----

  @Test
  void aScanReleasesWhatIsIdleAndNothingElse() {
    use(0, 1);
    CacheLease leased = cache.acquire(pages(2, 1), WRITE);
    use(4, 1);
    scanAt(Duration.ZERO);
    assertThat(evictions).isEmpty();
    scanAt(Duration.ofMinutes(5));
    use(4, 1);
    scanAt(Duration.ofMinutes(9));
    assertThat(evictions).isEmpty();
    scanAt(Duration.ofMinutes(10));
    assertThat(evictions).containsExactly("IDLE 0");
    scanAt(Duration.ofMinutes(14));
    assertThat(evictions).hasSize(1);
    scanAt(Duration.ofMinutes(20));
    assertThat(evictions).containsExactly("IDLE 0", "IDLE 4");
    assertThat(cache.stats().idle()).isEqualTo(2);
    leased.close();
  }

  private void scanAt(Duration time) {
    nanos.set(time.toNanos());
    cache.scan();
  }

  @Test
  void scansRunByThemselves() throws Exception {
    try (RegionCache own =
        RegionCache.on(registrar, CacheOptions.DEFAULT.withMaxIdle(Duration.ofMillis(50)))) {
      own.acquire(pages(0, 1), WRITE).close();
      for (int i = 0; i < 500 && own.stats().idle() == 0; i++) {
        Thread.sleep(10);
      }
      assertThat(own.stats().idle()).isEqualTo(1);
    }
  }

  // ---- memory that goes ----

  @Test
  @SuppressWarnings("restricted") // reinterpret makes up memory of an address
  void aClosedArenaNeverHitsAgain() {
    MemorySegment address;
    RegisteredRegion stale;
    try (Arena gone = Arena.ofShared()) {
      MemorySegment segment = gone.allocate(PAGE, PAGE);
      stale = use(segment, WRITE);
      address = MemorySegment.ofAddress(segment.address()).reinterpret(PAGE);
      assertThat(use(address, WRITE)).isSameAs(stale);
    }
    // The same address again, as if it had been mapped anew.
    MemorySegment anew = address;
    RegisteredRegion fresh = use(anew, WRITE);
    assertThat(fresh).isNotSameAs(stale);
    assertThat(stale.isClosed()).isTrue();
    assertThat(cache.stats().invalidated()).isEqualTo(1);
    cache.invalidate(anew);
    assertThat(fresh.isClosed()).isTrue();
  }

  @Test
  void aRegistrationArenaTakesItsRegionsWithIt() {
    RegistrationArena own = registrar.openArena(WRITE);
    MemorySegment segment = own.allocate(PAGE, PAGE);
    CacheLease lease = cache.acquire(segment, WRITE);
    RegisteredRegion region = lease.region();

    assertThatThrownBy(own::close).isInstanceOf(RegionInUseException.class);
    assertThat(own.closeWith(WhenLeased.defer())).isFalse();
    assertThatThrownBy(() -> cache.acquire(segment, WRITE))
        .isInstanceOf(IllegalStateException.class);
    assertThat(region.isClosed()).isFalse();
    lease.close();
    assertThat(region.isClosed()).isTrue();
    assertThat(own.scope().isAlive()).isFalse();
    assertThat(cache.stats().invalidated()).isEqualTo(1);
  }

  @Test
  void aWatchedArenaTakesItsRegionsWithIt() {
    RegisteredRegion region;
    try (Arena watched = Arena.ofShared()) {
      registrar.watch(watched);
      region = use(watched.allocate(PAGE, PAGE), WRITE);
    }
    assertThat(region.isClosed()).isTrue();
    assertThat(cache.stats().regions()).isZero();
  }

  @Test
  void aScanFindsWhatNobodyWatched() {
    RegisteredRegion region;
    try (Arena gone = Arena.ofShared()) {
      region = use(gone.allocate(PAGE, PAGE), WRITE);
    }
    assertThat(region.isClosed()).isFalse();
    cache.scan();
    assertThat(region.isClosed()).isTrue();
    assertThat(cache.stats().invalidated()).isEqualTo(1);
  }

  @Test
  void invalidateTakesAllThatOverlaps() {
    RegisteredRegion left = use(0, 4);
    RegisteredRegion middle = use(pages(2, 4), PEERS_READ);
    RegisteredRegion right = use(8, 4);
    cache.invalidate(pages(3, 1));

    assertThat(left.isClosed()).isTrue();
    assertThat(middle.isClosed()).isTrue();
    assertThat(right.isClosed()).isFalse();
  }

  // ---- misuse ----

  @Test
  void misuseHasATypedError() throws Exception {
    use(0, 4);
    MemorySegment mine;
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment segment = confined.allocate(PAGE, PAGE);
      use(segment, WRITE);
      CompletableFuture<CacheLease> elsewhere =
          CompletableFuture.supplyAsync(() -> cache.acquire(segment, WRITE));
      assertThatThrownBy(elsewhere::get).hasCauseInstanceOf(WrongThreadException.class);
      mine = segment;
    }
    assertThatThrownBy(() -> cache.acquire(mine, WRITE)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cache.acquire(MemorySegment.ofArray(new byte[64]), WRITE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Java heap");
    assertThatThrownBy(() -> cache.acquire(pages(0, 0), WRITE))
        .isInstanceOf(RegistrationRejectedException.class);
    assertThatThrownBy(() -> cache.acquire(pages(0, 4), Access.of(REMOTE_WRITE)))
        .isInstanceOf(RegistrationRejectedException.class)
        .hasMessageContaining("MR001");
    assertThat(cache.stats().refused()).isEqualTo(2);
    cache.close();
    cache.close();
    assertThatThrownBy(() -> cache.acquire(pages(0, 4), WRITE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the cache of");
  }

  // ---- failures ----

  @Test
  void wantOfRoomIsMetByGivingBack() {
    use(0, 4);
    use(8, 4);
    verbs.failNext(Operation.REG_MR, Errno.ENOMEM);
    RegisteredRegion region = use(16, 4);

    assertThat(region.isClosed()).isFalse();
    assertThat(evictions).containsExactly("BUDGET 0");
    assertThat(cache.stats().retries()).isEqualTo(1);
    assertThat(cache.stats().failed()).isZero();
  }

  @Test
  void anotherFailureIsTheCallers() {
    use(0, 4);
    verbs.failNext(Operation.REG_MR, Errno.EFAULT);
    assertThatThrownBy(() -> use(16, 4))
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("EFAULT");
    assertThat(evictions).isEmpty();
    assertThat(cache.stats().failed()).isEqualTo(1);
    use(16, 4);
  }

  @Test
  void anEvictionThatFailsIsCountedAndTriedAgain() {
    restart(CacheOptions.DEFAULT.withMaxRegions(1));
    RegisteredRegion first = use(0, 1);
    verbs.failNext(Operation.DEREG_MR, Errno.EBUSY);
    use(2, 1);

    assertThat(cache.stats().releaseFailures()).isEqualTo(1);
    assertThat(first.isClosed()).isFalse();
    cache.scan();
    assertThat(first.isClosed()).isTrue();
  }

  @Test
  void aFailingCloseCanBeRepeated() {
    RegisteredRegion first = use(0, 1);
    RegisteredRegion second = use(2, 1);
    verbs.failNext(Operation.DEREG_MR, Errno.EIO);

    assertThatThrownBy(cache::close)
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("ibv_dereg_mr");
    assertThat(List.of(first, second)).filteredOn(region -> !region.isClosed()).hasSize(1);
    cache.close();
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void aCacheWithLeasesRefusesToCloseOrDefers() {
    CacheLease lease = cache.acquire(pages(0, 1), WRITE);
    assertThatThrownBy(cache::close).isInstanceOf(RegionInUseException.class);
    assertThat(cache.closeWith(WhenLeased.defer())).isFalse();
    lease.close();
    assertThat(lease.region().isClosed()).isTrue();
    assertThat(cache.closeWith(WhenLeased.refuse())).isTrue();
  }

  // ---- one registration per range ----

  @Test
  void whoMissesTheSameRangeWaits() throws Exception {
    CountDownLatch registering = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void registered(RegisteredRegion region, Verdict verdict, long took) {
            registering.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
    List<RegisteredRegion> met = new CopyOnWriteArrayList<>();
    Thread first = Thread.ofPlatform().start(() -> met.add(use(0, 8)));
    registering.await();
    Thread second = Thread.ofPlatform().start(() -> met.add(use(2, 1)));
    while (second.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    goOn.countDown();
    first.join();
    second.join();

    assertThat(met).hasSize(2);
    assertThat(met.get(0)).isSameAs(met.get(1));
    assertThat(registrations()).isEqualTo(1);
    CacheStats stats = cache.stats();
    assertThat(stats.waits()).isEqualTo(1);
    assertThat(stats.misses()).isEqualTo(1);
    assertThat(stats.hits()).isZero();
    assertThat(stats.hitRate()).isEqualTo(0.5);
  }

  @Test
  void aListenerThatWaitsForItselfIsToldSo() {
    List<Throwable> thrown = new ArrayList<>();
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void registered(RegisteredRegion region, Verdict verdict, long took) {
            try {
              cache.acquire(pages(0, 1), WRITE);
            } catch (RuntimeException e) {
              thrown.add(e);
            }
          }
        });
    use(0, 8);
    assertThat(thrown)
        .singleElement()
        .isInstanceOf(IllegalStateException.class)
        .asString()
        .contains("by this very thread");
  }

  // ---- helpers ----

  private void restart(CacheOptions options) {
    cache.close();
    evictions.clear();
    registrar.close();
    registrar = Simulations.open(verbs, device);
    cache = cache(options);
  }

  private void restartTracking() {
    cache.close();
    registrar.close();
    registrar = Simulations.open(verbs, device, RegistrarOptions.DEFAULT.withLeaseTracking(true));
    cache = cache(CacheOptions.DEFAULT);
  }
}

package org.pinwise.registrar.cache;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegionInUseException;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.RegistrationOutcome;
import org.pinwise.registrar.RegistrationRejectedException;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.WhenLeased;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

/**
 * Keeps memory registered for its next use.
 *
 * {@snippet :
 * static final Access WRITE = Access.of(LOCAL_WRITE);
 *
 * try (RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT)) {
 *   try (CacheLease lease = cache.acquire(buffer, WRITE)) {
 *     post(buffer.address(), buffer.byteSize(), lease.lkey());
 *     awaitCompletion();
 *   } // stays registered
 * }
 * }
 *
 * <p><b>What hits.</b> A region of this registrar, so of its one protection domain, that covers the
 * memory: its own, or a longer one that starts earlier. Its access is the one asked for; or one
 * that is more for this process only, by LOCAL_WRITE or MW_BIND. A region with more rights for
 * peers is never handed out, since its key would give them what was not asked for; nor is one with
 * other ordering, paging or addressing. What is registered has exactly the access asked for: the
 * memory may not allow more.
 *
 * <p><b>When memory goes.</b> A region of a closed arena is never handed out again, also if the
 * address is mapped anew. It is given back when the arena is closed, if that is a {@code
 * RegistrationArena} or is {@linkplain MemoryRegistrar#watch watched}; else when a lookup meets it,
 * or at the next scan. Memory without an arena of its own, such as a segment made of an address,
 * lives for ever as far as Java knows: call {@link #invalidate} before it is unmapped.
 *
 * <p><b>How much is kept.</b> No more than the {@linkplain CacheOptions options} say: the least
 * recently used region without a lease goes first, to the resolution of misses and scans. If what
 * is leased leaves no room, a region is made for the lease, and given back with it. When a native
 * call fails for want of memory or of room in the device's table, idle regions are given back, and
 * the call is made once more.
 *
 * <p>Thread-safe. A hit takes no lock and allocates nothing, if the same {@link Access} object is
 * passed as before. Of threads that miss the same range one registers, and the others wait for it.
 */
public final class RegionCache implements AutoCloseable {

  private static final int SCANS_IN_IDLE_TIME = 4;
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final int BATCH = 256;

  private final MemoryRegistrar registrar;
  private final CacheOptions options;
  private final LongSupplier clock;
  private final boolean tracking;
  private final LongAdder releaseFailures = new LongAdder();

  /** Leases given out that no entry counts any more. */
  private final LongAdder givenBefore = new LongAdder();

  /** Let go, and not yet given back because of their leases. */
  private final Set<Entry> parting = ConcurrentHashMap.newKeySet();

  /** Let go, without leases, and not taken back by the library. */
  private final Queue<Entry> unreleased = new ConcurrentLinkedQueue<>();

  private volatile Lane[] lanes = {};

  /** Time as uses are dated: advances with misses and scans, so that a hit seldom has to write. */
  private volatile int now;

  private volatile boolean closed;

  // The rest is read and written under the lock. No native call is made and no listener called
  // while it is held.
  private final ReentrantLock lock = new ReentrantLock();
  private final LeastRecentlyUsed byUse = new LeastRecentlyUsed();
  private final List<Flight> flights = new ArrayList<>();
  private final Map<Eviction, Long> evictions = new EnumMap<>(Eviction.class);
  private final List<Scan> scans = new ArrayList<>();
  private int time;
  private long numbers;
  private long waits;
  private long misses;

  /** Leases that were given out for no hit: for waits, and by registrations. */
  private long givenOtherwise;

  private long registered;
  private long refused;
  private long failed;
  private long retries;
  private int regions;
  private long bytes;

  /** A registration that runs; null when it ended well. */
  private record Flight(
      Lane lane, long from, long to, Thread owner, CompletableFuture<@Nullable Throwable> end) {}

  /** When the cache's time became this. */
  private record Scan(int now, long nanos) {}

  private RegionCache(MemoryRegistrar registrar, CacheOptions options, LongSupplier clock) {
    this.registrar = registrar;
    this.options = options;
    this.clock = clock;
    this.tracking = registrar.options().leaseTracking();
  }

  /** Makes a cache of regions of a registrar. Close it before the registrar. */
  public static RegionCache on(MemoryRegistrar registrar, CacheOptions options) {
    RegionCache cache = on(registrar, options, System::nanoTime);
    if (options.scansItself()) {
      WeakReference<RegionCache> reference = new WeakReference<>(cache);
      Duration quarter = options.maxIdle().dividedBy(SCANS_IN_IDLE_TIME);
      long pause = (quarter.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : quarter).toNanos();
      Thread.ofVirtual().name("pinwise-cache-scan").start(() -> scanUntilClosed(reference, pause));
    }
    return cache;
  }

  /** For tests: scans only when told to, by a clock of their choice. */
  static RegionCache on(MemoryRegistrar registrar, CacheOptions options, LongSupplier clock) {
    return new RegionCache(registrar, options, clock);
  }

  private static void scanUntilClosed(WeakReference<RegionCache> reference, long pause) {
    while (true) {
      LockSupport.parkNanos(pause);
      RegionCache cache = reference.get();
      if (cache == null || cache.closed || cache.registrar.isClosed()) {
        return;
      }
      cache.scanQuietly();
    }
  }

  private void scanQuietly() {
    try {
      scan();
    } catch (VerbsException e) {
      // Counted, told to the listeners, and tried again by the next scan.
      return;
    }
  }

  // ---- acquiring ----

  /**
   * Takes a lease on a region that covers the memory; registers it if there is none.
   *
   * @param access pass the same object each time; another of the same flags hits too, but costs an
   *     allocation
   * @throws RegistrationRejectedException if the rules refuse to register it
   * @throws VerbsException if the call fails; also if it failed in the thread that was waited for
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment, the cache or the registrar is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public CacheLease acquire(MemorySegment memory, Access access) {
    LeaseCell lease = hit(memory, memory.address(), memory.byteSize(), access);
    return lease != null ? lease : acquireSlowly(memory, access);
  }

  /**
   * Takes a lease on a region that covers a part of the memory; registers the part if there is
   * none. The same as to acquire a slice, but for a hit no slice need be made.
   *
   * @param offset where the part starts in the memory, in bytes
   * @param length bytes
   * @param access as above
   * @throws IndexOutOfBoundsException if the part is not within the memory
   * @throws RegistrationRejectedException as {@link #acquire(MemorySegment, Access)} does
   * @throws VerbsException as {@link #acquire(MemorySegment, Access)} does
   * @throws IllegalArgumentException as {@link #acquire(MemorySegment, Access)} does
   * @throws IllegalStateException as {@link #acquire(MemorySegment, Access)} does
   * @throws WrongThreadException as {@link #acquire(MemorySegment, Access)} does
   */
  public CacheLease acquire(MemorySegment memory, long offset, long length, Access access) {
    Objects.checkFromIndexSize(offset, length, memory.byteSize());
    LeaseCell lease = hit(memory, memory.address() + offset, length, access);
    return lease != null ? lease : acquireSlowly(memory.asSlice(offset, length), access);
  }

  private @Nullable LeaseCell hit(MemorySegment memory, long from, long length, Access access) {
    Lane lane = laneOf(access);
    long to = from + length;
    if (tracking
        || lane == null
        || to <= from
        || !memory.scope().isAlive()
        || !memory.isAccessibleBy(Thread.currentThread())) {
      return null;
    }
    Entry entry = lane.index.covering(from, to);
    for (Lane other : lane.substitutes) {
      if (entry != null) {
        break;
      }
      entry = other.index.covering(from, to);
    }
    return entry == null ? null : entry.tryLease(now);
  }

  private @Nullable Lane laneOf(Access access) {
    Lane[] all = lanes;
    for (Lane lane : all) {
      if (isSame(lane.access, access)) {
        return lane;
      }
    }
    return all.length == 0 ? null : laneOf(all, access.bits());
  }

  @SuppressWarnings("ReferenceEquality") // comparing sets of flags would allocate
  private static boolean isSame(Access one, Access other) {
    return one == other;
  }

  private static @Nullable Lane laneOf(Lane[] all, int bits) {
    for (Lane lane : all) {
      if (lane.bits == bits) {
        return lane;
      }
    }
    return null;
  }

  /** The same under the lock, without hints: what is in the index is what there is. */
  private static @Nullable Entry find(Lane lane, long from, long to) {
    Entry entry = lane.index.floor(from);
    if (entry != null && to <= entry.end) {
      return entry;
    }
    for (Lane other : lane.substitutes) {
      entry = other.index.floor(from);
      if (entry != null && to <= entry.end) {
        return entry;
      }
    }
    return null;
  }

  private CacheLease acquireSlowly(MemorySegment memory, Access access) {
    Verbs.requirePassable(memory);
    long from = memory.address();
    long to = from + memory.byteSize();
    boolean waited = false;
    while (true) {
      List<Entry> evicted = new ArrayList<>();
      CacheLease lease = null;
      Flight flight = null;
      boolean mine = false;
      lock.lock();
      try {
        requireOpen();
        Lane lane = laneFor(access);
        Entry found = to <= from ? null : find(lane, from, to);
        if (found != null) {
          lease = lease(found);
          if (lease == null) {
            evict(found, Eviction.INVALIDATED, evicted); // the arena was closed
          } else {
            waits += waited ? 1 : 0;
            givenOtherwise += waited ? 1 : 0;
          }
        } else {
          flight = flightOver(lane, from, to);
          mine = flight == null;
          if (flight == null) {
            flight = new Flight(lane, from, to, Thread.currentThread(), new CompletableFuture<>());
            flights.add(flight);
            misses++;
            makeRoom(to - from, evicted);
          }
        }
      } finally {
        lock.unlock();
      }
      part(evicted, false);
      if (lease != null) {
        return lease;
      }
      if (flight == null) {
        continue;
      }
      if (mine) {
        return register(flight, memory, access);
      }
      waited = true;
      Throwable failure = await(flight);
      if (failure != null && flight.from == from && flight.to == to) {
        countWait();
        if (failure instanceof Error e) {
          throw e;
        }
        throw (RuntimeException) failure;
      }
    }
  }

  private void countWait() {
    lock.lock();
    try {
      waits++;
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable Throwable await(Flight flight) {
    if (flight.owner.equals(Thread.currentThread())) {
      throw new IllegalStateException(
          "the memory at 0x%x is being registered by this very thread\nMaybe a listener acquires it."
              .formatted(flight.from));
    }
    return flight.end.join();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException(
          "the cache of " + registrar + " is closed\nMaybe its owner closed it too early.");
    }
  }

  /** The lane of an access, made if there is none. */
  private Lane laneFor(Access access) {
    Lane[] all = lanes;
    Lane known = laneOf(all, access.bits());
    if (known != null) {
      return known;
    }
    Lane lane = new Lane(access);
    Lane[] more = Arrays.copyOf(all, all.length + 1);
    more[all.length] = lane;
    for (Lane one : more) {
      List<Lane> substitutes = new ArrayList<>();
      for (Lane other : more) {
        if (other.bits != one.bits && other.maySubstitute(one)) {
          substitutes.add(other);
        }
      }
      one.substitutes = substitutes.toArray(new Lane[0]);
    }
    lanes = more;
    return lane;
  }

  private @Nullable Flight flightOver(Lane lane, long from, long to) {
    for (Flight flight : flights) {
      boolean serves = flight.lane.equals(lane) || flight.lane.maySubstitute(lane);
      if (serves && flight.from <= from && to <= flight.to) {
        return flight;
      }
    }
    return null;
  }

  private @Nullable CacheLease lease(Entry entry) {
    LeaseCell cell = entry.tryLease(now);
    if (cell == null || !tracking) {
      return cell;
    }
    try {
      return entry.track(cell);
    } catch (IllegalStateException e) { // it is being closed
      cell.undo();
      return null;
    }
  }

  // ---- registering ----

  private CacheLease register(Flight flight, MemorySegment memory, Access access) {
    Throwable failure = null;
    try {
      RegisteredRegion region = registered(memory, Registration.of(access).label("cache"));
      try {
        return adopt(flight, region);
      } catch (RuntimeException | Error e) {
        region.closeWith(WhenLeased.defer());
        throw e;
      }
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      lock.lock();
      try {
        flights.remove(flight);
      } finally {
        lock.unlock();
      }
      flight.end.complete(failure);
    }
  }

  private RegisteredRegion registered(MemorySegment memory, Registration registration) {
    boolean isRefused = false;
    boolean isRegistered = false;
    try {
      RegistrationOutcome outcome = registrar.register(memory, registration);
      if (outcome instanceof RegistrationOutcome.Failed lacking
          && isForWantOfRoom(lacking.error())
          && giveBackIdle(memory.byteSize())) {
        outcome = registrar.register(memory, registration);
      }
      isRefused = outcome instanceof RegistrationOutcome.Refused;
      RegisteredRegion region = outcome.orElseThrow();
      isRegistered = true;
      return region;
    } finally {
      if (!isRegistered) {
        countFailure(isRefused);
      }
    }
  }

  private void countFailure(boolean isRefused) {
    lock.lock();
    try {
      refused += isRefused ? 1 : 0;
      failed += isRefused ? 0 : 1;
    } finally {
      lock.unlock();
    }
  }

  private boolean isForWantOfRoom(VerbsException error) {
    Long maxMr = registrar.device().maxMr();
    return error.errno() == Errno.ENOMEM.number()
        || error.errno() == Errno.ENOSPC.number()
        || error.errno() == Errno.EAGAIN.number()
        || (maxMr != null && registrar.regionCount() >= maxMr);
  }

  /** Gives idle regions back until so many bytes are free; whether there was any. */
  private boolean giveBackIdle(long length) {
    List<Entry> evicted = new ArrayList<>();
    lock.lock();
    try {
      long free = 0;
      while (free < length || evicted.isEmpty()) {
        Entry oldest = byUse.doomOldest();
        if (oldest == null) {
          break;
        }
        free += oldest.length();
        drop(oldest, Eviction.BUDGET, evicted);
      }
      retries += evicted.isEmpty() ? 0 : 1;
    } finally {
      lock.unlock();
    }
    part(evicted, false);
    return !evicted.isEmpty();
  }

  /** Makes a region the cache's, and leases it, or a better one that came meanwhile. */
  private CacheLease adopt(Flight flight, RegisteredRegion region) {
    List<Entry> evicted = new ArrayList<>();
    CacheLease first = null;
    CacheLease lease = null;
    boolean counted = false;
    try {
      Entry entry = new Entry(this, flight.lane, region, number(), now);
      entry.hold(); // throws if the region was closed meanwhile, with its arena
      lock.lock();
      try {
        registered++;
        counted = true;
        advance();
        first = lease(entry);
        if (first == null) {
          evict(entry, Eviction.INVALIDATED, evicted);
        } else {
          givenOtherwise++;
          lease = keep(entry, first, evicted);
        }
        advance();
      } finally {
        lock.unlock();
      }
    } finally {
      if (!counted) {
        countFailure(false);
      }
    }
    part(evicted, false);
    if (first != null && !first.equals(lease)) {
      closeQuietly(first);
    }
    if (lease == null) {
      throw new IllegalStateException(
          "the memory at 0x%x was closed while it was registered\nMaybe its arena was closed too early."
              .formatted(region.address()));
    }
    return lease;
  }

  private static void closeQuietly(CacheLease lease) {
    try {
      lease.close();
    } catch (VerbsException e) {
      // Counted, told to the listeners, and tried again by the next scan.
      return;
    }
  }

  /** The time of the next use is later than that of all before. Under the lock. */
  private int advance() {
    now = ++time;
    return time;
  }

  private long number() {
    lock.lock();
    try {
      return numbers++;
    } finally {
      lock.unlock();
    }
  }

  /** Puts an entry into the index, if it is to be kept; the lease to give out. */
  private CacheLease keep(Entry entry, CacheLease lease, List<Entry> evicted) {
    RangeIndex index = entry.lane.index;
    Entry longer = index.floor(entry.start);
    if (longer != null && longer.covers(entry.start, entry.end)) {
      CacheLease better = lease(longer);
      if (better != null) {
        givenOtherwise++;
        evict(entry, Eviction.COVERED, evicted);
        return better;
      }
      evict(longer, Eviction.INVALIDATED, evicted);
    }
    for (Entry other : index.overlapping(entry.start, entry.end)) {
      if (entry.covers(other.start, other.end)) {
        evict(other, Eviction.COVERED, evicted);
      }
    }
    makeRoom(entry.length(), evicted);
    if (closed || !fits(entry.length())) {
      evict(entry, closed ? Eviction.CLOSED : Eviction.BUDGET, evicted);
      return lease;
    }
    index.add(entry);
    byUse.add(entry);
    entry.indexed = true;
    regions++;
    bytes += entry.length();
    return lease;
  }

  private boolean fits(long length) {
    return regions < options.maxRegions() && length <= options.maxBytes() - bytes;
  }

  /**
   * Lets the least recently used idle regions go until one of this length fits, or none is left.
   */
  private void makeRoom(long length, List<Entry> evicted) {
    if (length > options.maxBytes() || options.maxRegions() == 0) {
      return; // it will not be kept, whatever goes
    }
    while (!fits(length)) {
      Entry oldest = byUse.doomOldest();
      if (oldest == null) {
        return;
      }
      drop(oldest, Eviction.BUDGET, evicted);
    }
  }

  // ---- letting go ----

  /** Lets an entry go, if it was not before. Under the lock. */
  private void evict(Entry entry, Eviction why, List<Entry> evicted) {
    if (entry.doom()) {
      drop(entry, why, evicted);
    }
  }

  /** Forgets an entry that was let go. Under the lock. */
  private void drop(Entry entry, Eviction why, List<Entry> evicted) {
    entry.why = why;
    evictions.merge(why, 1L, Long::sum);
    parting.add(entry);
    if (entry.indexed) {
      entry.indexed = false;
      entry.lane.index.remove(entry);
      byUse.left();
      regions--;
      bytes -= entry.length();
    }
    evicted.add(entry);
  }

  /**
   * Gives back what was let go and has no lease. Not under the lock.
   *
   * @param failing whether to throw the first failure, when all were tried
   */
  private void part(Collection<Entry> evicted, boolean failing) {
    VerbsException first = null;
    for (Entry entry : evicted) {
      Eviction why = entry.why;
      if (why != null) {
        registrar.listener().evicted(entry.registered(), why);
      }
      try {
        settle(entry);
      } catch (VerbsException e) {
        first = also(first, e);
      }
    }
    if (failing && first != null) {
      throw first;
    }
  }

  private static VerbsException also(@Nullable VerbsException first, VerbsException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }

  /** Gives an entry's region back, if it was let go and has no lease. Not under the lock. */
  void settle(Entry entry) {
    if (claim(entry)) {
      release(entry);
    }
  }

  /** The same for a thread that has other things to do: the next scan tries again. */
  void settleQuietly(Entry entry) {
    try {
      settle(entry);
    } catch (VerbsException e) {
      // Counted, told to the listeners, and tried again by the next scan.
      return;
    }
  }

  private boolean claim(Entry entry) {
    if (!entry.claim()) {
      return false;
    }
    lock.lock(); // whoever let it go has put it there by then
    try {
      parting.remove(entry);
      givenBefore.add(entry.given());
    } finally {
      lock.unlock();
    }
    return true;
  }

  /** A count of leases has begun again at zero. */
  void countedRound(long many) {
    givenBefore.add(many);
  }

  private void release(Entry entry) {
    try {
      entry.endHold();
      entry.registered().closeWith(WhenLeased.defer());
    } catch (VerbsException e) {
      releaseFailures.increment();
      unreleased.add(entry);
      throw e;
    }
  }

  /** The region is being closed by someone else. */
  void giveUp(Entry entry) {
    List<Entry> evicted = new ArrayList<>();
    lock.lock();
    try {
      evict(entry, Eviction.INVALIDATED, evicted);
    } finally {
      lock.unlock();
    }
    if (!evicted.isEmpty()) {
      registrar.listener().evicted(entry.registered(), Eviction.INVALIDATED);
    }
    if (claim(entry)) {
      entry.endHold();
    }
  }

  /**
   * Lets go all regions that overlap a segment, before its memory is unmapped. Those with leases
   * are given back when their last lease is closed. A registration that runs is not stopped.
   *
   * @param memory open or closed
   * @throws VerbsException if the library does not take a region back; the others are given back,
   *     and the cache tries again when it scans and when it is closed
   */
  public void invalidate(MemorySegment memory) {
    long from = memory.address();
    long to = from + memory.byteSize();
    List<Entry> evicted = new ArrayList<>();
    lock.lock();
    try {
      for (Lane lane : lanes) {
        for (Entry entry : lane.index.overlapping(from, to)) {
          evict(entry, Eviction.INVALIDATED, evicted);
        }
      }
    } finally {
      lock.unlock();
    }
    part(evicted, true);
  }

  /**
   * Lets go what nobody has used for {@link CacheOptions#maxIdle}, and what is of a closed arena.
   * Of a region's age only that is sure which lies between two scans: it may stay longer by that,
   * never shorter. Tries again to give back what the library did not take.
   *
   * @throws VerbsException if the library does not take a region back
   */
  public void scan() {
    long nanos = clock.getAsLong();
    long idle = options.maxIdle().toNanos();
    Scan limit;
    lock.lock();
    try {
      scans.add(new Scan(advance(), nanos));
      while (scans.size() > 1 && nanos - scans.get(1).nanos >= idle) {
        scans.remove(0);
      }
      limit = scans.get(0);
    } finally {
      lock.unlock();
    }
    boolean sure = nanos - limit.nanos >= idle;
    List<Entry> candidates = new ArrayList<>();
    for (Lane lane : lanes) {
      Scan at = limit;
      lane.index.forEach(entry -> {
        if (!entry.isMemoryAlive() || (sure && entry.lastUse() - at.now < 0)) {
          candidates.add(entry);
        }
      });
    }
    VerbsException first = retryReleases(null);
    for (int i = 0; i < candidates.size(); i += BATCH) {
      List<Entry> evicted = new ArrayList<>();
      lock.lock();
      try {
        for (Entry entry : candidates.subList(i, Math.min(i + BATCH, candidates.size()))) {
          if (!entry.isMemoryAlive()) {
            evict(entry, Eviction.INVALIDATED, evicted);
          } else if (sure && entry.lastUse() - limit.now < 0 && entry.doomIfIdle()) {
            drop(entry, Eviction.IDLE, evicted);
          }
        }
      } finally {
        lock.unlock();
      }
      try {
        part(evicted, true);
      } catch (VerbsException e) {
        first = also(first, e);
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private @Nullable VerbsException retryReleases(@Nullable VerbsException before) {
    VerbsException first = before;
    List<Entry> again = new ArrayList<>();
    for (Entry entry = unreleased.poll(); entry != null; entry = unreleased.poll()) {
      again.add(entry);
    }
    for (Entry entry : again) {
      try {
        release(entry);
      } catch (VerbsException e) {
        first = also(first, e);
      }
    }
    return first;
  }

  /**
   * Lets all regions go. Those with leases are given back when their last lease is closed.
   *
   * @throws VerbsException if the library does not take a region back; the others are given back
   */
  public void clear() {
    List<Entry> evicted = new ArrayList<>();
    lock.lock();
    try {
      for (Lane lane : lanes) {
        lane.index.forEach(entry -> evict(entry, Eviction.CLOSED, evicted));
      }
    } finally {
      lock.unlock();
    }
    part(evicted, true);
  }

  /**
   * Lets all regions go, and hands out no more. What it does while there are leases, the
   * registrar's {@link org.pinwise.registrar.RegistrarOptions#whenLeased options} say. A second
   * call tries again what the first could not do.
   *
   * @throws RegionInUseException if there are leases, and it is to refuse; the region is given back
   *     when they are closed
   * @throws VerbsException if the library does not take a region back; the others are given back
   */
  @Override
  public void close() {
    closeWith(registrar.options().whenLeased());
  }

  /**
   * Closes the cache, with a word on what to do while there are leases.
   *
   * @return whether all regions are given back now
   * @throws RegionInUseException as {@link #close()} does, unless the policy defers
   * @throws VerbsException as {@link #close()} does
   */
  public boolean closeWith(WhenLeased policy) {
    closed = true;
    RuntimeException first = retryReleases(null);
    try {
      clear();
    } catch (VerbsException e) {
      first = first == null ? e : first;
    }
    for (Entry entry : parting) {
      try {
        entry.registered().closeWith(policy);
      } catch (RegionInUseException | VerbsException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
    return parting.isEmpty();
  }

  // ---- what it is ----

  /** What the cache has done and holds. Counts the leases of all entries, so not for a hot path. */
  public CacheStats stats() {
    lock.lock();
    try {
      List<Entry> entries = new ArrayList<>(parting);
      for (Lane lane : lanes) {
        lane.index.forEach(entries::add);
      }
      long leases = 0;
      long given = givenBefore.sum();
      for (Entry entry : entries) {
        leases += entry.allLeases();
        given += entry.given();
      }
      return new CacheStats(
          given - givenOtherwise,
          waits,
          misses,
          registered,
          refused,
          failed,
          evicted(Eviction.IDLE),
          evicted(Eviction.BUDGET),
          evicted(Eviction.INVALIDATED),
          evicted(Eviction.COVERED),
          evicted(Eviction.CLOSED),
          retries,
          releaseFailures.sum(),
          regions,
          bytes,
          leases);
    } finally {
      lock.unlock();
    }
  }

  private long evicted(Eviction why) {
    return evictions.getOrDefault(why, 0L);
  }

  /** The registrar whose regions it keeps. */
  public MemoryRegistrar registrar() {
    return registrar;
  }

  /** How much it keeps, and for how long. */
  public CacheOptions options() {
    return options;
  }

  /** Whether it hands out no more. */
  public boolean isClosed() {
    return closed;
  }

  @Override
  public String toString() {
    return (closed ? "closed cache of " : "cache of ") + registrar;
  }
}

package org.pinwise.registrar.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrationArena;
import org.pinwise.registrar.Simulations;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;

class EntryTest {
  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private final SimulatedDevice device = Simulations.device("rxe");

  /** An arena that was closed just then found a hold that nobody ended, for good. */
  @Test
  void whatIsAskedBackBeforeItIsHeldIsNotHeld() {
    try (MemoryRegistrar registrar = Simulations.open(Verbs.simulated(device), device);
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT.withOwnScans(false));
        RegistrationArena arena = registrar.openArena(WRITE)) {
      RegisteredRegion region = arena.allocateRegistered(4096, 4096);
      Entry entry = new Entry(cache, new Lane(WRITE), region, 0, 0);

      entry.giveUp(); // by a thread that came between the region's hold and the entry's
      entry.hold();

      assertThat(entry.isGone()).isTrue();
      assertThat(region.leases()).isZero();
      region.close();
      assertThat(region.isClosed()).isTrue();
    }
  }

  /** The word of a cell counts ended leases modulo 2^32. */
  @Test
  void noLeaseIsForgottenWhenItsCountBeginsAgain() throws ReflectiveOperationException {
    VarHandle count =
        MethodHandles.privateLookupIn(LeaseCell.class, MethodHandles.lookup())
            .findVarHandle(LeaseCell.class, "count", long.class);
    try (MemoryRegistrar registrar = Simulations.open(Verbs.simulated(device), device);
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT.withOwnScans(false));
        RegistrationArena arena = registrar.openArena(WRITE)) {
      MemorySegment memory = arena.allocate(4096, 4096);
      CacheLease open = cache.acquire(memory, WRITE); // a miss
      count.getAndAdd((LeaseCell) open, 0xffff_fffeL << 32);
      long before = cache.stats().hits();

      for (int i = 0; i < 3; i++) {
        cache.acquire(memory, WRITE).close();
        assertThat(cache.stats().hits()).isEqualTo(before + i + 1);
        assertThat(cache.stats().leases()).isEqualTo(1);
      }
      open.close();
      cache.clear();
      assertThat(cache.stats().hits()).isEqualTo(before + 3).isEqualTo(0xffff_fffeL + 3);
    }
  }

  @Test
  void whatIsHeldIsGivenBackWhenItIsAskedFor() {
    try (MemoryRegistrar registrar = Simulations.open(Verbs.simulated(device), device);
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT.withOwnScans(false));
        RegistrationArena arena = registrar.openArena(WRITE)) {
      RegisteredRegion region = arena.allocateRegistered(4096, 4096);
      Entry entry = new Entry(cache, new Lane(WRITE), region, 0, 0);
      entry.hold();
      LeaseCell lease = entry.tryLease(1);
      assertThat(lease).isNotNull();

      entry.giveUp();
      assertThat(region.leases()).isEqualTo(1);
      lease.close();

      assertThat(region.leases()).isZero();
      assertThat(region.isClosed()).isTrue();
    }
  }
}

package org.pinwise.registrar.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

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

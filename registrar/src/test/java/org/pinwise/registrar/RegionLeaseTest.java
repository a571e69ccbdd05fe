package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

class RegionLeaseTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(65536, 4096);
  private final SimulatedDevice rxe = Simulations.device("rxe");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(rxe));
  private final MemoryRegistrar registrar = Simulations.open(verbs, rxe);

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private RegisteredRegion register() {
    return registrar.register(memory, WRITE).orElseThrow();
  }

  // ---- one region ----

  @Test
  void aLeasedRegionIsNotGivenBack() {
    RegisteredRegion region = register();
    RegionLease lease = region.lease();

    assertThatThrownBy(region::close)
        .isInstanceOfSatisfying(
            RegionInUseException.class,
            e -> {
              assertThat(e.region()).isSameAs(region);
              assertThat(e.leases()).isEqualTo(1);
            })
        .hasMessageContaining("has 1 lease")
        .hasMessageContaining("\nMaybe close them first");
    assertThat(region.isClosed()).isFalse();
    assertThat(verbs.calls(Operation.DEREG_MR)).isZero();
    assertThat(region.leases()).isEqualTo(1);

    lease.close();
    lease.close();
    assertThat(region.leases()).isZero();
    region.close();
    assertThat(region.isClosed()).isTrue();
  }

  @Test
  void aDeferredCloseIsTheLastLeases() {
    RegisteredRegion region = register();
    RegionLease first = region.lease();
    RegionLease second = region.lease();

    assertThat(region.closeWith(WhenLeased.defer())).isFalse();
    assertThatThrownBy(region::lease)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is being closed");
    first.close();
    first.close();
    assertThat(region.isClosed()).isFalse();
    second.close();
    assertThat(region.isClosed()).isTrue();
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(1);
    assertThatThrownBy(region::lease)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aDeferredCloseThatFailsIsTheLeasesErrorAndCanBeRepeated() {
    RegisteredRegion region = register();
    RegionLease lease = region.lease();
    region.closeWith(WhenLeased.defer());
    verbs.failNext(Operation.DEREG_MR, Errno.EBUSY);

    assertThatThrownBy(lease::close)
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("ibv_dereg_mr");
    assertThat(lease.isOpen()).isFalse();
    assertThat(region.isClosed()).isFalse();
    region.close();
    assertThat(region.isClosed()).isTrue();
  }

  @Test
  void aWaitingCloseWaits() throws Exception {
    RegisteredRegion region = register();
    RegionLease lease = region.lease();
    CompletableFuture<Boolean> closed =
        CompletableFuture.supplyAsync(
            () -> region.closeWith(WhenLeased.waitFor(Duration.ofMinutes(1))));
    Thread.sleep(20);
    assertThat(closed).isNotDone();
    lease.close();
    assertThat(closed.get()).isTrue();

    RegisteredRegion other = register();
    try (RegionLease left = other.lease()) {
      assertThatThrownBy(() -> other.closeWith(WhenLeased.waitFor(Duration.ofMillis(10))))
          .isInstanceOf(RegionInUseException.class);
      assertThat(left.isOpen()).isTrue();
    }
  }

  // ---- their owners ----

  @Test
  void anArenaWithALeaseIsNotFreed() {
    RegistrationArena pool = registrar.openArena(WRITE);
    RegisteredRegion leased = pool.allocateRegistered(4096, 4096);
    RegisteredRegion free = pool.allocateRegistered(4096, 4096);
    RegionLease lease = leased.lease();

    assertThatThrownBy(pool::close).isInstanceOf(RegionInUseException.class);
    assertThat(pool.scope().isAlive()).isTrue();
    assertThat(free.isClosed()).isTrue();
    assertThat(pool.allocateRegistered(64, 64).isClosed()).isFalse();
    lease.close();
    pool.close();
    assertThat(pool.scope().isAlive()).isFalse();
  }

  @Test
  void anArenaFreesItsMemoryWithTheLastLease() {
    RegistrationArena pool = registrar.openArena(WRITE);
    RegionLease first = pool.allocateRegistered(4096, 4096).lease();
    RegionLease second = pool.allocateRegistered(4096, 4096).lease();

    assertThat(pool.closeWith(WhenLeased.defer())).isFalse();
    assertThatThrownBy(() -> pool.allocateRegistered(64, 64))
        .isInstanceOf(IllegalStateException.class);
    first.close();
    assertThat(pool.scope().isAlive()).isTrue();
    second.close();
    assertThat(pool.scope().isAlive()).isFalse();
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void anArenaGivesBackWhatOthersRegisteredOnItsMemory() {
    RegistrationArena pool = registrar.openArena(WRITE);
    RegisteredRegion region = registrar.register(pool.allocate(4096, 4096), WRITE).orElseThrow();

    pool.close();
    assertThat(region.isClosed()).isTrue();
  }

  /** It knows the regions of its own registrar only. */
  @Test
  void aRegistrationArenaOfAnotherRegistrarCanBeWatched() {
    RegistrationArena theirs = registrar.openArena(WRITE);
    RegisteredRegion first = theirs.allocateRegistered(4096, 4096);
    try (MemoryRegistrar other = Simulations.open(verbs, rxe)) {
      RegisteredRegion second = other.register(first.segment(), WRITE).orElseThrow();
      other.watch(theirs);
      RegisteredRegion third = other.register(first.segment(), WRITE).orElseThrow();
      registrar.watch(theirs); // it is its own
      theirs.close();

      assertThat(List.of(first, second, third)).allMatch(RegisteredRegion::isClosed);
      assertThat(other.regionCount()).isZero();
      assertThatThrownBy(() -> other.watch(theirs)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(3);
  }

  @Test
  void aWatchedArenaGivesItsRegionsBack() {
    RegisteredRegion before = register();
    registrar.watch(arena);
    registrar.watch(arena);
    RegisteredRegion after = register();
    RegisteredRegion leased = register();
    RegionLease lease = leased.lease();

    arena.close();
    assertThat(before.isClosed()).isTrue();
    assertThat(after.isClosed()).isTrue();
    assertThat(leased.isClosed()).isFalse();
    lease.close();
    assertThat(leased.isClosed()).isTrue();
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void aWatchedRegionThatFailsToGoStaysTheRegistrars() {
    registrar.watch(arena);
    RegisteredRegion region = register();
    verbs.failNext(Operation.DEREG_MR, Errno.EIO);

    arena.close();
    assertThat(region.isClosed()).isFalse();
    assertThat(region.isMemoryAlive()).isFalse();
    registrar.close();
    assertThat(region.isClosed()).isTrue();
  }

  @Test
  void aRegistrarClosesWithTheLastLease() {
    RegionLease lease = register().lease();

    assertThatThrownBy(registrar::close).isInstanceOf(RegionInUseException.class);
    assertThat(registrar.closeWith(WhenLeased.defer())).isFalse();
    assertThat(registrar.isClosed()).isFalse();
    lease.close();
    assertThat(registrar.isClosed()).isTrue();
  }

  @Test
  void theOptionsSayWhatCloseDoes() {
    RegistrarOptions options = RegistrarOptions.DEFAULT.withWhenLeased(WhenLeased.defer());
    try (MemoryRegistrar deferring = Simulations.open(verbs, rxe, options)) {
      RegisteredRegion region = deferring.register(memory, WRITE).orElseThrow();
      RegionLease lease = region.lease();
      region.close();
      assertThat(region.isClosed()).isFalse();
      lease.close();
      assertThat(region.isClosed()).isTrue();
    }
  }

  // ---- where a lease was taken ----

  @Test
  void trackingTellsWhereALeaseWasTaken() {
    RegistrarOptions options = RegistrarOptions.DEFAULT.withLeaseTracking(true);
    try (MemoryRegistrar tracking = Simulations.open(verbs, rxe, options)) {
      RegisteredRegion region = tracking.register(memory, WRITE).orElseThrow();
      RegionLease lease = region.lease();
      assertThatThrownBy(region::close)
          .hasMessageContaining("was taken at")
          .hasMessageContaining("trackingTellsWhereALeaseWasTaken");
      lease.close();
    }
  }

  @Test
  void aLostLeaseIsReported() throws Exception {
    List<String> lost = new ArrayList<>();
    RegistrarOptions options = RegistrarOptions.DEFAULT.withLeaseTracking(true);
    MemoryRegistrar tracking = Simulations.open(verbs, rxe, options);
    tracking.listen(
        new RegistrarListener() {
          @Override
          public void leaseLost(RegisteredRegion region, String where) {
            synchronized (lost) {
              lost.add(where);
            }
          }
        });
    RegisteredRegion region = tracking.register(memory, WRITE).orElseThrow();
    loseALease(region);
    for (int i = 0; i < 500; i++) {
      System.gc();
      Thread.sleep(10);
      synchronized (lost) {
        if (!lost.isEmpty()) {
          break;
        }
      }
    }
    synchronized (lost) {
      assertThat(lost).singleElement().asString().contains("loseALease");
    }
    // Nobody can say whether the work is over, so the region stays.
    assertThatThrownBy(region::close)
        .isInstanceOf(RegionInUseException.class)
        .hasMessageContaining("loseALease");
    region.registrar().closeWith(WhenLeased.defer());
    region.endLease(); // as if it were over, so that the test leaves nothing
    assertThat(tracking.isClosed()).isTrue();
  }

  private static void loseALease(RegisteredRegion region) {
    assertThat(region.lease().isOpen()).isTrue();
  }

  // ---- holders and listeners ----

  @Test
  void aHolderIsAskedToGiveUp() {
    RegisteredRegion region = register();
    List<String> asked = new ArrayList<>();
    RegionLease[] hold = new RegionLease[1];
    RegionHolder holder =
        new RegionHolder() {
          @Override
          public int leases() {
            return 3;
          }

          @Override
          public void giveUp() {
            asked.add("giveUp");
            hold[0].close();
          }
        };
    hold[0] = region.hold(holder);
    assertThat(region.leases()).isEqualTo(3);
    assertThatThrownBy(() -> region.hold(holder))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is held by");
    region.close();
    assertThat(asked).containsExactly("giveUp");
  }

  @Test
  void listenersAreToldAndHarmNothing() {
    List<String> told = new ArrayList<>();
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
            told.add("registered " + region.label());
            throw new IllegalStateException("a listener's own bug");
          }

          @Override
          public void refused(MemoryRegistrar by, Verdict verdict) {
            told.add("refused " + verdict.findings().getFirst().rule());
          }

          @Override
          public void failed(
              MemoryRegistrar by, VerbsException error, Verdict verdict, long nanos) {
            told.add("failed " + error.errnoName());
          }

          @Override
          public void deregistered(RegisteredRegion region, long nanos) {
            told.add("deregistered " + region.isClosed());
          }

          @Override
          public void notDeregistered(RegisteredRegion region, VerbsException error, long nanos) {
            told.add("not deregistered " + error.errnoName());
          }
        });
    RegisteredRegion region =
        registrar.register(memory, Registration.of(WRITE).label("rpc")).orElseThrow();
    registrar.register(memory, Access.ofBits(2));
    verbs.failNext(Operation.REG_MR, Errno.ENOMEM);
    registrar.register(memory, WRITE);
    verbs.failNext(Operation.DEREG_MR, Errno.EBUSY);
    assertThatThrownBy(region::close).isInstanceOf(VerbsException.class);
    region.close();

    assertThat(told)
        .containsExactly(
            "registered rpc",
            "refused MR001",
            "failed ENOMEM",
            "not deregistered EBUSY",
            "deregistered true");
  }
}

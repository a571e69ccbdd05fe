package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.facts.LiveMemory;
import org.pinwise.registrar.memory.BufferException;
import org.pinwise.registrar.memory.Pages;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

class RegistrationArenaTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private final SimulatedDevice rxe = Simulations.device("rxe");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(rxe));
  private final MemoryRegistrar registrar = Simulations.open(verbs, rxe);

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  @Test
  void givesRegionsBackBeforeItFreesTheMemory() {
    RegistrationArena arena = registrar.openArena(WRITE);
    RegisteredRegion region = arena.allocateRegistered(64 << 10, 4096);
    MemorySegment plain = arena.allocate(8, 8);
    plain.set(ValueLayout.JAVA_LONG, 0, 1);

    assertThat(region.address() % 4096).isZero();
    assertThat(region.access()).isEqualTo(arena.access());
    assertThat(arena.scope()).isEqualTo(plain.scope());
    arena.close();

    assertThat(region.isClosed()).isTrue();
    assertThat(plain.scope().isAlive()).isFalse();
    arena.close();
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(1);
  }

  /**
   * The rules see what the memory is: nothing is assumed of it, and it starts where they advise.
   */
  @Test
  void memoryOfChosenPages() {
    RegistrationArena arena = registrar.openArena(WRITE, Pages.memfd("region").populated());
    RegistrationOutcome outcome = arena.tryAllocateRegistered(3 << 20, 1);
    RegisteredRegion region = outcome.orElseThrow();

    assertThat(region.address() % (2 << 20)).isZero();
    assertThat(outcome.verdict().assumed()).noneMatch(fact -> fact.startsWith("memory"));
    assertThat(LiveMemory.ofThisProcess().range(region.address(), 3 << 20).orElseThrow().mapped())
        .isTrue();
    arena.close();

    assertThat(region.isClosed()).isTrue();
    assertThat(LiveMemory.ofThisProcess().range(region.address(), 3 << 20).orElseThrow().mapped())
        .isFalse();
  }

  @Test
  void pagesThatCannotBeHadRegisterNothing() {
    try (RegistrationArena arena = registrar.openArena(WRITE, Pages.hugetlb(1L << 40))) {
      assertThatThrownBy(() -> arena.allocateRegistered(1, 1)).isInstanceOf(BufferException.class);
      assertThat(registrar.regionCount()).isZero();
    }
  }

  @Test
  void aRegionMayBeClosedBefore() {
    try (RegistrationArena arena = registrar.openArena(WRITE)) {
      arena.allocateRegistered(64, 64).close();
    }
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(1);
  }

  @Test
  void theRegistrarMayBeClosedBefore() {
    RegistrationArena arena = registrar.openArena(WRITE);
    RegisteredRegion region = arena.allocateRegistered(64, 64);
    registrar.close();

    assertThat(region.isClosed()).isTrue();
    assertThat(region.isMemoryAlive()).isTrue();
    assertThatThrownBy(() -> arena.allocateRegistered(64, 64))
        .isInstanceOf(IllegalStateException.class);
    arena.close();
    assertThat(region.isMemoryAlive()).isFalse();
  }

  @Test
  void memoryIsKeptWhileARegionIsNotTakenBack() {
    RegistrationArena arena = registrar.openArena(WRITE);
    RegisteredRegion first = arena.allocateRegistered(64, 64);
    RegisteredRegion second = arena.allocateRegistered(64, 64);
    verbs.failNext(Operation.DEREG_MR, Errno.EBUSY);

    assertThatThrownBy(arena::close).isInstanceOf(VerbsException.class);
    assertThat(first.isClosed() ^ second.isClosed()).isTrue();
    assertThat(arena.scope().isAlive()).isTrue();
    arena.close();
    assertThat(first.isClosed() && second.isClosed()).isTrue();
    assertThat(arena.scope().isAlive()).isFalse();
  }

  @Test
  void aRefusalIsAnExceptionOrAnOutcome() {
    try (RegistrationArena arena = registrar.openArena(Access.of(REMOTE_WRITE))) {
      assertThatThrownBy(() -> arena.allocateRegistered(64, 64))
          .isInstanceOf(RegistrationRejectedException.class);
      assertThat(arena.tryAllocateRegistered(64, 64))
          .isInstanceOf(RegistrationOutcome.Refused.class);
    }
  }

  @Test
  void nothingIsAllocatedFromAClosedArena() {
    RegistrationArena arena = registrar.openArena(WRITE);
    arena.close();

    assertThatThrownBy(() -> arena.allocateRegistered(64, 64))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("the arena is closed");
    assertThatThrownBy(() -> arena.allocate(64, 64)).isInstanceOf(IllegalStateException.class);
  }
}

package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.engine.Verdict;
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

  /** Also where it is not the arena's own: the kernel works on the memory meanwhile. */
  @Test
  void closingWaitsForARegistrationThatRuns() throws Exception {
    RegistrationArena arena = registrar.openArena(WRITE);
    MemorySegment segment = arena.allocate(4096, 4096);
    CountDownLatch calling = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    verbs.duringNext(
        Operation.REG_MR,
        () -> {
          calling.countDown();
          await(goOn);
        });
    AtomicReference<RegisteredRegion> region = new AtomicReference<>();
    Thread register =
        Thread.ofPlatform()
            .start(() -> region.set(registrar.register(segment, WRITE).orElseThrow()));
    await(calling);
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread close =
        Thread.ofPlatform()
            .start(() -> {
              arena.close();
              interrupted.set(Thread.interrupted());
            });
    while (close.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    close.interrupt(); // ends nothing, and is kept
    assertThatThrownBy(() -> registrar.register(segment, WRITE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the arena of the memory at 0x%x is closed", segment.address());
    assertThat(arena.scope().isAlive()).isTrue();
    assertThat(close.isAlive()).isTrue();
    goOn.countDown();
    register.join();
    close.join();

    assertThat(region.get().isClosed()).isTrue();
    assertThat(arena.scope().isAlive()).isFalse();
    assertThat(interrupted).isTrue();
    assertThat(verbs.calls(Operation.REG_MR)).isEqualTo(1);
  }

  /** What the registrar cannot wait for, it names; its regions are back, and it closes later. */
  @Test
  @SuppressWarnings("restricted") // a call that takes time
  void aCallOfSomebodyElseIsNotWaitedFor() throws Exception {
    MethodHandle nanosleep =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("nanosleep"),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    RegistrationArena arena = registrar.openArena(WRITE);
    RegisteredRegion region = arena.allocateRegistered(4096, 4096);
    MemorySegment time = arena.allocate(16, 8);
    time.setAtIndex(ValueLayout.JAVA_LONG, 1, 800_000_000);
    CountDownLatch calling = new CountDownLatch(1);
    CompletableFuture<Object> call =
        CompletableFuture.supplyAsync(() -> {
          calling.countDown();
          try {
            return nanosleep.invokeWithArguments(time, MemorySegment.NULL);
          } catch (Throwable e) {
            throw new IllegalStateException(e);
          }
        });
    await(calling);
    Thread.sleep(200);

    assertThatThrownBy(arena::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is in use by a native call that is not this registrar's\nMaybe ")
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(region.isClosed()).isTrue();
    assertThat(arena.scope().isAlive()).isTrue();
    call.join();
    arena.close();
    assertThat(arena.scope().isAlive()).isFalse();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a listener closes, with what it is told of. */
  enum ClosedByAListener {
    REGION {
      @Override
      void close(RegisteredRegion region, RegistrationArena arena) {
        region.close();
      }
    },
    ARENA {
      @Override
      void close(RegisteredRegion region, RegistrationArena arena) {
        arena.close();
      }
    },
    REGISTRAR {
      @Override
      void close(RegisteredRegion region, RegistrationArena arena) {
        region.registrar().close();
      }
    };

    abstract void close(RegisteredRegion region, RegistrationArena arena);
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aListenerMayCloseWhatWasJustRegistered(ClosedByAListener what) {
    RegistrationArena arena = registrar.openArena(WRITE);
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
            what.close(region, arena);
          }
        });
    RegisteredRegion region = arena.allocateRegistered(4096, 4096);

    assertThat(region.isClosed()).isTrue();
    arena.close();
    assertThat(region.isMemoryAlive()).isFalse();
  }

  /** Each close meets itself: by the region, the arena and the registrar. */
  @ParameterizedTest
  @EnumSource
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aListenerMayCloseWhatIsBeingClosed(ClosedByAListener what) {
    RegistrationArena arena = registrar.openArena(WRITE);
    List<RegisteredRegion> regions = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) { // one call within the other would not go so deep
      regions.add(arena.allocateRegistered(64, 64));
    }
    AtomicInteger told = new AtomicInteger();
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void deregistered(RegisteredRegion region, long nanos) {
            told.incrementAndGet();
            what.close(region, arena);
          }
        });
    regions.getFirst().close();
    arena.close();
    registrar.close();

    assertThat(regions).allMatch(RegisteredRegion::isClosed);
    assertThat(told).hasValue(regions.size());
    assertThat(arena.scope().isAlive()).isFalse();
  }

  /** A region that one thread closes is told of while another thread closes its arena. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aListenerMayWaitForAnotherThreadThatClosesTheArena() {
    RegistrationArena arena = registrar.openArena(WRITE);
    RegisteredRegion region = arena.allocateRegistered(4096, 4096);
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void deregistered(RegisteredRegion region, long nanos) {
            CompletableFuture.runAsync(arena::close).join();
          }
        });
    region.close();

    assertThat(arena.scope().isAlive()).isFalse();
  }

  @Test
  void aSecondCloseThatIsRefusedLeavesTheFirstDeferred() {
    RegistrationArena arena = registrar.openArena(WRITE);
    RegionLease lease = arena.allocateRegistered(64, 64).lease();
    assertThat(arena.closeWith(WhenLeased.defer())).isFalse();

    assertThatThrownBy(() -> arena.closeWith(WhenLeased.refuse()))
        .isInstanceOf(RegionInUseException.class);
    assertThatThrownBy(() -> arena.allocateRegistered(64, 64))
        .isInstanceOf(IllegalStateException.class);
    lease.close();
    assertThat(arena.scope().isAlive()).isFalse();
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
    assertThatThrownBy(() -> arena.allocate(64, 64))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("the arena is closed");
  }
}

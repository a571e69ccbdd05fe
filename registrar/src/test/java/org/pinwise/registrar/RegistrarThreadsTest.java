package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.MW_BIND;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;

class RegistrarThreadsTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final int ROUNDS = 200;

  private final SimulatedDevice rxe = Simulations.device("rxe");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(rxe));

  @Test
  void manyRegisterAndClose() throws Exception {
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      Callable<Integer> work =
          () -> {
            for (int i = 0; i < 2000; i++) {
              registrar.register(memory, WRITE).orElseThrow().close();
            }
            return 1;
          };
      together(work, work, work);
      assertThat(registrar.regionCount()).isZero();
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    }
  }

  @Test
  void rulesThatChangeMeanwhileLoseNoVerdict() throws Exception {
    MrValidator kernel = MrValidator.create(RuleSet.builtIn());
    MrValidator strict = MrValidator.create(RuleSet.builtIn().with(Profile.builtIn("strict")));
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      Callable<Integer> change =
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              registrar.judgeBy(i % 2 == 0 ? strict : kernel);
            }
            return 1;
          };
      // The kernel takes it, and strict rules refuse it: nothing else may come of it.
      Callable<Integer> work =
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              switch (registrar.register(memory, Access.of(MW_BIND))) {
                case RegistrationOutcome.Registered done -> done.region().close();
                case RegistrationOutcome.Refused refused ->
                    assertThat(refused.verdict().errno()).isEmpty();
                case RegistrationOutcome.Failed failed -> throw failed.error();
              }
            }
            return 1;
          };
      together(change, work, work);
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    }
  }

  @Test
  void oneRegionClosedByAllIsGivenBackOnce() throws Exception {
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      for (int round = 1; round <= ROUNDS; round++) {
        RegisteredRegion region = registrar.register(memory, WRITE).orElseThrow();
        Callable<Integer> close =
            () -> {
              region.close();
              assertThat(region.isClosed()).isTrue();
              return 1;
            };
        together(close, close);
        assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(round);
      }
    }
  }

  @Test
  void theRegistrarIsClosedWhileOthersRegister() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      for (int round = 0; round < ROUNDS; round++) {
        MemoryRegistrar registrar = Simulations.open(verbs, rxe);
        List<RegisteredRegion> made = new ArrayList<>();
        Callable<Integer> register =
            () -> {
              try {
                while (true) {
                  made.add(registrar.register(memory, WRITE).orElseThrow());
                }
              } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("is closed");
                return made.size();
              }
            };
        together(
            register,
            () -> {
              registrar.close();
              return 1;
            });
        assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
        assertThat(made).allMatch(RegisteredRegion::isClosed);
      }
    }
  }

  @Test
  void regionsAreClosedWhileTheRegistrarIs() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      for (int round = 0; round < ROUNDS; round++) {
        MemoryRegistrar registrar = Simulations.open(verbs, rxe);
        List<RegisteredRegion> regions = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          regions.add(registrar.register(memory, WRITE).orElseThrow());
        }
        together(
            () -> {
              regions.forEach(RegisteredRegion::close);
              return 1;
            },
            () -> {
              registrar.close();
              return 1;
            },
            () -> {
              registrar.close();
              return 1;
            });
        assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
      }
    }
  }

  @Test
  void anArenaIsClosedWhileOthersAllocate() throws Exception {
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe)) {
      for (int round = 0; round < ROUNDS; round++) {
        RegistrationArena arena = registrar.openArena(WRITE);
        Callable<Integer> allocate =
            () -> {
              try {
                while (true) {
                  RegisteredRegion region = arena.allocateRegistered(64, 64);
                  assertThat(region.isMemoryAlive() || region.isClosed()).isTrue();
                }
              } catch (IllegalStateException e) {
                return 1;
              }
            };
        together(
            allocate,
            () -> {
              arena.close();
              return 1;
            });
        assertThat(registrar.regionCount()).isZero();
      }
    }
  }

  @SafeVarargs
  private static void together(Callable<Integer>... tasks) throws Exception {
    CyclicBarrier start = new CyclicBarrier(tasks.length);
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.length)) {
      List<Future<Integer>> running = new ArrayList<>();
      for (Callable<Integer> task : tasks) {
        running.add(
            threads.submit(() -> {
              start.await();
              return task.call();
            }));
      }
      for (Future<Integer> future : running) {
        future.get();
      }
    }
  }
}

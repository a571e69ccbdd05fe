package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

/**
 * Every native call of every scenario fails once. Whatever it is, the error names the call, what
 * can be closed is, and nothing is live in the end.
 */
class RegistrarFaultsTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final SimulatedDevice DEVICE = Simulations.device("rxe");

  /** A program; what it leaves open after a failure, a second close must close. */
  enum Scenario {
    OPEN_AND_CLOSE {
      @Override
      void run(Run run) {}
    },
    REGIONS_CLOSED_BY_THEIR_OWNER {
      @Override
      void run(Run run) {
        run.register().close();
        RegisteredRegion first = run.register();
        RegisteredRegion second = run.registerUnderIova();
        first.close();
        second.close();
      }
    },
    REGIONS_CLOSED_BY_THE_REGISTRAR {
      @Override
      void run(Run run) {
        run.register();
        run.registerUnderIova();
        run.register();
      }
    },
    ARENA {
      @Override
      void run(Run run) {
        RegistrationArena arena = run.registrar().openArena(WRITE);
        run.closeLater(arena);
        arena.allocateRegistered(4096, 4096);
        arena.allocateRegistered(4096, 4096);
        run.register();
        arena.close();
      }
    },
    TWO_REGISTRARS {
      @Override
      void run(Run run) {
        run.register();
        run.open();
        run.register();
      }
    };

    abstract void run(Run run);
  }

  /** What a scenario has opened, and how it cleans up when told to. */
  static final class Run {
    private final FaultInjectingVerbs verbs;
    private final Arena memory;
    private final List<MemoryRegistrar> registrars = new ArrayList<>();
    private final List<AutoCloseable> others = new ArrayList<>();

    Run(FaultInjectingVerbs verbs, Arena memory) {
      this.verbs = verbs;
      this.memory = memory;
    }

    void open() {
      registrars.add(Simulations.open(verbs, DEVICE));
    }

    MemoryRegistrar registrar() {
      return registrars.getLast();
    }

    RegisteredRegion register() {
      return registrar().register(memory.allocate(4096, 4096), WRITE).orElseThrow();
    }

    RegisteredRegion registerUnderIova() {
      return registrar()
          .register(memory.allocate(4096, 4096), Registration.of(WRITE).iova(0))
          .orElseThrow();
    }

    void closeLater(AutoCloseable other) {
      others.add(other);
    }

    /** Closes all; goes on after a failure, and throws the first. */
    void close() {
      Failures failures = new Failures();
      for (AutoCloseable other : others) {
        failures.run(() -> closeUnchecked(other));
      }
      for (MemoryRegistrar registrar : registrars) {
        failures.run(registrar::close);
      }
      failures.rethrow();
    }

    private static void closeUnchecked(AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** All calls of all scenarios, found by a run without faults. */
  static Stream<Arguments> calls() {
    List<Arguments> all = new ArrayList<>();
    for (Scenario scenario : Scenario.values()) {
      FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(DEVICE));
      assertThat(failuresOf(scenario, verbs)).isEmpty();
      for (Operation operation : Operation.values()) {
        for (int call = 1; call <= verbs.calls(operation); call++) {
          all.add(Arguments.of(scenario, operation, call));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}: {1} {2}")
  @MethodSource("calls")
  void nothingLeaks(Scenario scenario, Operation operation, int call) {
    FaultInjectingVerbs verbs =
        new FaultInjectingVerbs(Verbs.simulated(DEVICE)).fail(operation, call, Errno.EIO);

    List<RuntimeException> failures = failuresOf(scenario, verbs);

    assertThat(failures)
        .singleElement()
        .isInstanceOfSatisfying(
            VerbsException.class,
            e -> {
              assertThat(e.operation()).isEqualTo(nameOf(operation));
              assertThat(e.errno()).isEqualTo(Errno.EIO.number());
              assertThat(e.getSuppressed()).isEmpty();
            });
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  /** Runs a scenario, closes what it opened, and closes again where that failed. */
  private static List<RuntimeException> failuresOf(Scenario scenario, FaultInjectingVerbs verbs) {
    List<RuntimeException> failures = new ArrayList<>();
    try (Arena memory = Arena.ofShared()) {
      Run run = new Run(verbs, memory);
      List<Runnable> steps =
          List.of(
              () -> {
                run.open();
                scenario.run(run);
              },
              run::close,
              run::close);
      for (Runnable step : steps) {
        try {
          step.run();
        } catch (RuntimeException e) {
          failures.add(e);
        }
      }
    }
    return failures;
  }

  private static String nameOf(Operation operation) {
    return switch (operation) {
      case LIST_DEVICES -> "ibv_get_device_list";
      case OPEN_DEVICE -> "ibv_open_device";
      case CLOSE_DEVICE -> "ibv_close_device";
      case QUERY_DEVICE -> "ibv_query_device";
      case QUERY_DEVICE_EX -> "ibv_query_device_ex";
      case ALLOC_PD -> "ibv_alloc_pd";
      case DEALLOC_PD -> "ibv_dealloc_pd";
      case REG_MR -> "ibv_reg_mr";
      case REG_MR_IOVA2 -> "ibv_reg_mr_iova2";
      case DEREG_MR -> "ibv_dereg_mr";
    };
  }
}

package org.pinwise.registrar;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.StandIn;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Kernel;

/**
 * What the registrar adds to the two calls that it makes: on the simulator, and through FFM over a
 * C library that does next to nothing in the place of libibverbs. The calls of the two share the
 * port's bookkeeping of live handles.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx1g", "--enable-native-access=ALL-UNNAMED"})
public class RegistrarBenchmark {
  private static final Access ACCESS = Access.of(LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE);

  private MemoryRegistrar simulated;
  private MemoryRegistrar standIn;
  private Arena arena;
  private MemorySegment memory;

  /** Opens both devices. */
  @Setup
  public void open() {
    simulated = MemoryRegistrar.simulated("connectx5");
    // The facts are those of the simulated device: the verdict takes as long.
    standIn =
        MemoryRegistrar.open(
            StandIn.load(),
            StandIn.DEVICE,
            MrValidator.create(RuleSet.builtIn()),
            RegistrarOptions.DEFAULT,
            Surroundings.simulated(MemoryRegistrar.simulatedDevice("connectx5", Kernel.V6_12)));
    arena = Arena.ofShared();
    memory = arena.allocate(4096, 4096);
  }

  /** Closes them. */
  @TearDown
  public void close() {
    simulated.close();
    standIn.close();
    arena.close();
  }

  /** The reference: the port's calls alone. */
  @Benchmark
  public int simulatedBare() {
    return bare(simulated);
  }

  /** The same through FFM. */
  @Benchmark
  public int standInBare() {
    return bare(standIn);
  }

  private int bare(MemoryRegistrar registrar) {
    MemoryRegion region =
        registrar
            .verbs()
            .regMrRange(registrar.pd(), memory, memory.byteSize(), ACCESS.bits())
            .orElseThrow(errno -> new IllegalStateException("errno " + errno));
    return registrar.verbs().deregMr(region);
  }

  /** With a verdict before, and a region that is owned. */
  @Benchmark
  public int simulatedRegistrar() {
    return registered(simulated);
  }

  /** The same through FFM. */
  @Benchmark
  public int standInRegistrar() {
    return registered(standIn);
  }

  private int registered(MemoryRegistrar registrar) {
    try (RegisteredRegion region = registrar.register(memory, ACCESS).orElseThrow()) {
      return region.lkey();
    }
  }

  /** The verdict alone. */
  @Benchmark
  public Object verdict() {
    return standIn.check(memory, Registration.of(ACCESS));
  }
}

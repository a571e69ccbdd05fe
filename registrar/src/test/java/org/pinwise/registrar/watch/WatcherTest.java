package org.pinwise.registrar.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.Simulations;
import org.pinwise.registrar.monitor.LatencyFigures;
import org.pinwise.registrar.monitor.RegionFigures;
import org.pinwise.registrar.monitor.RegistrarMonitor;
import org.pinwise.registrar.watch.Tool.UnreadableException;
import org.pinwise.rules.model.Access;

class WatcherTest {
  private static final long PID = 192;
  private static final LatencyFigures NONE = new LatencyFigures(0, 0, 0, 0, 0, 0);

  @TempDir private Path root;

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean refuses = new AtomicBoolean();

  private Watcher watcher(Long pid, KernelReader kernel) throws IOException {
    Path process = Files.createDirectories(root.resolve("proc/" + PID));
    Files.writeString(
        process.resolve("status"), "Name:\tx\nVmPin:\t      68 kB\nCapEff:\t0000000000000000\n");
    Files.writeString(
        process.resolve("limits"),
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max locked memory         8388608              unlimited            bytes
        """);
    return new Watcher(
        kernel,
        root.resolve("proc"),
        pid,
        of -> {
          if (refuses.get()) {
            throw new UnreadableException("process %d is no JVM".formatted(of));
          }
          return new JvmReader(ManagementFactory.getPlatformMBeanServer(), () -> {});
        },
        device -> device.equals("rxe0") ? OptionalLong.of(524_287) : OptionalLong.empty(),
        InstantSource.fixed(Instant.EPOCH),
        () -> nanos.getAndAdd(1_000_000_000));
  }

  @Test
  void theKernelAlone() throws IOException {
    try (Watcher watcher = watcher(null, new Recorded().reader(root))) {
      Snapshot snapshot = watcher.next();

      assertThat(snapshot.kernel().regions()).isEqualTo(Recorded.REGIONS);
      assertThat(snapshot.time()).isEqualTo(Instant.EPOCH);
      assertThat(snapshot.limits()).isNull();
      assertThat(snapshot.problems()).isEmpty();
      assertThat(snapshot.trends()).isEmpty();
      assertThat(snapshot.isEmpty()).isFalse();
    }
  }

  @Test
  void threeReadingsAreATrend() throws IOException {
    Recorded recorded = new Recorded();
    try (Watcher watcher = watcher(null, recorded.reader(root))) {
      for (int count = 100; count < 160; count++) {
        recorded.with("-j resource", "[{\"ifname\":\"rxe0\",\"mr\":%d}]".formatted(count));
        watcher.next();
      }
      Trend trend = watcher.next().trends().getFirst();

      assertThat(trend.what()).isEqualTo("rxe0 regions");
      assertThat(trend.limit()).isEqualTo(524_287);
      assertThat(trend.reached()).isPresent();
    }
  }

  /** The process of the fixture has no such registrar's region, so the kernel alone knows it. */
  @Test
  void aJvmBesideTheKernel() throws IOException {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe", Simulations.VALIDATOR);
        RegistrarMonitor monitor = RegistrarMonitor.open(registrar);
        Arena arena = Arena.ofShared();
        Watcher watcher = watcher(PID, new Recorded().reader(root))) {
      registrar.register(arena.allocate(4096, 4096), Access.of(LOCAL_WRITE)).orElseThrow();
      Snapshot snapshot = watcher.next();

      assertThat(watcher.isProcessThere()).isTrue();
      assertThat(snapshot.registrars())
          .singleElement()
          .satisfies(seen -> {
            assertThat(seen.name()).isEqualTo(monitor.beanName());
            assertThat(seen.regions())
                .extracting(RegionFigures::lkey)
                .containsExactly(monitor.figures().getRegions().getFirst().lkey());
          });
      assertThat(snapshot.limits()).isEqualTo(new ProcessLimits(69_632, 8_388_608, false));
      assertThat(snapshot.differences()).as("simulated regions are not compared").isEmpty();
      assertThat(snapshot.problems()).isEmpty();
    }
  }

  /** As a JVM does: its first thread is not the one that runs main. */
  @Test
  void regionsOfItsThreadsAreOfTheProcess() throws IOException {
    Files.createDirectories(root.resolve("proc/" + PID + "/task/193"));
    Recorded recorded =
        new Recorded()
            .with(
                "-j resource show mr",
                "[{\"ifname\":\"rxe0\",\"mrn\":1,\"mrlen\":4096,\"pid\":193,\"lkey\":\"2c8\"}]");
    try (Watcher watcher = watcher(PID, recorded.reader(root))) {
      watcher.next();
      JvmRegistrar real =
          new JvmRegistrar(
              "name", "rxe0", false, 9, 0, 0, 0, 0, 0, 0, 0, 0, NONE, NONE, List.of(), Map.of());
      KernelView view = recorded.reader(root).read();

      assertThat(
              Difference.between(watcher::isOfProcess, List.of(real), view, List.of(real))
                  .getFirst()
                  .kernelOnly())
          .hasSize(1);
      assertThat(watcher.isOfProcess(194)).isFalse();
    }
  }

  @Test
  void aJvmWithoutRegistrarsOrNoJvmIsSaid() throws IOException {
    try (Watcher watcher = watcher(PID, new Recorded().reader(root))) {
      assertThat(watcher.next().problems())
          .containsExactly(
              "the JVM 192 shows no registrar: its program must open a RegistrarMonitor");
    }
    refuses.set(true);
    try (Watcher watcher = watcher(PID, new Recorded().reader(root))) {
      assertThat(watcher.next().problems()).containsExactly("process 192 is no JVM");
    }
  }

  @Test
  void aProcessThatHasEndedIsSaid() throws IOException {
    try (Watcher watcher = watcher(7L, new Recorded().reader(root))) {
      assertThat(watcher.isProcessThere()).isFalse();
      assertThat(watcher.next().problems())
          .anyMatch(problem -> problem.startsWith(root.resolve("proc/7") + " cannot be read"));
    }
  }
}

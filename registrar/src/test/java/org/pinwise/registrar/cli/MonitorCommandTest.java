package org.pinwise.registrar.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.cli.Main;
import org.pinwise.registrar.monitor.LatencyFigures;
import org.pinwise.registrar.monitor.RegionFigures;
import org.pinwise.registrar.watch.Difference;
import org.pinwise.registrar.watch.JvmRegistrar;
import org.pinwise.registrar.watch.KernelRegion;
import org.pinwise.registrar.watch.KernelView;
import org.pinwise.registrar.watch.ProcessLimits;
import org.pinwise.registrar.watch.Snapshot;
import org.pinwise.registrar.watch.Trend;

class MonitorCommandTest {

  private static final KernelRegion RING =
      new KernelRegion("mlx5_0", 4, 65536, 4711L, "java", 0x1800L, 0x1800L);
  private static final KernelRegion LEAKED =
      new KernelRegion("mlx5_0", 5, 4096, 4711L, "java", 0x1801L, 0x1801L);
  private static final RegionFigures KNOWN =
      new RegionFigures(
          0x1800,
          0x1800,
          "0x7f0000000000",
          65536,
          "LOCAL_WRITE|REMOTE_READ",
          90_000,
          2,
          "ring \u001b[31mred");

  private static Snapshot full() {
    KernelView kernel =
        new KernelView(
            List.of(RING, LEAKED),
            Map.of("mlx5_0", 2L),
            Map.of("mlx5_0", Map.of("page_faults", 42L, "page_prefetch", 7L)),
            Map.of("mlx5_0/1/local_ack_timeout_err", 3L),
            List.of());
    JvmRegistrar registrar =
        new JvmRegistrar(
            "org.pinwise:type=Registrar,device=\"mlx5_0\",id=1",
            "mlx5_0",
            false,
            16_777_216,
            12,
            11,
            1,
            2,
            0,
            3,
            4,
            0,
            new LatencyFigures(12, 21_500, 20_000, 30_000, 41_000, 41_250),
            new LatencyFigures(11, 9_000, 9_000, 9_500, 9_900, 9_912),
            List.of(KNOWN),
            Map.of("ring", Map.of("hits", 100L, "misses", 12L)));
    return new Snapshot(
        Instant.parse("2026-11-29T22:30:00.123Z"),
        kernel,
        4711L,
        List.of(registrar),
        new ProcessLimits(69632, 8 << 20, false),
        List.of(new Difference("mlx5_0", List.of(LEAKED), List.of(), true)),
        List.of(
            new Trend(
                "mlx5_0 regions",
                1000,
                16_777_216,
                "max_mr",
                1553.4,
                Duration.ofMinutes(10),
                Optional.of(Duration.ofHours(3)))),
        List.of("something: for a reason"));
  }

  private static Snapshot unprivileged() {
    List<KernelRegion> many = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      many.add(new KernelRegion("rxe0", i, 4096, 192L, "app", null, null));
    }
    return new Snapshot(
        Instant.parse("2026-11-29T22:30:00Z"),
        new KernelView(many, Map.of("rxe0", 25L, "siw0", 0L), Map.of(), Map.of(), List.of()),
        null,
        List.of(),
        null,
        List.of(),
        List.of(
            new Trend(
                "rxe0 regions", 25, 524_287, "max_mr", 0, Duration.ofSeconds(4), Optional.empty())),
        List.of());
  }

  @Test
  void forPeople() throws IOException {
    Golden.compare("monitor.txt", MonitorText.of(full(), 20));
    Golden.compare("monitor-unprivileged.txt", MonitorText.of(unprivileged(), 20));
  }

  @Test
  void forPrograms() throws IOException {
    Golden.compare("monitor.json", MonitorJson.of(full()) + "\n");
    Golden.compare("monitor-unprivileged.json", MonitorJson.of(unprivileged()) + "\n");
  }

  @Test
  void namesDoNotSteerTheTerminal() {
    assertThat(MonitorText.of(full(), 20)).doesNotContain("\u001b");
    assertThat(MonitorJson.of(full())).doesNotContain("\u001b").hasLineCount(1);
  }

  @Test
  void withoutAnythingToReadItSaysWhy() {
    assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "this host has RDMA devices");
    Run run = run("monitor", "--once");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).isEmpty();
    assertThat(run.err)
        .hasLineCount(1)
        .startsWith("pinwise monitor: nothing can be read: there is no /sys/class/infiniband");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--pid=abc | --pid: abc is no number of a process",
        "--pid=999999999 | --pid: there is no process 999999999",
        "--interval=5 | --interval: 5 is no time such as 500ms, 2s or 1m",
        "--interval=10ms | --interval: 10ms is less than 100ms",
        "--count=0 | --count: 0 is no number from 1 to 999999999",
        "--once --count=2 | --once and --count exclude each other",
        "--format=xml | --format: xml is neither text nor json"
      })
  void wrongUsage(String options, String message) {
    List<String> arguments = new ArrayList<>(List.of("monitor"));
    arguments.addAll(List.of(options.split(" ")));
    Run run = run(arguments.toArray(String[]::new));

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).hasLineCount(1).contains(message);
  }

  /** Through the attach mechanism, with the program {@link Watched}. */
  @Test
  void anotherJvmIsSeen() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Watched.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(child.inputReader(UTF_8).readLine()).isEqualTo("ready");
      Run json = run("monitor", "--pid=" + child.pid(), "--once", "--format=json");
      Run text = run("monitor", "--pid=" + child.pid(), "--count=3", "--interval=100ms");

      assertThat(json.exit).as(json.err).isZero();
      assertThat(json.out)
          .hasLineCount(1)
          .contains("\"pid\":%d,".formatted(child.pid()))
          .contains("\"device\":\"rxe\",\"simulated\":true,\"maxRegions\":524287")
          .contains("\"registrations\":1,\"deregistrations\":0,\"refusals\":1")
          .contains("\"length\":\"65536\",\"access\":\"LOCAL_WRITE\"")
          .contains("\"origin\":\"of the child\"")
          .contains("\"differences\":[]");
      assertThat(text.exit).as(text.err).isZero();
      assertThat(text.out)
          .contains("registrar, simulated rxe: 1 regions of at most 524287")
          .contains("trend, org.pinwise:type=Registrar,device=\"rxe\",id=1 regions: steady at 1");
      // How it ends says nothing: it may see the end of its input before the signal.
      assertThat(child.isAlive()).isTrue();
    } finally {
      child.destroy();
      child.waitFor();
    }
  }

  /** This process is a JVM, too, but shows no registrar. */
  @Test
  void aJvmWithoutAMonitorIsSaid() {
    assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "this host has RDMA devices");
    Run run = run("monitor", "--once", "--pid=1");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err)
        .hasLineCount(1)
        .contains("nothing can be read: process 1 does not let itself be attached to");
  }

  private record Run(int exit, String out, String err) {}

  private static Run run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        Main.run(
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            InputStream.nullInputStream(),
            arguments);
    return new Run(exit, out.toString(UTF_8), err.toString(UTF_8));
  }
}

package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.HostReport;

class DevicesTest {
  private static Run devices(HostReport report, String... options) {
    return Run.command("devices", context -> new DevicesCommand(context, () -> report), options);
  }

  @Test
  void listsCatalog() {
    Run run = Run.of("devices", "--catalog");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).hasLineCount(DeviceCatalog.load().names().size());
    assertThat(run.out().lines()).anyMatch(line -> line.matches("connectx5 +mlx5 +ConnectX-5"));
  }

  @Test
  void saysWhyThereIsNoDevice(@TempDir Path root) throws Exception {
    Run run = devices(FakeHost.plain(root).report());

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err())
        .hasLineCount(1)
        .contains("there is no RDMA device: /sys/class/infiniband lists none")
        .contains("pinwise devices --catalog");
  }

  @Test
  void showsDevices(@TempDir Path root) throws Exception {
    HostReport report = FakeHost.plain(root).mlx5().report();

    assertThat(devices(report).out())
        .startsWith("device mlx5_0\n  driver ")
        .contains("port 1 ", "4: ACTIVE, InfiniBand, 100 Gb/sec");
    assertThat(devices(report, "mlx5_0").out()).isEqualTo(devices(report).out());
    assertThat(devices(report, "--format", "json").out())
        .contains("\"schema\": \"pinwise-devices/1\"", "\"relaxedOrderingEnabled\": {");
    assertThat(devices(report, "mlx5_1").err())
        .contains("there is no RDMA device mlx5_1, did you mean mlx5_0?");
    assertThat(devices(report, "--catalog", "--save", "x").err()).contains("--catalog");
  }

  @Test
  void savesADevice(@TempDir Path root) throws Exception {
    HostReport report = FakeHost.plain(root).mlx5().report();
    String file = root.resolve("device.yaml").toString();

    assertThat(devices(report, "--save", file).exit()).isZero();
    assertThat(Files.readString(Path.of(file)))
        .contains("# device.maxMr is unknown: ", "driver: \"mlx5\"", "objectsInUse: 9", "host:");
    Run check = Run.of("check", "--device", file, "--access", "REMOTE_WRITE", "--length", "1");
    assertThat(check.exit()).isEqualTo(1);
  }
}

package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.facts.DeviceCatalog;

class DevicesTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final CliContext context =
      new CliContext(
          new PrintStream(out, true, StandardCharsets.UTF_8),
          new PrintStream(out, true, StandardCharsets.UTF_8),
          InputStream.nullInputStream(),
          false);

  @Test
  void listsCatalog() {
    Run run = Run.of("devices", "--catalog");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).hasLineCount(DeviceCatalog.load().names().size());
    assertThat(run.out().lines()).anyMatch(line -> line.matches("connectx5 +mlx5 +ConnectX-5"));
  }

  @Test
  void saysWhyThereIsNoDevice(@TempDir Path folder) {
    assertThatThrownBy(() -> new DevicesCommand(context, folder.resolve("infiniband")).call())
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("there is no RDMA device: there is no ")
        .hasMessageContaining("pinwise devices --catalog");
    assertThatThrownBy(() -> new DevicesCommand(context, folder).call())
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("is empty");
  }

  @Test
  void namesEachDeviceThatCannotBeRead(@TempDir Path folder) throws Exception {
    java.nio.file.Files.createDirectory(folder.resolve("mlx5_7"));

    assertThat(new DevicesCommand(context, folder).call()).isEqualTo(ExitCode.USAGE);
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("mlx5_7: ").hasLineCount(1);
  }
}

package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Transport;

@Timeout(20)
class DeviceOptionTest {
  @TempDir private Path directory = Path.of("");

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private ResolvedDevice resolve(String named) {
    return DeviceOption.resolve(named, Kernel.V6_12, directory);
  }

  private void refused(String named, String message) {
    assertThatThrownBy(() -> resolve(named))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }

  @Test
  void takesACatalogueName() {
    ResolvedDevice rxe = resolve("rxe");
    assertThat(rxe.origin()).isEqualTo(ResolvedDevice.Origin.CATALOG);
    assertThat(rxe.title()).isEqualTo("Soft-RoCE");
    assertThat(rxe.device().flushGlobal()).isTrue();
    assertThat(DeviceOption.resolve("rxe", null).device().flushGlobal()).isNull();
  }

  @Test
  void takesADumpAndAddsWhatTheDriverAlwaysHas() throws IOException {
    file("dump.txt", Corpus.text("rxe-old-maxmr2048.txt"));
    ResolvedDevice device = resolve("dump.txt");
    assertThat(device.origin()).isEqualTo(ResolvedDevice.Origin.DEVINFO);
    assertThat(device.device().maxMr()).isEqualTo(2048);
    assertThat(device.device().flushGlobal()).isFalse();
    assertThat(device.device().transport()).isEqualTo(Transport.ROCE);
    assertThat(device.device().rdmaRead()).isTrue();
    assertThat(device.notes())
        .anyMatch(n -> n.contains("of the catalogue") && n.contains("rdmaRead"));
    assertThat(device.missing()).containsExactly("link_layer");
  }

  @Test
  void whatIsDoubtfulIsNotFilledIn() throws IOException {
    file("dump.txt", Corpus.text("connectx6dx-4125.txt"));
    assertThat(resolve("dump.txt").device().flushGlobal()).isNull();
    assertThat(resolve("dump.txt").device().rdmaWrite()).isTrue();
  }

  @Test
  void choosesADeviceOfADump() throws IOException {
    file("two.txt", Corpus.text("connectx6-4123.txt") + Corpus.text("rxe-new-2025.txt"));
    assertThat(resolve("two.txt#rxe_0").device().driver()).isEqualTo("rxe");
    assertThat(resolve("two.txt").title()).isEqualTo("mlx5_0");
    refused("two.txt#rxe_9", "has no device rxe_9, did you mean rxe_0?");
  }

  @Test
  void takesAFactsFileWithItsHost() throws IOException {
    file("host.yaml", "device: {catalog: rxe, name: rxe7}\nhost: {kernel: \"7.3\"}\n");
    String path = "host.yaml";
    ResolvedDevice device = DeviceOption.resolve(path, null, directory);
    assertThat(DeviceOption.resolve(path, Kernel.V6_12, directory).device().odp())
        .as("a kernel that is given goes before the file's")
        .isFalse();
    assertThat(device.origin()).isEqualTo(ResolvedDevice.Origin.FACTS);
    assertThat(device.title()).isEqualTo("rxe7");
    assertThat(device.device().odp()).isTrue();
    Host host = device.host();
    assertThat(host).isNotNull();
    assertThat(host.kernel()).isEqualTo(Kernel.V7_3);
    file("device.json", "{\"device\": \"rxe\"}");
    assertThat(resolve("device.json").device().odp()).isFalse();
    assertThat(resolve("device.json").host()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "conectx5; neither a device conectx5 in the catalogue, did you mean connectx5",
        "nothing-like-it-at-all; neither a device nothing-like-it-at-all in the catalogue nor such"
            + " a file",
        "''; is empty",
        "' '; is empty",
        "live:; needs the device's name",
        "live:mlx5_0; live devices need the registrar",
        "no/such/file.txt; nor such a file",
      })
  void refusesInOneLine(String named, String message) {
    refused(named, message);
  }

  @Test
  void refusesAnOddPath() {
    refused("a\0b", "is no name and no path");
  }

  @Test
  void refusesFilesThatAreNone() throws IOException {
    file("empty", "");
    refused("empty", "is empty");
    Files.write(directory.resolve("binary"), new byte[] {'a', 0, 'b'});
    refused("binary", "is not text");
    Files.write(directory.resolve("latin"), new byte[] {(byte) 0xff, (byte) 0xfe, 'a'});
    refused("latin", "is not UTF-8 text");
    refused(".", "is a directory");
    file("host-only.yaml", "host: {kernel: \"6.12\"}\n");
    refused("host-only.yaml", "says nothing of a device");
    file("prose.txt", "Dear all, here is my device");
    refused("prose.txt", "prose.txt:1:1: a facts file is a mapping");
    try (RandomAccessFile huge = new RandomAccessFile(directory.resolve("huge").toFile(), "rw")) {
      huge.setLength(1L << 34);
    }
    refused("huge", "more than");
    refused("/dev/zero", "is a pipe or a device");
    refused("/dev/null", "is a pipe or a device");
  }

  @Test
  void refusesAPipeWithoutWaiting() throws Exception {
    Path pipe = directory.resolve("pipe");
    Process mkfifo = new ProcessBuilder("mkfifo", pipe.toString()).start();
    assumeTrue(mkfifo.waitFor(5, TimeUnit.SECONDS) && mkfifo.exitValue() == 0, "no mkfifo");
    refused("pipe", "is a pipe or a device");
  }
}

package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.PinErrors;
import org.pinwise.rules.model.Transport;

class LiveDeviceTest {
  private static final String AT = "sys/class/infiniband/dev0/";
  private static final LiveDevice.Query NOT_ASKED =
      name -> {
        throw new UnknownException("it was not asked");
      };

  @TempDir private Path root = Path.of("");

  @BeforeEach
  void device() throws IOException {
    write(AT + "node_type", "1: CA");
    write(AT + "ports/1/link_layer", "Ethernet");
    write(AT + "fw_ver", "1.2.3");
    write(AT + "device/numa_node", "-1");
    Files.createSymbolicLink(root.resolve(AT + "device/driver"), Path.of("../x/bnxt_en"));
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
  }

  private void config(byte... config) throws IOException {
    Files.write(root.resolve(AT + "device/config"), config);
  }

  private LiveDevice read(LiveDevice.Query query, String rdma) {
    RdmaTool tool = new RdmaTool(command -> rdma);
    return LiveDevice.read(new SystemFiles(root), tool, query, "dev0", 6012);
  }

  @Test
  void sysfsAndTheCatalogueTellWhatTheyCan() {
    LiveDevice live = read(NOT_ASKED, "[{\"ifname\":\"dev0\",\"pd\":1,\"mr\":17}]");

    assertThat(live.device().driver()).isEqualTo("bnxt_re");
    assertThat(live.device().transport()).isEqualTo(Transport.ROCE);
    assertThat(live.device().pinErrors()).isEqualTo(PinErrors.AS_THEY_ARE);
    assertThat(live.device().mrInUse()).isEqualTo(17);
    assertThat(live.sources())
        .containsEntry("pinErrors", "the catalogue, for bnxt_re")
        .containsEntry("firmware", "/sys/class/infiniband/dev0/fw_ver");
    assertThat(live.reasons())
        .containsEntry("numaNode", "numa_node is -1: the host names none")
        .containsEntry("maxMr", "it was not asked");
    assertThat(live.reasons().keySet()).doesNotContainAnyElementsOf(live.sources().keySet());
    assertThat(live.reasons().size() + live.sources().size())
        .isEqualTo(Device.TYPE.fields().size());
  }

  @Test
  void whatTheDeviceSaysItselfWins() {
    Device asked =
        Device.TYPE.of(Map.of("driver", "mlx5", "maxMr", 1000L, "firmware", "9.9", "odp", true));
    LiveDevice live = read(name -> asked, "[]");

    assertThat(live.device().driver()).isEqualTo("mlx5");
    assertThat(live.device().maxMr()).isEqualTo(1000);
    assertThat(live.device().firmware()).isEqualTo("9.9");
    assertThat(live.sources())
        .containsEntry("maxMr", "ibv_query_device")
        .containsEntry("odp", "ibv_query_device_ex");
    assertThat(live.reasons())
        .containsEntry("mrInUse", "'rdma -j resource show' does not tell of dev0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "Failed to open NETLINK_RDMA socket; 'rdma -j resource show' says Failed to open",
        "[{\"ifname\": \"dev0\"}]; 'rdma -j resource show' says",
        "[{\"ifname\": \"dev0\", \"mr\": \"many\"}]; 'rdma -j resource show' says",
        "''; 'rdma -j resource show' says",
      })
  void aToolThatSaysNonsenseIsQuoted(String output, String reason) {
    assertThat(read(NOT_ASKED, output).reasons().get("mrInUse")).startsWith(reason);
  }

  @Test
  void aToolThatIsMissingIsNamed(@TempDir Path programs) throws IOException {
    List<Path> directories = List.of(root.resolve("nowhere"), programs);
    assertThat(regionsInUse(directories).reasons())
        .containsEntry(
            "mrInUse",
            "there is no program rdma, which would tell; install iproute2 (on Fedora and its kin:"
                + " iproute)");

    Path rdma = programs.resolve("rdma");
    Files.writeString(rdma, "#!/bin/sh\necho '[{\"ifname\":\"dev0\",\"mr\":7}]'\n");
    assertThat(regionsInUse(directories).reasons().get("mrInUse")).contains("install iproute2");
    assertThat(rdma.toFile().setExecutable(true)).isTrue();
    assertThat(regionsInUse(directories).device().mrInUse()).isEqualTo(7);

    Files.writeString(rdma, "#!/nowhere/sh\n");
    assertThat(regionsInUse(directories).reasons().get("mrInUse"))
        .startsWith("the program rdma, which would tell, cannot be run: ");
    Files.writeString(rdma, "#!/bin/sh\necho no netlink >&2\nexit 1\n");
    assertThat(regionsInUse(directories).reasons())
        .containsEntry("mrInUse", "'rdma' says: no netlink");
  }

  private LiveDevice regionsInUse(List<Path> programs) {
    return LiveDevice.read(new SystemFiles(root), new RdmaTool(programs), NOT_ASKED, "dev0", null);
  }

  @Test
  void relaxedOrderingIsABitOfDeviceControl() throws IOException {
    byte[] config = new byte[256];
    config[0x06] = 0x10;
    config[0x34] = 0x40;
    config[0x40] = 0x10;
    config[0x48] = 0x10;
    config(config);
    assertThat(read(NOT_ASKED, "[]").device().relaxedOrderingEnabled()).isTrue();
    config[0x48] = 0x2f;
    config(config);
    assertThat(read(NOT_ASKED, "[]").device().relaxedOrderingEnabled()).isFalse();
    config[0x40] = 0x05; // another capability that points at itself
    config[0x41] = 0x40;
    config(config);
    assertThat(relaxedOrdering()).isEqualTo("the PCI function has no PCI Express capability");
    config(java.util.Arrays.copyOf(config, 64));
    assertThat(relaxedOrdering()).startsWith("this user may read 64 bytes");
    config(new byte[64]);
    assertThat(relaxedOrdering()).isEqualTo("the PCI function has no capabilities");
    config(new byte[3]);
    assertThat(relaxedOrdering()).isEqualTo("the PCI configuration has 3 bytes");
    Files.delete(root.resolve(AT + "device/config"));
    assertThat(relaxedOrdering()).isEqualTo("there is no /sys/class/infiniband/dev0/device/config");
  }

  private String relaxedOrdering() {
    return String.valueOf(read(NOT_ASKED, "[]").reasons().get("relaxedOrderingEnabled"));
  }

  @Test
  void anIwarpCardIsOne() throws IOException {
    write(AT + "node_type", "4: RNIC");
    assertThat(read(NOT_ASKED, "[]").device().transport()).isEqualTo(Transport.IWARP);
    write(AT + "node_type", "1: CA");
    write(AT + "ports/1/link_layer", "Pigeon");
    LiveDevice odd = read(NOT_ASKED, "[]");
    assertThat(odd.device().driver()).isEqualTo("bnxt_re");
    assertThat(odd.device().transport()).isEqualTo(Transport.ROCE); // of the catalogue
  }

  @Test
  void aDeviceThatIsNotThereIsRefused() {
    assertThatThrownBy(
            () -> LiveDevice.read(new SystemFiles(root), RdmaTool.NONE, NOT_ASKED, "dev1", null))
        .isInstanceOf(InputException.class)
        .hasMessage("--device: this host has no RDMA device dev1; it has [dev0]");
    assertThat(LiveDevice.names(new SystemFiles(root))).isEqualTo(List.of("dev0"));
  }
}

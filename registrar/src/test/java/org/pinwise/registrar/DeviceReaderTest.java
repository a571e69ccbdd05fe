package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.registrar.verbs.DeviceAttributes;
import org.pinwise.registrar.verbs.DeviceAttributesEx;
import org.pinwise.registrar.verbs.DeviceInfo;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.NodeType;
import org.pinwise.registrar.verbs.TransportType;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.AtomicSupport;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Transport;

class DeviceReaderTest {

  private static final String NAME = "rdma0";

  @TempDir private Path sysfs;

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "mlx5_core, mlx5",
    "mlx4_core, mlx4",
    "ice, irdma",
    "i40e, irdma",
    "bnxt_en, bnxt_re",
    "hns3, hns",
    "qede, qedr",
    "be2net, ocrdma",
    "efa, efa",
    "cxgb4, cxgb4",
    "erdma, erdma",
    "mana, mana",
    "hfi1, hfi1",
    "ib_qib, qib",
    "vmw_pvrdma, vmw_pvrdma",
    "enic, usnic"
  })
  void theBusDriverNamesTheDriver(String bus, String driver) throws IOException {
    link(bus);
    assertThat(facts(TransportType.IB, plain(0x1234, 99), null).driver()).isEqualTo(driver);
  }

  @Test
  void aSoftwareDeviceIsKnownByItsVendor() throws IOException {
    link("virtio_net"); // the parent of its network device
    assertThat(facts(TransportType.IB, plain(0xffffff, 0), null).driver()).isEqualTo("rxe");
    assertThat(facts(TransportType.IWARP, plain(0x626d74, 3), null).driver()).isEqualTo("siw");
  }

  @Test
  void elseThePartDoes() throws IOException {
    assertThat(facts(TransportType.IB, plain(0x02c9, 4119), null).driver()).isEqualTo("mlx5");
    link("a_driver_of_tomorrow");
    assertThat(facts(TransportType.IB, plain(0x02c9, 4119), null).driver()).isEqualTo("mlx5");
    assertThat(facts(TransportType.IB, plain(0x1234, 99), null).driver()).isNull();
  }

  @Test
  void whatAQuerySaysIsRead() throws IOException {
    link("mlx5_core");
    Files.createDirectories(sysfs.resolve("class/infiniband/" + NAME + "/ports/1"));
    Files.writeString(
        sysfs.resolve("class/infiniband/" + NAME + "/ports/1/link_layer"), "InfiniBand\n");
    DeviceAttributes plain = plain(0x02c9, 4119);
    Device device = facts(TransportType.IB, plain, extended(plain, 3, 0));

    assertThat(device.name()).isEqualTo(NAME);
    assertThat(device.transport()).isEqualTo(Transport.INFINIBAND);
    assertThat(device.odp()).isTrue();
    assertThat(device.implicitOdp()).isTrue();
    assertThat(device.maxMr()).isEqualTo(1 << 24);
    assertThat(device.maxMrSize()).isEqualTo(Long.MAX_VALUE);
    assertThat(device.atomics()).isEqualTo(AtomicSupport.HCA);
    assertThat(device.memoryWindows()).isTrue();
    // No query says it; the catalogue knows the driver.
    assertThat(device.rdmaRead()).isTrue();
  }

  @Test
  void withoutAnExtendedQueryPagingIsUnknown() throws IOException {
    link("mlx5_core");
    assertThat(facts(TransportType.IB, plain(0x02c9, 4119), null).odp()).isNull();
    // What a driver never has is known all the same.
    link("mlx4_core");
    assertThat(facts(TransportType.IB, plain(0x02c9, 4103), null).odp()).isFalse();
  }

  @Test
  void theFlushBitsAreThoseOfRxeAlone() throws IOException {
    DeviceAttributes rxe = plain(0xffffff, 0);
    assertThat(facts(TransportType.IB, rxe, extended(rxe, 0, 1L << 38)).flushGlobal()).isTrue();
    assertThat(facts(TransportType.IB, rxe, extended(rxe, 0, 0)).flushGlobal()).isFalse();
    link("mlx5_core");
    DeviceAttributes mlx5 = plain(0x02c9, 4119);
    assertThat(facts(TransportType.IB, mlx5, extended(mlx5, 0, 1L << 38)).flushGlobal()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"QUERY_DEVICE", "CLOSE_DEVICE"})
  void aFailureNamesTheCall(Operation operation) {
    FaultInjectingVerbs verbs =
        new FaultInjectingVerbs(Verbs.simulated(Simulations.device("rxe")))
            .fail(operation, 1, Errno.EIO);
    assertThatThrownBy(() -> RdmaDevices.read(verbs, "rxe")).isInstanceOf(VerbsException.class);
    if (operation == Operation.QUERY_DEVICE) {
      assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    }
  }

  private void link(String busDriver) throws IOException {
    Path device = Files.createDirectories(sysfs.resolve("class/infiniband/" + NAME + "/device"));
    Files.deleteIfExists(device.resolve("driver"));
    Files.createSymbolicLink(
        device.resolve("driver"), Path.of("../../../bus/pci/drivers/" + busDriver));
  }

  private Device facts(
      TransportType transport, DeviceAttributes plain, DeviceAttributesEx extended) {
    DeviceInfo info =
        new DeviceInfo(NAME, NodeType.CA, transport, "uverbs0", "/verbs/uverbs0", "/ib/" + NAME);
    return new DeviceReader(sysfs).facts(info, plain, extended, Kernel.V6_12);
  }

  private static DeviceAttributes plain(int vendor, int part) {
    return new DeviceAttributes(
        "1.2.3", 0, 0, -1, -4096, vendor, part, 0, 1, 1, 1 << 17, 1, 1, 1, 1, 1 << 24, 1, 1, 1, 1,
        0, 0, 1);
  }

  private static DeviceAttributesEx extended(DeviceAttributes plain, long odp, long flags) {
    return new DeviceAttributesEx(plain, odp, 0, 0, 0, 0, flags, 0, 0, 0, 0, 1);
  }
}

package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.LimitsSet;
import org.pinwise.rules.model.ServiceUnit;
import org.pinwise.rules.model.Size;

class SystemdReaderTest {

  private static ServiceUnit unit(String text) {
    return Recorded.of(new SystemdReader(), "app.service", text).only(ServiceUnit.class);
  }

  private static ServiceUnit service(String lines) {
    return unit("[Service]\n" + lines);
  }

  /** Reads a file of a tree together with what is beside it. */
  private static Recorded inTree(String path, Map<String, String> files) {
    String directory = path.substring(0, path.lastIndexOf('/'));
    return Recorded.of(
        new SystemdReader(),
        new Source(path, String.valueOf(files.get(path)), Recorded.siblings(directory, files)));
  }

  @Test
  void whatIsNotSaidIsWhatSystemdDecides() {
    ServiceUnit unit = service("ExecStart=/bin/true\n");
    assertThat(unit.rootUser()).isTrue();
    assertThat(unit.ipcLock()).isTrue();
    assertThat(unit.memlockSet()).isEqualTo(LimitsSet.NONE);
    assertThat(unit.privateDevices()).isFalse();
    assertThat(unit.devicesRefused()).isFalse();
    assertThat(unit.rdma()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "infinity,9223372036854775807,9223372036854775807",
    "64M,67108864,67108864",
    "1.5K,1536,1536",
    "65536,65536,65536",
    "4K:8K,4096,8192",
    "16E,9223372036854775807,9223372036854775807",
  })
  void limitsAreReadAsSystemdReadsThem(String value, long soft, long hard) {
    ServiceUnit unit = service("LimitMEMLOCK=" + value + "\n");
    assertThat(unit.memlockSoft()).isEqualTo(soft);
    assertThat(unit.memlockHard()).isEqualTo(hard);
  }

  @ParameterizedTest
  @CsvSource({"-1", "unlimited", "64MiB", "8K:4K", "1:2:3", "x", "''", "64 m"})
  void aLimitThatSystemdCannotReadResetsNothing(String value) {
    assertThat(service("LimitMEMLOCK=4K\nLimitMEMLOCK=" + value + "\n").memlockSoft())
        .isEqualTo(4096);
  }

  @Test
  void setsOfCapabilitiesAddUpAndAreTakenFrom() {
    assertThat(service("CapabilityBoundingSet=CAP_NET_RAW\n").ipcLockBounded()).isTrue();
    assertThat(service("CapabilityBoundingSet=~CAP_NET_RAW\n").ipcLockBounded()).isFalse();
    assertThat(service("CapabilityBoundingSet=\n").ipcLockBounded()).isTrue();
    assertThat(service("CapabilityBoundingSet=~\n").ipcLockBounded()).isFalse();
    assertThat(
            service("CapabilityBoundingSet=CAP_NET_RAW\nCapabilityBoundingSet=cap_ipc_lock\n")
                .ipcLockBounded())
        .isFalse();
    assertThat(
            service("CapabilityBoundingSet=CAP_IPC_LOCK\nCapabilityBoundingSet=~CAP_IPC_LOCK\n")
                .ipcLockBounded())
        .isTrue();
    assertThat(service("User=a\nAmbientCapabilities=CAP_IPC_LOCK\n").ipcLock()).isTrue();
    assertThat(service("User=a\nAmbientCapabilities=CAP_IPC_LOCK\nPrivateUsers=yes\n").ipcLock())
        .isFalse();
  }

  @Test
  void listsOfDevicesAddUpAndAnEmptyOneResetsThem() {
    assertThat(service("DeviceAllow=/dev/kvm rw\n").devicesRefused()).isTrue();
    assertThat(service("DevicePolicy=strict\n").devicesRefused()).isTrue();
    assertThat(service("DeviceAllow=/dev/kvm\nDeviceAllow=\n").devicesRefused()).isFalse();
    assertThat(
            service("DeviceAllow=/dev/infiniband/uverbs0 rw\nDeviceAllow=/dev/kvm\n")
                .devicesRefused())
        .isFalse();
  }

  @Test
  void dropInsFollowTheUnitInTheOrderOfTheirNames() {
    Map<String, String> tree =
        Map.of(
            "etc/systemd/system/app.service", "[Service]\nLimitMEMLOCK=1K\n",
            "etc/systemd/system/app.service.d/20-b.conf", "[Service]\nLimitMEMLOCK=3K\n",
            "usr/lib/systemd/system/app.service.d/10-a.conf", "[Service]\nLimitMEMLOCK=2K\n",
            "usr/lib/systemd/system/app.service.d/20-b.conf", "[Service]\nLimitMEMLOCK=4K\n",
            "usr/lib/systemd/system/app.service", "[Service]\nLimitMEMLOCK=5K\n");
    // Of one name the file in /etc wins, for the unit and for a drop-in.
    assertThat(inTree("etc/systemd/system/app.service", tree).only(ServiceUnit.class).memlockSoft())
        .isEqualTo(3072);
    assertThat(
            inTree("usr/lib/systemd/system/app.service.d/10-a.conf", tree)
                .only(ServiceUnit.class)
                .memlockSoft())
        .isEqualTo(3072);
    for (String shadowed :
        new String[] {
          "usr/lib/systemd/system/app.service", "usr/lib/systemd/system/app.service.d/20-b.conf"
        }) {
      assertThat(inTree(shadowed, tree).statements)
          .allSatisfy(one -> assertThat(one.subject()).isEqualTo("setting"));
    }
  }

  @Test
  void aValueOfAnotherFileIsToldOfThere() {
    Map<String, String> tree =
        Map.of(
            "s/app.service", "[Service]\nExecStart=/bin/app --rdma\n",
            "s/app.service.d/a.conf", "[Service]\nPrivateDevices=yes\n");
    Statement unit = unitOf(inTree("s/app.service", tree));
    assertThat(unit.placeOf("unit.privateDevices")).isNull();
    assertThat(unit.elsewhere()).containsEntry("unit.privateDevices", "app.service.d/a.conf");
    assertThat(unitOf(inTree("s/app.service.d/a.conf", tree)).placeOf("unit.privateDevices"))
        .isEqualTo(new Place(2, 16));
  }

  private static Statement unitOf(Recorded recorded) {
    return recorded.statements.stream()
        .filter(one -> one.subject().equals("unit"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void instancesHaveTheirTemplatesFilesAndPrefixesTheirs() {
    Map<String, String> tree =
        Map.of(
            "s/ceph-osd@.service", "[Service]\nUser=ceph\n",
            "s/ceph-.service.d/all.conf", "[Service]\nLimitMEMLOCK=1K\n",
            "s/ceph-osd@1.service.d/z.conf", "[Service]\nPrivateDevices=no\n",
            "s/service.d/any.conf", "[Service]\nLimitMEMLOCK=2K\n");
    ServiceUnit unit = inTree("s/ceph-osd@1.service.d/z.conf", tree).only(ServiceUnit.class);
    assertThat(unit.memlockSoft()).isEqualTo(2048);
    assertThat(unit.rootUser()).isFalse();
    assertThat(unit.name()).isEqualTo("ceph-osd@1.service");
  }

  @Test
  void aDropInWithoutItsUnitLeavesUnknownWhatTheUnitMaySay() {
    ServiceUnit unit =
        Recorded.of(
                new SystemdReader(), "app.service.d/a.conf", "[Service]\nLimitMEMLOCK=infinity\n")
            .only(ServiceUnit.class);
    assertThat(unit.memlockSoft()).isEqualTo(Size.UNLIMITED);
    assertThat(unit.rootUser()).isNull();
    assertThat(unit.privateDevices()).isNull();
    assertThat(unit.ipcLockBounded()).isNull();
  }

  @Test
  void linesThatAreNoneAreProblems() {
    assertThat(Recorded.of(new SystemdReader(), "a.service", "[Service\nUser\n").problems)
        .containsExactly(
            "1:1: the section's head has no ], and systemd refuses the file",
            "2:1: is neither [SECTION] nor NAME=VALUE, and systemd skips it");
  }

  @Test
  void servicesOfOthersAreNotSystemds() {
    SystemdReader reader = new SystemdReader();
    assertThat(reader.reads(new Source("a.service", "[D-BUS Service]\nName=a\n"))).isFalse();
    assertThat(reader.reads(new Source("a.service", "<?xml version='1.0'?>"))).isFalse();
    assertThat(reader.reads(new Source("stdin", "[Service]\n"))).isTrue();
  }
}

package org.pinwise.engine.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pinwise.engine.facts.HostReport;

/** A host whose /proc and /sys lie below a folder. */
final class FakeHost {
  private final Path root;

  FakeHost(Path root) {
    this.root = root;
  }

  /** A host with kernel 6.12 and no RDMA; an ordinary user in a group of its own. */
  static FakeHost plain(Path root) throws IOException {
    FakeHost host = new FakeHost(root);
    host.file("proc/sys/kernel/osrelease", "6.12.117-amd64\n");
    ByteBuffer auxv = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
    auxv.putLong(6).putLong(4096).putLong(0).putLong(0);
    Files.createDirectories(root.resolve("proc/self"));
    Files.write(root.resolve("proc/self/auxv"), auxv.array());
    host.file(
        "proc/self/limits", "Max locked memory         8388608              8388608   bytes\n");
    host.file(
        "proc/self/status",
        """
        Name:\tapp
        Uid:\t1000\t1000\t1000\t1000
        CapEff:\t0000000000000000
        CapBnd:\t000001ffffffffff
        VmLck:\t0 kB
        VmPin:\t3072 kB
        """);
    host.file("proc/self/uid_map", "0 0 4294967295\n");
    host.file("proc/self/cgroup", "0::/app\n");
    host.file("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n");
    host.file("sys/fs/cgroup/app/memory.max", "1073741824\n");
    host.file("proc/meminfo", "MemTotal: 16777216 kB\nHugePages_Free: 0\nHugepagesize: 2048 kB\n");
    host.file("proc/filesystems", "nodev\tproc\n");
    host.file("proc/self/maps", "1000-2000 rw-p\n");
    host.file("proc/sys/vm/max_map_count", "65530\n");
    host.file("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    return host;
  }

  FakeHost file(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return this;
  }

  /** Adds an mlx5 device whose control group may have 10 objects and has 9. */
  FakeHost mlx5() throws IOException {
    String device = "sys/class/infiniband/mlx5_0/";
    file(device + "node_type", "1: CA\n");
    file(device + "fw_ver", "16.35.2000\n");
    file(device + "ports/1/link_layer", "InfiniBand\n");
    file(device + "ports/1/state", "4: ACTIVE\n");
    file(device + "ports/1/rate", "100 Gb/sec (4X EDR)\n");
    file(device + "device/numa_node", "1\n");
    Files.createSymbolicLink(
        root.resolve(device + "device/driver"), Path.of("../../bus/pci/drivers/mlx5_core"));
    byte[] config = new byte[256];
    config[0x06] = 0x10; // capabilities
    config[0x34] = 0x60;
    config[0x60] = 0x01; // power management, then PCI Express
    config[0x61] = 0x70;
    config[0x70] = 0x10;
    config[0x78] = 0x00; // Enable Relaxed Ordering is off
    Files.write(root.resolve(device + "device/config"), config);
    file("sys/fs/cgroup/app/rdma.max", "mlx5_0 hca_handle=max hca_object=10\n");
    file("sys/fs/cgroup/app/rdma.current", "mlx5_0 hca_handle=1 hca_object=9\n");
    file("sys/module/mlx5_core/parameters/prof_sel", "2\n");
    file("sys/module/ib_core/taint", "\n");
    return this;
  }

  HostReport report() {
    return HostReport.below(root);
  }
}

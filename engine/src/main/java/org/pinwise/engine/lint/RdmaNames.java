package org.pinwise.engine.lint;

import java.util.regex.Pattern;

/** How files name what has to do with RDMA. */
final class RdmaNames {
  /** Where the devices' files are. */
  static final String DEVICES = "/dev/infiniband";

  /**
   * Extended resources that device plugins of RDMA offer: the shared device plugin's and the SR-IOV
   * plugin's usual names, and EFA's.
   */
  private static final Pattern RESOURCE =
      Pattern.compile(
          "rdma/.+|mellanox\\.com/.+|vpc\\.amazonaws\\.com/efa"
              + "|nvidia\\.com/(hostdev|mlnxnics|sriovlegacy)|[^/]+/.*(rdma|roce|infiniband).*");

  private RdmaNames() {}

  /** Returns whether an extended resource of Kubernetes gives an RDMA device. */
  static boolean isResource(String name) {
    return RESOURCE.matcher(name).matches();
  }

  /** Returns whether a path is, or lies in, the directory of the devices. */
  static boolean isDevice(String path) {
    return path.equals(DEVICES) || path.startsWith(DEVICES + "/");
  }

  /** Returns whether a capability's name is CAP_IPC_LOCK, or all of them. */
  static boolean isIpcLock(String capability) {
    String name = capability.startsWith("CAP_") ? capability.substring(4) : capability;
    return name.equals("IPC_LOCK") || name.equals("ALL");
  }
}

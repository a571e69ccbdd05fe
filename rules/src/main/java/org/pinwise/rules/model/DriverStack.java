package org.pinwise.rules.model;

/** Where the kernel's RDMA modules come from. */
public enum DriverStack {
  /** The modules of the kernel itself. */
  INBOX,
  /** An out-of-tree stack such as MLNX_OFED or DOCA; the kernel version does not name it. */
  VENDOR
}

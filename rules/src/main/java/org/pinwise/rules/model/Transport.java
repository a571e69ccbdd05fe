package org.pinwise.rules.model;

/** The wire protocol of a device's ports. */
public enum Transport {
  /** InfiniBand. */
  INFINIBAND,
  /** RDMA over converged Ethernet. */
  ROCE,
  /** iWARP: RDMA over TCP. */
  IWARP,
  /** A protocol of its own: EFA's SRD, usNIC. */
  OTHER
}

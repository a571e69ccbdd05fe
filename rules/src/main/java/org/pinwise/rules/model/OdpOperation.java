package org.pinwise.rules.model;

/** An operation that a device may run on pages that are not there yet: {@code ibv_odp_caps}. */
public enum OdpOperation {
  /** Sends from such pages. */
  SEND,
  /** Receives into them. */
  RECV,
  /** RDMA WRITE. */
  WRITE,
  /** RDMA READ. */
  READ,
  /** Atomic operations. */
  ATOMIC,
  /** Receives into them from a shared receive queue. */
  SRQ_RECV
}

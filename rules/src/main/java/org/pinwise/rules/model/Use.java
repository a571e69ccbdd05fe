package org.pinwise.rules.model;

/** What the program does with the region; asked for by rules whose answer depends on it. */
public enum Use {
  /** Receives messages into it. */
  RECEIVE,
  /** Sends messages or RDMA WRITEs from it. */
  SEND_SOURCE,
  /** Is the local end of RDMA READs. */
  READ_SINK,
  /** Peers write into it. */
  WRITE_TARGET,
  /** Peers read it. */
  READ_SOURCE,
  /** Holds the target of remote atomic operations. */
  ATOMIC_TARGET,
  /** Holds the results of its own atomic operations on remote memory. */
  ATOMIC_RESULT,
  /** The program polls the memory itself to learn that data has arrived. */
  POLLS_MEMORY,
  /** Peers flush it, so that what they wrote can be seen by all, or is persistent. */
  FLUSH_TARGET
}

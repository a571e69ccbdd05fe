package org.pinwise.registrar.verbs;

/**
 * What carries a device's messages: {@code enum ibv_transport_type}.
 *
 * <p>It matters to a registration because on iWARP the sink of an RDMA READ needs remote write.
 */
public enum TransportType {
  /** {@code IBV_TRANSPORT_UNKNOWN}, and every number that this table does not have. */
  UNKNOWN(-1),
  /** {@code IBV_TRANSPORT_IB}: InfiniBand, and RoCE too. */
  IB(0),
  /** {@code IBV_TRANSPORT_IWARP}. */
  IWARP(1),
  /** {@code IBV_TRANSPORT_USNIC}. */
  USNIC(2),
  /** {@code IBV_TRANSPORT_USNIC_UDP}. */
  USNIC_UDP(3),
  /** {@code IBV_TRANSPORT_UNSPECIFIED}. */
  UNSPECIFIED(4);

  private final int number;

  TransportType(int number) {
    this.number = number;
  }

  /** The value of the C constant. */
  public int number() {
    return number;
  }

  /** The constant with this value, or {@link #UNKNOWN}. */
  static TransportType of(int number) {
    for (TransportType type : values()) {
      if (type.number == number) {
        return type;
      }
    }
    return UNKNOWN;
  }
}

package org.pinwise.registrar.verbs;

/** What a device is on its network: {@code enum ibv_node_type}. */
public enum NodeType {
  /** {@code IBV_NODE_UNKNOWN}, and every number that this table does not have. */
  UNKNOWN(-1),
  /** {@code IBV_NODE_CA}: a channel adapter, of InfiniBand or RoCE. */
  CA(1),
  /** {@code IBV_NODE_SWITCH}. */
  SWITCH(2),
  /** {@code IBV_NODE_ROUTER}. */
  ROUTER(3),
  /** {@code IBV_NODE_RNIC}: an iWARP adapter. */
  RNIC(4),
  /** {@code IBV_NODE_USNIC}. */
  USNIC(5),
  /** {@code IBV_NODE_USNIC_UDP}. */
  USNIC_UDP(6),
  /** {@code IBV_NODE_UNSPECIFIED}. */
  UNSPECIFIED(7);

  private final int number;

  NodeType(int number) {
    this.number = number;
  }

  /** The value of the C constant. */
  public int number() {
    return number;
  }

  /** The constant with this value, or {@link #UNKNOWN}. */
  static NodeType of(int number) {
    for (NodeType type : values()) {
      if (type.number == number) {
        return type;
      }
    }
    return UNKNOWN;
  }
}

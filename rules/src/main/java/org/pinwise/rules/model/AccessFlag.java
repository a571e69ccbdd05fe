package org.pinwise.rules.model;

import java.util.Locale;
import java.util.Optional;

/**
 * An access flag of a memory registration, {@code IBV_ACCESS_*}.
 *
 * <p>Local read access is always on and has no flag. Source of names and bits: {@code enum
 * ibv_access_flags}, rdma-core {@code libibverbs/verbs.h}; {@code enum ib_uverbs_access_flags},
 * Linux {@code include/uapi/rdma/ib_user_ioctl_verbs.h}. The two flush flags are in the kernel's
 * header since 6.2 and in rdma-core's since v45.
 */
public enum AccessFlag {
  /**
   * The device may write to the memory for this process: receive, RDMA READ sink, atomic result.
   */
  LOCAL_WRITE(0),
  /** A peer may write to the memory. */
  REMOTE_WRITE(1),
  /** A peer may read the memory. Needs no other flag. */
  REMOTE_READ(2),
  /** A peer may run atomic operations on the memory. */
  REMOTE_ATOMIC(3),
  /** Memory windows may be bound to the region. */
  MW_BIND(4),
  /** Peers address the region by offset from its start. */
  ZERO_BASED(5),
  /** On-demand paging: pages are not pinned. */
  ON_DEMAND(6),
  /** The caller promises that the memory is of huge pages; has a meaning only with ON_DEMAND. */
  HUGETLB(7),
  /** A peer may flush the memory to global visibility. */
  FLUSH_GLOBAL(8),
  /** A peer may flush the memory to persistence. */
  FLUSH_PERSISTENT(9),
  /** The device may order its PCIe accesses loosely. The only flag that is optional. */
  RELAXED_ORDERING(20);

  /**
   * Bits that a kernel may ignore when it does not know them: {@code IBV_ACCESS_OPTIONAL_RANGE},
   * bits 20 to 29.
   */
  public static final int OPTIONAL_RANGE = 0x3ff00000;

  private static final String PREFIX = "IBV_ACCESS_";

  private final int bit;

  AccessFlag(int position) {
    this.bit = 1 << position;
  }

  /** Returns the flag's value: one bit. */
  public int bit() {
    return bit;
  }

  /** Returns whether an old kernel or library ignores the flag instead of refusing it. */
  public boolean optional() {
    return (bit & OPTIONAL_RANGE) != 0;
  }

  /** Returns the name in C, such as {@code IBV_ACCESS_LOCAL_WRITE}. */
  public String nativeName() {
    return PREFIX + name();
  }

  /**
   * Finds a flag by its name, with or without {@code IBV_ACCESS_}, in any case.
   *
   * @return empty where no flag has the name
   */
  public static Optional<AccessFlag> byName(String name) {
    String upper = name.strip().toUpperCase(Locale.ROOT);
    String bare = upper.startsWith(PREFIX) ? upper.substring(PREFIX.length()) : upper;
    for (AccessFlag flag : values()) {
      if (flag.name().equals(bare)) {
        return Optional.of(flag);
      }
    }
    return Optional.empty();
  }
}

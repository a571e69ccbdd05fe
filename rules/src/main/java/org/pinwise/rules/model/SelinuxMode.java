package org.pinwise.rules.model;

/**
 * What SELinux does: {@code /sys/fs/selinux/enforce}. The kernel asks it nothing when memory is
 * registered, but it may forbid opening {@code /dev/infiniband/uverbsN}.
 */
public enum SelinuxMode {
  /** It refuses what its policy does not allow. */
  ENFORCING,
  /** It writes to the log what it would refuse. */
  PERMISSIVE,
  /** It is not there. */
  DISABLED
}

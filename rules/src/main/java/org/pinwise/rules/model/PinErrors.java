package org.pinwise.rules.model;

/** What a driver answers when the kernel's {@code ib_umem_get} cannot pin the pages of a region. */
public enum PinErrors {
  /** What the kernel says. */
  AS_THEY_ARE,
  /** EFAULT, whatever the kernel says. */
  EFAULT,
  /** ENOMEM, whatever the kernel says. */
  ENOMEM
}

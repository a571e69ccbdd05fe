package org.pinwise.rules.model;

/** {@code ibv_device_attr.atomic_cap}. */
public enum AtomicSupport {
  /** No atomic operations. */
  NONE,
  /** Atomic among the queue pairs of this device. */
  HCA,
  /** Atomic with the processors, too. */
  GLOBAL
}

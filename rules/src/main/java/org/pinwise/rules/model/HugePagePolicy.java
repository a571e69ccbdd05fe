package org.pinwise.rules.model;

/**
 * When anonymous memory gets transparent huge pages: {@code
 * /sys/kernel/mm/transparent_hugepage/enabled}.
 */
public enum HugePagePolicy {
  /** Wherever an aligned piece of a mapping is large enough. */
  ALWAYS,
  /** Where the program asks for them: {@code madvise(MADV_HUGEPAGE)}. */
  MADVISE,
  /** Nowhere. */
  NEVER
}

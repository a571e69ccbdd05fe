package org.pinwise.rules.model;

/** Protection of a mapping; of a range over several mappings, what all of it allows. */
public enum Protection {
  /** {@code PROT_NONE}. */
  NONE,
  /** {@code PROT_READ}. */
  READ,
  /** {@code PROT_WRITE} alone. */
  WRITE,
  /** {@code PROT_READ|PROT_WRITE}. */
  READ_WRITE
}

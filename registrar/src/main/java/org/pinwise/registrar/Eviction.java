package org.pinwise.registrar;

/** Why a cache lets a region go. */
public enum Eviction {
  /** Nobody used it for as long as the cache keeps idle regions. */
  IDLE,
  /**
   * The cache was over its budget of regions or bytes, and this one was the least recently used.
   */
  BUDGET,
  /** The memory's arena was closed, or the caller said that the memory is gone. */
  INVALIDATED,
  /** A longer region of the same access covers it. */
  COVERED,
  /** The cache was closed. */
  CLOSED
}

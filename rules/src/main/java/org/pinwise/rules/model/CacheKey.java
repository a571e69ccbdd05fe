package org.pinwise.rules.model;

/** What a cache of regions compares before it gives out a region that it has. */
public enum CacheKey {
  /** The range of addresses. */
  ADDRESS,
  /** The protection domain. */
  PROTECTION_DOMAIN,
  /** The access flags. */
  ACCESS
}

package org.pinwise.registrar;

/**
 * Someone who holds a region to lend it on, such as a cache. The holder counts those leases itself;
 * to the region it is one.
 *
 * @see RegisteredRegion#hold
 */
public interface RegionHolder {

  /** How many leases the holder has given out and not got back. */
  int leases();

  /**
   * The region is being closed: the holder lends it no more, and closes its own lease as soon as
   * those that it gave out are closed; at once if there are none. Must not block. Another thread
   * may call it before {@link RegisteredRegion#hold} has returned that lease.
   */
  void giveUp();
}

package org.pinwise.registrar.cache;

import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;

/**
 * The regions of one access.
 *
 * <p>A request may be served from another lane only where nobody could tell: its regions may be
 * more for this process, by {@link AccessFlag#LOCAL_WRITE} and {@link AccessFlag#MW_BIND}, but
 * neither more nor less for peers, and not of another kind (ordering, paging, addressing).
 */
final class Lane {

  private static final int MORE_FOR_US = AccessFlag.LOCAL_WRITE.bit() | AccessFlag.MW_BIND.bit();

  final Access access;
  final int bits;
  final RangeIndex index = new RangeIndex();

  /** The other lanes that may serve its requests. Written under the cache's lock. */
  volatile Lane[] substitutes = {};

  Lane(Access access) {
    this.access = access;
    this.bits = access.bits();
  }

  /** Whether this lane's regions may serve a request of the other lane. */
  boolean maySubstitute(Lane other) {
    return (bits & ~MORE_FOR_US) == (other.bits & ~MORE_FOR_US)
        && (bits & other.bits) == other.bits;
  }
}

package org.pinwise.registrar.cache;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a hit reads of an entry, and nothing else: the JVM lays out a class's fields before those of
 * its subclasses, so this is on one cache line, or on two neighbours. Among many regions a hit
 * takes as long as the memory does.
 */
abstract sealed class EntryHead extends LeaseCell permits Entry {

  static final VarHandle STATE;
  static final VarHandle MORE;
  private static final VarHandle LAST_USE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(EntryHead.class, "state", int.class);
      MORE = lookup.findVarHandle(EntryHead.class, "more", LeaseCell[].class);
      LAST_USE = lookup.findVarHandle(EntryHead.class, "lastUse", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long start;
  final long end;
  final int localKey;
  final MemorySegment.Scope scope;
  volatile int state;
  volatile LeaseCell @Nullable [] more;

  /** The cache's time when it was last used; see {@link RegionCache#now}. */
  @SuppressWarnings("UnusedVariable") // through LAST_USE
  private int lastUse;

  EntryHead(long start, long end, int localKey, MemorySegment.Scope scope, int now) {
    super(null);
    this.start = start;
    this.end = end;
    this.localKey = localKey;
    this.scope = scope;
    this.lastUse = now;
  }

  final boolean covers(long from, long to) {
    return start <= from && to <= end;
  }

  /** The cache's time of the last use. */
  final int lastUse() {
    return (int) LAST_USE.getOpaque(this);
  }

  final void used(int now) {
    if (lastUse() != now) {
      LAST_USE.setOpaque(this, now);
    }
  }
}

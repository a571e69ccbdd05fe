package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;

/**
 * One thing to try when memory cannot be registered as asked, or several at once. Immutable. None
 * gives peers a right that was not asked for.
 */
public final class Rung {

  private static final Rung NOTHING = new Rung(false, false, false, null, null);

  private final boolean withoutOptional;
  private final boolean onDemand;
  private final boolean basePages;
  private final @Nullable Chunks chunks;
  private final @Nullable RegionPool pool;

  private Rung(
      boolean withoutOptional,
      boolean onDemand,
      boolean basePages,
      @Nullable Chunks chunks,
      @Nullable RegionPool pool) {
    this.withoutOptional = withoutOptional;
    this.onDemand = onDemand;
    this.basePages = basePages;
    this.chunks = chunks;
    this.pool = pool;
  }

  /** Without the flags that a kernel may ignore anyway, such as RELAXED_ORDERING. */
  public static Rung withoutOptionalFlags() {
    return new Rung(true, false, false, null, null);
  }

  /** By on-demand paging: nothing is pinned, so that no limit on locked memory binds. */
  public static Rung onDemand() {
    return new Rung(false, true, false, null, null);
  }

  /** Without the promise that the memory is of huge pages: HUGETLB. */
  public static Rung basePages() {
    return new Rung(false, false, true, null, null);
  }

  /** In several regions. */
  public static Rung chunks(Chunks chunks) {
    return new Rung(false, false, false, chunks, null);
  }

  /**
   * Not at all: a buffer of a pool stands in. Only for memory that fits into one, and only if the
   * pool's access is the one asked for, or more for this process alone. Whoever holds the outcome
   * copies; peers reach the buffer, not the memory.
   */
  public static Rung bounce(RegionPool pool) {
    return new Rung(false, false, false, null, pool);
  }

  /** Both at once. Where both say how long chunks are or which pool, this one's counts. */
  public Rung and(Rung other) {
    return new Rung(
        withoutOptional || other.withoutOptional,
        onDemand || other.onDemand,
        basePages || other.basePages,
        chunks != null ? chunks : other.chunks,
        pool != null ? pool : other.pool);
  }

  static Rung asAsked() {
    return NOTHING;
  }

  @Nullable Chunks chunksOrNull() {
    return chunks;
  }

  @Nullable RegionPool poolOrNull() {
    return pool;
  }

  /** The access that it registers with. */
  Access accessFor(Access asked) {
    Access access = asked;
    if (withoutOptional) {
      access = Access.ofBits(access.bits() & ~AccessFlag.OPTIONAL_RANGE);
    }
    if (basePages) {
      access = access.without(AccessFlag.HUGETLB);
    }
    return onDemand ? access.with(AccessFlag.ON_DEMAND) : access;
  }

  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    if (withoutOptional) {
      parts.add("without optional flags");
    }
    if (onDemand) {
      parts.add("on demand");
    }
    if (basePages) {
      parts.add("base pages");
    }
    if (chunks != null) {
      parts.add(chunks.toString());
    }
    if (pool != null) {
      parts.add("bounce buffer");
    }
    return parts.isEmpty() ? "as asked" : String.join(", ", parts);
  }
}

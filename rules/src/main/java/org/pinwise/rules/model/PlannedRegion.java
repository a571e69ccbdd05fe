package org.pinwise.rules.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A region, or several of one kind, that a program means to register.
 *
 * @param name how the plan names it
 * @param request the request
 * @param memory the memory under it; null where nothing was said of it
 * @param count how many of them each process registers on each device, at least 1
 */
public record PlannedRegion(String name, MrRequest request, @Nullable Memory memory, long count) {

  /** Whether registering it pins pages that count against RLIMIT_MEMLOCK; null is unknown. */
  @Nullable Boolean pins() {
    if (request.verb() == Verb.REG_MR || request.verb() == Verb.REG_MR_IOVA) {
      return request.access() == null
          ? null
          : (Boolean) !request.access().contains(AccessFlag.ON_DEMAND);
    }
    return request.verb() == null ? null : Boolean.FALSE;
  }

  /** Whether it is known where its memory lies, and there is some. */
  boolean hasPlace() {
    Long length = request.rawLength();
    return request.rawAddress() != null && length != null && length != 0;
  }

  /** Returns the start of the first block of a size, a power of two, that it touches. */
  long firstBlock(long size) {
    return Objects.requireNonNull(request.rawAddress()) & -size;
  }

  /** Returns the start of the last block of a size, a power of two, that it touches. */
  long lastBlock(long size) {
    return (Objects.requireNonNull(request.rawAddress())
            + Objects.requireNonNull(request.rawLength())
            - 1)
        & -size;
  }
}

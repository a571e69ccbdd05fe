package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How long the regions may be that memory is registered in. Immutable. */
public final class Chunks {

  private static final long PAGE = 4096;

  /** The usual one, where the host's is not known. */
  private static final long HUGE_PAGE = 2L << 20;

  private final long bytes;

  private Chunks(long bytes) {
    this.bytes = bytes;
  }

  /** As long as the device allows: {@code max_mr_size}. */
  public static Chunks asTheDeviceAllows() {
    return new Chunks(Long.MAX_VALUE);
  }

  /**
   * Of at most so many bytes, and no longer than the device allows.
   *
   * @throws IllegalArgumentException if it is less than a page of 4096 bytes
   */
  public static Chunks of(long bytes) {
    if (bytes < PAGE) {
      throw new IllegalArgumentException(
          "chunks of %d bytes are shorter than a page of %d bytes".formatted(bytes, PAGE));
    }
    return new Chunks(bytes);
  }

  /** The longest chunk on a device; its limit is null where it is not known. */
  long longest(@Nullable Long maxMrSize) {
    return maxMrSize == null || maxMrSize <= 0 ? bytes : Math.min(bytes, maxMrSize);
  }

  /**
   * Where to cut: the lengths of the chunks in order. All but the first start on the border of a
   * huge page, if chunks can be as long as one, else on that of a page: a huge page that two
   * regions share would be pinned for both, and could be mapped as one by neither.
   */
  static List<Long> lengths(long address, long length, long longest, @Nullable Long hugePageSize) {
    long hugePage = hugePageSize == null || hugePageSize <= 0 ? HUGE_PAGE : hugePageSize;
    long border = longest >= hugePage ? hugePage : longest >= PAGE ? PAGE : 1;
    List<Long> lengths = new ArrayList<>();
    long done = 0;
    while (length - done > longest) {
      long start = address + done;
      long end = Math.floorDiv(start + longest, border) * border;
      lengths.add(end - start);
      done += end - start;
    }
    lengths.add(length - done);
    return lengths;
  }

  @Override
  public String toString() {
    return bytes == Long.MAX_VALUE
        ? "chunks as the device allows"
        : "chunks of " + bytes + " bytes";
  }
}

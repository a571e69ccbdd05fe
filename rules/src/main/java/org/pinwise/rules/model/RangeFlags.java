package org.pinwise.rules.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an {@link AddressRange} that are true or false, as bits of one number: computed of
 * plain numbers, without making an object. A word holds one bit for each field that is true and,
 * from {@link #KNOWN} on, one for each that is known; a bit that is not known is not set.
 *
 * <p>Addresses and lengths are unsigned; a page size is a power of two.
 */
public final class RangeFlags {
  /** The fields, in the order of their bits. */
  public static final List<String> FIELDS =
      List.of(
          "pageAligned",
          "iovaOffsetDiffers",
          "rangeWraps",
          "endWraps",
          "lengthBeyondAddressSpace",
          "allOnesLength",
          "wholeAddressSpace",
          "pageCountBeyondUint",
          "pageTableTooLarge",
          "beyondPageDirectory",
          "odpTableTooLarge",
          "beyondMemlock",
          "beyondMemlockLeft",
          "kernelAddress",
          "length65536Pages");

  /** By how many places the bit that says whether a field is known lies higher than its own. */
  public static final int KNOWN = 32;

  /** The most pages that a region of any driver has. */
  static final long MAX_PAGES = 0xffff_ffffL;

  private static final long MAX_UMR_PAGES = 65536;
  private static final long KERNEL_HALF = 1L << 63 | 1L << 55;
  private static final int MAX_TABLE_BYTES = 4 << 20;
  private static final long PAGE_DIRECTORY = 512 * 512;
  private static final long MAX_LISTED_PAGES = Integer.MAX_VALUE / 8;
  private static final long BEYOND_MEMLOCK = 1L << 11;
  private static final long BEYOND_MEMLOCK_LEFT = 1L << 12;
  private static final long ALL_KNOWN = (1L << FIELDS.size()) - 1;

  private RangeFlags() {}

  /**
   * Returns the word of a range.
   *
   * @param iova where the device sees it; null where the request has none
   * @param memlock the limit of locked memory in bytes; null where unknown
   * @param pinned the pages that the process has pinned so far; null where unknown
   */
  public static long of(
      long address,
      long length,
      @Nullable Long iova,
      long pageSize,
      @Nullable Long memlock,
      @Nullable Long pinned) {
    long mask = pageSize - 1;
    boolean endWraps = endWraps(address, length);
    boolean wraps = wraps(address, length, pageSize);
    long pages = pages(address, length, pageSize);
    boolean tooMany = !wraps && pages > MAX_PAGES;
    long flags = bit((address & mask) == 0, 0);
    long known = ALL_KNOWN;
    if (iova == null) {
      known &= ~(1L << 1);
    } else {
      flags |= bit(((address ^ iova) & mask) != 0, 1);
    }
    flags |=
        bit(wraps, 2)
            | bit(endWraps, 3)
            | bit(length < 0, 4)
            | bit(length == -1, 5)
            | bit(address == 0 && length == -1, 6)
            | bit(tooMany, 7)
            | bit(isTableTooLarge((int) pagesLow32(address, length, pageSize)), 8)
            | bit(!wraps && pages > PAGE_DIRECTORY, 9)
            | bit(!wraps && pages > MAX_LISTED_PAGES, 10)
            | bit((address & KERNEL_HALF) == KERNEL_HALF, 13)
            | bit(Long.compareUnsigned(length, MAX_UMR_PAGES * pageSize) >= 0, 14);
    // What has no pages, too many, or wraps, the kernel refuses before it asks for a limit.
    boolean counted = !wraps && !tooMany && pages > 0;
    if (counted) {
      long limits = limits(pages, pageSize, memlock, pinned);
      flags |= limits;
      known &= limits >>> KNOWN | ~(BEYOND_MEMLOCK | BEYOND_MEMLOCK_LEFT);
    }
    return known << KNOWN | (flags & ALL_KNOWN);
  }

  private static long bit(boolean holds, int place) {
    return holds ? 1L << place : 0;
  }

  /** The two fields that compare with the limit, and whether they are known. */
  private static long limits(
      long pages, long pageSize, @Nullable Long memlock, @Nullable Long pinned) {
    if (memlock == null) {
      return pinned != null && pinned == 0 ? BEYOND_MEMLOCK_LEFT << KNOWN : 0;
    }
    // A limit of 0 is another check's.
    boolean limited = memlock != 0 && memlock != Long.MAX_VALUE;
    long allowed = memlock >>> Long.numberOfTrailingZeros(pageSize);
    if (!limited || pages > allowed) {
      long alone = limited ? BEYOND_MEMLOCK : 0;
      return alone | (BEYOND_MEMLOCK | BEYOND_MEMLOCK_LEFT) << KNOWN;
    }
    if (pinned == null) {
      return BEYOND_MEMLOCK << KNOWN;
    }
    // What is pinned is compared with what the limit leaves, so that nothing overflows.
    long left = pinned > allowed - pages ? BEYOND_MEMLOCK_LEFT : 0;
    return left | (BEYOND_MEMLOCK | BEYOND_MEMLOCK_LEFT) << KNOWN;
  }

  /** A negative count of chunks becomes a huge unsigned one; a count of 0 chunks is allocated. */
  private static boolean isTableTooLarge(int pages) {
    int chunks = (pages >> 9) + 1;
    return chunks < 0 || chunks > MAX_TABLE_BYTES / 8;
  }

  /** Returns what is known by both words and equal in both. */
  public static long agreeing(long a, long b) {
    long known = ((a & b) >>> KNOWN) & ~(a ^ b);
    return known << KNOWN | (a & known);
  }

  /** Returns a field of a word; null where it is unknown. */
  static @Nullable Boolean get(long flags, String field) {
    int place = FIELDS.indexOf(field);
    return ((flags >>> (KNOWN + place)) & 1) == 0 ? null : (Boolean) (((flags >>> place) & 1) != 0);
  }

  private static boolean endWraps(long address, long length) {
    return Long.compareUnsigned(address + length, address) < 0;
  }

  private static long alignedEnd(long address, long length, long pageSize) {
    return (address + length + pageSize - 1) & -pageSize;
  }

  private static boolean wraps(long address, long length, long pageSize) {
    return endWraps(address, length)
        || Long.compareUnsigned(alignedEnd(address, length, pageSize), address + length) < 0;
  }

  /** See {@link AddressRange#pages}. */
  public static long pages(long address, long length, long pageSize) {
    return wraps(address, length, pageSize)
        ? Long.MAX_VALUE
        : (alignedEnd(address, length, pageSize) - (address & -pageSize))
            >>> Long.numberOfTrailingZeros(pageSize);
  }

  /** See {@link AddressRange#pagesLow32}. */
  public static long pagesLow32(long address, long length, long pageSize) {
    long bytes = alignedEnd(address & (pageSize - 1), length, pageSize);
    return (bytes >>> Long.numberOfTrailingZeros(pageSize)) & MAX_PAGES;
  }

  /** See {@link AddressRange#alignment}. */
  public static long alignment(long address) {
    return 1L << Math.min(Long.numberOfTrailingZeros(address), 62);
  }
}

package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.HEX;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.BOOT;
import static org.pinwise.rules.model.Volatility.FIXED;
import static org.pinwise.rules.model.Volatility.LIVE;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What follows from a request's address, length and iova, and from the kernel's page size and the
 * process's limit of locked memory. Rules compare these fields instead of computing, because
 * unsigned 64-bit arithmetic does not fit their numbers. Nobody gives this fact: {@link #of}
 * derives it. A null component is unknown.
 *
 * @param pageAligned whether the address is a multiple of the page size
 * @param alignment the largest power of two that divides the address; 2^62 for address 0
 * @param iovaOffsetDiffers whether address and iova have different offsets in their pages; unknown
 *     where the request has no iova, as one of {@code ibv_reg_mr}
 * @param rangeWraps whether address + length, or its end rounded up to a page, passes 2^64; {@code
 *     ib_umem_get}, Linux {@code drivers/infiniband/core/umem.c}
 * @param endWraps whether address + length itself passes 2^64; a range wraps also where only its
 *     rounded end does
 * @param kernelAddress whether the address lies in the kernel's half on every processor: its bits
 *     63 and 55 are set, so that neither x86's nor arm64's tags of addresses explain it; {@code
 *     access_ok} in {@code mm/gup.c}
 * @param lengthBeyondAddressSpace whether the length is 2^63 or more
 * @param allOnesLength whether the length is 2^64-1, {@code SIZE_MAX}
 * @param wholeAddressSpace whether the address is 0 and the length {@code SIZE_MAX}: a request for
 *     implicit on-demand paging
 * @param pages pages that the range touches; 2^63-1 where it wraps
 * @param pageCountBeyondUint whether a range that does not wrap touches more than 2^32-1 pages
 * @param pagesLow32 the low 32 bits of the page count, as a driver sees that keeps it in an int
 * @param pageTableTooLarge whether a table of 8 bytes for each 512 of those pages, counted as an
 *     int, takes more than 4 MiB, the most that the kernel allocates in one piece; {@code
 *     siw_umem_get}, Linux {@code drivers/infiniband/sw/siw/siw_mem.c}
 * @param beyondPageDirectory whether a range that does not wrap touches more than 262144 pages, the
 *     most that a page directory of pvrdma holds; {@code PVRDMA_PAGE_DIR_MAX_PAGES}, Linux {@code
 *     drivers/infiniband/hw/vmw_pvrdma/pvrdma_dev_api.h}
 * @param odpTableTooLarge whether a range that does not wrap touches so many pages that a list of 8
 *     bytes for each passes 2^31-1 bytes, the most that {@code kvmalloc} gives; {@code
 *     ib_init_umem_odp}, Linux {@code drivers/infiniband/core/umem_odp.c}
 * @param length65536Pages whether the length is that of 65536 pages or more; {@code
 *     MLX5_MAX_UMR_PAGES}, Linux {@code drivers/infiniband/hw/mlx5/mlx5_ib.h}
 * @param beyondMemlock whether the range alone has more pages than a limit of locked memory allows
 *     that is not 0; false for a range that has no pages, too many, or wraps, because the kernel
 *     refuses it before
 * @param beyondMemlockLeft whether it has more pages only together with those that the process has
 *     pinned so far
 */
public record AddressRange(
    @Nullable Boolean pageAligned,
    @Nullable Long alignment,
    @Nullable Boolean iovaOffsetDiffers,
    @Nullable Boolean rangeWraps,
    @Nullable Boolean endWraps,
    @Nullable Boolean kernelAddress,
    @Nullable Boolean lengthBeyondAddressSpace,
    @Nullable Boolean allOnesLength,
    @Nullable Boolean wholeAddressSpace,
    @Nullable Long pages,
    @Nullable Boolean pageCountBeyondUint,
    @Nullable Long pagesLow32,
    @Nullable Boolean pageTableTooLarge,
    @Nullable Boolean beyondPageDirectory,
    @Nullable Boolean odpTableTooLarge,
    @Nullable Boolean length65536Pages,
    @Nullable Boolean beyondMemlock,
    @Nullable Boolean beyondMemlockLeft) {

  /** The fields of a range. */
  public static final FactType<AddressRange> TYPE =
      FactType.of(AddressRange.class, "range")
          .flag(
              "pageAligned",
              AddressRange::pageAligned,
              FIXED,
              "whether the address is a multiple of the page size")
          .number(
              "alignment",
              AddressRange::alignment,
              BYTES,
              FIXED,
              "the largest power of two that divides the address")
          .flag(
              "iovaOffsetDiffers",
              AddressRange::iovaOffsetDiffers,
              FIXED,
              "whether address and iova have different offsets in their pages")
          .flag(
              "rangeWraps",
              AddressRange::rangeWraps,
              FIXED,
              "whether the range, rounded up to a page, passes 2^64")
          .flag(
              "endWraps",
              AddressRange::endWraps,
              FIXED,
              "whether address and length add up to 2^64 or more")
          .flag(
              "kernelAddress",
              AddressRange::kernelAddress,
              FIXED,
              "whether the address is of the kernel's half of the address space")
          .flag(
              "lengthBeyondAddressSpace",
              AddressRange::lengthBeyondAddressSpace,
              FIXED,
              "whether the length is 2^63 or more")
          .flag(
              "allOnesLength",
              AddressRange::allOnesLength,
              FIXED,
              "whether the length is 2^64-1 (SIZE_MAX)")
          .flag(
              "wholeAddressSpace",
              AddressRange::wholeAddressSpace,
              FIXED,
              "whether the address is 0 and the length 2^64-1")
          .number("pages", AddressRange::pages, PLAIN, FIXED, "the number of pages that it touches")
          .flag(
              "pageCountBeyondUint",
              AddressRange::pageCountBeyondUint,
              FIXED,
              "whether it touches more than 2^32-1 pages")
          .number(
              "pagesLow32",
              AddressRange::pagesLow32,
              HEX,
              FIXED,
              "the low 32 bits of the number of pages")
          .flag(
              "pageTableTooLarge",
              AddressRange::pageTableTooLarge,
              FIXED,
              "whether a page table counted in an int takes more than 4 MiB")
          .flag(
              "beyondPageDirectory",
              AddressRange::beyondPageDirectory,
              FIXED,
              "whether it touches more than 262144 pages")
          .flag(
              "odpTableTooLarge",
              AddressRange::odpTableTooLarge,
              FIXED,
              "whether a list of its pages passes 2 GiB")
          .flag(
              "length65536Pages",
              AddressRange::length65536Pages,
              FIXED,
              "whether the length is that of 65536 pages or more")
          .flag(
              "beyondMemlock",
              AddressRange::beyondMemlock,
              BOOT,
              "whether it alone takes more than RLIMIT_MEMLOCK")
          .flag(
              "beyondMemlockLeft",
              AddressRange::beyondMemlockLeft,
              LIVE,
              "whether it takes more than what is left of RLIMIT_MEMLOCK")
          .build(v ->
              new AddressRange(
                  v.flag("pageAligned"),
                  v.number("alignment"),
                  v.flag("iovaOffsetDiffers"),
                  v.flag("rangeWraps"),
                  v.flag("endWraps"),
                  v.flag("kernelAddress"),
                  v.flag("lengthBeyondAddressSpace"),
                  v.flag("allOnesLength"),
                  v.flag("wholeAddressSpace"),
                  v.number("pages"),
                  v.flag("pageCountBeyondUint"),
                  v.number("pagesLow32"),
                  v.flag("pageTableTooLarge"),
                  v.flag("beyondPageDirectory"),
                  v.flag("odpTableTooLarge"),
                  v.flag("length65536Pages"),
                  v.flag("beyondMemlock"),
                  v.flag("beyondMemlockLeft")));

  /** Page sizes that Linux kernels are built with on the machines that have RDMA devices. */
  private static final long[] PAGE_SIZES = {4096, 16384, 65536};

  /**
   * Lengths that stand for an unknown one, beside those of {@link #lengths}: the borders of every
   * field above, so that a field on which they agree has that value for all lengths.
   */
  private static final long[] LENGTHS = {
    0, 1, 4096, 1L << 32, 1L << 40, 1L << 42, 1L << 44, 1L << 50, 1L << 63, -1
  };

  /** The address that stands for one that is assumed: page-aligned and far from both ends. */
  public static final long ASSUMED_ADDRESS = 0x7f52_0000_0000L;

  /**
   * Derives the range of a request.
   *
   * @param request the request; what it does not say leaves unknown what depends on it
   * @param host the page size of its kernel, a power of two, and its limit of locked memory; what
   *     it does not say leaves unknown what depends on it
   * @param assumeAddress whether an address that is not given is taken as page-aligned and in range
   */
  public static AddressRange of(MrRequest request, Host host, boolean assumeAddress) {
    Long pageSize = host.pageSize();
    Long address =
        request.rawAddress() == null && assumeAddress
            ? (Long) ASSUMED_ADDRESS
            : request.rawAddress();
    if (pageSize != null && address != null && request.rawLength() != null) {
      return exact(request, host, address, request.rawLength(), pageSize);
    }
    boolean open = pageSize == null && host.memlock() == null && host.pinnedPages() == null;
    if (open
        && request.rawAddress() == null
        && request.rawLength() == null
        && request.rawIova() == null) {
      return assumeAddress ? OfNothing.ADDRESS_ASSUMED : OfNothing.NOTHING_ASSUMED;
    }
    return agreed(request, host, address);
  }

  /** What follows of nothing, as for each part of a file of configuration: derived once. */
  private static final class OfNothing {
    private static final MrRequest REQUEST = MrRequest.builder().build();
    private static final AddressRange ADDRESS_ASSUMED =
        agreed(REQUEST, Host.UNKNOWN, ASSUMED_ADDRESS);
    private static final AddressRange NOTHING_ASSUMED = agreed(REQUEST, Host.UNKNOWN, null);
  }

  /** Returns what is the same for all that is not said. */
  private static AddressRange agreed(MrRequest request, Host host, @Nullable Long address) {
    Long pageSize = host.pageSize();
    AddressRange merged = null;
    for (long size : pageSize == null ? PAGE_SIZES : new long[] {pageSize}) {
      for (long start :
          address == null ? addresses(size, request.rawIova()) : new long[] {address}) {
        for (long length :
            request.rawLength() == null
                ? lengths(start, size, host)
                : new long[] {request.rawLength()}) {
          AddressRange one = exact(request, host, start, length, size);
          merged = merged == null ? one : merged.agreeing(one);
        }
      }
    }
    return Objects.requireNonNull(merged);
  }

  /** Returns the page sizes that a kernel may have of which it is not known. */
  public static long[] pageSizes() {
    return PAGE_SIZES.clone();
  }

  /**
   * The fixed lengths, and those of as many pages as can be, as the limit allows, and one more:
   * near the end of the address space the next fixed length may already wrap.
   */
  private static long[] lengths(long address, long pageSize, Host host) {
    long offset = address & (pageSize - 1);
    Long memlock = host.memlock();
    long[] lengths = Arrays.copyOf(LENGTHS, LENGTHS.length + 3);
    lengths[LENGTHS.length] = RangeFlags.MAX_PAGES * pageSize - offset;
    lengths[LENGTHS.length + 1] =
        memlock == null || memlock < pageSize ? 1 : memlock / pageSize * pageSize - offset;
    lengths[LENGTHS.length + 2] = lengths[LENGTHS.length + 1] + 1;
    return lengths;
  }

  /**
   * Addresses that stand for an unknown one: both ends, offsets in a page between them, and one
   * with the iova's offset.
   */
  private static long[] addresses(long pageSize, @Nullable Long iova) {
    long middle = ASSUMED_ADDRESS;
    return new long[] {
      0,
      1,
      pageSize - 1,
      middle,
      middle + 1,
      middle + pageSize - 1,
      middle + pageSize,
      middle + (iova == null ? 0 : iova & (pageSize - 1)),
      -pageSize,
      -1
    };
  }

  private static AddressRange exact(
      MrRequest request, Host host, long address, long length, long pageSize) {
    long flags =
        RangeFlags.of(
            address, length, request.rawIova(), pageSize, host.memlock(), host.pinnedPages());
    return new AddressRange(
        RangeFlags.get(flags, "pageAligned"),
        RangeFlags.alignment(address),
        RangeFlags.get(flags, "iovaOffsetDiffers"),
        RangeFlags.get(flags, "rangeWraps"),
        RangeFlags.get(flags, "endWraps"),
        RangeFlags.get(flags, "kernelAddress"),
        RangeFlags.get(flags, "lengthBeyondAddressSpace"),
        RangeFlags.get(flags, "allOnesLength"),
        RangeFlags.get(flags, "wholeAddressSpace"),
        RangeFlags.pages(address, length, pageSize),
        RangeFlags.get(flags, "pageCountBeyondUint"),
        RangeFlags.pagesLow32(address, length, pageSize),
        RangeFlags.get(flags, "pageTableTooLarge"),
        RangeFlags.get(flags, "beyondPageDirectory"),
        RangeFlags.get(flags, "odpTableTooLarge"),
        RangeFlags.get(flags, "length65536Pages"),
        RangeFlags.get(flags, "beyondMemlock"),
        RangeFlags.get(flags, "beyondMemlockLeft"));
  }

  private AddressRange agreeing(AddressRange other) {
    return new AddressRange(
        agree(pageAligned, other.pageAligned),
        agree(alignment, other.alignment),
        agree(iovaOffsetDiffers, other.iovaOffsetDiffers),
        agree(rangeWraps, other.rangeWraps),
        agree(endWraps, other.endWraps),
        agree(kernelAddress, other.kernelAddress),
        agree(lengthBeyondAddressSpace, other.lengthBeyondAddressSpace),
        agree(allOnesLength, other.allOnesLength),
        agree(wholeAddressSpace, other.wholeAddressSpace),
        agree(pages, other.pages),
        agree(pageCountBeyondUint, other.pageCountBeyondUint),
        agree(pagesLow32, other.pagesLow32),
        agree(pageTableTooLarge, other.pageTableTooLarge),
        agree(beyondPageDirectory, other.beyondPageDirectory),
        agree(odpTableTooLarge, other.odpTableTooLarge),
        agree(length65536Pages, other.length65536Pages),
        agree(beyondMemlock, other.beyondMemlock),
        agree(beyondMemlockLeft, other.beyondMemlockLeft));
  }

  private static <T> @Nullable T agree(@Nullable T a, @Nullable T b) {
    return Objects.equals(a, b) ? a : null;
  }
}

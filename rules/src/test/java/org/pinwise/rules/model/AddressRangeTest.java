package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Derived numbers against arithmetic that cannot overflow, and what an unknown number leaves. */
class AddressRangeTest {
  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);
  private static final BigInteger UINT_MAX = BigInteger.valueOf(0xffff_ffffL);
  private static final long[] PAGE_SIZES = {4096, 16384, 65536};

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  private static BigInteger roundedUp(BigInteger value, BigInteger page) {
    return value.add(page).subtract(BigInteger.ONE).divide(page).multiply(page);
  }

  private long anyNumber() {
    long near = random.nextInt(5) - 2L;
    return switch (random.nextInt(7)) {
      case 0 -> near;
      case 1 -> (1L << random.nextInt(64)) + near;
      case 2 -> -(1L << random.nextInt(17)) + near;
      case 3 -> random.nextInt(200_000);
      case 4 -> 0x7f00_0000_0000L + random.nextInt(1 << 20);
      case 5 -> (0xffff_ffffL + near) * PAGE_SIZES[random.nextInt(3)] + near;
      default -> random.nextLong();
    };
  }

  private Host host(@Nullable Long pageSize, @Nullable Long memlock, @Nullable Long pinned) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("pageSize", pageSize);
    values.put("memlock", memlock);
    values.put("pinnedPages", pinned);
    return Host.TYPE.of(values);
  }

  @Test
  void agreesWithExactArithmetic() {
    for (int i = 0; i < 100_000; i++) {
      long address = anyNumber();
      long length = anyNumber();
      long iova = random.nextBoolean() ? anyNumber() : address ^ (random.nextLong() << 20);
      long pageSize = PAGE_SIZES[random.nextInt(3)];
      long memlock = Unsigned.saturated(anyNumber());
      long pinned = random.nextInt(4) == 0 ? Unsigned.saturated(anyNumber()) : random.nextInt(99);
      MrRequest request = MrRequest.range(address, length).iova(iova).build();
      AddressRange range = AddressRange.of(request, host(pageSize, memlock, pinned), false);

      BigInteger page = BigInteger.valueOf(pageSize);
      BigInteger end = unsigned(address).add(unsigned(length));
      boolean endWraps = end.compareTo(TWO_64) >= 0;
      boolean wraps = endWraps || roundedUp(end, page).compareTo(TWO_64) >= 0;
      BigInteger pages = roundedUp(end, page).divide(page).subtract(unsigned(address).divide(page));
      boolean tooMany = !wraps && pages.compareTo(UINT_MAX) > 0;
      boolean counted = !wraps && !tooMany && pages.signum() > 0;
      BigInteger allowed = BigInteger.valueOf(memlock).divide(page);
      boolean binds = counted && memlock != 0 && memlock != Long.MAX_VALUE;
      boolean alone = binds && pages.compareTo(allowed) > 0;
      boolean together =
          binds && !alone && pages.add(BigInteger.valueOf(pinned)).compareTo(allowed) > 0;
      String about =
          "seed %d: address %#x length %#x page size %d memlock %d pinned %d"
              .formatted(seed, address, length, pageSize, memlock, pinned);

      assertThat(range.rangeWraps()).as(about).isEqualTo(wraps);
      assertThat(range.endWraps()).as(about).isEqualTo(endWraps);
      assertThat(range.lengthBeyondAddressSpace()).as(about).isEqualTo(length < 0);
      assertThat(range.allOnesLength()).as(about).isEqualTo(length == -1);
      assertThat(range.wholeAddressSpace()).as(about).isEqualTo(length == -1 && address == 0);
      assertThat(range.pageAligned())
          .as(about)
          .isEqualTo(unsigned(address).mod(page).signum() == 0);
      assertThat(range.iovaOffsetDiffers())
          .as(about)
          .isEqualTo(!unsigned(address).mod(page).equals(unsigned(iova).mod(page)));
      assertThat(range.pages()).as(about).isEqualTo(wraps ? Long.MAX_VALUE : pages.longValue());
      assertThat(range.pageCountBeyondUint()).as(about).isEqualTo(tooMany);
      assertThat(range.beyondPageDirectory())
          .as(about)
          .isEqualTo(!wraps && pages.compareTo(BigInteger.valueOf(262_144)) > 0);
      assertThat(range.beyondMemlock()).as(about).isEqualTo(alone);
      assertThat(range.beyondMemlockLeft()).as(about).isEqualTo(together);
      if (address != 0) {
        assertThat(range.alignment())
            .as(about)
            .isEqualTo(1L << Math.min(62, unsigned(address).getLowestSetBit()));
      }
      if (!wraps) {
        assertThat(range.pagesLow32()).as(about).isEqualTo(pages.and(UINT_MAX).longValue());
      }
    }
  }

  /** What is derived of less is derived of more, and equally: unknown never becomes wrong. */
  @Test
  void whatIsKnownOfPartOfTheFactsHoldsForAllOfThem() {
    for (int i = 0; i < 3_000; i++) {
      Long address = random.nextInt(3) == 0 ? null : (Long) anyNumber();
      Long length = random.nextInt(3) == 0 ? null : (Long) anyNumber();
      Long pageSize = random.nextInt(3) == 0 ? null : (Long) PAGE_SIZES[random.nextInt(3)];
      Long memlock = random.nextInt(3) == 0 ? null : (Long) Unsigned.saturated(anyNumber());
      Long pinned = random.nextInt(3) == 0 ? null : (Long) (long) random.nextInt(1 << 20);
      MrRequest request = MrRequest.builder().build().withRange(address, length, null);
      Map<String, @Nullable Object> some =
          AddressRange.TYPE.values(
              AddressRange.of(request, host(pageSize, memlock, pinned), false));
      for (int j = 0; j < 20; j++) {
        MrRequest whole =
            request.withRange(
                address == null ? (Long) anyNumber() : address,
                length == null ? (Long) anyNumber() : length,
                null);
        Host host =
            host(
                pageSize == null ? (Long) PAGE_SIZES[random.nextInt(3)] : pageSize,
                memlock == null ? (Long) Unsigned.saturated(anyNumber()) : memlock,
                pinned == null ? (Long) (long) random.nextInt(1 << 20) : pinned);
        Map<String, @Nullable Object> all =
            AddressRange.TYPE.values(AddressRange.of(whole, host, false));
        some.forEach((name, value) -> {
          if (value != null) {
            assertThat(all.get(name))
                .as("seed %d: %s of %s, %s, %s", seed, name, request, whole, host)
                .isEqualTo(value);
          }
        });
      }
    }
  }

  @Test
  void anAssumedAddressIsAlignedAndInRange() {
    MrRequest request = MrRequest.ofLength(4096).build();
    AddressRange assumed = AddressRange.of(request, host(null, null, null), true);
    assertThat(assumed.pageAligned()).isTrue();
    assertThat(assumed.rangeWraps()).isFalse();
    assertThat(assumed.pages()).isEqualTo(1);
    AddressRange unknown = AddressRange.of(request, host(4096L, null, null), false);
    assertThat(unknown.pageAligned()).isNull();
    assertThat(unknown.rangeWraps()).isNull();
    assertThat(unknown.pages()).isNull();
    assertThat(unknown.allOnesLength()).isFalse();
  }

  @Test
  void onlyTheFactsThatMatterAreNeeded() {
    MrRequest mebibyte = MrRequest.range(0x7f00_0000_0000L, 1 << 20).build();
    AddressRange small = AddressRange.of(mebibyte, host(null, 65_536L, null), false);
    assertThat(small.beyondMemlock()).isTrue();
    assertThat(small.beyondMemlockLeft()).isFalse();
    AddressRange large = AddressRange.of(mebibyte, host(4096L, 8L << 20, null), false);
    assertThat(large.beyondMemlock()).isFalse();
    assertThat(large.beyondMemlockLeft()).isNull();
    AddressRange unlimited = AddressRange.of(mebibyte, host(null, Long.MAX_VALUE, null), false);
    assertThat(unlimited.beyondMemlock()).isFalse();
    assertThat(unlimited.beyondMemlockLeft()).isFalse();
  }

  /** siw: 8 bytes for each 512 pages, at most 4 MiB; the count is an int. */
  @Test
  void pageTablesAreCountedLikeAnInt() {
    assertThat(table(1L << 40)).isTrue();
    assertThat(table((1L << 40) - 4096)).isFalse();
    assertThat(table(1L << 44)).isFalse(); // counts as 0
    assertThat(table((1L << 44) - 4096)).isFalse(); // counts as -1: no chunk
    assertThat(table((1L << 44) - 513 * 4096)).isTrue();
  }

  private @Nullable Boolean table(long length) {
    MrRequest request = MrRequest.range(0x1000_0000, length).build();
    return AddressRange.of(request, host(4096L, null, null), false).pageTableTooLarge();
  }
}

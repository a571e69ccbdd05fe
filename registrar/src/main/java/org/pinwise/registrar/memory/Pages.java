package org.pinwise.registrar.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which pages memory is to be made of. Immutable; each method that adds something returns a new
 * one.
 *
 * {@snippet :
 * Pages pages = Pages.hugetlb(2 << 20).orElse(Pages.transparentHuge()).onNode(0);
 * try (BufferArena arena = BufferArena.open(pages)) {
 *   Buffer buffer = arena.allocateBuffer(64 << 20, 4096);
 *   log(buffer.pages(), buffer.passedOver());
 * }
 * }
 *
 * <p>Nothing stands in silently: what cannot be had is a {@link BufferException}, unless {@link
 * #orElse} declares what to take instead, and then the {@link Buffer} says what it is and why.
 */
public final class Pages {

  /** The kinds of pages. */
  enum Kind {
    ORDINARY,
    TRANSPARENT_HUGE,
    HUGETLB,
    MEMFD
  }

  private static final int NO_NODE = -1;

  private final Kind kind;
  private final long hugePageSize;
  private final String name;
  private final int node;
  private final boolean populated;
  private final @Nullable Pages otherwise;

  private Pages(
      Kind kind,
      long hugePageSize,
      String name,
      int node,
      boolean populated,
      @Nullable Pages otherwise) {
    this.kind = kind;
    this.hugePageSize = hugePageSize;
    this.name = name;
    this.node = node;
    this.populated = populated;
    this.otherwise = otherwise;
  }

  private static Pages of(Kind kind, long hugePageSize, String name, boolean populated) {
    return new Pages(kind, hugePageSize, name, NO_NODE, populated, null);
  }

  /** Private anonymous memory, of the kernel's choice; mostly of 4 KiB pages. */
  public static Pages ordinary() {
    return of(Kind.ORDINARY, 0, "", false);
  }

  /**
   * Private anonymous memory on borders of huge pages, of which the kernel is asked to make
   * transparent huge pages: {@code madvise(MADV_HUGEPAGE)}. It may still use small ones, where
   * memory is fragmented; {@link Buffer#transparentHugeBytes} tells.
   */
  public static Pages transparentHuge() {
    return of(Kind.TRANSPARENT_HUGE, 0, "", false);
  }

  /**
   * Huge pages of the pool that the administrator has reserved: {@code mmap(MAP_HUGETLB)}. They are
   * touched when they are allocated, since a pool that turns out to be empty later kills the
   * process by SIGBUS.
   *
   * @param pageSize bytes, a power of 2, such as 2 MiB or 1 GiB
   * @throws IllegalArgumentException if it is none, or less than 64 KiB
   */
  public static Pages hugetlb(long pageSize) {
    if (pageSize < (64 << 10) || Long.bitCount(pageSize) != 1) {
      throw new IllegalArgumentException(
          "huge pages of %d bytes; a size is a power of 2 from 64 KiB\nMaybe 2 MiB (2097152) is meant."
              .formatted(pageSize));
    }
    return of(Kind.HUGETLB, pageSize, "", true);
  }

  /**
   * Shared memory behind a file descriptor without a name in any file system: {@code memfd_create}.
   * Another process that is given the descriptor maps the same pages.
   *
   * @param name shown in {@code /proc/PID/maps}; at most 249 bytes
   * @throws IllegalArgumentException if it is longer, or has a NUL
   */
  public static Pages memfd(String name) {
    if (name.length() > 83 || name.indexOf('\0') >= 0) { // 83 characters are at most 249 bytes
      throw new IllegalArgumentException(
          "memfd name of %d characters\nMaybe take one of at most 83, without a NUL."
              .formatted(name.length()));
    }
    return of(Kind.MEMFD, 0, name, false);
  }

  /**
   * On one NUMA node only: {@code mbind(MPOL_BIND)}. Applies to the alternatives that are declared
   * so far, too.
   *
   * @param number as in {@code /sys/devices/system/node}
   * @throws IllegalArgumentException if it is negative
   */
  public Pages onNode(int number) {
    if (number < 0) {
      throw new IllegalArgumentException(
          "NUMA node %d; nodes count from 0\nMaybe the device's is not known: sysfs says -1 then."
              .formatted(number));
    }
    Pages other = otherwise;
    return new Pages(
        kind, hugePageSize, name, number, populated, other == null ? null : other.onNode(number));
  }

  /**
   * Touched when it is allocated: {@code madvise(MADV_POPULATE_WRITE)}, since Linux 5.14. Applies
   * to the alternatives that are declared so far, too. Huge pages of the pool always are.
   */
  public Pages populated() {
    Pages other = otherwise;
    return new Pages(
        kind, hugePageSize, name, node, true, other == null ? null : other.populated());
  }

  /** What to take where these cannot be had; after other alternatives that are declared already. */
  public Pages orElse(Pages other) {
    Pages before = otherwise;
    return new Pages(
        kind, hugePageSize, name, node, populated, before == null ? other : before.orElse(other));
  }

  Kind kind() {
    return kind;
  }

  /** Bytes; 0 where the kernel chooses. */
  long hugePageSize() {
    return hugePageSize;
  }

  String name() {
    return name;
  }

  boolean isBound() {
    return node != NO_NODE;
  }

  int node() {
    return node;
  }

  boolean isPopulated() {
    return populated;
  }

  /** This and what was declared for when it cannot be had, each without its own alternatives. */
  List<Pages> choices() {
    List<Pages> choices = new ArrayList<>();
    for (Pages next = this; next != null; next = next.otherwise) {
      choices.add(
          new Pages(next.kind, next.hugePageSize, next.name, next.node, next.populated, null));
    }
    return choices;
  }

  @Override
  public String toString() {
    String text =
        switch (kind) {
          case ORDINARY -> "ordinary pages";
          case TRANSPARENT_HUGE -> "transparent huge pages";
          case HUGETLB -> "huge pages of %d KiB".formatted(hugePageSize >> 10);
          case MEMFD -> "memfd \"%s\"".formatted(name);
        };
    Pages other = otherwise;
    return text
        + (isBound() ? " on NUMA node " + node : "")
        + (other == null ? "" : ", else " + other);
  }
}

package org.pinwise.registrar.lab;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Protection;

/**
 * Memory of a known kind at a known place: pages of one protection, some with a hole, and behind
 * them a page that nobody may touch, so that it is known what a longer range meets.
 */
final class Mapping implements AutoCloseable {
  static final long PAGE = 4096;
  static final int PAGES = 16;
  private static final long HUGE_PAGE = 2 << 20;
  private static final int HOLE = 9;
  private static int files;

  /** What backs the pages. */
  enum Backing {
    ANONYMOUS,
    MEMFD,
    TMPFS,
    EXT4,
    HUGETLB
  }

  private final MemorySegment base;
  private final Backing backing;
  private final boolean shared;
  private final Protection protection;
  private final boolean hole;

  /** Maps anonymous pages, touches all of them, and then gives them their protection. */
  Mapping(boolean shared, Protection protection, boolean hole) {
    this(Backing.ANONYMOUS, shared, protection, hole);
  }

  /** Maps the pages, touches all of them, and then gives them their protection. */
  Mapping(Backing backing, boolean shared, Protection protection, boolean hole) {
    this.backing = backing;
    this.shared = shared;
    this.protection = protection;
    this.hole = hole;
    // All of it is reserved, so that the page behind the last is nobody else's.
    long size = size() + HUGE_PAGE;
    int nothing = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS;
    MemorySegment reserved = Libc.mmap(MemorySegment.NULL, size + HUGE_PAGE, 0, nothing, -1);
    base = reserved.asSlice(-reserved.address() & (HUGE_PAGE - 1), size);
    int how = (shared ? Libc.MAP_SHARED : Libc.MAP_PRIVATE) | Libc.MAP_FIXED;
    MemorySegment pages;
    if (backing == Backing.ANONYMOUS || backing == Backing.HUGETLB) {
      int huge = backing == Backing.HUGETLB ? Libc.MAP_HUGETLB : 0;
      pages = map(how | Libc.MAP_ANONYMOUS | huge, -1);
    } else {
      int file = file(backing);
      Libc.truncate(file, size());
      pages = map(how, file);
      Libc.close(file);
    }
    pages.fill((byte) 1);
    Libc.mprotect(pages, bits(protection));
    if (hole) {
      Libc.munmap(base.asSlice(HOLE * PAGE, PAGE));
    }
  }

  private MemorySegment map(int flags, int file) {
    return Libc.mmap(base, size(), Libc.PROT_READ | Libc.PROT_WRITE, flags, file);
  }

  private static int file(Backing backing) {
    String name = "pinwise-lab-" + files++;
    return switch (backing) {
      case MEMFD -> Libc.memfd(name);
      case TMPFS -> Libc.open("/tmp/" + name, Libc.O_RDWR | Libc.O_CREAT);
      default -> Libc.open("/ext4/" + name, Libc.O_RDWR | Libc.O_CREAT);
    };
  }

  private static int bits(Protection protection) {
    return switch (protection) {
      case NONE -> 0;
      case READ -> Libc.PROT_READ;
      case WRITE -> Libc.PROT_WRITE;
      case READ_WRITE -> Libc.PROT_READ | Libc.PROT_WRITE;
    };
  }

  MemorySegment base() {
    return base;
  }

  long address() {
    return base.address();
  }

  /** Returns how many bytes are mapped. */
  long size() {
    return backing == Backing.HUGETLB ? HUGE_PAGE : PAGES * PAGE;
  }

  /** What is true of the memory under a range that starts in this mapping; both are unsigned. */
  Memory facts(long address, long length) {
    long from = (address - base.address()) / PAGE;
    long end = address + length;
    boolean wraps = Long.compareUnsigned(end, address) < 0;
    long last = wraps ? Long.MAX_VALUE : Long.divideUnsigned(end - 1 - base.address(), PAGE);
    if (length == 0) {
      last = from; // the page that an unaligned empty range is taken for
    }
    boolean beyond = Long.compareUnsigned(last, PAGES) >= 0;
    boolean overHole = hole && from <= HOLE && (beyond || last >= HOLE);
    return Memory.TYPE.of(
        Map.of(
            "kind",
            shared ? MemoryKind.SHMEM : MemoryKind.ANONYMOUS,
            // What lies behind the guard page is not known, and does not matter: that page stops
            // it.
            "mapped",
            !overHole,
            "protection",
            beyond ? Protection.NONE : protection,
            "shared",
            shared,
            "populated",
            true,
            "persistent",
            false));
  }

  @Override
  public void close() {
    Libc.munmap(base);
  }

  @Override
  public String toString() {
    return (shared ? "shared " : "private ")
        + backing
        + " "
        + protection
        + (hole ? " with a hole" : "");
  }
}

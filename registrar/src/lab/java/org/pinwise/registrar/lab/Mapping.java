package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
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
  private static final int HOLE = 9;

  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int MAP_SHARED = 1;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_ANONYMOUS = 0x20;

  private static final MethodHandle MMAP =
      libc(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MPROTECT =
      libc("mprotect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle MUNMAP =
      libc("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

  private static MethodHandle libc(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  private final MemorySegment base;
  private final boolean shared;
  private final Protection protection;
  private final boolean hole;

  /** Maps the pages, touches all of them, and then gives them their protection. */
  Mapping(boolean shared, Protection protection, boolean hole) {
    this.shared = shared;
    this.protection = protection;
    this.hole = hole;
    long size = (PAGES + 1) * PAGE;
    base =
        ((MemorySegment)
                LabVerbs.invoke(
                    MMAP,
                    MemorySegment.NULL,
                    size,
                    PROT_READ | PROT_WRITE,
                    (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS,
                    -1,
                    0L))
            .reinterpret(size);
    if (base.address() == -1) {
      throw new IllegalStateException("mmap failed");
    }
    base.fill((byte) 1);
    protect(0, PAGES, bits(protection));
    protect(PAGES, 1, 0);
    if (hole) {
      LabVerbs.check("munmap", MUNMAP, base.asSlice(HOLE * PAGE), PAGE);
    }
  }

  private void protect(int page, int pages, int bits) {
    LabVerbs.check("mprotect", MPROTECT, base.asSlice(page * PAGE), pages * PAGE, bits);
  }

  private static int bits(Protection protection) {
    return switch (protection) {
      case NONE -> 0;
      case READ -> PROT_READ;
      case WRITE -> PROT_WRITE;
      case READ_WRITE -> PROT_READ | PROT_WRITE;
    };
  }

  MemorySegment base() {
    return base;
  }

  long address() {
    return base.address();
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
    LabVerbs.check("munmap", MUNMAP, base, (PAGES + 1) * PAGE);
  }

  @Override
  public String toString() {
    return (shared ? "shared " : "private ") + protection + (hole ? " with a hole" : "");
  }
}

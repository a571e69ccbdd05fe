package org.pinwise.registrar.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.pinwise.registrar.memory.BufferException.Reason;
import org.pinwise.registrar.verbs.NativeAccess;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Protection;

/**
 * An arena whose memory is of pages that its owner chose.
 *
 * {@snippet :
 * try (BufferArena arena = BufferArena.open(Pages.transparentHuge().populated())) {
 *   MemorySegment buffer = arena.allocate(64 << 20);
 * }
 * }
 *
 * <p>Each allocation is a mapping of its own, of whole pages: for many small ones, cut slices off a
 * large one ({@link java.lang.foreign.SegmentAllocator#slicingAllocator}). It starts on a page, and
 * from the size of a huge page on, on the border of one, as the rules advise.
 *
 * <p>The memory is shared: all threads may use it, allocate from it and close it. Closing unmaps
 * it. An arena knows nothing of regions that are registered on its memory; {@code
 * MemoryRegistrar.openArena(Access, Pages)} gives them back first.
 */
public final class BufferArena implements Arena {

  private static final Path SYS = Path.of("/sys");
  private static final int ANONYMOUS = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS;
  private static final String THP = "kernel/mm/transparent_hugepage/";

  /** Where the kernel does not say how large a transparent huge page is. */
  private static final long USUAL_HUGE_PAGE = 2 << 20;

  private final Arena lifetime = Arena.ofShared();
  private final Pages pages;
  private final Path sys;
  private final long pageSize;

  private BufferArena(Pages pages, Path sys) {
    this.pages = pages;
    this.sys = sys;
    this.pageSize = Libc.pageSize();
  }

  /**
   * Opens an arena; makes no memory yet.
   *
   * @throws BufferException if the JVM may not call native functions
   */
  public static BufferArena open(Pages pages) {
    return open(pages, SYS);
  }

  /** For tests: what the kernel says of its memory is below a folder of their choice. */
  static BufferArena open(Pages pages, Path sys) {
    NativeAccess.denied()
        .ifPresent(why -> {
          throw new BufferException(
              Reason.NATIVE_ACCESS_DENIED,
              "mmap",
              0,
              why,
              "the JVM's start script can be changed.");
        });
    return new BufferArena(pages, sys);
  }

  /** What memory of this arena is made of, with the alternatives. */
  public Pages pages() {
    return pages;
  }

  /**
   * Makes memory; all zeros.
   *
   * @param byteSize bytes, 0 or more
   * @param byteAlignment a power of 2
   * @throws BufferException if none of the declared pages can be had
   * @throws IllegalArgumentException if the size is negative, or the alignment no power of 2
   * @throws IllegalStateException if the arena is closed
   */
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    return allocateBuffer(byteSize, byteAlignment).segment();
  }

  /**
   * Makes memory, and says what it is.
   *
   * @param byteSize bytes, 0 or more
   * @param byteAlignment a power of 2
   * @throws BufferException if none of the declared pages can be had; it is that of the last
   *     choice, those before are suppressed in it
   * @throws IllegalArgumentException if the size is negative, or the alignment no power of 2
   * @throws IllegalStateException if the arena is closed
   */
  public Buffer allocateBuffer(long byteSize, long byteAlignment) {
    if (byteSize < 0 || byteAlignment <= 0 || Long.bitCount(byteAlignment) != 1) {
      throw new IllegalArgumentException(
          "%d bytes aligned to %d\nMaybe a size overflowed; an alignment is a power of 2."
              .formatted(byteSize, byteAlignment));
    }
    if (!lifetime.scope().isAlive()) {
      throw new IllegalStateException("the arena is closed\nMaybe another thread closed it.");
    }
    List<BufferException> passedOver = new ArrayList<>();
    for (Pages choice : pages.choices()) {
      try {
        return make(choice, byteSize, byteAlignment, passedOver);
      } catch (BufferException e) {
        passedOver.add(e);
      }
    }
    BufferException last = passedOver.removeLast();
    passedOver.forEach(last::addSuppressed);
    throw last;
  }

  private Buffer make(
      Pages choice, long byteSize, long byteAlignment, List<BufferException> passedOver) {
    Mapping mapping = new Mapping(choice, byteSize, byteAlignment);
    try {
      mapping.map();
      MemorySegment segment =
          Libc.segment(mapping.address, byteSize, lifetime, closed -> mapping.unmap());
      return new Buffer(
          segment, choice, mapping.length, facts(choice), mapping.descriptor(), passedOver);
    } catch (BufferException | IllegalStateException e) { // the latter: closed meanwhile
      mapping.unmap();
      throw e;
    }
  }

  private Memory facts(Pages choice) {
    Map<String, Object> facts = new HashMap<>();
    facts.put(
        "kind",
        switch (choice.kind()) {
          case ORDINARY, TRANSPARENT_HUGE -> MemoryKind.ANONYMOUS;
          case HUGETLB -> MemoryKind.HUGETLB;
          case MEMFD -> MemoryKind.SHMEM;
        });
    facts.put("mapped", true);
    facts.put("protection", Protection.READ_WRITE);
    facts.put("shared", choice.kind() == Pages.Kind.MEMFD);
    facts.put("persistent", false);
    facts.put("mappings", 1L);
    if (choice.kind() == Pages.Kind.HUGETLB) {
      facts.put("pageSize", choice.hugePageSize());
    } // of the others the kernel may choose, and choose again
    if (choice.isPopulated()) {
      facts.put("populated", true);
    }
    if (choice.isBound()) {
      facts.put("numaNode", choice.node());
    }
    return Memory.TYPE.of(facts);
  }

  @Override
  public MemorySegment.Scope scope() {
    return lifetime.scope();
  }

  /**
   * Unmaps all memory.
   *
   * @throws IllegalStateException if it is closed already, or its memory is in use by a native call
   */
  @Override
  public void close() {
    lifetime.close();
  }

  @Override
  public String toString() {
    return "arena of " + pages;
  }

  /** One mapping, while it is made and until it is gone. */
  private final class Mapping {
    private final Pages choice;
    private final long byteSize;
    private final long alignment;

    /** What the kernel's own alignment is, and what lengths are multiples of. */
    private final long granule;

    /** 0 while there is none. */
    private long address;

    private long length;
    private int fd = -1;

    Mapping(Pages choice, long byteSize, long byteAlignment) {
      this.choice = choice;
      this.byteSize = byteSize;
      long huge = hugePageSize();
      this.granule =
          switch (choice.kind()) {
            case ORDINARY, MEMFD -> pageSize;
            case TRANSPARENT_HUGE -> huge;
            case HUGETLB -> choice.hugePageSize();
          };
      this.alignment =
          Math.max(byteAlignment, byteSize >= huge ? Math.max(huge, granule) : granule);
    }

    OptionalInt descriptor() {
      return fd < 0 ? OptionalInt.empty() : OptionalInt.of(fd);
    }

    void map() {
      if (choice.kind() == Pages.Kind.TRANSPARENT_HUGE) {
        requireTransparentHugePages();
      }
      if (choice.isBound()) {
        requireNode();
      }
      // At least a page: mmap refuses 0 bytes, and an arena does not.
      long wanted = Math.max(byteSize, 1);
      if (wanted > Long.MAX_VALUE - alignment - granule) {
        throw noMemory("mmap", Errno.ENOMEM.number());
      }
      long size = (wanted + granule - 1) & -granule;
      if (choice.kind() == Pages.Kind.MEMFD) {
        openFile(size);
      }
      // Of its own accord the kernel aligns to a page, or to a huge page of the pool.
      long natural = choice.kind() == Pages.Kind.HUGETLB ? granule : pageSize;
      long spare = alignment > natural ? alignment - natural : 0;
      boolean ofFile = choice.kind() == Pages.Kind.MEMFD;
      // A file begins where the buffer does, so its place is found first.
      long mapped =
          ofFile
              ? Libc.mmap(size + spare, Libc.PROT_NONE, ANONYMOUS | Libc.MAP_NORESERVE)
              : Libc.mmap(size + spare, Libc.PROT_READ_WRITE, flags());
      if (isErrno(mapped)) {
        throw notMapped((int) -mapped);
      }
      address = mapped;
      length = size + spare;
      trim((mapped + alignment - 1) & -alignment, size);
      if (ofFile) {
        placeFile();
      }
      if (choice.kind() == Pages.Kind.TRANSPARENT_HUGE) {
        advise();
      }
      if (choice.isBound()) {
        bind();
      }
      if (choice.isPopulated()) {
        populate();
      }
    }

    private int flags() {
      return choice.kind() == Pages.Kind.HUGETLB
          ? ANONYMOUS
              | Libc.MAP_HUGETLB
              | (Long.numberOfTrailingZeros(granule) << Libc.MAP_HUGE_SHIFT)
          : ANONYMOUS;
    }

    /** Maps the file over the place that was found for it. */
    private void placeFile() {
      int errno = -Libc.mmapFile(address, length, Libc.PROT_READ_WRITE, fd);
      if (errno != 0) {
        // The kernel may have given the place up, and another thread may be there by now: it stays.
        address = 0;
        throw noMemory("mmap", errno);
      }
    }

    /** Gives back what lies before and behind the aligned range; keeps it if that fails. */
    private void trim(long start, long size) {
      long before = start - address;
      if (before > 0 && Libc.munmap(address, before) == 0) {
        address = start;
        length -= before;
      }
      long behind = address + length - (start + size);
      if (address == start && behind > 0 && Libc.munmap(start + size, behind) == 0) {
        length = size;
      }
      if (address != start) {
        throw noMemory("munmap", Errno.ENOMEM.number()); // too many mappings
      }
    }

    private void openFile(long size) {
      int opened = Libc.memfdCreate(choice.name());
      if (opened < 0) {
        throw new BufferException(
            opened == -Errno.ENOSYS.number() ? Reason.UNSUPPORTED : Reason.OTHER,
            "memfd_create",
            -opened,
            choice.toString(),
            "too many files are open (RLIMIT_NOFILE), or the C library is older than 2.27.");
      }
      fd = opened;
      int sized = Libc.ftruncate(fd, size);
      if (sized < 0) {
        throw noMemory("ftruncate", -sized);
      }
    }

    private void requireTransparentHugePages() {
      String enabled = read(THP + "enabled");
      if (enabled.isEmpty() || enabled.contains("[never]")) {
        throw new BufferException(
            Reason.UNSUPPORTED,
            "transparent huge pages",
            0,
            enabled.isEmpty()
                ? "the kernel has none: there is no %s".formatted(sys.resolve(THP + "enabled"))
                : "they are switched off: %s says %s"
                    .formatted(sys.resolve(THP + "enabled"), enabled),
            "echo madvise > %s as root, or declare a fallback with Pages.orElse."
                .formatted(sys.resolve(THP + "enabled")));
      }
    }

    private void advise() {
      int errno = -Libc.madvise(address, length, Libc.MADV_HUGEPAGE);
      if (errno != 0) {
        throw new BufferException(
            errno == Errno.EINVAL.number() ? Reason.UNSUPPORTED : Reason.OTHER,
            "madvise(MADV_HUGEPAGE)",
            errno,
            describe(),
            "the kernel is built without transparent huge pages; declare a fallback with"
                + " Pages.orElse.");
      }
    }

    private void requireNode() {
      if (!Files.isDirectory(sys.resolve("devices/system/node/node" + choice.node()))) {
        throw new BufferException(
            Reason.NO_SUCH_NODE,
            "mbind",
            0,
            "NUMA node %d is not among those online, %s"
                .formatted(choice.node(), orUnknown(read("devices/system/node/online"))),
            "take the device's own node, in /sys/class/infiniband/NAME/device/numa_node.");
      }
    }

    private void bind() {
      int errno = -Libc.mbind(address, length, choice.node());
      if (errno != 0) {
        throw new BufferException(
            errno == Errno.EINVAL.number()
                ? Reason.NO_SUCH_NODE
                : errno == Errno.ENOSYS.number() || errno == Errno.EPERM.number()
                    ? Reason.UNSUPPORTED
                    : Reason.OTHER,
            "mbind",
            errno,
            describe(),
            "the node has no memory, the cpuset of this process leaves it out"
                + " (Mems_allowed_list in /proc/self/status), or a container forbids the call.");
      }
    }

    /** Touches the pages by a call that answers where touching them would be a signal. */
    private void populate() {
      int errno = -Libc.madvise(address, length, Libc.MADV_POPULATE_WRITE);
      if (errno == 0) {
        return;
      }
      if (errno == Errno.EINVAL.number()) {
        throw new BufferException(
            Reason.UNSUPPORTED,
            "madvise(MADV_POPULATE_WRITE)",
            errno,
            describe() + "; without it an empty pool is a SIGBUS later",
            "the kernel is older than 5.14; declare a fallback with Pages.orElse.");
      }
      throw choice.kind() == Pages.Kind.HUGETLB
          ? poolEmpty("madvise(MADV_POPULATE_WRITE)", errno)
          : noMemory("madvise(MADV_POPULATE_WRITE)", errno);
    }

    private BufferException notMapped(int errno) {
      if (choice.kind() != Pages.Kind.HUGETLB) {
        return noMemory("mmap", errno);
      }
      if (!Files.isDirectory(sys.resolve(pool()))) {
        return new BufferException(
            Reason.UNSUPPORTED,
            "mmap(MAP_HUGETLB)",
            errno,
            "the kernel has no huge pages of %d KiB, only %s"
                .formatted(granule >> 10, hugePageSizes()),
            "take one of these sizes, or declare a fallback with Pages.orElse.");
      }
      return poolEmpty("mmap(MAP_HUGETLB)", errno);
    }

    private BufferException poolEmpty(String operation, int errno) {
      return new BufferException(
          Reason.POOL_EMPTY,
          operation,
          errno,
          "%s needs %d, and of the pool of %s pages %s are free, %s of them reserved"
              .formatted(
                  describe(),
                  Math.ceilDiv(Math.max(byteSize, 1), granule),
                  orUnknown(read(pool() + "/nr_hugepages")),
                  orUnknown(read(pool() + "/free_hugepages")),
                  orUnknown(read(pool() + "/resv_hugepages"))),
          "reserve more (as root: echo N > %s/nr_hugepages, best at boot), look at the cgroup's"
                  .formatted(sys.resolve(pool()))
              + " hugetlb limit, or declare a fallback with Pages.orElse.");
    }

    private String pool() {
      return "kernel/mm/hugepages/hugepages-%dkB".formatted(granule >> 10);
    }

    private BufferException noMemory(String operation, int errno) {
      return new BufferException(
          errno == Errno.ENOMEM.number() ? Reason.NO_MEMORY : Reason.OTHER,
          operation,
          errno,
          describe(),
          "there is less memory or address space than that (MemAvailable in /proc/meminfo,"
              + " vm.overcommit_memory, RLIMIT_AS), or vm.max_map_count is reached.");
    }

    private String describe() {
      return "%d bytes of %s, aligned to %d".formatted(byteSize, choice, alignment);
    }

    /** Undoes whatever was done; runs once, when it could not be made or its arena has closed. */
    void unmap() {
      if (address != 0) {
        Libc.munmap(address, length);
        address = 0;
      }
      if (fd >= 0) {
        Libc.close(fd);
        fd = -1;
      }
    }
  }

  /** -4095 to -1: no address is one of these. */
  private static boolean isErrno(long mapped) {
    return mapped < 0 && mapped > -4096;
  }

  /** Bytes of a transparent huge page. */
  private long hugePageSize() {
    String size = read(THP + "hpage_pmd_size");
    return size.matches("[1-9]\\d{3,11}") ? Long.parseLong(size) : USUAL_HUGE_PAGE;
  }

  private String hugePageSizes() {
    try (var folders = Files.list(sys.resolve("kernel/mm/hugepages"))) {
      List<String> names =
          folders
              .map(folder -> String.valueOf(folder.getFileName()))
              .filter(name -> name.startsWith("hugepages-"))
              .map(name -> name.substring("hugepages-".length()))
              .sorted()
              .toList();
      return names.isEmpty() ? "none" : String.join(", ", names);
    } catch (IOException e) {
      return "none";
    }
  }

  private static String orUnknown(String text) {
    return text.isEmpty() ? "an unknown number" : text;
  }

  /** Returns a file of the kernel's without white space around; nothing where there is none. */
  private String read(String file) {
    try {
      return Files.readString(sys.resolve(file), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      return "";
    }
  }
}

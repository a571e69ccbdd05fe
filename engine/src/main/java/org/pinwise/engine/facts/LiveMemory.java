package org.pinwise.engine.facts;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Protection;

/**
 * Reads what a process's memory is from {@code /proc/PID/maps} or {@code smaps}: what backs a
 * range, whether all of it is mapped, what the mappings allow.
 *
 * <p>It is true when it is read and may be stale right after: other threads map and unmap.
 */
public final class LiveMemory {
  private static final Path SELF = Path.of("/proc/self");

  /** {@code 7f5200000000-7f5200010000 rw-p 00000000 00:00 0 [heap]}. */
  private static final Pattern MAPPING =
      Pattern.compile(
          "([0-9a-f]{1,16})-([0-9a-f]{1,16}) ([r-][w-][x-][sp]) ([0-9a-f]{1,16})"
              + " [0-9a-f]+:[0-9a-f]+ (\\d{1,19})\\s*(.*)");

  /** One line of smaps below a mapping. */
  private static final Pattern PAGE_SIZE = Pattern.compile("KernelPageSize:\\s+(\\d+) kB");

  private static final String FLAGS = "VmFlags:";
  private static final Set<String> DEVICE_FLAGS = Set.of("io", "pf");

  private final Path process;

  private LiveMemory(Path process) {
    this.process = process;
  }

  /** Returns the memory of this process. */
  public static LiveMemory ofThisProcess() {
    return new LiveMemory(SELF);
  }

  /** Returns the memory of the process whose folder in {@code /proc} this is. */
  static LiveMemory of(Path process) {
    return new LiveMemory(process);
  }

  /**
   * Reads what a range is, quickly: the size of its pages and whether it is a device's stay
   * unknown, unless the mapping's name says it.
   *
   * @param address where the range starts, unsigned
   * @param length bytes, unsigned
   * @return empty where the kernel does not say
   */
  public Optional<Memory> range(long address, long length) {
    return read("maps", address, length);
  }

  /** Reads what a range is, with the size of its pages; takes milliseconds in a large process. */
  public Optional<Memory> rangeInDetail(long address, long length) {
    return read("smaps", address, length);
  }

  private Optional<Memory> read(String file, long address, long length) {
    long end = address + length;
    if (Long.compareUnsigned(end, address) < 0) {
      return Optional.of(unmapped());
    }
    List<Mapping> overlapping = new ArrayList<>();
    try (BufferedReader lines =
        Files.newBufferedReader(process.resolve(file), StandardCharsets.ISO_8859_1)) {
      Mapping current = null;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher matcher = MAPPING.matcher(line);
        if (matcher.matches()) {
          current = new Mapping(matcher);
          if (current.overlaps(address, end)) {
            overlapping.add(current);
          } else if (Long.compareUnsigned(current.start, end) >= 0) {
            break;
          } else {
            current = null;
          }
        } else if (current != null) {
          current.detail(line);
        }
      }
    } catch (IOException e) {
      return Optional.empty();
    }
    return Optional.of(merged(overlapping, address, end));
  }

  /** What is said where not even the first page is mapped: nothing but that is wrong with it. */
  private static Memory unmapped() {
    return withMapped(Memory.ordinary(Protection.READ_WRITE), false);
  }

  private static Memory withMapped(Memory memory, boolean mapped) {
    return Memory.TYPE.with(memory, Map.of("mapped", mapped));
  }

  /**
   * The facts of several mappings together are what the kernel meets when it pins them one after
   * the other: all protections hold, and the kind is that of the mapping that is hardest to pin.
   * Behind a hole it looks at nothing, so what lies there does not count.
   */
  private Memory merged(List<Mapping> mappings, long address, long end) {
    long covered = address;
    Memory all = null;
    int hardest = -1;
    long count = 0;
    for (Mapping mapping : mappings) {
      if (Long.compareUnsigned(mapping.start, covered) > 0) {
        break;
      }
      Memory one = fact(mapping);
      int hardness = hardness(one);
      count++;
      if (all == null) {
        all = one;
      } else {
        Memory hard = hardness > hardest ? one : all;
        boolean known = one.kind() != null && all.kind() != null;
        all =
            new Memory(
                known ? hard.kind() : null,
                true,
                both(all.protection(), one.protection()),
                known ? hard.shared() : null,
                agree(all.pageSize(), one.pageSize()),
                null,
                agree(all.persistent(), one.persistent()),
                hard.fileSystem(),
                null,
                count);
      }
      hardest = Math.max(hardest, hardness);
      long backed = mapping.backedEnd(process);
      covered = Long.compareUnsigned(backed, mapping.end) < 0 ? backed : mapping.end;
      if (Long.compareUnsigned(covered, mapping.end) < 0) {
        break;
      }
    }
    if (all == null || Long.compareUnsigned(covered, address) <= 0) {
      return unmapped();
    }
    return withMapped(all, Long.compareUnsigned(covered, end) >= 0);
  }

  /** The order in which kinds of memory stand in the way of pinning; the last refuse always. */
  private static int hardness(Memory memory) {
    MemoryKind kind = memory.kind();
    if (kind == null) {
      return 0;
    }
    int shared = Boolean.TRUE.equals(memory.shared()) ? 1 : 0;
    return switch (kind) {
      case ANONYMOUS -> 0;
      case HUGETLB, SHMEM -> 1 + shared;
      case FILE -> 1 + 2 * shared;
      case DEVDAX -> 4;
      case CUDA, CUDA_VMM, ROCM -> 5;
      case FSDAX -> 6;
      case DEVICE_IO, SECRET -> 7;
    };
  }

  private Memory fact(Mapping mapping) {
    String fileSystem = mapping.name.startsWith("/") ? fileSystem(mapping.name) : null;
    MemoryKind kind = mapping.kind(fileSystem);
    return new Memory(
        kind,
        true,
        mapping.protection(),
        mapping.shared,
        mapping.pageSize,
        null,
        kind == null ? null : (Boolean) (kind == MemoryKind.DEVDAX || kind == MemoryKind.FSDAX),
        kind == MemoryKind.FILE || kind == MemoryKind.FSDAX ? withoutMark(fileSystem) : null,
        null,
        1L);
  }

  private static <T> @Nullable T agree(@Nullable T a, @Nullable T b) {
    return Objects.equals(a, b) ? a : null;
  }

  private static @Nullable Protection both(@Nullable Protection a, @Nullable Protection b) {
    if (a == null || b == null) {
      return null;
    }
    return protection(reads(a) && reads(b), writes(a) && writes(b));
  }

  private static boolean reads(Protection protection) {
    return protection == Protection.READ || protection == Protection.READ_WRITE;
  }

  private static boolean writes(Protection protection) {
    return protection == Protection.WRITE || protection == Protection.READ_WRITE;
  }

  private static Protection protection(boolean readable, boolean writable) {
    if (writable) {
      return readable ? Protection.READ_WRITE : Protection.WRITE;
    }
    return readable ? Protection.READ : Protection.NONE;
  }

  private static @Nullable String withoutMark(@Nullable String fileSystem) {
    return fileSystem == null ? null : fileSystem.replace(DAX_MARK, "");
  }

  private static final String DAX_MARK = "+dax";

  /** Where a mapping's page size was not read, a page behind a file's end is at least this. */
  private static final long SMALL_PAGE = 4096;

  /** The type of the file system that a file lies on, marked where it is mounted with dax. */
  private @Nullable String fileSystem(String file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(process.resolve("mountinfo"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return null;
    }
    String best = "";
    String type = null;
    for (String line : lines) {
      // 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/root rw,errors=continue
      String[] halves = line.split(" - ", 2);
      String[] left = halves[0].split(" ", -1);
      String[] right = halves.length == 2 ? halves[1].split(" ", -1) : new String[0];
      if (left.length < 6 || right.length < 3) {
        continue;
      }
      String point = left[4];
      boolean under = point.equals("/") || file.equals(point) || file.startsWith(point + "/");
      if (under && point.length() >= best.length()) {
        best = point;
        boolean dax =
            Arrays.stream((left[5] + "," + right[2]).split(",", -1))
                .anyMatch(option -> option.equals("dax") || option.equals("dax=always"));
        type = right[0] + (dax ? DAX_MARK : "");
      }
    }
    return type;
  }

  /** One mapping of the process. */
  private static final class Mapping {
    private final long start;
    private final long end;
    private final String permissions;
    private final boolean shared;
    private final long offset;
    private final String inode;
    private final String name;
    private Set<String> flags = Set.of();
    private @Nullable Long pageSize;

    Mapping(Matcher line) {
      this.start = Long.parseUnsignedLong(line.group(1), 16);
      this.end = Long.parseUnsignedLong(line.group(2), 16);
      this.permissions = line.group(3);
      this.shared = permissions.charAt(3) == 's';
      this.offset = Long.parseUnsignedLong(line.group(4), 16);
      this.inode = line.group(5);
      this.name = line.group(6);
    }

    boolean overlaps(long from, long to) {
      return Long.compareUnsigned(start, to) < 0 && Long.compareUnsigned(end, from) > 0;
    }

    void detail(String line) {
      if (line.startsWith(FLAGS)) {
        flags = Set.of(line.substring(FLAGS.length()).strip().split("\\s+"));
        return;
      }
      Matcher size = PAGE_SIZE.matcher(line);
      if (size.lookingAt()) {
        pageSize = Long.parseLong(size.group(1)) * 1024;
      }
    }

    /**
     * Returns where the pages end that a file gives: behind its end a mapping has none. Where the
     * file is not known to be the one that is mapped, it is taken to be long enough.
     */
    long backedEnd(Path process) {
      if (!name.startsWith("/") || inode.equals("0")) {
        return end;
      }
      try {
        // The process may see another file of this name than we do.
        Path file = process.resolve("root").resolve(name.substring(1));
        if (!Files.isRegularFile(file)
            || !inode.equals(String.valueOf(Files.getAttribute(file, "unix:ino")))) {
          return end;
        }
        long page = pageSize == null ? SMALL_PAGE : pageSize;
        long bytes = Math.max(0, Files.size(file) - offset);
        return start + (bytes + page - 1) / page * page;
      } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
        return end;
      }
    }

    Protection protection() {
      return LiveMemory.protection(permissions.charAt(0) == 'r', permissions.charAt(1) == 'w');
    }

    @Nullable MemoryKind kind(@Nullable String fileSystem) {
      if (name.startsWith("/secretmem")) {
        return MemoryKind.SECRET;
      }
      if (name.startsWith("/dev/dax")) {
        return MemoryKind.DEVDAX;
      }
      if (flags.stream().anyMatch(DEVICE_FLAGS::contains) || name.startsWith("[vvar")) {
        return MemoryKind.DEVICE_IO;
      }
      if (flags.contains("ht") || name.startsWith("/anon_hugepage")) {
        return MemoryKind.HUGETLB;
      }
      if (name.startsWith("/memfd:")
          || name.startsWith("/SYSV")
          || name.startsWith("/dev/zero")
          || name.startsWith("[anon_shmem:")) {
        return MemoryKind.SHMEM;
      }
      if (!name.startsWith("/")) {
        return shared ? MemoryKind.SHMEM : MemoryKind.ANONYMOUS;
      }
      if (fileSystem == null) {
        return null;
      }
      return switch (fileSystem) {
        // The root of an initial RAM disk is one or the other (init/do_mounts.c).
        case "tmpfs", "devtmpfs", "ramfs", "rootfs" -> MemoryKind.SHMEM;
        case "hugetlbfs" -> MemoryKind.HUGETLB;
        case "9p" -> null; // whether it writes back depends on its cache option
        default -> fileSystem.endsWith(DAX_MARK) ? MemoryKind.FSDAX : MemoryKind.FILE;
      };
    }
  }
}

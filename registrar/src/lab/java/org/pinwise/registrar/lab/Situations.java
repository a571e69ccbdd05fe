package org.pinwise.registrar.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes memory as the recorded rows say it in words. What it made lives until it is closed. */
final class Situations implements AutoCloseable {
  private static final long PAGE = Mapping.PAGE;
  private static final long SIZE = 64 << 10;
  private static final int READ_WRITE = Libc.PROT_READ | Libc.PROT_WRITE;
  private static final int PRIVATE = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS;
  private static final Pattern FILE =
      Pattern.compile("file (/\\S+) (?:(rw|ro) )?(shared|private)(, past its end)?");

  private final Arena arena = Arena.ofShared();
  private final Map<String, Supplier<Probe>> texts = new HashMap<>();

  /** What a call is about; iova is null where the text says none. */
  record Probe(long address, long length, Long iova) {
    Probe(long address, long length) {
      this(address, length, null);
    }
  }

  Situations() {
    texts.put("aligned 64 KiB", () -> plain(SIZE));
    texts.put("unaligned address +1, length 1", () -> at(plain(SIZE), 1, 1));
    texts.put("unaligned address +4095, length 4098", () -> at(plain(SIZE), 4095, 4098));
    texts.put("length 0, valid address", () -> at(plain(SIZE), 0, 0));
    texts.put("length 0, NULL", () -> new Probe(0, 0));
    texts.put("NULL address, length 4096", () -> new Probe(0, PAGE));
    texts.put("NULL, SIZE_MAX, no ON_DEMAND", () -> new Probe(0, -1));
    texts.put("NULL, SIZE_MAX, ON_DEMAND (implicit ODP)", () -> new Probe(0, -1));
    texts.put("length 1<<40 from a 1 MiB mapping", () -> at(plain(1 << 20), 0, 1L << 40));
    texts.put("length 1<<63", () -> at(plain(SIZE), 0, 1L << 63));
    texts.put("length SIZE_MAX (addr+len overflows)", () -> at(plain(SIZE), 0, -1));
    texts.put("addr+length overflow, exactly to 0", this::toZero);
    texts.put("addr UINT64_MAX-4095, length 4096", () -> new Probe(-PAGE, PAGE));
    texts.put("addr UINT64_MAX-4095, length 8192", () -> new Probe(-PAGE, 2 * PAGE));
    texts.put(
        "kernel address 0xffff888000000000, 4096", () -> new Probe(0xffff_8880_0000_0000L, PAGE));
    texts.put("non-canonical address 1<<60, 4096", () -> new Probe(1L << 60, PAGE));
    texts.put("unmapped", this::unmapped);
    texts.put("hole in the middle", this::hole);
    texts.put("mapped, never touched", () -> of(map(SIZE, READ_WRITE, PRIVATE)));
    texts.put("mapped, never touched, no LOCAL_WRITE", () -> of(map(SIZE, READ_WRITE, PRIVATE)));
    for (String with : new String[] {" + LOCAL_WRITE", ", flags 0", ", REMOTE_READ", ", MW_BIND"}) {
      texts.put("PROT_READ anon" + with, () -> of(protect(touched(SIZE), Libc.PROT_READ)));
      texts.put("PROT_NONE" + with, () -> of(protect(touched(SIZE), 0)));
      texts.put("program's read-only data" + with, Situations::readOnlyData);
    }
    texts.put("PROT_WRITE only + LOCAL_WRITE", () -> of(protect(touched(SIZE), Libc.PROT_WRITE)));
    texts.put("half rw, half read-only + LOCAL_WRITE", this::half);
    texts.put("stack", Situations::stack);
    texts.put("malloc heap 100 bytes", () -> of(arena.allocate(100)));
    texts.put("unknown bit + LOCAL_WRITE", () -> plain(PAGE));
    texts.put("shared anonymous", this::sharedAnonymous);
    texts.put("memfd shared", () -> of(file(Libc.memfd("probe"), SIZE, Libc.MAP_SHARED)));
    texts.put("/dev/zero private", this::devZero);
    texts.put("MAP_HUGETLB 2 MiB", () -> of(huge()));
    texts.put("MAP_HUGETLB 2 MiB + HUGETLB flag", () -> of(huge()));
    texts.put("MAP_HUGETLB 4 KiB inside", () -> at(of(huge()), PAGE, PAGE));
    texts.put("ordinary 4 KiB pages + HUGETLB flag", () -> plain(SIZE));
    texts.put("iova 0", () -> iova(0));
    texts.put("iova 0 + ZERO_BASED", () -> iova(0));
    texts.put("iova = addr + ZERO_BASED", () -> plain(SIZE));
    texts.put("iova 0x1000", () -> iova(0x1000));
    texts.put("iova UINT64_MAX-4095 (iova+len overflows)", () -> iova(-PAGE));
    texts.put(
        "iova addr+1 (page offset differs)",
        () -> {
          Probe plain = plain(SIZE);
          return new Probe(plain.address(), plain.length(), plain.address() + 1);
        });
  }

  /** Returns what a row's text says. */
  Probe of(String text) {
    Matcher file = FILE.matcher(text);
    if (file.matches()) {
      return file(file);
    }
    Supplier<Probe> probe = texts.get(text);
    if (probe == null) {
      throw new IllegalStateException("no situation for: " + text);
    }
    return probe.get();
  }

  /** Returns ordinary memory of so many bytes. */
  Probe plain(long length) {
    return of(touched(length));
  }

  /** Returns 16 bytes in a page. */
  Probe small() {
    return at(plain(PAGE), 1, 16);
  }

  private static Probe of(MemorySegment memory) {
    return new Probe(memory.address(), memory.byteSize());
  }

  private static Probe at(Probe probe, long offset, long length) {
    return new Probe(probe.address() + offset, length);
  }

  private Probe iova(long iova) {
    Probe plain = plain(SIZE);
    return new Probe(plain.address(), plain.length(), iova);
  }

  private MemorySegment map(long size, int protection, int flags) {
    return kept(Libc.mmap(MemorySegment.NULL, size, protection, flags, -1));
  }

  private MemorySegment kept(MemorySegment memory) {
    return memory.reinterpret(arena, Libc::munmap);
  }

  private MemorySegment touched(long size) {
    MemorySegment memory = map(size, READ_WRITE, PRIVATE);
    memory.fill((byte) 1);
    return memory;
  }

  private static MemorySegment protect(MemorySegment memory, int protection) {
    Libc.mprotect(memory, protection);
    return memory;
  }

  private Probe toZero() {
    Probe plain = plain(SIZE);
    return new Probe(plain.address(), -plain.address());
  }

  private Probe unmapped() {
    MemorySegment memory = Libc.mmap(MemorySegment.NULL, SIZE, READ_WRITE, PRIVATE, -1);
    Libc.munmap(memory);
    return of(memory);
  }

  private Probe hole() {
    MemorySegment memory = touched(2 * SIZE);
    Libc.munmap(memory.asSlice(SIZE, PAGE));
    return of(memory);
  }

  private Probe half() {
    MemorySegment memory = touched(2 * PAGE);
    protect(memory.asSlice(PAGE, PAGE), Libc.PROT_READ);
    return of(memory);
  }

  private Probe sharedAnonymous() {
    MemorySegment memory = map(SIZE, READ_WRITE, Libc.MAP_SHARED | Libc.MAP_ANONYMOUS);
    memory.fill((byte) 1);
    return of(memory);
  }

  private Probe devZero() {
    int file = Libc.open("/dev/zero", Libc.O_RDWR);
    MemorySegment memory =
        kept(Libc.mmap(MemorySegment.NULL, SIZE, READ_WRITE, Libc.MAP_PRIVATE, file));
    Libc.close(file);
    return of(memory);
  }

  private MemorySegment huge() {
    MemorySegment memory = map(2 << 20, READ_WRITE, PRIVATE | Libc.MAP_HUGETLB);
    memory.fill((byte) 1);
    return memory;
  }

  private MemorySegment file(int file, long length, int flags) {
    Libc.truncate(file, length);
    MemorySegment memory = kept(Libc.mmap(MemorySegment.NULL, length, READ_WRITE, flags, file));
    Libc.close(file);
    return memory;
  }

  private Probe file(Matcher text) {
    String path = text.group(1);
    boolean past = text.group(4) != null;
    boolean writable = past || "rw".equals(text.group(2));
    try {
      Files.write(Path.of(path), new byte[(int) SIZE]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int file = Libc.open(path, writable ? Libc.O_RDWR : Libc.O_RDONLY);
    int flags = text.group(3).equals("shared") ? Libc.MAP_SHARED : Libc.MAP_PRIVATE;
    MemorySegment memory =
        kept(
            Libc.mmap(
                MemorySegment.NULL,
                past ? 2 * SIZE : SIZE,
                writable ? READ_WRITE : Libc.PROT_READ,
                flags,
                file));
    Libc.close(file);
    return of(memory);
  }

  private static Probe stack() {
    return new Probe(line(".*rw-p.*\\[stack\\]")[1] - 2 * PAGE + 64, 64);
  }

  /** A page of a library's constants: a private mapping of a file that nobody may write. */
  private static Probe readOnlyData() {
    return new Probe(line(".* r--p .*libjvm\\.so")[0], 16);
  }

  /** Returns where a mapping of this process starts and ends. */
  private static long[] line(String pattern) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
        if (line.matches(pattern)) {
          String[] range = line.substring(0, line.indexOf(' ')).split("-", -1);
          return new long[] {
            Long.parseUnsignedLong(range[0], 16), Long.parseUnsignedLong(range[1], 16)
          };
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("no mapping is like " + pattern);
  }

  @Override
  public void close() {
    arena.close();
  }
}

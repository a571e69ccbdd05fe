package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** What the lab asks the C library for. Each failure is an exception that names the call. */
final class Libc {
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_SHARED = 1;
  static final int MAP_PRIVATE = 2;
  static final int MAP_FIXED = 0x10;
  static final int MAP_ANONYMOUS = 0x20;
  static final int MAP_HUGETLB = 0x40000;
  static final int O_RDONLY = 0;
  static final int O_RDWR = 2;
  static final int O_CREAT = 0x40;

  /** {@code RLIMIT_MEMLOCK}, {@code asm-generic/resource.h}. */
  private static final int RLIMIT_MEMLOCK = 8;

  private static final MethodHandle MMAP =
      function(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MPROTECT =
      function("mprotect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle MUNMAP =
      function("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle OPEN =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("open"),
              FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
              Linker.Option.firstVariadicArg(2));
  private static final MethodHandle MEMFD_CREATE =
      function("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle FTRUNCATE =
      function("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SETRLIMIT =
      function("setrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle SETGID =
      function("setgid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SETUID =
      function("setuid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private static final MethodHandle PRCTL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("prctl"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG),
              Linker.Option.firstVariadicArg(1));

  private static final MethodHandle FCNTL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("fcntl"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
              Linker.Option.firstVariadicArg(2));
  private static final MethodHandle IOCTL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("ioctl"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
              Linker.Option.firstVariadicArg(2));

  private static final int MFD_ALLOW_SEALING = 2;
  private static final int F_ADD_SEALS = 1033;
  private static final int F_SEAL_SHRINK = 2;

  /** {@code _IOW('u', 0x42, struct udmabuf_create)}. */
  private static final long UDMABUF_CREATE = 0x40187542L;

  /** {@code PR_SET_DUMPABLE}, {@code uapi/linux/prctl.h}. */
  private static final int PR_SET_DUMPABLE = 4;

  private Libc() {}

  private static MethodHandle function(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /** Maps so many bytes, at {@code at} if the flags say so. */
  static MemorySegment mmap(MemorySegment at, long size, int protection, int flags, int file) {
    MemorySegment mapped =
        (MemorySegment) LabVerbs.invoke(MMAP, at, size, protection, flags, file, 0L);
    if (mapped.address() == -1) {
      throw new IllegalStateException("mmap of %d bytes, flags 0x%x failed".formatted(size, flags));
    }
    return mapped.reinterpret(size);
  }

  static void mprotect(MemorySegment memory, int protection) {
    LabVerbs.check("mprotect", MPROTECT, memory, memory.byteSize(), protection);
  }

  static void munmap(MemorySegment memory) {
    LabVerbs.check("munmap", MUNMAP, memory, memory.byteSize());
  }

  static int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return descriptor(path, LabVerbs.invoke(OPEN, arena.allocateFrom(path), flags, 0666));
    }
  }

  static int memfd(String name) {
    return memfd(name, 0);
  }

  private static int memfd(String name, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return descriptor(name, LabVerbs.invoke(MEMFD_CREATE, arena.allocateFrom(name), flags));
    }
  }

  /**
   * A dma-buf of this process's own memory, by {@code /dev/udmabuf}: {@code uapi/linux/udmabuf.h}.
   * It wants a memfd that cannot shrink.
   */
  static int dmabuf(long size) {
    int memory = memfd("dmabuf", MFD_ALLOW_SEALING);
    int device = open("/dev/udmabuf", O_RDWR);
    try (Arena arena = Arena.ofConfined()) {
      truncate(memory, size);
      LabVerbs.check("fcntl", FCNTL, memory, F_ADD_SEALS, F_SEAL_SHRINK);
      MemorySegment create = arena.allocate(24, 8); // memfd, flags, offset, size
      create.set(JAVA_INT, 0, memory);
      create.set(JAVA_LONG, 16, size);
      return descriptor("a dma-buf", LabVerbs.invoke(IOCTL, device, UDMABUF_CREATE, create));
    } finally {
      close(device);
      close(memory);
    }
  }

  private static int descriptor(String what, Object result) {
    int file = (int) result;
    if (file < 0) {
      throw new IllegalStateException(what + " cannot be opened");
    }
    return file;
  }

  static void truncate(int file, long size) {
    LabVerbs.check("ftruncate", FTRUNCATE, file, size);
  }

  static void close(int file) {
    LabVerbs.check("close", CLOSE, file);
  }

  /** Sets RLIMIT_MEMLOCK of this process. */
  static void memlock(long soft, long hard) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(MemoryLayout.sequenceLayout(2, JAVA_LONG));
      limit.setAtIndex(JAVA_LONG, 0, soft);
      limit.setAtIndex(JAVA_LONG, 1, hard);
      LabVerbs.check("setrlimit", SETRLIMIT, RLIMIT_MEMLOCK, limit);
    }
  }

  /**
   * Makes this process, root so far, one of a user without any capability: glibc changes the
   * credentials of all threads.
   */
  static void becomeUser(int id) {
    LabVerbs.check("setgid", SETGID, id);
    LabVerbs.check("setuid", SETUID, id);
    // Else its files in /proc stay root's, which those of a process that a user starts are not.
    LabVerbs.check("prctl", PRCTL, PR_SET_DUMPABLE, 1L);
  }
}

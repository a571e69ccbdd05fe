package org.pinwise.registrar.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.pinwise.registrar.verbs.CallState.unexpected;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.verbs.CallState;
import org.pinwise.rules.model.Errno;

/**
 * The functions of the C library that make memory: one typed method each. What fails answers the
 * errno, negated as the kernel has it; what succeeds answers 0 or more.
 */
@SuppressWarnings("restricted") // native access is asked for before the first call
final class Libc {

  static final int PROT_NONE = 0;
  static final int PROT_READ_WRITE = 3;
  static final int MAP_PRIVATE = 2;
  static final int MAP_ANONYMOUS = 0x20;
  static final int MAP_NORESERVE = 0x4000;
  static final int MAP_HUGETLB = 0x40000;

  /** The size of the huge pages, as a power of 2, starts at this bit. */
  static final int MAP_HUGE_SHIFT = 26;

  static final int MADV_HUGEPAGE = 14;

  /** Since Linux 5.14: touches the pages, and answers an errno where a write would be a signal. */
  static final int MADV_POPULATE_WRITE = 23;

  private static final int MAP_SHARED = 1;
  private static final int MAP_FIXED = 0x10;
  private static final int MFD_CLOEXEC = 1;
  private static final int MPOL_BIND = 2;

  /** Bits of the mask of nodes; the kernel has at most 1,024. */
  private static final int NODES = 1024;

  private static final Linker LINKER = Linker.nativeLinker();

  private static final MethodHandle MMAP =
      capturing("mmap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
  private static final MethodHandle MUNMAP = capturing("munmap", JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MADVISE =
      capturing("madvise", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle FTRUNCATE =
      capturing("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
  private static final MethodHandle CLOSE = capturing("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle GETPAGESIZE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("getpagesize"), FunctionDescriptor.of(JAVA_INT));

  /** In glibc since 2.27. */
  private static final @Nullable MethodHandle MEMFD_CREATE =
      LINKER.defaultLookup().find("memfd_create").isEmpty()
          ? null
          : capturing("memfd_create", JAVA_INT, ADDRESS, JAVA_INT);

  /** {@code syscall(2)}, for mbind, which only libnuma wraps. All arguments fill a register. */
  private static final MethodHandle MBIND =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("syscall"),
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
          CallState.CAPTURE_ERRNO,
          Linker.Option.firstVariadicArg(1));

  private Libc() {}

  private static MethodHandle capturing(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(result, arguments),
        CallState.CAPTURE_ERRNO);
  }

  /** mmap(2) of anonymous memory at an address of the kernel's choice: that address. */
  static long mmap(long length, int protection, int flags) {
    return mmap(0, length, protection, flags, -1);
  }

  /** mmap(2) of a file from its start, shared, over what is mapped there: 0. */
  static int mmapFile(long address, long length, int protection, int fd) {
    long mapped = mmap(address, length, protection, MAP_SHARED | MAP_FIXED, fd);
    return mapped == address ? 0 : (int) mapped;
  }

  private static long mmap(long address, long length, int protection, int flags, int fd) {
    MemorySegment state = CallState.ofThisThread();
    try {
      long mapped = (long) MMAP.invokeExact(state, address, length, protection, flags, fd, 0L);
      return mapped == -1 ? -CallState.errno(state) : mapped;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** What is mapped there, until the arena closes; then {@code atClose} runs. */
  static MemorySegment segment(
      long address, long length, Arena arena, Consumer<MemorySegment> atClose) {
    return MemorySegment.ofAddress(address).reinterpret(length, arena, atClose);
  }

  /** munmap(2). */
  static int munmap(long address, long length) {
    MemorySegment state = CallState.ofThisThread();
    try {
      return result((int) MUNMAP.invokeExact(state, address, length), state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** madvise(2). */
  static int madvise(long address, long length, int advice) {
    MemorySegment state = CallState.ofThisThread();
    try {
      return result((int) MADVISE.invokeExact(state, address, length, advice), state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** memfd_create(2): a file descriptor; ENOSYS where the C library is too old. */
  static int memfdCreate(String name) {
    if (MEMFD_CREATE == null) {
      return -Errno.ENOSYS.number();
    }
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      return result(
          (int) MEMFD_CREATE.invokeExact(state, arena.allocateFrom(name), MFD_CLOEXEC), state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ftruncate(2). */
  static int ftruncate(int fd, long length) {
    MemorySegment state = CallState.ofThisThread();
    try {
      return result((int) FTRUNCATE.invokeExact(state, fd, length), state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** close(2). */
  static int close(int fd) {
    MemorySegment state = CallState.ofThisThread();
    try {
      return result((int) CLOSE.invokeExact(state, fd), state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** mbind(2) to one node, strictly; ENOSYS on a processor whose number for it is not known. */
  static int mbind(long address, long length, int node) {
    long number =
        switch (System.getProperty("os.arch")) {
          case "amd64" -> 237; // arch/x86/entry/syscalls/syscall_64.tbl
          case "aarch64" -> 235; // include/uapi/asm-generic/unistd.h
          default -> -1;
        };
    if (number < 0) {
      return -Errno.ENOSYS.number();
    }
    if (node >= NODES) {
      return -Errno.EINVAL.number();
    }
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(NODES / Byte.SIZE, Long.BYTES);
      mask.setAtIndex(JAVA_LONG, node / Long.SIZE, 1L << (node % Long.SIZE));
      // One more than there are: the kernel takes it for one past the last bit.
      long returned =
          (long)
              MBIND.invokeExact(
                  state, number, address, length, (long) MPOL_BIND, mask, NODES + 1L, 0L);
      return result((int) returned, state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** getpagesize(2): bytes. */
  static int pageSize() {
    try {
      return (int) GETPAGESIZE.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int result(int returned, MemorySegment state) {
    return returned == -1 ? -CallState.errno(state) : returned;
  }
}

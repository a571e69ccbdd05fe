package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Calls into libibverbs that the registrar's own port has no use for. Slow and plain: each failure
 * is an exception that names the call and errno.
 */
final class LabVerbs {

  private static final SymbolLookup LIBRARY =
      SymbolLookup.libraryLookup("libibverbs.so.1", Arena.global());
  private static final VarHandle ERRNO =
      Linker.Option.captureStateLayout().varHandle(PathElement.groupElement("errno"));

  private LabVerbs() {}

  /**
   * Functions that return a pointer say why they failed in errno, so theirs is captured; the others
   * return it.
   */
  static MethodHandle downcall(String name, FunctionDescriptor type) {
    MemorySegment symbol = LIBRARY.findOrThrow(name);
    boolean pointer = type.returnLayout().filter(ADDRESS::equals).isPresent();
    return pointer
        ? Linker.nativeLinker()
            .downcallHandle(symbol, type, Linker.Option.captureCallState("errno"))
        : Linker.nativeLinker().downcallHandle(symbol, type);
  }

  /** A call that returns something new, or null and sets errno. */
  static MemorySegment create(String call, MethodHandle function, Object... arguments) {
    Created created = tryToCreate(function, arguments);
    if (created.errno() != 0) {
      throw new IllegalStateException(call + " failed, errno " + created.errno());
    }
    return created.object();
  }

  /** What a call returned, or its errno; 0 for none. */
  record Created(MemorySegment object, int errno) {}

  /** A call that returns something new, or null and sets errno. */
  static Created tryToCreate(MethodHandle function, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
      MemorySegment object = (MemorySegment) invoke(function.bindTo(state), arguments);
      return new Created(object, object.address() == 0 ? (int) ERRNO.get(state, 0L) : 0);
    }
  }

  /** The C object of one of the port's handles, for calls that the port does not have. */
  static MemorySegment pointer(Object handle) {
    return (MemorySegment) field(handle, "pointer");
  }

  /** What a private field holds. */
  static Object field(Object of, String name) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A call that returns 0 or the errno. */
  static void check(String call, MethodHandle function, Object... arguments) {
    int errno = (int) invoke(function, arguments);
    if (errno != 0) {
      throw new IllegalStateException(call + " failed, errno " + errno);
    }
  }

  static Object invoke(MethodHandle function, Object... arguments) {
    try {
      return function.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}

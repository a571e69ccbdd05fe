package org.pinwise.registrar.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;

/** The stand-in for libibverbs, {@code fake-ibverbs.c}; compiled once. */
final class FakeLibrary {

  private static final Object LOCK = new Object();
  private static boolean compiled;
  private static Path file = Path.of("");
  private static Path withoutIova2 = Path.of("");

  private FakeLibrary() {}

  /** A port of its own over the library; skips the test where no compiler is. */
  static Verbs load() {
    compile();
    return LibibverbsVerbs.load(List.of(file.toString()));
  }

  /** The same, over one that lacks {@code ibv_reg_mr_iova2}. */
  static Verbs loadWithoutIova2() {
    compile();
    return LibibverbsVerbs.load(List.of(withoutIova2.toString()));
  }

  /** The faults of the library that {@link #load} loads; skips the test where no compiler is. */
  @SuppressWarnings("restricted") // what is loaded is compiled here
  static Faults faults() {
    compile();
    return new Faults(SymbolLookup.libraryLookup(file, Arena.global()));
  }

  /**
   * Makes the C functions fail, so that the calling side meets each as it would a real failure. All
   * ports over the library share it.
   */
  static final class Faults {
    private final MethodHandle fail;
    private final MethodHandle calls;
    private final MethodHandle live;

    @SuppressWarnings("restricted")
    private Faults(SymbolLookup symbols) {
      Linker linker = Linker.nativeLinker();
      fail =
          linker.downcallHandle(
              symbols.findOrThrow("fake_ibverbs_fail"),
              FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, JAVA_INT));
      calls =
          linker.downcallHandle(
              symbols.findOrThrow("fake_ibverbs_calls"), FunctionDescriptor.of(JAVA_INT, ADDRESS));
      live =
          linker.downcallHandle(
              symbols.findOrThrow("fake_ibverbs_live"), FunctionDescriptor.of(JAVA_INT));
    }

    /** Counts all calls from 0 again; none is to fail. */
    void heal() {
      for (Operation operation : Operation.values()) {
        fail(operation, 0, 0);
      }
    }

    /** Makes one call fail, counted from 1 from now on. */
    void fail(Operation operation, int call, int errno) {
      try (Arena arena = Arena.ofConfined()) {
        fail.invokeExact(arena.allocateFrom(operation.function()), call, errno);
      } catch (Throwable e) {
        throw new LinkageError("fake_ibverbs_fail", e);
      }
    }

    /** How often the function was called since then, calls that failed included. */
    int calls(Operation operation) {
      try (Arena arena = Arena.ofConfined()) {
        return (int) calls.invokeExact(arena.allocateFrom(operation.function()));
      } catch (Throwable e) {
        throw new LinkageError("fake_ibverbs_calls", e);
      }
    }

    /** How many objects the library has handed out, to whomever, and not got back. */
    int live() {
      try {
        return (int) live.invokeExact();
      } catch (Throwable e) {
        throw new LinkageError("fake_ibverbs_live", e);
      }
    }
  }

  /** The library's file; skips the test where no compiler is. */
  static Path file() {
    compile();
    return file;
  }

  private static void compile() {
    NativeBuild.assumeCompiler();
    synchronized (LOCK) {
      if (!compiled) {
        file = NativeBuild.library("fake-ibverbs.c", "libfake-ibverbs.so");
        withoutIova2 =
            NativeBuild.library("fake-ibverbs.c", "libfake-ibverbs-v27.so", "-DNO_IOVA2");
        compiled = true;
      }
    }
  }
}

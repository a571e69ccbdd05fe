package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.pinwise.registrar.RegisteredRegion;

/** A memory window that is bound to a region of this process ({@code bound-window.c}). */
final class BoundWindow implements AutoCloseable {
  private static final SymbolLookup LIBRARY =
      SymbolLookup.libraryLookup(Path.of("/payload/bound-window.so"), Arena.global());
  private static final MethodHandle BIND =
      Linker.nativeLinker()
          .downcallHandle(
              LIBRARY.findOrThrow("bound_window"),
              FunctionDescriptor.of(ADDRESS, ADDRESS),
              Linker.Option.captureCallState("errno"));
  private static final MethodHandle FREE =
      Linker.nativeLinker()
          .downcallHandle(
              LIBRARY.findOrThrow("bound_window_free"), FunctionDescriptor.of(JAVA_INT, ADDRESS));

  private final MemorySegment bound;

  /** Binds; the region must have been registered with MW_BIND. */
  BoundWindow(RegisteredRegion region) {
    Object mr = LabVerbs.field(region, "region");
    bound = LabVerbs.create("bound_window", BIND, LabVerbs.pointer(mr));
  }

  @Override
  public void close() {
    LabVerbs.check("bound_window_free", FREE, bound);
  }
}

package org.pinwise.registrar.verbs;

import java.nio.file.Path;
import java.util.List;

/** For benchmarks: the FFM port over a small C library in the place of libibverbs. */
public final class StandIn {
  /** The name of a device of that library. */
  public static final String DEVICE = "fake0";

  private StandIn() {}

  /** Compiles and loads it; there must be a C compiler. */
  public static Verbs load() {
    Path file = NativeBuild.library("fake-ibverbs.c", "libbench-ibverbs.so", "-O2", "-DFREES");
    return LibibverbsVerbs.load(List.of(file.toString()));
  }
}

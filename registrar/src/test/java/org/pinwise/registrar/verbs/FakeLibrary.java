package org.pinwise.registrar.verbs;

import java.nio.file.Path;
import java.util.List;

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

package org.pinwise.engine.advice;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What is true of the things around registrations that people ask about, a screen for each. */
public final class Topics {
  /** A file each in {@code topics}, {@code NAME.txt}. */
  private static final List<String> NAMES =
      List.of(
          "bluefield",
          "cgroup",
          "devx",
          "dma-buf",
          "dpdk",
          "ebpf",
          "fork",
          "hugetlb",
          "iwarp",
          "kubernetes",
          "memlock",
          "mtt",
          "odp",
          "pmem",
          "relaxed-ordering",
          "selinux",
          "thp",
          "zero-based");

  private Topics() {}

  /** Returns the names, sorted. */
  public static List<String> names() {
    return NAMES;
  }

  /** Returns what is said of a topic; empty where there is none of the name. */
  public static Optional<String> text(String name) {
    if (!NAMES.contains(name)) {
      return Optional.empty();
    }
    String file = "/org/pinwise/engine/topics/" + name + ".txt";
    try (InputStream in = Topics.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the engine's jar holds no " + file);
      }
      return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

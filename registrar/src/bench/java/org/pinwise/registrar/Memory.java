package org.pinwise.registrar;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a JVM says of its memory: bytes by what they are for. */
final class Memory {
  private static final int SHOWN = 8;

  /** A line of a histogram: place, instances, bytes, class. */
  private static final Pattern OF_CLASS = Pattern.compile("(?m)^ *\\d+: +\\d+ +(\\d+) +(\\S+)");

  /** A line of the native memory: what for, and how much of it is in use. */
  private static final Pattern OF_JVM =
      Pattern.compile("(?m)^- +([\\w ]+) \\(reserved=\\d+KB, committed=(\\d+)KB");

  private Memory() {}

  /** Reads what {@code jcmd GC.class_histogram} said, which counts what is live. */
  static Map<String, Long> ofClasses(String said) {
    Map<String, Long> bytes = new LinkedHashMap<>();
    Matcher line = OF_CLASS.matcher(said);
    while (line.find()) {
      bytes.merge(line.group(2), Long.parseLong(line.group(1)), Long::sum);
    }
    return some(bytes, said);
  }

  /** Reads what {@code jcmd VM.native_memory} said. */
  static Map<String, Long> ofJvm(String said) {
    Map<String, Long> bytes = new LinkedHashMap<>();
    Matcher line = OF_JVM.matcher(said);
    while (line.find()) {
      bytes.merge(line.group(1), Long.parseLong(line.group(2)) << 10, Long::sum);
    }
    return some(bytes, said);
  }

  private static Map<String, Long> some(Map<String, Long> bytes, String said) {
    if (bytes.isEmpty()) {
      throw new IllegalStateException("the JVM said nothing of its memory: " + said);
    }
    return bytes;
  }

  /** Returns all of it, in millions of bytes. */
  static double megabytes(Map<String, Long> bytes) {
    return bytes.values().stream().mapToLong(one -> one).sum() / 1e6;
  }

  /** Returns what has grown most, a line each. */
  static String grown(Map<String, Long> before, Map<String, Long> after) {
    Set<String> names = new TreeSet<>(before.keySet());
    names.addAll(after.keySet());
    return names.stream()
        .sorted(
            Comparator.comparingLong(
                name -> before.getOrDefault(name, 0L) - after.getOrDefault(name, 0L)))
        .limit(SHOWN)
        .map(name ->
            "%+8.2f MB  %s: %s MB, before %s%n"
                .formatted(
                    (after.getOrDefault(name, 0L) - before.getOrDefault(name, 0L)) / 1e6,
                    name,
                    Row.number(after.getOrDefault(name, 0L) / 1e6),
                    Row.number(before.getOrDefault(name, 0L) / 1e6)))
        .collect(Collectors.joining());
  }
}

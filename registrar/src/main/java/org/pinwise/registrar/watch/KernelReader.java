package org.pinwise.registrar.watch;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/** Reads the {@link KernelView} by iproute2's {@code rdma} and from sysfs. */
final class KernelReader {
  /** What a line of {@code rdma statistic show mr} says besides figures. */
  private static final Set<String> NO_FIGURES = Set.of("ifindex", "mrn", "pid");

  /** A setting among the counters: how long their values are kept. */
  private static final String LIFESPAN = "lifespan";

  private final Tool rdma;
  private final Path sysfs;

  /**
   * @param rdma iproute2's program
   * @param sysfs {@code /sys/class/infiniband}
   */
  KernelReader(Tool rdma, Path sysfs) {
    this.rdma = rdma;
    this.sysfs = sysfs;
  }

  /** Reads what can be read. */
  KernelView read() {
    List<String> problems = new ArrayList<>();
    List<KernelRegion> regions = new ArrayList<>();
    Map<String, Long> counts = new TreeMap<>();
    Map<String, Map<String, Long>> paging = new TreeMap<>();
    Map<String, Long> counters = new TreeMap<>();
    boolean devices = Files.isDirectory(sysfs);
    if (devices) {
      try {
        for (Map<?, ?> row : rows("resource")) {
          counts.put(text(row, "ifname"), number(row, "mr"));
        }
        for (Map<?, ?> row : rows("resource", "show", "mr")) {
          regions.add(region(row));
        }
        for (Map<?, ?> row : rows("statistic", "show", "mr")) {
          addPaging(row, paging);
        }
      } catch (UnreadableException e) {
        problems.add(e.reason());
      }
      try {
        readCounters(counters);
      } catch (IOException e) {
        problems.add("%s cannot be read: %s".formatted(sysfs, e.getMessage()));
      }
    } else {
      problems.add(
          "there is no %s: the kernel has no RDMA device, or this is a container without it"
              .formatted(sysfs));
    }
    return new KernelView(regions, counts, paging, counters, problems);
  }

  private List<Map<?, ?>> rows(String... arguments) throws UnreadableException {
    List<String> command = new ArrayList<>(List.of("-j"));
    command.addAll(List.of(arguments));
    String printed = rdma.run(command);
    List<Map<?, ?>> rows = new ArrayList<>();
    try {
      if (!printed.isBlank() && JsonText.parse(printed) instanceof List<?> list) {
        for (Object item : list) {
          if (item instanceof Map<?, ?> row && row.containsKey("ifname")) {
            rows.add(row);
          }
        }
      }
    } catch (IllegalArgumentException e) {
      throw new UnreadableException(
          "what rdma %s prints %s".formatted(String.join(" ", command), e.getMessage()));
    }
    return rows;
  }

  private static KernelRegion region(Map<?, ?> row) throws UnreadableException {
    Object command = row.get("comm");
    return new KernelRegion(
        text(row, "ifname"),
        number(row, "mrn"),
        number(row, "mrlen"),
        row.containsKey("pid") ? (Long) number(row, "pid") : null,
        command == null ? "" : command.toString(),
        key(row.get("lkey")),
        key(row.get("rkey")));
  }

  /** Keys are hexadecimal digits without 0x; the kernel leaves them out for the unprivileged. */
  private static @Nullable Long key(@Nullable Object digits) {
    return digits instanceof String text && text.matches("[0-9a-f]{1,8}")
        ? (Long) Long.parseLong(text, 16)
        : null;
  }

  private static void addPaging(Map<?, ?> row, Map<String, Map<String, Long>> paging)
      throws UnreadableException {
    String device = text(row, "ifname");
    for (Map.Entry<?, ?> entry : row.entrySet()) {
      if (entry.getValue() instanceof BigDecimal figure
          && !NO_FIGURES.contains(entry.getKey().toString())) {
        paging
            .computeIfAbsent(device, name -> new TreeMap<>())
            .merge(entry.getKey().toString(), figure.longValue(), Long::sum);
      }
    }
  }

  private static String text(Map<?, ?> row, String key) throws UnreadableException {
    if (row.get(key) instanceof String text) {
      return text;
    }
    throw new UnreadableException("rdma prints a line without %s: %s".formatted(key, row));
  }

  private static long number(Map<?, ?> row, String key) throws UnreadableException {
    if (row.get(key) instanceof BigDecimal number) {
      return number.longValue();
    }
    throw new UnreadableException("rdma prints a line without %s: %s".formatted(key, row));
  }

  /** Counters of a device, and of each of its ports. */
  private void readCounters(Map<String, Long> counters) throws IOException {
    for (Path device : list(sysfs)) {
      readFolder(device.resolve("hw_counters"), device.getFileName() + "/", counters);
      for (Path port : list(device.resolve("ports"))) {
        readFolder(
            port.resolve("hw_counters"),
            device.getFileName() + "/" + port.getFileName() + "/",
            counters);
      }
    }
  }

  private static void readFolder(Path folder, String prefix, Map<String, Long> counters)
      throws IOException {
    for (Path file : list(folder)) {
      String name = String.valueOf(file.getFileName());
      if (name.equals(LIFESPAN)) {
        continue;
      }
      String value = value(file);
      if (value.matches("\\d{1,19}|1[0-8]\\d{18}") && !value.equals("0")) {
        counters.put(prefix + name, Long.parseUnsignedLong(value));
      }
    }
  }

  /** Nothing of those that can only be written, or that this port does not have. */
  private static String value(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static List<Path> list(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
        entries.forEach(files::add);
      }
    }
    files.sort(null);
    return files;
  }
}

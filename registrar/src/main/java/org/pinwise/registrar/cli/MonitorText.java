package org.pinwise.registrar.cli;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.monitor.LatencyFigures;
import org.pinwise.registrar.monitor.RegionFigures;
import org.pinwise.registrar.watch.Difference;
import org.pinwise.registrar.watch.JvmRegistrar;
import org.pinwise.registrar.watch.KernelRegion;
import org.pinwise.registrar.watch.ProcessLimits;
import org.pinwise.registrar.watch.Snapshot;
import org.pinwise.registrar.watch.Trend;

/** A snapshot for people. */
final class MonitorText {
  private final StringBuilder text = new StringBuilder();
  private final Snapshot snapshot;
  private final int maxRegions;

  private MonitorText(Snapshot snapshot, int maxRegions) {
    this.snapshot = snapshot;
    this.maxRegions = maxRegions;
  }

  /**
   * Returns the text.
   *
   * @param maxRegions how many regions of a list are shown
   */
  static String of(Snapshot snapshot, int maxRegions) {
    MonitorText text = new MonitorText(snapshot, maxRegions);
    text.head();
    text.kernel();
    snapshot.registrars().forEach(text::registrar);
    text.process();
    snapshot.differences().forEach(text::difference);
    text.trends();
    for (String problem : snapshot.problems()) {
      text.line("not read: " + problem);
    }
    return text.text.toString();
  }

  private void head() {
    Long pid = snapshot.pid();
    line(snapshot.time().truncatedTo(ChronoUnit.SECONDS) + (pid == null ? "" : ", process " + pid));
  }

  private void kernel() {
    Map<String, List<KernelRegion>> byDevice =
        snapshot.kernel().regions().stream().collect(Collectors.groupingBy(KernelRegion::device));
    snapshot
        .kernel()
        .counts()
        .forEach((device, count) -> {
          line("kernel, %s: %d regions".formatted(device, count));
          regions(
              byDevice.getOrDefault(device, List.of()).stream()
                  .map(region ->
                      List.of(
                          "mrn " + region.mrn(),
                          "pid " + (region.pid() == null ? "kernel" : region.pid().toString()),
                          region.command(),
                          "length " + region.length(),
                          key("lkey", region.lkey()),
                          key("rkey", region.rkey())))
                  .toList());
          Map<String, Long> paging = snapshot.kernel().paging().get(device);
          if (paging != null) {
            line("  on-demand paging: " + figures(paging));
          }
        });
    if (!snapshot.kernel().regions().isEmpty() && !snapshot.kernel().hasKeys()) {
      line("  keys are told only to who has CAP_NET_ADMIN");
    }
    if (!snapshot.kernel().counters().isEmpty()) {
      line("hardware counters that are not 0: " + figures(snapshot.kernel().counters()));
    }
  }

  private static String key(String name, @Nullable Long key) {
    return key == null ? "" : "%s 0x%x".formatted(name, key);
  }

  private void registrar(JvmRegistrar registrar) {
    line(
        "registrar, %s%s: %d regions%s"
            .formatted(
                registrar.simulated() ? "simulated " : "",
                registrar.device(),
                registrar.regions().size(),
                registrar.maxRegions() < 0 ? "" : " of at most " + registrar.maxRegions()));
    line(
        "  registered %d, given back %d, refused %d, failed %d, not given back %d, fell back %d, evicted %d, leases lost %d"
            .formatted(
                registrar.registrations(),
                registrar.deregistrations(),
                registrar.refusals(),
                registrar.failures(),
                registrar.failedDeregistrations(),
                registrar.fallbacks(),
                registrar.evictions(),
                registrar.lostLeases()));
    latency("registering", registrar.registrationLatency());
    latency("giving back", registrar.deregistrationLatency());
    registrar
        .caches()
        .forEach((cache, figures) -> line("  cache %s: %s".formatted(cache, figures(figures))));
    regions(
        registrar.regions().stream()
            .map(region ->
                List.of(
                    key("lkey", region.lkey()),
                    key("rkey", region.rkey()),
                    region.address(),
                    "length " + region.length(),
                    region.access(),
                    "age " + duration(Duration.ofMillis(region.ageMillis())),
                    "leases " + region.leases(),
                    region.origin()))
            .toList());
  }

  private void latency(String what, LatencyFigures figures) {
    if (figures.count() > 0) {
      line(
          "  %s: p50 %s, p90 %s, p99 %s, max %s, mean %s"
              .formatted(
                  what,
                  micros(figures.p50Nanos()),
                  micros(figures.p90Nanos()),
                  micros(figures.p99Nanos()),
                  micros(figures.maxNanos()),
                  micros(figures.meanNanos())));
    }
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
  }

  /** Rows of cells, in columns. */
  private void regions(List<List<String>> rows) {
    List<List<String>> shown = rows.subList(0, Math.min(maxRegions, rows.size()));
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : shown) {
      for (int i = 0; i < row.size(); i++) {
        if (i == widths.size()) {
          widths.add(0);
        }
        widths.set(i, Math.max(widths.get(i), row.get(i).length()));
      }
    }
    for (List<String> row : shown) {
      StringBuilder line = new StringBuilder(" ");
      for (int i = 0; i < row.size(); i++) {
        if (widths.get(i) > 0) {
          line.append(' ').append(row.get(i)).repeat(" ", widths.get(i) - row.get(i).length() + 1);
        }
      }
      line(line.toString().stripTrailing());
    }
    if (rows.size() > shown.size()) {
      line("  and %d more (--all shows them)".formatted(rows.size() - shown.size()));
    }
  }

  private static String figures(Map<String, Long> figures) {
    return figures.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(figure -> figure.getKey() + " " + Long.toUnsignedString(figure.getValue()))
        .collect(Collectors.joining(", "));
  }

  private void process() {
    ProcessLimits limits = snapshot.limits();
    if (limits != null) {
      line(
          "process %d has pinned %s bytes, %s"
              .formatted(
                  snapshot.pid(),
                  limits.pinnedBytes(),
                  limits.unbound()
                      ? "and CAP_IPC_LOCK, so no limit binds"
                      : limits.memlockBytes() == Long.MAX_VALUE
                          ? "without a limit (RLIMIT_MEMLOCK)"
                          : "of %d that RLIMIT_MEMLOCK allows".formatted(limits.memlockBytes())));
    }
  }

  private void difference(Difference difference) {
    String how =
        difference.byKey() ? "" : " (compared by length only, since the kernel told no keys)";
    if (!difference.kernelOnly().isEmpty()) {
      line(
          "%s: only the kernel knows %d regions of the process: leaked, or registered past Pinwise%s"
              .formatted(difference.device(), difference.kernelOnly().size(), how));
      regions(
          difference.kernelOnly().stream()
              .map(region ->
                  List.of(
                      "mrn " + region.mrn(),
                      "length " + region.length(),
                      key("lkey", region.lkey())))
              .toList());
    }
    if (!difference.jvmOnly().isEmpty()) {
      line(
          "%s: only the registrar knows %d regions, which the kernel does not list: was the device reset, or was one not taken back?%s"
              .formatted(difference.device(), difference.jvmOnly().size(), how));
      regions(
          difference.jvmOnly().stream()
              .map((RegionFigures region) ->
                  List.of(
                      key("lkey", region.lkey()),
                      region.address(),
                      "length " + region.length(),
                      region.origin()))
              .toList());
    }
  }

  private void trends() {
    for (Trend trend : snapshot.trends()) {
      String rate =
          trend.perSecond() == 0
              ? "steady at %d".formatted(trend.now())
              : String.format(
                  Locale.ROOT,
                  "%d, %s by %.1f a minute",
                  trend.now(),
                  trend.perSecond() > 0 ? "rising" : "falling",
                  Math.abs(trend.perSecond()) * 60);
      String reached =
          trend
              .reached()
              .map(left ->
                  "; %s %d reached in %s at this rate"
                      .formatted(trend.limitName(), trend.limit(), duration(left)))
              .orElse("");
      line(
          "trend, %s: %s over %s%s".formatted(trend.what(), rate, duration(trend.over()), reached));
    }
  }

  /** One unit, rounded down, in which the time is at least 1. */
  private static String duration(Duration time) {
    if (time.toDays() >= 3) {
      return time.toDays() + " d";
    }
    if (time.toHours() >= 3) {
      return time.toHours() + " h";
    }
    if (time.toMinutes() >= 3) {
      return time.toMinutes() + " min";
    }
    return time.toSeconds() > 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }

  /** Names come from other processes: none may steer the terminal. */
  private void line(String line) {
    text.append(line.replaceAll("\\p{Cntrl}", "?")).append('\n');
  }
}

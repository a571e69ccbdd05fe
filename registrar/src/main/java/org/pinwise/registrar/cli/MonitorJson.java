package org.pinwise.registrar.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.monitor.LatencyFigures;
import org.pinwise.registrar.monitor.RegionFigures;
import org.pinwise.registrar.watch.Difference;
import org.pinwise.registrar.watch.JvmRegistrar;
import org.pinwise.registrar.watch.KernelRegion;
import org.pinwise.registrar.watch.ProcessLimits;
import org.pinwise.registrar.watch.Snapshot;
import org.pinwise.registrar.watch.Trend;

/** A snapshot for programs: one line, schema {@code pinwise-monitor/1}. */
final class MonitorJson {

  private MonitorJson() {}

  static String of(Snapshot snapshot) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("schema", "pinwise-monitor/1");
    json.put("time", snapshot.time().toString());
    json.put("pid", snapshot.pid());
    Map<String, @Nullable Object> kernel = new LinkedHashMap<>();
    kernel.put("counts", snapshot.kernel().counts());
    kernel.put("regions", snapshot.kernel().regions().stream().map(MonitorJson::region).toList());
    kernel.put("paging", snapshot.kernel().paging());
    kernel.put("counters", snapshot.kernel().counters());
    json.put("kernel", kernel);
    json.put("registrars", snapshot.registrars().stream().map(MonitorJson::registrar).toList());
    ProcessLimits limits = snapshot.limits();
    json.put("limits", limits == null ? null : limits(limits));
    json.put("differences", snapshot.differences().stream().map(MonitorJson::difference).toList());
    json.put("trends", snapshot.trends().stream().map(MonitorJson::trend).toList());
    json.put("problems", snapshot.problems());
    return Json.of(json);
  }

  private static Map<String, @Nullable Object> region(KernelRegion region) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("device", region.device());
    json.put("mrn", region.mrn());
    json.put("length", Long.toUnsignedString(region.length()));
    json.put("pid", region.pid());
    json.put("command", region.command());
    json.put("lkey", hex(region.lkey()));
    json.put("rkey", hex(region.rkey()));
    return json;
  }

  private static Map<String, @Nullable Object> region(RegionFigures region) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("lkey", hex(region.lkey()));
    json.put("rkey", hex(region.rkey()));
    json.put("address", region.address());
    json.put("length", Long.toUnsignedString(region.length()));
    json.put("access", region.access());
    json.put("ageMillis", region.ageMillis());
    json.put("leases", region.leases());
    json.put("origin", region.origin().isEmpty() ? null : region.origin());
    return json;
  }

  private static @Nullable String hex(@Nullable Long key) {
    return key == null ? null : "0x%x".formatted(key);
  }

  private static Map<String, @Nullable Object> registrar(JvmRegistrar registrar) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", registrar.name());
    json.put("device", registrar.device());
    json.put("simulated", registrar.simulated());
    json.put("maxRegions", registrar.maxRegions() < 0 ? null : (Long) registrar.maxRegions());
    json.put("registrations", registrar.registrations());
    json.put("deregistrations", registrar.deregistrations());
    json.put("refusals", registrar.refusals());
    json.put("failures", registrar.failures());
    json.put("failedDeregistrations", registrar.failedDeregistrations());
    json.put("fallbacks", registrar.fallbacks());
    json.put("evictions", registrar.evictions());
    json.put("lostLeases", registrar.lostLeases());
    json.put("registrationLatency", latency(registrar.registrationLatency()));
    json.put("deregistrationLatency", latency(registrar.deregistrationLatency()));
    json.put("caches", registrar.caches());
    List<Object> regions = new ArrayList<>();
    registrar.regions().forEach(region -> regions.add(region(region)));
    json.put("regions", regions);
    return json;
  }

  private static Map<String, @Nullable Object> latency(LatencyFigures figures) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("count", figures.count());
    json.put("meanNanos", figures.meanNanos());
    json.put("p50Nanos", figures.p50Nanos());
    json.put("p90Nanos", figures.p90Nanos());
    json.put("p99Nanos", figures.p99Nanos());
    json.put("maxNanos", figures.maxNanos());
    return json;
  }

  private static Map<String, @Nullable Object> limits(ProcessLimits limits) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("pinnedBytes", limits.pinnedBytes());
    json.put(
        "memlockBytes",
        limits.memlockBytes() == Long.MAX_VALUE ? null : (Long) limits.memlockBytes());
    json.put("unbound", limits.unbound());
    return json;
  }

  private static Map<String, @Nullable Object> difference(Difference difference) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("device", difference.device());
    json.put("byKey", difference.byKey());
    json.put("kernelOnly", difference.kernelOnly().stream().map(MonitorJson::region).toList());
    List<Object> regions = new ArrayList<>();
    difference.jvmOnly().forEach(region -> regions.add(region(region)));
    json.put("jvmOnly", regions);
    return json;
  }

  private static Map<String, @Nullable Object> trend(Trend trend) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("what", trend.what());
    json.put("now", trend.now());
    json.put("limit", trend.limit() == Long.MAX_VALUE ? null : (Long) trend.limit());
    json.put("limitName", trend.limitName());
    json.put("perSecond", trend.perSecond());
    json.put("overSeconds", trend.over().toMillis() / 1e3);
    json.put(
        "reachedInSeconds",
        trend.reached().isEmpty() ? null : (Double) (trend.reached().get().toMillis() / 1e3));
    return json;
  }
}

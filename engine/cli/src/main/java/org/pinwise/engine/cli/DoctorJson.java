package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.advice.HostAdvice;
import org.pinwise.engine.facts.Detail;
import org.pinwise.engine.facts.HostReport;
import org.pinwise.engine.facts.LiveDevice;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;

/** Writes what was read of a host for programs, {@code pinwise-doctor/1}. */
final class DoctorJson {
  private static final String SCHEMA = "pinwise-doctor/1";

  private DoctorJson() {}

  static String of(HostReport report, HostAdvice.Given advice) {
    Map<String, @Nullable Object> root = new LinkedHashMap<>();
    root.put("schema", SCHEMA);
    root.put(
        "host",
        facts(Host.TYPE, report.live().host(), report.live().sources(), report.live().reasons()));
    root.put("details", report.details().stream().map(DoctorJson::detail).toList());
    root.put("devices", devices(report.devices()));
    root.put("advice", advice.findings().stream().map(DoctorJson::finding).toList());
    root.put(
        "undecided",
        advice.undecided().stream()
            .map(rule -> Map.of("rule", rule.rule(), "needs", List.copyOf(rule.needs())))
            .map(DoctorJson::sorted)
            .toList());
    return JsonTree.indented(root);
  }

  /** Returns devices as values for {@link JsonTree}. */
  static List<Map<String, @Nullable Object>> devices(List<LiveDevice> devices) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (LiveDevice device : devices) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      one.put("name", device.name());
      one.put("facts", facts(Device.TYPE, device.device(), device.sources(), device.reasons()));
      one.put("details", device.details().stream().map(DoctorJson::detail).toList());
      all.add(one);
    }
    return all;
  }

  private static Map<String, Object> sorted(Map<String, Object> map) {
    return new java.util.TreeMap<>(map);
  }

  private static <F> Map<String, @Nullable Object> facts(
      FactType<F> type, F fact, Map<String, String> sources, Map<String, String> reasons) {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    for (Field<F> field : type.fields()) {
      Object value = field.read(fact);
      facts.put(
          field.name(),
          value(
              value == null ? null : plain(field, value),
              (value == null ? reasons : sources).get(field.name())));
    }
    return facts;
  }

  private static Map<String, @Nullable Object> value(
      @Nullable Object value, @Nullable String where) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("value", value);
    one.put(value == null ? "reason" : "source", where);
    return one;
  }

  /** Bytes are their digits: people's units would have to be parsed again. */
  private static Object plain(Field<?> field, Object value) {
    if (value instanceof Boolean) {
      return value;
    }
    if (value instanceof Number number && field.format() == Field.Format.BYTES) {
      return number.longValue() == Long.MAX_VALUE ? "unlimited" : number.toString();
    }
    return value instanceof Number number && number.longValue() == Long.MAX_VALUE
        ? "unlimited"
        : field.show(value);
  }

  private static Map<String, @Nullable Object> detail(Detail detail) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("name", detail.name());
    one.putAll(value(detail.value(), detail.where()));
    return one;
  }

  private static Map<String, @Nullable Object> finding(Finding finding) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("rule", finding.rule());
    one.put("severity", Options.lower(finding.severity()));
    one.put("message", finding.message());
    one.put("remediation", finding.remediation());
    one.put("reference", finding.reference());
    return one;
  }
}

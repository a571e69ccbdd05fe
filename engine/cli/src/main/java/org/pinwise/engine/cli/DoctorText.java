package org.pinwise.engine.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.advice.HostAdvice;
import org.pinwise.engine.facts.Detail;
import org.pinwise.engine.facts.HostReport;
import org.pinwise.engine.facts.LiveDevice;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;

/** Writes what was read of a host for people: a line for each value, with where it was read. */
final class DoctorText {
  private static final int NAME_WIDTH = 24;
  private static final int VALUE_WIDTH = 16;

  private final StringBuilder text = new StringBuilder();
  private final Style style;

  private DoctorText(Style style) {
    this.style = style;
  }

  static String of(HostReport report, HostAdvice.Given advice, Style style) {
    DoctorText writer = new DoctorText(style);
    writer.heading("host and process");
    writer.facts(
        org.pinwise.rules.model.Host.TYPE,
        report.live().host(),
        report.live().sources(),
        report.live().reasons());
    report.details().forEach(writer::detail);
    for (LiveDevice device : report.devices()) {
      writer.text.append(device(device, style));
    }
    if (report.devices().isEmpty()) {
      writer.heading("devices");
      writer.line("none: the kernel lists none in /sys/class/infiniband");
    }
    writer.heading("advice");
    advice.findings().forEach(writer::finding);
    if (advice.findings().isEmpty()) {
      writer.line("none");
    }
    advice.undecided().forEach(writer::undecided);
    return writer.text.toString();
  }

  /** Returns what was read of one device. */
  static String device(LiveDevice device, Style style) {
    DoctorText writer = new DoctorText(style);
    writer.heading("device " + device.name());
    writer.facts(
        org.pinwise.rules.model.Device.TYPE, device.device(), device.sources(), device.reasons());
    device.details().forEach(writer::detail);
    return writer.text.toString();
  }

  private void heading(String title) {
    text.append(style.bold(Printable.line(title))).append('\n');
  }

  private void line(String content) {
    text.append("  ").append(Printable.line(content)).append('\n');
  }

  private <F> void facts(
      FactType<F> type, F fact, Map<String, String> sources, Map<String, String> reasons) {
    for (Field<F> field : type.fields()) {
      Object value = field.read(fact);
      row(
          field.name(),
          value == null ? null : field.show(value),
          String.valueOf((value == null ? reasons : sources).get(field.name())));
    }
  }

  private void detail(Detail detail) {
    row(detail.name(), detail.value(), detail.where());
  }

  private void row(String name, @Nullable String value, String where) {
    String shown = value == null ? "unknown" : Printable.line(value);
    text.append("  ")
        .append(RuleText.pad(Printable.line(name), NAME_WIDTH))
        .append(value == null ? style.open(shown) : shown)
        .append(" ".repeat(Math.max(2, VALUE_WIDTH - shown.length())))
        .append(style.faint(Printable.line(where)))
        .append('\n');
  }

  private void finding(Finding finding) {
    line(
        "%s %s: %s"
            .formatted(
                style.severity(finding.severity(), Options.lower(finding.severity())),
                style.bold(finding.rule()),
                Printable.line(finding.message())));
    line("  fix   " + finding.remediation());
    line("  see   " + finding.reference());
  }

  private void undecided(UndecidedRule rule) {
    line(
        "%s %s: %s (unknown: %s)"
            .formatted(
                style.open("undecided"),
                rule.rule(),
                rule.summary(),
                String.join(", ", List.copyOf(rule.needs()))));
  }
}

package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Profile;
import org.pinwise.engine.Room;
import org.pinwise.engine.RuleSet;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Verification;

/** Writes rules for people. */
final class RuleText {
  private static final String INDENT = "  ";

  private final StringBuilder text = new StringBuilder();
  private final Style style;

  /**
   * A rule to show.
   *
   * @param meta what is said about it
   * @param source where it was written
   * @param rule the rule itself; null for one in full DRL
   */
  record Shown(RuleMeta meta, String source, @Nullable Rule rule) {
    /** Returns all rules of a rule set, those in full DRL last. */
    static List<Shown> all(RuleSet rules) {
      return Stream.concat(
              rules.rules().stream().map(rule -> new Shown(rule.meta(), rule.source(), rule)),
              rules.trustedRules().stream()
                  .map(rule -> new Shown(rule.meta(), rule.source(), null)))
          .toList();
    }
  }

  private RuleText(Style style) {
    this.style = style;
  }

  /** Returns all rules as the profile grades them, a line each. */
  static String list(RuleSet rules, Style style) {
    RuleText writer = new RuleText(style);
    List<RuleMeta> all = Shown.all(rules).stream().map(Shown::meta).toList();
    int width = 2 + all.stream().mapToInt(meta -> meta.id().length()).max().orElse(0);
    for (RuleMeta meta : all) {
      Profile.Setting setting = rules.profile().setting(meta);
      Severity severity =
          setting == null || setting.severity() == null ? meta.severity() : setting.severity();
      boolean off = setting != null && setting.off() != null;
      writer
          .text
          .append(style.bold(pad(Printable.line(meta.id()), width)))
          .append(off ? pad("off", 9) : style.severity(severity, pad(Options.lower(severity), 9)))
          .append(pad(meta.errno() == null ? "" : meta.errno().name(), 12))
          .append(Printable.line(meta.summary()))
          .append('\n');
    }
    return writer.text.toString();
  }

  /** Returns what is said of rules of one room: in words, and the rule file as it is written. */
  static String show(RuleSet rules, List<Shown> shown, Style style) {
    RuleText writer = new RuleText(style);
    shown.forEach(writer::rule);
    writer
        .room(rules, shown)
        .ifPresent(room -> writer.section(room.location() + "/rule.drl", room.rule()));
    return writer.text.toString();
  }

  /** Returns what is said of rules of one room: in words, why, and by example. */
  static String explain(RuleSet rules, List<Shown> shown, Style style) {
    RuleText writer = new RuleText(style);
    shown.forEach(writer::rule);
    writer
        .room(rules, shown)
        .ifPresent(room -> {
          if (!room.prose().isEmpty()) {
            writer.text.append(Printable.lines(room.prose())).append('\n');
          }
          new TreeMap<>(room.files())
              .forEach((name, content) -> {
                if (name.endsWith(".yaml")) {
                  writer.section(name, content);
                }
              });
        });
    return writer.text.toString();
  }

  private Optional<Room> room(RuleSet rules, List<Shown> shown) {
    return rules.rooms().stream()
        .filter(room -> room.id().equals(shown.get(0).meta().room()))
        .findFirst();
  }

  private void section(String title, String content) {
    text.append(style.faint(Printable.line(title))).append('\n');
    Printable.lines(content)
        .lines()
        .forEach(line -> text.append(line.isEmpty() ? "" : INDENT + line).append('\n'));
    text.append('\n');
  }

  private void rule(Shown shown) {
    RuleMeta meta = shown.meta();
    Rule rule = shown.rule();
    text.append(style.bold(Printable.line(meta.id())))
        .append("  ")
        .append(Printable.line(meta.summary()))
        .append('\n');
    List<String> effect = new ArrayList<>(List.of(Options.lower(meta.severity())));
    if (meta.errno() != null) {
      effect.add(meta.errno().name());
    }
    if (meta.stage() != null) {
      effect.add("at stage " + meta.stage());
    }
    row("is", String.join(", ", effect));
    row("when", rule == null ? "full DRL: read its file" : rule.inWords());
    row("says", rule == null ? "" : rule.template().toString());
    row("later", meta.later() == null ? "" : meta.later());
    row("fix", meta.remediation());
    row(
        "changes",
        meta.fixes().stream().map(Object::toString).collect(Collectors.joining(", then ")));
    row(
        "reads",
        rule == null
            ? ""
            : rule.reads().stream()
                .map(Object::toString)
                .distinct()
                .collect(Collectors.joining(", ")));
    row(
        "sets",
        new TreeMap<>(meta.parameters())
            .entrySet().stream()
                .map(parameter -> parameter.getKey() + " = " + parameter.getValue())
                .collect(Collectors.joining(", ")));
    row("verified", rule == null ? "" : verified(rule));
    row("see", meta.spec());
    row("source", shown.source());
    text.append('\n');
  }

  private static String verified(Rule rule) {
    RuleMeta meta = rule.meta();
    if (meta.verified().isEmpty()) {
      return rule.reads().stream().anyMatch(field -> field.toString().equals("host.kernel"))
          ? "on no kernel; its conditions alone decide"
          : "does not depend on the kernel";
    }
    return "%s; %s drivers"
        .formatted(
            meta.verified().stream().map(Verification::toString).collect(Collectors.joining(", ")),
            meta.stacks().stream()
                .sorted()
                .map(Options::lower)
                .collect(Collectors.joining(" and ")));
  }

  private void row(String label, String content) {
    if (!content.isEmpty()) {
      text.append(INDENT)
          .append(style.faint(pad(label, 10)))
          .append(Printable.line(content))
          .append('\n');
    }
  }

  static String pad(String content, int width) {
    return content + " ".repeat(Math.max(1, width - content.length()));
  }
}

package org.pinwise.engine;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Verification;

/** Writes the catalogue of rules, RULES.md, out of the rooms alone. */
public final class RuleCatalog {
  private RuleCatalog() {}

  /** Returns the catalogue as Markdown. */
  public static String markdown(List<Room> rooms, RuleSet rules) {
    StringBuilder text =
        new StringBuilder(
            """
            # The rules

            Made of the rooms by the build; do not edit. A finding's stage says where the call fails, in the order of
            checks; *verified* says on which kernels the rule is known to be right, and by what.

            | room | rule | severity | stage | errno | demands |
            |---|---|---|---|---|---|
            """);
    for (Rule rule : rules.rules()) {
      text.append(
          "| [%s](#%s) | %s | %s | %s | %s | %s |\n"
              .formatted(
                  rule.meta().room(),
                  rule.meta().room().toLowerCase(Locale.ROOT),
                  rule.id(),
                  lower(rule.meta().severity()),
                  rule.meta().stage() == null ? "" : rule.meta().stage(),
                  rule.meta().errno() == null ? "" : rule.meta().errno(),
                  rule.meta().summary()));
    }
    for (Room room : rooms) {
      room(room, rules, text);
    }
    return text.toString();
  }

  private static void room(Room room, RuleSet rules, StringBuilder text) {
    text.append("\n## ").append(room.id()).append("\n\n").append(room.prose().strip()).append('\n');
    for (Rule rule : rules.rules()) {
      if (rule.meta().room().equals(room.id())) {
        rule(rule, text);
      }
    }
    Map<String, String> examples = new TreeMap<>(room.files());
    examples.keySet().removeIf(name -> !name.endsWith(".yaml"));
    examples.forEach((name, example) ->
        text.append("\n`%s`\n```yaml\n%s\n```\n".formatted(name, example.strip())));
  }

  private static void rule(Rule rule, StringBuilder text) {
    var meta = rule.meta();
    text.append("\n**%s** (%s".formatted(rule.id(), lower(meta.severity())));
    if (meta.errno() != null) {
      text.append(", %s at %s".formatted(meta.errno(), meta.stage()));
    }
    text.append("): ").append(meta.summary()).append(".\n");
    text.append("- reports if ").append(rule.inWords()).append('\n');
    text.append("- fix: ").append(meta.remediation());
    if (!meta.fixes().isEmpty()) {
      text.append(
          meta.fixes().stream().map(Fix::toString).collect(Collectors.joining(", ", " (", ")")));
    }
    text.append('\n');
    if (meta.later() != null) {
      text.append("- later: ").append(meta.later()).append('\n');
    }
    if (!meta.verified().isEmpty()) {
      text.append("- verified: ")
          .append(
              meta.verified().stream()
                  .map(Verification::toString)
                  .collect(Collectors.joining(", ")))
          .append(
              meta.stacks().size() > 1
                  ? "; inbox and vendor driver stacks\n"
                  : "; inbox drivers\n");
    }
    if (!meta.parameters().isEmpty()) {
      text.append("- parameters: ").append(new TreeMap<>(meta.parameters())).append('\n');
    }
    text.append("- reference: ").append(meta.spec()).append('\n');
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the table of proofs: for every rule whether a real kernel answered so, a source was
   * read, or it is believed. A rule without evidence of its own rests on what its {@code @spec}
   * names; what only reports say is a belief.
   */
  static String proofs(List<Rule> rules) {
    StringBuilder table = new StringBuilder("| rule | rests on | says so |\n|---|---|---|\n");
    Map<Verification.Means, Integer> counts = new EnumMap<>(Verification.Means.class);
    for (Rule rule : rules.stream().sorted(Comparator.comparing(Rule::id)).toList()) {
      Verification.Means best = best(rule);
      counts.merge(best, 1, Integer::sum);
      table
          .append("| ")
          .append(rule.id())
          .append(" | ")
          .append(
              switch (best) {
                case LAB -> "a kernel";
                case SOURCE -> "a source";
                case BELIEF -> "belief";
              })
          .append(" | ")
          .append(
              rule.meta().verified().isEmpty()
                  ? rule.meta().spec().replace("|", "\\|")
                  : rule.meta().verified().stream()
                      .map(Verification::toString)
                      .collect(Collectors.joining(", ")))
          .append(" |\n");
    }
    return "%d rules rest on answers of kernels, %d on sources, %d on belief.\n\n%s"
        .formatted(
            counts.getOrDefault(Verification.Means.LAB, 0),
            counts.getOrDefault(Verification.Means.SOURCE, 0),
            counts.getOrDefault(Verification.Means.BELIEF, 0),
            table);
  }

  private static Verification.Means best(Rule rule) {
    return rule.meta().verified().stream()
        .map(Verification::means)
        .min(Comparator.naturalOrder())
        .orElse(
            rule.meta().spec().startsWith("report")
                ? Verification.Means.BELIEF
                : Verification.Means.SOURCE);
  }
}

package org.pinwise.engine.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Why;
import org.pinwise.engine.advice.Recommendation;
import org.pinwise.engine.advice.Recommendation.Flag;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.engine.json.VerdictJson;

/** Writes recommended flags. */
final class RecommendationText {
  private static final int WIDTH = 18;

  private RecommendationText() {}

  static String of(Recommendation recommendation, Style style) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s for %s: --access '%s'\n"
            .formatted(
                style.bold("recommended"),
                recommendation.uses().stream()
                    .sorted()
                    .map(Options::lower)
                    .collect(Collectors.joining(", ")),
                access(recommendation)));
    recommendation
        .flags()
        .forEach(
            flag -> row(text, style.bold(RuleText.pad(flag.flag().name(), WIDTH)), flag.why()));
    for (Recommendation.LeftOut left : recommendation.leftOut()) {
      row(
          text,
          RuleText.pad(left.flag().name(), WIDTH),
          "%s: %s"
              .formatted(
                  left.needed() ? style.bad("left out, so it cannot be served") : "left out",
                  left.why()));
    }
    recommendation.notes().forEach(note -> text.append("note: ").append(note).append('\n'));
    return text.toString();
  }

  private static void row(StringBuilder text, String name, String content) {
    text.append("  ").append(name).append(Printable.line(content)).append('\n');
  }

  private static String access(Recommendation recommendation) {
    return recommendation.flags().isEmpty()
        ? "0"
        : recommendation.flags().stream()
            .map(flag -> flag.flag().name())
            .collect(Collectors.joining("|"));
  }

  /** Returns it as JSON, {@code pinwise-recommendation/1}. */
  static String json(Recommendation recommendation, @Nullable List<Why> why) {
    Map<String, @Nullable Object> root = new LinkedHashMap<>();
    root.put("schema", "pinwise-recommendation/1");
    root.put("uses", recommendation.uses().stream().sorted().map(Options::lower).toList());
    root.put("access", recommendation.flags().stream().map(Flag::flag).toList());
    root.put("flags", recommendation.flags().stream().map(RecommendationText::flag).toList());
    root.put(
        "leftOut", recommendation.leftOut().stream().map(RecommendationText::leftOut).toList());
    root.put("notes", recommendation.notes());
    root.put("verdict", new JsonTree.Raw(VerdictJson.compact(recommendation.verdict(), why)));
    return JsonTree.indented(root);
  }

  private static Map<String, @Nullable Object> flag(Flag flag) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("flag", flag.flag());
    one.put("why", flag.why());
    return one;
  }

  private static Map<String, @Nullable Object> leftOut(Recommendation.LeftOut left) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("flag", left.flag());
    one.put("why", left.why());
    one.put("needed", left.needed());
    return one;
  }
}

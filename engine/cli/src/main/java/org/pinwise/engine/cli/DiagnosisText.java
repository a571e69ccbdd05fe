package org.pinwise.engine.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.advice.Diagnosis;
import org.pinwise.engine.advice.Diagnosis.Likelihood;
import org.pinwise.engine.advice.Diagnosis.Ranked;
import org.pinwise.engine.json.JsonTree;

/** Writes what may have made a registration fail. */
public final class DiagnosisText {
  private static final int MAX_POSSIBLE = 8;

  private final StringBuilder text = new StringBuilder();
  private final Style style;

  private DiagnosisText(Style style) {
    this.style = style;
  }

  static String of(Diagnosis diagnosis, List<String> notes, Style style) {
    DiagnosisText writer = new DiagnosisText(style);
    writer.line(
        "%s  %d, %s"
            .formatted(
                style.bold(diagnosis.errno().name()),
                diagnosis.errno().number(),
                diagnosis.errno().text()));
    notes.forEach(note -> writer.line("note: " + note));
    writer.causes(diagnosis);
    return writer.text.toString();
  }

  /**
   * Returns the causes for people, a paragraph each.
   *
   * @param colour whether they are for a terminal that shows colours
   */
  public static String causes(Diagnosis diagnosis, boolean colour) {
    DiagnosisText writer = new DiagnosisText(new Style(colour));
    writer.causes(diagnosis);
    return writer.text.toString();
  }

  private void causes(Diagnosis diagnosis) {
    diagnosis.notes().forEach(note -> line("note: " + note));
    int place = 0;
    int possible = 0;
    for (Ranked cause : diagnosis.causes()) {
      if (cause.likelihood() == Likelihood.POSSIBLE && ++possible > MAX_POSSIBLE) {
        continue;
      }
      place++;
      line(
          "%d. %s %s: %s"
              .formatted(
                  place,
                  likelihood(cause),
                  style.bold(cause.id()),
                  Printable.line(cause.summary())));
      detail("because", String.join(", ", cause.evidence()));
      detail("unknown", String.join(", ", cause.needs()));
      detail("confirm", cause.confirm());
      detail("fix", cause.remedy());
      detail("see", cause.reference());
    }
    if (possible > MAX_POSSIBLE) {
      line(
          "and %d more that are possible: %s"
              .formatted(
                  possible - MAX_POSSIBLE,
                  diagnosis.causes().stream()
                      .filter(cause -> cause.likelihood() == Likelihood.POSSIBLE)
                      .skip(MAX_POSSIBLE)
                      .map(Ranked::id)
                      .collect(Collectors.joining(", "))));
    }
    if (diagnosis.causes().isEmpty()) {
      line("no cause is known; please report it with the facts (pinwise doctor --save FILE)");
    }
    for (Ranked cause : diagnosis.ruledOut()) {
      line(
          style.faint(
              "ruled out %s: %s"
                  .formatted(cause.id(), Printable.line(String.join(", ", cause.evidence())))));
    }
  }

  private String likelihood(Ranked cause) {
    String word = word(cause);
    return switch (cause.likelihood()) {
      case CERTAIN -> style.bad(word);
      case LIKELY -> style.open(word);
      case POSSIBLE, RULED_OUT -> word;
    };
  }

  private static String word(Ranked cause) {
    return cause.likelihood().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void detail(String label, String content) {
    if (!content.isEmpty()) {
      line("   " + style.faint("%-8s".formatted(label)) + Printable.line(content));
    }
  }

  private void line(String content) {
    text.append(content).append('\n');
  }

  /** Returns the causes as maps of texts, as {@code pinwise-diagnosis/1} has them. */
  public static List<Map<String, @Nullable Object>> tree(Diagnosis diagnosis) {
    return diagnosis.causes().stream().map(DiagnosisText::tree).toList();
  }

  /** Returns a diagnosis as JSON, {@code pinwise-diagnosis/1}. */
  static String json(Diagnosis diagnosis) {
    Map<String, @Nullable Object> root = new LinkedHashMap<>();
    root.put("schema", "pinwise-diagnosis/1");
    root.put("errno", diagnosis.errno());
    root.put("causes", tree(diagnosis));
    root.put("ruledOut", diagnosis.ruledOut().stream().map(DiagnosisText::tree).toList());
    root.put("notes", diagnosis.notes());
    return JsonTree.indented(root);
  }

  private static Map<String, @Nullable Object> tree(Ranked cause) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("id", cause.id());
    one.put("likelihood", word(cause));
    one.put("summary", cause.summary());
    one.put("evidence", cause.evidence());
    one.put("needs", cause.needs());
    one.put("confirm", cause.confirm());
    one.put("remedy", cause.remedy());
    one.put("reference", cause.reference());
    return one;
  }
}

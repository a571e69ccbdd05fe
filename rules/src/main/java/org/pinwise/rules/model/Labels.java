package org.pinwise.rules.model;

import static org.pinwise.rules.model.Volatility.FIXED;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a team's own about a request, such as {@code team}, {@code cluster} or {@code tier}: any
 * name in a rule is a label. Where labels are given, one that is not among them is the empty text;
 * where none are given, all are unknown.
 *
 * @param values the labels by name; null where none are given
 */
public record Labels(@Nullable Map<String, String> values) {
  /** What a label's name is. */
  public static final String NAME = "[a-z][A-Za-z0-9]{0,39}";

  /** The labels; it lists no field, and has each that is asked for. */
  public static final FactType<Labels> TYPE =
      FactType.of(Labels.class, "labels")
          .anyText(NAME, Labels::get, FIXED, "a label of the team's own")
          .build(v -> v.isEmpty() ? new Labels(null) : new Labels(v.texts()), "values");

  /** No labels are given. */
  public static final Labels UNKNOWN = TYPE.unknown();

  /** Keeps an immutable copy. */
  public Labels {
    values = values == null ? null : Map.copyOf(values);
  }

  private static @Nullable String get(Labels labels, String name) {
    Map<String, String> given = labels.values;
    return given == null ? null : given.getOrDefault(name, "");
  }
}

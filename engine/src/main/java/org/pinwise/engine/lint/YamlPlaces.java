package org.pinwise.engine.lint;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.yaml.Yaml;

/** Steps through YAML of which other programs check the form: what is not there is just absent. */
final class YamlPlaces {
  private YamlPlaces() {}

  /** Returns where a value stands. */
  static Place of(Yaml value) {
    return new Place(value.line(), value.column());
  }

  /** Returns the value at a path of keys; null where there is none. */
  static @Nullable Yaml at(@Nullable Yaml from, String... keys) {
    Yaml value = from;
    for (String key : keys) {
      value = value instanceof Yaml.Mapping mapping ? mapping.entries().get(key) : null;
    }
    return value;
  }

  /** Returns the mapping at a path of keys; empty where there is none. */
  static Optional<Yaml.Mapping> mapping(@Nullable Yaml from, String... keys) {
    return at(from, keys) instanceof Yaml.Mapping mapping ? Optional.of(mapping) : Optional.empty();
  }

  /** Returns the items at a path of keys; none where there is no sequence. */
  static List<Yaml> items(@Nullable Yaml from, String... keys) {
    return at(from, keys) instanceof Yaml.Sequence sequence ? sequence.items() : List.of();
  }

  /** Returns the text at a path of keys; empty where there is none. */
  static String text(@Nullable Yaml from, String... keys) {
    return at(from, keys) instanceof Yaml.Scalar scalar ? scalar.text() : "";
  }

  /** Returns whether the value at a path says {@code true}. */
  static boolean isTrue(@Nullable Yaml from, String... keys) {
    return text(from, keys).equals("true");
  }
}

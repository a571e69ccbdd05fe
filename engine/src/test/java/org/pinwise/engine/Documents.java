package org.pinwise.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pinwise.engine.yaml.Yaml;

/** Documents of facts that are laid over each other. */
final class Documents {
  private Documents() {}

  /** Returns a mapping whose sections have the entries of both, those of {@code over} first. */
  static Yaml.Mapping over(Yaml.Mapping base, Yaml.Mapping over) {
    Map<String, Yaml> entries = new LinkedHashMap<>(base.entries());
    over.entries()
        .forEach((key, value) -> {
          Yaml below = entries.get(key);
          entries.put(
              key,
              below instanceof Yaml.Mapping b && value instanceof Yaml.Mapping v
                  ? over(b, v)
                  : value);
        });
    return new Yaml.Mapping(base.file(), base.line(), base.column(), entries);
  }

  /** Returns a mapping without some keys. */
  static Yaml.Mapping without(Yaml.Mapping mapping, String... keys) {
    Map<String, Yaml> entries = new LinkedHashMap<>(mapping.entries());
    for (String key : keys) {
      entries.remove(key);
    }
    return new Yaml.Mapping(mapping.file(), mapping.line(), mapping.column(), entries);
  }
}

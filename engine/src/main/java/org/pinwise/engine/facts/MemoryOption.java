package org.pinwise.engine.facts;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pinwise.engine.InputException;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Memory;

/**
 * What {@code --memory} takes: {@code kind=anonymous,protection=rw,shared=false}, the fields of
 * {@link Memory}. Protections are also {@code r}, {@code w} and {@code rw}.
 */
public final class MemoryOption {
  private static final String OPTION = "--memory";

  private MemoryOption() {}

  /**
   * Reads the option; what it does not give is unknown.
   *
   * @throws InputException if it holds something else; one line with the nearest names
   */
  public static Memory parse(String text) {
    if (text.isBlank()) {
      throw new InputException(OPTION, "is empty; write it as kind=anonymous,protection=rw");
    }
    Map<String, Yaml> entries = new LinkedHashMap<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw new InputException(
            OPTION, "%s has no =; write it as kind=anonymous".formatted(Shown.of(part)));
      }
      String key = part.substring(0, equals).strip();
      Yaml value = new Yaml.Scalar(OPTION, 0, 0, part.substring(equals + 1).strip());
      if (entries.put(key, value) != null) {
        throw new InputException(OPTION, "%s is given twice".formatted(Shown.of(key)));
      }
    }
    return Memory.TYPE.of(FieldParser.values(Memory.TYPE, new Yaml.Mapping(OPTION, 0, 0, entries)));
  }
}

package org.pinwise.engine.facts;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Facts;

/**
 * What a facts file says.
 *
 * @param facts the facts; what the file does not say is unknown
 * @param plan the regions that the file plans; null where it has no {@code plan}
 * @param lines the line of each key that was given, such as {@code request.access} or {@code
 *     device}, from 1; immutable
 */
public record FactsFile(Facts facts, @Nullable MrPlan plan, Map<String, Integer> lines) {

  /** Makes the value. */
  public FactsFile {
    lines = Map.copyOf(lines);
  }

  /** Returns whether the file has this key, such as {@code host}. */
  public boolean has(String key) {
    return lines.containsKey(key);
  }
}

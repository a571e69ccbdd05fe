package org.pinwise.engine.facts;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Labels;

/** What {@code --labels} takes: {@code team=storage,tier=prod}, facts of a team's own. */
public final class LabelsOption {
  private static final String OPTION = "--labels";

  private LabelsOption() {}

  /**
   * Reads the option.
   *
   * @throws InputException if it holds something else; one line
   */
  public static Labels parse(String text) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      String name = part.substring(0, Math.max(equals, 0)).strip();
      if (!name.matches(Labels.NAME)) {
        throw new InputException(
            OPTION, "takes labels such as team=storage,tier=prod, not " + Shown.of(part));
      }
      if (labels.put(name, part.substring(equals + 1).strip()) != null) {
        throw new InputException(OPTION, "label %s is given twice".formatted(name));
      }
    }
    return new Labels(labels);
  }
}

package org.pinwise.engine.facts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.pinwise.engine.InputException;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Use;

/** What {@code --use} takes: {@code receive,read-sink}, constants of {@link Use}. */
public final class UseOption {
  private static final String OPTION = "--use";

  private UseOption() {}

  /**
   * Reads the option.
   *
   * @throws InputException if it holds something else; one line with the nearest names
   */
  public static Set<Use> parse(String text) {
    List<Use> uses = new ArrayList<>();
    for (String part : text.split("[|,]", -1)) {
      if (part.isBlank()) {
        throw new InputException(
            OPTION, "a use is missing; there are " + Arrays.toString(Use.values()));
      }
      Yaml place = new Yaml.Scalar(OPTION, 0, 0, part);
      uses.add((Use) FieldParser.choice(place, part, Use.class));
    }
    return EnumSet.copyOf(uses);
  }
}

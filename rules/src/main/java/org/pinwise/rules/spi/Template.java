package org.pinwise.rules.spi;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The text of a finding with places for the facts' values, so that the values stay structured.
 *
 * @param parts texts and places, in their order
 */
public record Template(List<Part> parts) {

  /** Keeps an immutable copy. */
  public Template {
    parts = List.copyOf(parts);
  }

  /** A part of a template. */
  public sealed interface Part {}

  /** Text as it is. */
  public record Text(String text) implements Part {
    @Override
    public String toString() {
      return text;
    }
  }

  /** The value of a field, or of the rule's parameter. */
  public record Place(Operand operand) implements Part {
    @Override
    public String toString() {
      return "{" + operand + "}";
    }
  }

  @Override
  public String toString() {
    return parts.stream().map(Part::toString).collect(Collectors.joining());
  }
}

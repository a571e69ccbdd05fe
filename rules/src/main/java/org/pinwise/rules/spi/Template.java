package org.pinwise.rules.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pinwise.rules.model.FactType;

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

  /** A place in a template that names nothing. */
  public static final class PlaceException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int offset;

    PlaceException(int offset, String message) {
      super(message);
      this.offset = offset;
    }

    /** Returns where the place starts in the text, from 0. */
    public int offset() {
      return offset;
    }
  }

  /**
   * Reads a text with places: {@code {field}} of the reported fact, {@code {key.field}} of another,
   * {@code {name}} of a parameter.
   *
   * @param reported the type of the fact of which the finding speaks
   * @param parameters the names of the rule's parameters
   * @throws PlaceException if a place names none of these
   */
  public static Template parse(String text, FactType<?> reported, Set<String> parameters) {
    List<Part> parts = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int open = text.indexOf('{', from);
      int end = open < 0 ? text.length() : open;
      if (end > from) {
        parts.add(new Text(text.substring(from, end)));
      }
      if (open < 0) {
        break;
      }
      int close = text.indexOf('}', open);
      if (close < 0) {
        throw new PlaceException(open, "the place has no }");
      }
      String name = text.substring(open + 1, close);
      parts.add(new Place(place(open, name, reported, parameters)));
      from = close + 1;
    }
    return new Template(parts);
  }

  private static Operand place(
      int offset, String name, FactType<?> reported, Set<String> parameters) {
    int dot = name.indexOf('.');
    Optional<FactType<?>> owner =
        dot < 0
            ? Optional.of(reported)
            : FactType.all().stream()
                .filter(type -> type.key().equals(name.substring(0, dot)))
                .findFirst();
    Optional<? extends Operand> field = owner.flatMap(type -> field(type, name.substring(dot + 1)));
    if (field.isPresent()) {
      return field.get();
    }
    if (parameters.contains(name)) {
      return new Operand.Parameter(name);
    }
    throw new PlaceException(
        offset,
        "{%s} names no field of %s, no field of another fact such as {device.driver}, and no parameter"
            .formatted(name, reported.name()));
  }

  private static <F> Optional<Operand.FieldOf<F>> field(FactType<F> type, String name) {
    return type.field(name).map(field -> new Operand.FieldOf<>(type, field));
  }

  @Override
  public String toString() {
    return parts.stream().map(Part::toString).collect(Collectors.joining());
  }
}

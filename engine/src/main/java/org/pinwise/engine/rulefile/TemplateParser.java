package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Template;

/** Reads the text of a report: text, {@code {field}} of the reported fact, {@code {key.field}}. */
final class TemplateParser {
  private TemplateParser() {}

  static Template parse(Token message, FactType<?> type, RuleFileParser.Scope scope) {
    String text = message.text();
    List<Template.Part> parts = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int open = text.indexOf('{', from);
      int end = open < 0 ? text.length() : open;
      if (end > from) {
        parts.add(new Template.Text(text.substring(from, end)));
      }
      if (open < 0) {
        break;
      }
      int close = text.indexOf('}', open);
      if (close < 0) {
        throw at(message, open, "the place has no }");
      }
      parts.add(
          new Template.Place(place(message, open, text.substring(open + 1, close), type, scope)));
      from = close + 1;
    }
    return new Template(parts);
  }

  private static Operand place(
      Token message, int offset, String name, FactType<?> type, RuleFileParser.Scope scope) {
    int dot = name.indexOf('.');
    FactType<?> owner =
        dot < 0
            ? type
            : FactType.all().stream()
                .filter(t -> t.key().equals(name.substring(0, dot)))
                .findFirst()
                .orElse(null);
    Operand.@Nullable FieldOf<?> field =
        owner == null ? null : RuleFileParser.Scope.find(owner, name.substring(dot + 1));
    if (field != null) {
      return field;
    }
    if (scope.hasParameter(name)) {
      return new Operand.Parameter(name);
    }
    throw at(
        message,
        offset,
        "{%s} names no field of %s, no field of another fact such as {device.driver}, and no parameter"
            .formatted(name, type.name()));
  }

  /** Positions hold as long as the text has no escapes before the place. */
  private static SyntaxException at(Token message, int offset, String text) {
    return new SyntaxException(message.line(), message.column() + 1 + offset, text);
  }
}

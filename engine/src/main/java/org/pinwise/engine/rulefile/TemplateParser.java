package org.pinwise.engine.rulefile;

import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Template;

/** Reads the text of a report, and gives what is wrong with it a position. */
final class TemplateParser {
  private TemplateParser() {}

  static Template parse(Token message, FactType<?> type, RuleFileParser.Scope scope) {
    try {
      return Template.parse(message.text(), type, scope.parameterNames());
    } catch (Template.PlaceException e) {
      // Positions hold as long as the text has no escapes before the place.
      throw new SyntaxException(
          message.line(), message.column() + 1 + e.offset(), String.valueOf(e.getMessage()));
    }
  }
}

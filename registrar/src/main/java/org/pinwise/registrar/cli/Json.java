package org.pinwise.registrar.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the few kinds of values that the commands print. Keys and addresses are strings of
 * hexadecimal digits, since a reader's numbers may be doubles.
 */
final class Json {

  private Json() {}

  /** A text that is JSON already. */
  record Raw(String json) {}

  /** Returns a value as JSON: a map, a list, a text, a number, a truth value, or nothing. */
  static String of(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Raw raw -> raw.json;
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> quoted(String.valueOf(entry.getKey())) + ":" + of(entry.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case List<?> list -> list.stream().map(Json::of).collect(Collectors.joining(",", "[", "]"));
      case Number number -> number.toString();
      case Boolean truth -> truth.toString();
      default -> quoted(value.toString());
    };
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}

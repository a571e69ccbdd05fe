package org.pinwise.registrar.watch;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON that tools of the kernel print: in one line, of any length. Objects become maps in
 * their order, numbers become {@link BigDecimal}.
 */
final class JsonText {
  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  /**
   * Returns the value that a text is.
   *
   * @throws IllegalArgumentException if it is no JSON; the message says where
   */
  static @Nullable Object parse(String text) {
    JsonText json = new JsonText(text);
    Object value = json.value(0);
    json.skipSpace();
    if (json.at < text.length()) {
      throw json.unexpected();
    }
    return value;
  }

  private @Nullable Object value(int depth) {
    skipSpace();
    if (depth > MAX_DEPTH || at >= text.length()) {
      throw unexpected();
    }
    return switch (text.charAt(at)) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> entries = new LinkedHashMap<>();
    at++;
    if (isNext('}')) {
      return entries;
    }
    do {
      skipSpace();
      String key = string();
      require(':');
      entries.put(key, value(depth + 1));
    } while (isNext(','));
    require('}');
    return entries;
  }

  private List<@Nullable Object> array(int depth) {
    List<@Nullable Object> items = new ArrayList<>();
    at++;
    if (isNext(']')) {
      return items;
    }
    do {
      items.add(value(depth + 1));
    } while (isNext(','));
    require(']');
    return items;
  }

  private String string() {
    if (at >= text.length() || text.charAt(at) != '"') {
      throw unexpected();
    }
    StringBuilder read = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return read.toString();
      }
      if (c != '\\') {
        read.append(c);
        continue;
      }
      char escaped = at < text.length() ? text.charAt(at++) : ' ';
      switch (escaped) {
        case '"', '\\', '/' -> read.append(escaped);
        case 'b' -> read.append('\b');
        case 'f' -> read.append('\f');
        case 'n' -> read.append('\n');
        case 'r' -> read.append('\r');
        case 't' -> read.append('\t');
        case 'u' -> {
          String digits = text.substring(at, Math.min(at + 4, text.length()));
          if (!digits.matches("[0-9a-fA-F]{4}")) {
            throw unexpected();
          }
          read.append((char) Integer.parseInt(digits, 16));
          at += 4;
        }
        default -> throw unexpected();
      }
    }
    throw unexpected();
  }

  private BigDecimal number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(start, at);
    if (!digits.matches("-?\\d{1,40}(\\.\\d{1,40})?([eE][+-]?\\d{1,3})?")) {
      at = start;
      throw unexpected();
    }
    return new BigDecimal(digits);
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    if (!text.startsWith(word, at)) {
      throw unexpected();
    }
    at += word.length();
    return meaning;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean isNext(char expected) {
    skipSpace();
    boolean next = at < text.length() && text.charAt(at) == expected;
    at += next ? 1 : 0;
    return next;
  }

  private void require(char expected) {
    if (!isNext(expected)) {
      throw unexpected();
    }
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException(
        at >= text.length()
            ? "ends too early, after %d characters".formatted(text.length())
            : "is no JSON from character %d on: %s"
                .formatted(at + 1, text.substring(at, Math.min(at + 20, text.length())).strip()));
  }
}

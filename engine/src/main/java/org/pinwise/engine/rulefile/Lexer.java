package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.List;

/** Splits a rule file into tokens. */
final class Lexer {
  private static final List<String> LONG_SYMBOLS = List.of("&&", "||", "==", "!=", "<=", ">=");
  private static final int MAX_NAME = 200;
  private static final int MAX_STRING = 4_000;
  private static final String SYMBOLS = "()[]{},;:.@<>=!+-*/%&|^~?#";

  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int position;
  private int line = 1;
  private int lineStart;

  private Lexer(String text) {
    this.text = text;
  }

  /**
   * Returns the tokens, the last of kind END.
   *
   * @throws SyntaxException at a character or string that no token starts with
   */
  static List<Token> tokens(String text) {
    Lexer lexer = new Lexer(text);
    lexer.run();
    return lexer.tokens;
  }

  private void run() {
    while (true) {
      skipBlanksAndComments();
      if (position >= text.length()) {
        add(Token.Kind.END, "", position);
        return;
      }
      char c = text.charAt(position);
      if (Character.isDigit(c)) {
        number();
      } else if (isNameStart(c)) {
        name();
      } else if (c == '"') {
        string();
      } else {
        symbol();
      }
    }
  }

  private void skipBlanksAndComments() {
    while (position < text.length()) {
      char c = text.charAt(position);
      if (c == '\n') {
        newLine();
      } else if (Character.isWhitespace(c)) {
        position++;
      } else if (c != '/') {
        return;
      } else if (text.startsWith("//", position)) {
        while (position < text.length() && text.charAt(position) != '\n') {
          position++;
        }
      } else if (text.startsWith("/*", position)) {
        blockComment();
      } else {
        return;
      }
    }
  }

  private void newLine() {
    position++;
    line++;
    lineStart = position;
  }

  private void blockComment() {
    int start = position;
    int startLine = line;
    int startColumn = column(start);
    position += 2;
    while (!text.startsWith("*/", position)) {
      if (position >= text.length()) {
        throw new SyntaxException(
            startLine, startColumn, "the comment has no end; close it with */");
      }
      if (text.charAt(position) == '\n') {
        newLine();
      } else {
        position++;
      }
    }
    position += 2;
  }

  private void number() {
    int start = position;
    while (position < text.length() && Character.isLetterOrDigit(text.charAt(position))) {
      position++;
    }
    refuseLong("number", start, MAX_NAME);
    add(Token.Kind.NUMBER, text.substring(start, position), start);
  }

  private void name() {
    int start = position;
    while (position < text.length() && isNamePart(text.charAt(position))) {
      position++;
    }
    refuseLong("name", start, MAX_NAME);
    add(Token.Kind.NAME, text.substring(start, position), start);
  }

  private void string() {
    int start = position;
    StringBuilder content = new StringBuilder();
    position++;
    while (true) {
      int plain = position;
      while (position < text.length() && isPlain(text.charAt(position))) {
        position++;
      }
      content.append(text, plain, position);
      if (position >= text.length() || text.charAt(position) == '\n') {
        throw new SyntaxException(
            line, column(start), "the string has no end on its line; close it with \"");
      }
      if (text.charAt(position++) == '"') {
        break;
      }
      content.append(escape());
    }
    refuseLong("string", start, MAX_STRING);
    tokens.add(
        new Token(Token.Kind.STRING, content.toString(), line, column(start), start, position));
  }

  /** Whether a character of a string stands for itself. */
  private static boolean isPlain(char c) {
    return c != '"' && c != '\\' && c != '\n';
  }

  private char escape() {
    char c = position < text.length() ? text.charAt(position++) : ' ';
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case '"', '\\' -> c;
      default ->
          throw new SyntaxException(
              line,
              column(position - 2),
              "the escape \\" + c + " is not allowed in a string; use \\\", \\\\, \\n or \\t");
    };
  }

  private void refuseLong(String what, int start, int most) {
    if (position - start > most) {
      throw new SyntaxException(
          line, column(start), "the %s is longer than %d characters".formatted(what, most));
    }
  }

  private void symbol() {
    int start = position;
    for (String symbol : LONG_SYMBOLS) {
      if (text.charAt(position) == symbol.charAt(0) && text.startsWith(symbol, position)) {
        position += 2;
        add(Token.Kind.SYMBOL, symbol, start);
        return;
      }
    }
    char c = text.charAt(position);
    if (SYMBOLS.indexOf(c) < 0) {
      throw new SyntaxException(
          line,
          column(start),
          "the character %s (U+%04X) has no meaning in a rule file"
              .formatted(Character.isISOControl(c) ? "?" : "'" + c + "'", (int) c));
    }
    position++;
    add(Token.Kind.SYMBOL, String.valueOf(c), start);
  }

  private void add(Token.Kind kind, String content, int start) {
    tokens.add(new Token(kind, content, line, column(start), start, position));
  }

  private int column(int offset) {
    return offset - lineStart + 1;
  }

  private static boolean isNameStart(char c) {
    return c == '$' || c == '_' || Character.isLetter(c);
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || Character.isDigit(c);
  }
}

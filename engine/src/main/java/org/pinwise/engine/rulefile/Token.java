package org.pinwise.engine.rulefile;

/**
 * A token of a rule file.
 *
 * @param kind what it is
 * @param text the text; of a string, its content
 * @param line the line, from 1
 * @param column the column in characters, from 1
 * @param offset where it starts in the file
 * @param end where it ends in the file
 */
record Token(Kind kind, String text, int line, int column, int offset, int end) {

  enum Kind {
    NAME,
    NUMBER,
    STRING,
    SYMBOL,
    END
  }

  boolean is(String symbolOrWord) {
    return kind != Kind.STRING && kind != Kind.END && text.equals(symbolOrWord);
  }

  /** Returns a name at this place. */
  Token named(String name) {
    return new Token(Kind.NAME, name, line, column, offset, end);
  }

  /** How messages name the token. */
  String shown() {
    return switch (kind) {
      case END -> "the end of the file";
      case STRING -> '"' + (text.length() > 40 ? text.substring(0, 40) + ".." : text) + '"';
      default -> "'" + text + "'";
    };
  }
}

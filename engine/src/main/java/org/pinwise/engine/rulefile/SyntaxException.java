package org.pinwise.engine.rulefile;

/** A place in a rule file where it cannot be understood; never leaves this package. */
final class SyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  final int line;
  final int column;

  SyntaxException(int line, int column, String message) {
    super(message, null, false, false);
    this.line = line;
    this.column = column;
  }

  SyntaxException(Token at, String message) {
    this(at.line(), at.column(), message);
  }
}

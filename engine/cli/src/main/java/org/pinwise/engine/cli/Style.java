package org.pinwise.engine.cli;

import org.pinwise.rules.spi.Severity;

/**
 * Colours, or none.
 *
 * @param colour whether there are any
 */
record Style(boolean colour) {
  private static final int RED = 31;
  private static final int GREEN = 32;
  private static final int YELLOW = 33;
  private static final int CYAN = 36;

  String bold(String text) {
    return wrap("1", text);
  }

  String good(String text) {
    return wrap("1;" + GREEN, text);
  }

  String bad(String text) {
    return wrap("1;" + RED, text);
  }

  String open(String text) {
    return wrap("1;" + YELLOW, text);
  }

  String faint(String text) {
    return wrap("2", text);
  }

  String severity(Severity severity, String text) {
    return switch (severity) {
      case ERROR -> bad(text);
      case WARNING -> open(text);
      case INFO -> wrap("1;" + CYAN, text);
    };
  }

  private String wrap(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}

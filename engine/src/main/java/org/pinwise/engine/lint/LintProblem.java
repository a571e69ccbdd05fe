package org.pinwise.engine.lint;

/**
 * A file, or a part of one, that could not be read: the report does not speak of it.
 *
 * @param place {@code file}, or {@code file:line:column}
 * @param message why
 */
public record LintProblem(String place, String message) {

  /** Returns {@code place: message}. */
  @Override
  public String toString() {
    return place + ": " + message;
  }
}

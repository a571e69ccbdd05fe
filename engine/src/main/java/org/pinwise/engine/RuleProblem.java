package org.pinwise.engine;

import org.jspecify.annotations.Nullable;

/**
 * Something wrong with a rule or its room.
 *
 * @param file the file, as it was named
 * @param line the line, from 1; 0 where the problem is the file as a whole
 * @param column the column in characters, from 1; 0 where the problem is the file as a whole
 * @param rule the rule's name; null where it is not known
 * @param message what was found, what is allowed, and what to do
 */
public record RuleProblem(
    String file, int line, int column, @Nullable String rule, String message) {

  /** Returns {@code file:line:column: [rule] message}. */
  @Override
  public String toString() {
    return file
        + (line > 0 ? ":" + line + ":" + column : "")
        + ": "
        + (rule == null ? "" : "[" + rule + "] ")
        + message;
  }
}

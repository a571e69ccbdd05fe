package org.pinwise.engine;

/** Input that cannot be read or understood; the message is one line and starts with its place. */
public final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes the exception; {@code place} is a file, or {@code file:line:column}. */
  public InputException(String place, String message) {
    // Messages quote what was read, which may hold anything.
    super((place + ": " + message).replaceAll("[\\p{Cntrl}\\u2028\\u2029]", "?"));
  }
}

package org.pinwise.engine.cli;

/** A command line that cannot be understood; the message is one line. Ends the run with exit 2. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes the exception of what was found, what is allowed, and what to do. */
  public UsageException(String message) {
    super(message);
  }

  /** Makes the exception for an option, such as {@code --length}. */
  public UsageException(String option, String message) {
    super(option + ": " + message);
  }
}

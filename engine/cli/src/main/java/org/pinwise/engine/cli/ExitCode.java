package org.pinwise.engine.cli;

/** What {@code pinwise} returns to the shell. */
public final class ExitCode {
  /** Accepted or undecided; the command did what it was asked. */
  public static final int OK = 0;

  /** Rejected, or findings. */
  public static final int REJECTED = 1;

  /** Wrong usage, or input that cannot be read; one line on the error stream says what. */
  public static final int USAGE = 2;

  /** Undecided, and {@code --require-decided} was given. */
  public static final int UNDECIDED = 3;

  private ExitCode() {}
}

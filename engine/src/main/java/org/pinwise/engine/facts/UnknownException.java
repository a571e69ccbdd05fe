package org.pinwise.engine.facts;

/** Why one fact is unknown; ends the reading of that fact only. */
final class UnknownException extends Exception {
  private static final long serialVersionUID = 1L;

  UnknownException(String reason) {
    super(reason);
  }
}

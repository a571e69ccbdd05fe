package org.pinwise.engine.lint;

/** Writes what it hears of a run. Methods throw UncheckedIOException where that fails. */
public interface LintWriter extends LintListener {

  /** Ends the text with the numbers of the run; to be called once, last. */
  void end(LintSummary summary);
}

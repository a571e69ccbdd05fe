package org.pinwise.engine.lint;

import java.nio.file.Path;

/**
 * Hears what a linter finds while it runs, so that nothing grows with the number of files. Called
 * by one thread.
 */
public interface LintListener {

  /** A finding; those of a file come in the order of their places. */
  void found(Diagnostic diagnostic);

  /** A file, or a part of one, that could not be read. */
  void problem(LintProblem problem);

  /** A file is about to be looked at. */
  default void file(Path file) {}

  /** A plan was read, and what configures its workload was, too. */
  default void budget(Budget budget) {}

  /** Everything that was named has been looked at. */
  default void done() {}
}

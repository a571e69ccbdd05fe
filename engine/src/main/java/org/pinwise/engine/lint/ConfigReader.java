package org.pinwise.engine.lint;

/**
 * Reads one format of configuration. Stateless: one instance reads all files.
 *
 * <p>A reader knows what a file means and nothing of rules: it says what the file says, with the
 * place of each value. Where a file leaves out what its program then decides, the reader says what
 * that is; what no file can say it leaves unknown.
 */
interface ConfigReader {

  /** Returns the format's name, such as {@code modprobe.d}. */
  String format();

  /**
   * Returns whether a file is of this format, by its name and a look at its text. It must be cheap:
   * it is asked of every file of a directory.
   */
  boolean reads(Source source);

  /**
   * Reads a file. What it cannot make sense of is a problem, and it reads on where it can.
   *
   * @throws org.pinwise.engine.InputException if it cannot be read at all, with the place
   */
  void read(Source source, Statements into);
}

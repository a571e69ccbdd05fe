package org.pinwise.engine.lint;

/** Takes what a reader finds in a file, in the order of the file. */
interface Statements {

  /** Takes a part of the file that is to be judged. */
  void add(Statement statement);

  /** Takes a place that the format's own program would not understand. */
  void problem(Place place, String message);

  /** Counts something that could not be judged, such as calls whose flags are not literal. */
  void skipped(String what);
}

package org.pinwise.engine.lint;

/**
 * A place in a file.
 *
 * @param line the line, from 1
 * @param column the column in characters, from 1
 */
public record Place(int line, int column) implements Comparable<Place> {
  /** Where a file starts. */
  static final Place START = new Place(1, 1);

  @Override
  public int compareTo(Place other) {
    int byLine = Integer.compare(line, other.line);
    return byLine != 0 ? byLine : Integer.compare(column, other.column);
  }

  /** Returns {@code line:column}. */
  @Override
  public String toString() {
    return line + ":" + column;
  }
}

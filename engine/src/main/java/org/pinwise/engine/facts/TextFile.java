package org.pinwise.engine.facts;

import java.nio.file.Path;
import org.pinwise.engine.InputException;
import org.pinwise.engine.yaml.Yaml;

/** Reads files of text that users name. */
final class TextFile {
  private TextFile() {}

  /**
   * Reads a file.
   *
   * @throws InputException if it is missing, empty, too large, no text or no regular file
   */
  static String read(Path file) {
    String text = Yaml.text(file);
    if (text.isBlank()) {
      throw new InputException(file.toString(), "is empty");
    }
    if (text.indexOf('\0') >= 0) {
      throw new InputException(file.toString(), "is not text");
    }
    return text;
  }
}

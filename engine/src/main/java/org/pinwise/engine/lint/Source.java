package org.pinwise.engine.lint;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.pinwise.engine.InputException;

/** A file's name and text while it is read. Not thread-safe: it finds its lines when asked to. */
final class Source {
  private final String name;
  private final String text;
  private final Siblings siblings;
  private final String fileName;
  private final String directory;
  private int[] starts = {};

  /**
   * Makes a source.
   *
   * @param name how messages name the file: its path, or {@code stdin}
   * @param text the file's text
   */
  Source(String name, String text) {
    this(name, text, Siblings.NONE);
  }

  /**
   * Makes a source.
   *
   * @param name how messages name the file: its path, or {@code stdin}
   * @param text the file's text
   * @param siblings the files beside it
   */
  Source(String name, String text, Siblings siblings) {
    this.name = name;
    this.text = text;
    this.siblings = siblings;
    int slash = name.lastIndexOf('/');
    this.fileName = name.substring(slash + 1);
    this.directory = slash <= 0 ? "" : name.substring(name.lastIndexOf('/', slash - 1) + 1, slash);
  }

  /**
   * Makes a source of a file's bytes; a mark of byte order is left out.
   *
   * @throws InputException at the first that is not UTF-8
   */
  static Source of(String name, byte[] bytes, Siblings siblings) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return new Source(name, text.startsWith("\ufeff") ? text.substring(1) : text, siblings);
    } catch (CharacterCodingException e) {
      Source damaged = new Source(name, new String(bytes, StandardCharsets.UTF_8));
      Place wrong = damaged.at(Math.max(0, damaged.text().indexOf('\ufffd')));
      throw new InputException(name + ":" + wrong, "is not UTF-8 text; save it as UTF-8");
    }
  }

  /** Returns the files beside it, for formats whose program reads several as one. */
  Siblings siblings() {
    return siblings;
  }

  String name() {
    return name;
  }

  String text() {
    return text;
  }

  /** Returns the last part of the name. */
  String fileName() {
    return fileName;
  }

  /** Returns the name of the directory that holds the file; empty where it is not said. */
  String directory() {
    return directory;
  }

  /** Returns whether the text is a template of Helm rather than YAML. */
  boolean isTemplate() {
    return text.contains("{{") && (directory().equals("templates") || text.contains("{{-"));
  }

  /** Returns whether the file's name ends so, whatever the case. */
  boolean hasSuffix(String... suffixes) {
    for (String suffix : suffixes) {
      int length = suffix.length();
      if (fileName.regionMatches(true, fileName.length() - length, suffix, 0, length)) {
        return true;
      }
    }
    return false;
  }

  /** Returns where a character is in a part of a text; the part's end where it is not. */
  static int find(String text, char character, int from, int to) {
    int at = from;
    while (at < to && text.charAt(at) != character) {
      at++;
    }
    return at;
  }

  /** Returns whether it is a file of a directory whose program reads only {@code *.conf}. */
  boolean isConfOf(String directory) {
    return directory().equals(directory) && hasSuffix(".conf");
  }

  /** Returns the first line that says something; empty where none does. */
  String firstLine(String commentStarts) {
    int start = 0;
    while (start < text.length()) {
      int end = find(text, '\n', start, text.length());
      String line = text.substring(start, end).strip();
      if (!line.isEmpty() && commentStarts.indexOf(line.charAt(0)) < 0) {
        return line;
      }
      start = end + 1;
    }
    return "";
  }

  /** Returns the lines without their ends. */
  List<String> lines() {
    return text.lines().toList();
  }

  /** Returns the place of a character of the text. */
  Place at(int offset) {
    int[] found = starts();
    int line = Arrays.binarySearch(found, offset);
    line = line >= 0 ? line : -line - 2;
    return new Place(line + 1, offset - found[line] + 1);
  }

  /** Returns a line without its end; empty where there is none such. */
  String line(int number) {
    int[] found = starts();
    if (number < 1 || number > found.length) {
      return "";
    }
    int start = found[number - 1];
    int end = number < found.length ? found[number] : text.length();
    while (end > start && (text.charAt(end - 1) == '\n' || text.charAt(end - 1) == '\r')) {
      end--;
    }
    return text.substring(start, end);
  }

  /** Lines end as YAML and {@link String#lines} have it: by LF, CR, or both together. */
  private int[] starts() {
    if (starts.length == 0) {
      int[] found = new int[16];
      int count = 1;
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        boolean alone = c == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n');
        if (c == '\n' || alone) {
          found = count == found.length ? Arrays.copyOf(found, count * 2) : found;
          found[count++] = i + 1;
        }
      }
      found = Arrays.copyOf(found, count);
      starts = found;
    }
    return starts;
  }
}

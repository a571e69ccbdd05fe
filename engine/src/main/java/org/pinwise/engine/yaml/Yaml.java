package org.pinwise.engine.yaml;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.pinwise.engine.InputException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.text.Quantity;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** A value of a YAML or JSON file that knows its place. */
public sealed interface Yaml {
  /** Files larger than this are not read, in bytes. */
  long MAX_BYTES = 1L << 20;

  /** So often a document may refer to mappings and sequences, which is how a bomb grows. */
  int MAX_ALIASES = 50;

  /** A line longer than this is refused: the parser takes time by its square. */
  int MAX_LINE = 64 << 10;

  /** Returns the file, or the option, that holds the value. */
  String file();

  /** Returns the line, from 1; 0 where the value is an option's. */
  int line();

  /** Returns the column in characters, from 1; 0 where the value is an option's. */
  int column();

  /** Returns the place, {@code file:line:column}, or the option. */
  default String where() {
    return line() == 0 ? file() : file() + ":" + line() + ":" + column();
  }

  /** A scalar. */
  record Scalar(String file, int line, int column, String text) implements Yaml {}

  /** A sequence. */
  record Sequence(String file, int line, int column, List<Yaml> items) implements Yaml {}

  /** A mapping; keys are texts, in their order. */
  record Mapping(String file, int line, int column, Map<String, Yaml> entries) implements Yaml {

    /** Returns the value of a key. */
    public Optional<Yaml> get(String key) {
      return Optional.ofNullable(entries.get(key));
    }

    /** Returns the value of a key that must be there. */
    public Yaml require(String key) {
      Yaml value = entries.get(key);
      if (value == null) {
        throw problem("%s is missing; add %s: ..".formatted(key, key));
      }
      return value;
    }

    /** Refuses keys other than these. */
    public void allow(String... keys) {
      List<String> allowed = Arrays.asList(keys);
      entries.forEach((key, value) -> {
        if (!allowed.contains(key)) {
          throw value.problem(
              "there is no key %s here%s; there are %s"
                  .formatted(key, Nearest.hint(key, allowed), allowed));
        }
      });
    }
  }

  /**
   * Reads a file.
   *
   * @throws InputException if it cannot be read, is too large, or is not YAML
   */
  static Yaml read(Path file) {
    return parse(file.toString(), text(file));
  }

  /**
   * Reads a file's text, which must be UTF-8.
   *
   * @throws InputException if it cannot be read or is too large
   */
  static String text(Path file) {
    try {
      if (Files.isDirectory(file)) {
        throw new InputException(file.toString(), "is a directory; name a file");
      }
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        // Reading a pipe or a terminal may never end.
        throw new InputException(
            file.toString(), "is a pipe or a device; save what it gives to a file and name that");
      }
      long size = Files.size(file);
      if (size > MAX_BYTES) {
        throw new InputException(
            file.toString(), "has %d bytes, more than %d".formatted(size, MAX_BYTES));
      }
      byte[] bytes = Files.readAllBytes(file);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (NoSuchFileException e) {
      throw new InputException(file.toString(), "there is no such file");
    } catch (AccessDeniedException e) {
      throw new InputException(file.toString(), "cannot be read: permission denied");
    } catch (CharacterCodingException e) {
      throw new InputException(file.toString(), "is not UTF-8 text");
    } catch (IOException e) {
      throw new InputException(file.toString(), "cannot be read: " + e.getMessage());
    }
  }

  /**
   * Reads a text.
   *
   * @param file how messages name it
   * @throws InputException if it is not one YAML document of mappings, sequences and scalars
   */
  static Yaml parse(String file, String text) {
    return read(
        file,
        text,
        reader -> {
          Yaml value = reader.next();
          if (value == null) {
            throw new InputException(file, "is empty");
          }
          Yaml second = reader.next();
          if (second != null) {
            throw new InputException(
                second.where(), "is a second document; only one is read of such a file");
          }
          return value;
        });
  }

  /**
   * Reads a text of any number of documents, and hands on each as soon as it is read; one that
   * holds nothing is left out.
   *
   * @param file how messages name it
   * @throws InputException if something in it is no YAML document of mappings, sequences and
   *     scalars; the documents before it were handed on
   */
  static void parseAll(String file, String text, Consumer<Yaml> each) {
    read(
        file,
        text,
        reader -> {
          for (Yaml value = reader.next(); value != null; value = reader.next()) {
            if (!(value instanceof Scalar scalar && scalar.text().isEmpty())) {
              each.accept(value);
            }
          }
          return true;
        });
  }

  private static <T> T read(String file, String text, Function<YamlReader, T> each) {
    checkLines(file, text);
    try {
      return each.apply(new YamlReader(file, text));
    } catch (MarkedYamlEngineException e) {
      String place =
          e.getProblemMark()
              .map(mark -> "%s:%d:%d".formatted(file, mark.getLine() + 1, mark.getColumn() + 1))
              .orElse(file);
      throw new InputException(place, "is not YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new InputException(file, "is not YAML: " + firstLine(String.valueOf(e.getMessage())));
    }
  }

  private static void checkLines(String file, String text) {
    int number = 1;
    for (int start = 0; start <= text.length(); number++) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      if (end - start > MAX_LINE) {
        throw new InputException(
            file + ":" + number + ":1",
            "has a line of %d characters, more than %d".formatted(end - start, MAX_LINE));
      }
      start = end + 1;
    }
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Returns an exception that names this place. */
  default InputException problem(String message) {
    return new InputException(where(), message);
  }

  /** Returns this as a mapping; {@code what} names it in the message if it is none. */
  default Mapping asMapping(String what) {
    if (this instanceof Mapping mapping) {
      return mapping;
    }
    throw problem(what + " is a mapping of keys to values");
  }

  /** Returns this as a sequence; a scalar is a sequence of one. */
  default List<Yaml> asList() {
    if (this instanceof Sequence sequence) {
      return sequence.items();
    }
    if (this instanceof Scalar) {
      return List.of(this);
    }
    throw problem("a list is expected here");
  }

  /** Returns this as text. */
  default String asText() {
    if (this instanceof Scalar scalar) {
      return scalar.text();
    }
    throw problem("a single value is expected here");
  }

  /** Returns this as a boolean. */
  default boolean asBoolean() {
    String text = asText();
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw problem("true or false is expected here, not " + text);
  }

  /** Returns this as an unsigned 64-bit number's bit pattern, with or without a unit. */
  default long asUnsigned() {
    try {
      return Quantity.parse(asText());
    } catch (IllegalArgumentException e) {
      throw problem(String.valueOf(e.getMessage()));
    }
  }
}

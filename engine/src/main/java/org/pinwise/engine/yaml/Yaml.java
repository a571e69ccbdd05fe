package org.pinwise.engine.yaml;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pinwise.engine.InputException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.text.Quantity;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** A value of a YAML or JSON file that knows its place. */
public sealed interface Yaml {
  /** Files larger than this are not read, in bytes. */
  long MAX_BYTES = 1L << 20;

  /** A line longer than this is refused: the parser takes time by its square. */
  int MAX_LINE = 64 << 10;

  /** Returns the place, {@code file:line:column}. */
  String where();

  /** Returns the line, from 1. */
  int line();

  /** A scalar. */
  record Scalar(String where, int line, String text) implements Yaml {}

  /** A sequence. */
  record Sequence(String where, int line, List<Yaml> items) implements Yaml {}

  /** A mapping; keys are texts, in their order. */
  record Mapping(String where, int line, Map<String, Yaml> entries) implements Yaml {

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
    long longest = text.lines().mapToLong(String::length).max().orElse(0);
    if (longest > MAX_LINE) {
      throw new InputException(
          file, "has a line of %d characters, more than %d".formatted(longest, MAX_LINE));
    }
    try {
      LoadSettings settings =
          LoadSettings.builder()
              .setLabel(file)
              .setAllowDuplicateKeys(false)
              .setMaxAliasesForCollections(50)
              .setCodePointLimit((int) MAX_BYTES)
              .build();
      Node root =
          new Compose(settings)
              .composeString(text)
              .orElseThrow(() -> new InputException(file, "is empty"));
      return new Reader(file).of(root, 0);
    } catch (MarkedYamlEngineException e) {
      String place =
          e.getProblemMark()
              .map(mark -> "%s:%d:%d".formatted(file, mark.getLine() + 1, mark.getColumn() + 1))
              .orElse(file);
      throw new InputException(place, "is not YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new InputException(file, "is not YAML: " + firstLine(String.valueOf(e.getMessage())));
    } catch (StackOverflowError e) {
      // The parser recurses before the depth of its nodes can be seen here.
      throw new InputException(file, "is nested too deep to be read");
    }
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Turns nodes into values, and bounds what aliases can multiply. */
  final class Reader {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_VALUES = 1_000_000;

    private final String file;
    private int values;

    private Reader(String file) {
      this.file = file;
    }

    private Yaml of(Node node, int depth) {
      Mark mark = node.getStartMark().orElseThrow();
      int line = mark.getLine() + 1;
      String where = "%s:%d:%d".formatted(file, line, mark.getColumn() + 1);
      if (depth > MAX_DEPTH) {
        throw new InputException(where, "is nested deeper than " + MAX_DEPTH);
      }
      if (++values > MAX_VALUES) {
        throw new InputException(where, "the file has more than %d values".formatted(MAX_VALUES));
      }
      if (node instanceof ScalarNode scalar) {
        return new Scalar(where, line, scalar.getValue());
      }
      if (node instanceof SequenceNode sequence) {
        List<Yaml> items = new ArrayList<>();
        sequence.getValue().forEach(item -> items.add(of(item, depth + 1)));
        return new Sequence(where, line, List.copyOf(items));
      }
      Map<String, Yaml> entries = new LinkedHashMap<>();
      for (NodeTuple tuple : ((MappingNode) node).getValue()) {
        if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
          throw new InputException(where, "has a key that is no text");
        }
        if (entries.put(key.getValue(), of(tuple.getValueNode(), depth + 1)) != null) {
          throw new InputException(where, "has the key %s twice".formatted(key.getValue()));
        }
      }
      return new Mapping(where, line, entries);
    }
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

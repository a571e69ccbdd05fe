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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.pinwise.engine.InputException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.text.Quantity;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
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
        compose -> {
          Node root =
              compose.composeString(text).orElseThrow(() -> new InputException(file, "is empty"));
          return new Reader(file).of(root, 0);
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
        compose -> {
          for (Node root : compose.composeAllFromString(text)) {
            Yaml value = new Reader(file).of(root, 0);
            if (!(value instanceof Scalar scalar && scalar.text().isEmpty())) {
              each.accept(value);
            }
          }
          return true;
        });
  }

  private static <T> T read(String file, String text, Function<Compose, T> reader) {
    checkLines(file, text);
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(file)
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(MAX_ALIASES)
            .setCodePointLimit((int) MAX_BYTES)
            .build();
    try {
      return reader.apply(new Compose(settings));
    } catch (MarkedYamlEngineException e) {
      String place =
          e.getProblemMark()
              .map(mark -> "%s:%d:%d".formatted(file, mark.getLine() + 1, mark.getColumn() + 1))
              .orElse(file);
      throw new InputException(place, "is not YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      // The parser does not say where there are too many aliases.
      Optional<Mark> alias =
          String.valueOf(e.getMessage()).contains("liases")
              ? tooMany(settings, text)
              : Optional.empty();
      if (alias.isPresent()) {
        throw new InputException(
            "%s:%d:%d".formatted(file, alias.get().getLine() + 1, alias.get().getColumn() + 1),
            "is one of more than %d aliases of mappings and sequences in a document"
                .formatted(MAX_ALIASES));
      }
      throw new InputException(file, "is not YAML: " + firstLine(String.valueOf(e.getMessage())));
    } catch (StackOverflowError e) {
      // The parser recurses before the depth of its nodes can be seen here.
      throw new InputException(file, "is nested too deep to be read");
    }
  }

  /** Returns where the first alias is that is one too many. */
  private static Optional<Mark> tooMany(LoadSettings settings, String text) {
    Set<String> collections = new HashSet<>();
    int aliases = 0;
    for (Event event : new Parse(settings).parseString(text)) {
      if (event instanceof DocumentStartEvent) {
        collections.clear();
        aliases = 0;
      } else if (event instanceof CollectionStartEvent start) {
        start.getAnchor().ifPresent(anchor -> collections.add(anchor.getValue()));
      } else if (event instanceof AliasEvent alias
          && collections.contains(alias.getAlias().getValue())
          && ++aliases > MAX_ALIASES) {
        return event.getStartMark();
      }
    }
    return Optional.empty();
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

  /** Turns nodes into values, and bounds what aliases can multiply. */
  final class Reader {
    private static final int MAX_DEPTH = 64;

    /**
     * The key whose mappings are merged into its own, as YAML 1.1 has it and Compose files use it.
     */
    private static final String MERGE = "<<";

    private static final int MAX_VALUES = 1_000_000;

    private final String file;
    private int values;

    private Reader(String file) {
      this.file = file;
    }

    private Yaml of(Node node, int depth) {
      Mark mark = node.getStartMark().orElseThrow();
      int line = mark.getLine() + 1;
      int column = mark.getColumn() + 1;
      if (depth > MAX_DEPTH) {
        throw problem(line, column, "is nested deeper than " + MAX_DEPTH);
      }
      if (++values > MAX_VALUES) {
        throw problem(line, column, "the document has more than %d values".formatted(MAX_VALUES));
      }
      if (node instanceof ScalarNode scalar) {
        return new Scalar(file, line, column, scalar.getValue());
      }
      if (node instanceof SequenceNode sequence) {
        List<Yaml> items = new ArrayList<>();
        sequence.getValue().forEach(item -> items.add(of(item, depth + 1)));
        return new Sequence(file, line, column, List.copyOf(items));
      }
      Map<String, Yaml> entries = new LinkedHashMap<>();
      List<Yaml> merged = new ArrayList<>();
      for (NodeTuple tuple : ((MappingNode) node).getValue()) {
        if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
          throw problem(line, column, "has a key that is no text");
        }
        Yaml value = of(tuple.getValueNode(), depth + 1);
        if (key.getValue().equals(MERGE) && key.getScalarStyle() == ScalarStyle.PLAIN) {
          merged.add(value);
        } else if (entries.put(key.getValue(), value) != null) {
          throw problem(line, column, "has the key %s twice".formatted(key.getValue()));
        }
      }
      merged.forEach(value -> merge(value, entries));
      return new Mapping(file, line, column, entries);
    }

    /** Adds what other mappings have and this one has not, the first of them first. */
    private static void merge(Yaml value, Map<String, Yaml> entries) {
      if (value instanceof Mapping mapping) {
        mapping.entries().forEach(entries::putIfAbsent);
      } else if (value instanceof Sequence sequence) {
        sequence.items().forEach(item -> merge(item.asMapping("what is merged"), entries));
      } else {
        throw value.problem("only mappings can be merged");
      }
    }

    private InputException problem(int line, int column, String message) {
      return new InputException(file + ":" + line + ":" + column, message);
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

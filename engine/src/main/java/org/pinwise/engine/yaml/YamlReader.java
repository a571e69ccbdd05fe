package org.pinwise.engine.yaml;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;

/**
 * Makes values of the parser's events, and bounds what aliases can multiply. The parser's own tree
 * is not made: it would find a type for each scalar, and nobody asks for it. Not thread-safe.
 */
final class YamlReader {
  private static final int MAX_DEPTH = 64;

  /**
   * The key whose mappings are merged into its own, as YAML 1.1 has it and Compose files use it.
   */
  private static final String MERGE = "<<";

  private static final int MAX_VALUES = 1_000_000;

  private static final LoadSettings SETTINGS =
      LoadSettings.builder().setCodePointLimit((int) Yaml.MAX_BYTES).build();

  private final String file;
  private final Iterator<Event> events;
  private final Map<Anchor, Anchored> anchors = new HashMap<>();
  private int values;
  private int aliases;

  /** How deep the deepest value is of the innermost anchor that is being read. */
  private int deepest;

  /**
   * What an alias stands for.
   *
   * @param value the value; null while it is read
   * @param values how many values it is
   * @param height how many levels are below it
   */
  private record Anchored(@Nullable Yaml value, int values, int height) {
    static final Anchored OPEN = new Anchored(null, 0, 0);
  }

  /** Starts to read a text. */
  YamlReader(String file, String text) {
    this.file = file;
    this.events = new Parse(SETTINGS).parseString(text).iterator();
    events.next();
  }

  /** Returns the next document; null after the last. */
  @Nullable Yaml next() {
    if (events.next().getEventId() == Event.ID.StreamEnd) {
      return null;
    }
    anchors.clear();
    values = 0;
    aliases = 0;
    Yaml document = value(events.next(), 0);
    events.next();
    return document;
  }

  private Yaml value(Event event, int depth) {
    if (event instanceof AliasEvent alias) {
      return again(alias, depth);
    }
    Mark mark = mark(event);
    int line = mark.getLine() + 1;
    int column = mark.getColumn() + 1;
    grow(1, depth, line, column);
    Anchor anchor = ((NodeEvent) event).getAnchor().orElse(null);
    if (anchor == null) {
      return value(event, line, column, depth);
    }
    int valuesBefore = values;
    int deepestBefore = deepest;
    deepest = depth;
    anchors.put(anchor, Anchored.OPEN);
    Yaml value = value(event, line, column, depth);
    anchors.put(anchor, new Anchored(value, values - valuesBefore + 1, deepest - depth));
    deepest = Math.max(deepest, deepestBefore);
    return value;
  }

  private Yaml value(Event event, int line, int column, int depth) {
    if (event instanceof ScalarEvent scalar) {
      return new Yaml.Scalar(file, line, column, scalar.getValue());
    }
    return event instanceof MappingStartEvent
        ? mapping(line, column, depth)
        : sequence(line, column, depth);
  }

  private Yaml sequence(int line, int column, int depth) {
    List<Yaml> items = new ArrayList<>();
    for (Event event = events.next();
        event.getEventId() != Event.ID.SequenceEnd;
        event = events.next()) {
      items.add(value(event, depth + 1));
    }
    return new Yaml.Sequence(file, line, column, List.copyOf(items));
  }

  private Yaml mapping(int line, int column, int depth) {
    Map<String, Yaml> entries = new LinkedHashMap<>();
    List<Yaml> merged = new ArrayList<>(0);
    for (Event event = events.next();
        event.getEventId() != Event.ID.MappingEnd;
        event = events.next()) {
      String key = key(event, line, column);
      Yaml value = value(events.next(), depth + 1);
      if (key.equals(MERGE)
          && event instanceof ScalarEvent scalar
          && scalar.getScalarStyle() == ScalarStyle.PLAIN) {
        merged.add(value);
      } else if (entries.put(key, value) != null) {
        throw problem(line, column, "has the key %s twice".formatted(key));
      }
    }
    merged.forEach(value -> merge(value, entries));
    return new Yaml.Mapping(file, line, column, entries);
  }

  private String key(Event event, int line, int column) {
    if (event instanceof ScalarEvent scalar) {
      String text = scalar.getValue();
      scalar
          .getAnchor()
          .ifPresent(anchor -> {
            Mark mark = mark(event);
            Yaml key = new Yaml.Scalar(file, mark.getLine() + 1, mark.getColumn() + 1, text);
            anchors.put(anchor, new Anchored(key, 1, 0));
          });
      return text;
    }
    if (event instanceof AliasEvent alias && again(alias, 0) instanceof Yaml.Scalar scalar) {
      return scalar.text();
    }
    throw problem(line, column, "has a key that is no text");
  }

  /** Returns the value of an alias, which counts as if it were written out. */
  private Yaml again(AliasEvent alias, int depth) {
    Mark mark = mark(alias);
    int line = mark.getLine() + 1;
    int column = mark.getColumn() + 1;
    Anchored anchored = anchors.get(alias.getAlias());
    if (anchored == null) {
      throw problem(
          line, column, "is an alias of %s, which no anchor names".formatted(alias.getAlias()));
    }
    Yaml value = anchored.value();
    if (value == null) {
      throw problem(line, column, "is an alias of what holds it: " + alias.getAlias());
    }
    if (!(value instanceof Yaml.Scalar) && ++aliases > Yaml.MAX_ALIASES) {
      throw problem(
          line,
          column,
          "is one of more than %d aliases of mappings and sequences in a document"
              .formatted(Yaml.MAX_ALIASES));
    }
    grow(anchored.values(), depth + anchored.height(), line, column);
    return value;
  }

  private void grow(int more, int depth, int line, int column) {
    if (depth > MAX_DEPTH) {
      throw problem(line, column, "is nested deeper than " + MAX_DEPTH);
    }
    deepest = Math.max(deepest, depth);
    values += more;
    if (values > MAX_VALUES) {
      String what =
          more == 1 ? "the document has" : "with what this alias repeats the document has";
      throw problem(line, column, what + " more than %d values".formatted(MAX_VALUES));
    }
  }

  /** Adds what other mappings have and this one has not, the first of them first. */
  private static void merge(Yaml value, Map<String, Yaml> entries) {
    if (value instanceof Yaml.Mapping mapping) {
      mapping.entries().forEach(entries::putIfAbsent);
    } else if (value instanceof Yaml.Sequence sequence) {
      sequence.items().forEach(item -> merge(item.asMapping("what is merged"), entries));
    } else {
      throw value.problem("only mappings can be merged");
    }
  }

  private static Mark mark(Event event) {
    Optional<Mark> mark = event.getStartMark();
    return mark.orElseThrow();
  }

  /** Returns an exception that names a place. */
  InputException problem(int line, int column, String message) {
    return new InputException(file + ":" + line + ":" + column, message);
  }
}

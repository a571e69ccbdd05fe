package org.pinwise.engine.lint;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.yaml.Yaml;

/**
 * Reads properties as the tree that their keys spell: {@code plan.regions[0].length = 64MiB}. A
 * line is {@code key = value} or {@code key: value}; {@code #} and {@code !} start a comment where
 * a line starts.
 */
final class PropertiesTree {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_INDEX = 100_000;

  private final Source source;
  private final Node root = new Node(Place.START);

  private PropertiesTree(Source source) {
    this.source = source;
  }

  /** A value, or what its children make: a sequence where their keys are numbers. */
  private static final class Node {
    private final Place place;
    private final Map<String, Node> children = new LinkedHashMap<>();
    private @Nullable String text;

    Node(Place place) {
      this.place = place;
    }
  }

  /**
   * Reads a file.
   *
   * @throws InputException at the line that is no property, or contradicts one before it
   */
  static Yaml of(Source source) {
    PropertiesTree tree = new PropertiesTree(source);
    List<String> lines = source.lines();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && line.charAt(0) != '#' && line.charAt(0) != '!') {
        tree.line(lines.get(i), i + 1);
      }
    }
    return tree.yaml(tree.root);
  }

  private void line(String line, int number) {
    int start = line.length() - line.stripLeading().length();
    int equals = start;
    while (equals < line.length() && line.charAt(equals) != '=' && line.charAt(equals) != ':') {
      equals++;
    }
    Place at = new Place(number, start + 1);
    if (equals == line.length()) {
      throw problem(at, "is no property; write key = value");
    }
    String key = line.substring(start, equals).strip();
    String rest = line.substring(equals + 1);
    String value = rest.strip();
    Place valueAt = new Place(number, equals + 2 + rest.indexOf(value));
    String[] parts = key.replaceAll("\\[(\\d+)]", ".$1").split("\\.", -1);
    if (parts.length > MAX_DEPTH) {
      throw problem(at, "the key has more than %d parts".formatted(MAX_DEPTH));
    }
    Node node = root;
    for (String part : parts) {
      if (part.isEmpty()) {
        throw problem(at, "the key has an empty part: " + key);
      }
      if (node.text != null) {
        throw problem(at, key + " stands below a key that has a value");
      }
      node = node.children.computeIfAbsent(part, p -> new Node(valueAt));
    }
    if (node.text != null || !node.children.isEmpty()) {
      throw problem(at, key + " stands there twice");
    }
    node.text = value;
  }

  private Yaml yaml(Node node) {
    String file = source.name();
    int line = node.place.line();
    int column = node.place.column();
    if (node.text != null) {
      return new Yaml.Scalar(file, line, column, node.text);
    }
    boolean numbers =
        !node.children.isEmpty()
            && node.children.keySet().stream().allMatch(k -> k.matches("\\d{1,6}"));
    if (numbers) {
      return new Yaml.Sequence(
          file,
          line,
          column,
          node.children.entrySet().stream()
              .sorted((a, b) -> Integer.compare(index(a), index(b)))
              .map(entry -> yaml(entry.getValue()))
              .toList());
    }
    Map<String, Yaml> entries = new LinkedHashMap<>();
    node.children.forEach((key, child) -> entries.put(key, yaml(child)));
    return new Yaml.Mapping(file, line, column, entries);
  }

  private int index(Map.Entry<String, Node> entry) {
    int index = Integer.parseInt(entry.getKey());
    if (index > MAX_INDEX) {
      throw problem(
          entry.getValue().place, "the index %d is beyond %d".formatted(index, MAX_INDEX));
    }
    return index;
  }

  private InputException problem(Place place, String message) {
    return new InputException(source.name() + ":" + place, message);
  }
}

package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a reader finds in a text, in a form that tests can look at. */
final class Recorded implements Statements {
  final List<Statement> statements = new ArrayList<>();
  final List<String> problems = new ArrayList<>();
  final List<String> skipped = new ArrayList<>();

  static Recorded of(ConfigReader reader, String name, String text) {
    return of(reader, new Source(name, text));
  }

  static Recorded of(ConfigReader reader, Source source) {
    Recorded recorded = new Recorded();
    reader.read(source, recorded);
    return recorded;
  }

  /** Returns the files of a tree beside a file of it. */
  static Siblings siblings(String directory, Map<String, String> files) {
    return new Siblings() {
      @Override
      public List<String> names(String path) {
        String full = resolve(path.isEmpty() ? "." : path);
        return new TreeMap<>(files)
            .keySet().stream()
                .filter(file -> file.substring(0, file.lastIndexOf('/')).equals(full))
                .map(file -> file.substring(file.lastIndexOf('/') + 1))
                .toList();
      }

      @Override
      public Optional<String> text(String path) {
        return Optional.ofNullable(files.get(resolve(path)));
      }

      private String resolve(String path) {
        return java.nio.file.Path.of("/" + directory)
            .resolve(path)
            .normalize()
            .toString()
            .substring(1);
      }
    };
  }

  @Override
  public void add(Statement statement) {
    statements.add(statement);
  }

  @Override
  public void problem(Place place, String message) {
    problems.add(place + ": " + message);
  }

  @Override
  public void skipped(String what) {
    skipped.add(what);
  }

  /** Returns the one fact that a reader found. */
  <F> F only(Class<F> type) {
    List<F> found =
        statements.stream()
            .map(statement -> statement.facts().configuration())
            .filter(type::isInstance)
            .map(type::cast)
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("one %s, not %s".formatted(type.getSimpleName(), found));
    }
    return found.get(0);
  }
}

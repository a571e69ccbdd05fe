package org.pinwise.engine.lint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.pinwise.engine.InputException;
import org.pinwise.engine.yaml.Yaml;

/**
 * The files that a program reads together with a file, such as the drop-ins of a unit. Paths are
 * relative to the directory that holds the file. What is not there or cannot be read is not told
 * of: where it is linted itself, that is.
 */
interface Siblings {
  /** Of a text that stands alone, such as standard input. */
  Siblings NONE =
      new Siblings() {
        @Override
        public List<String> names(String directory) {
          return List.of();
        }

        @Override
        public Optional<String> text(String path) {
          return Optional.empty();
        }
      };

  /** So many files are read as one; of a directory that has more none is. */
  int MAX_NAMES = 1_000;

  /** Returns the names of the regular files of a directory, in the order of their characters. */
  List<String> names(String directory);

  /** Returns a file's text. */
  Optional<String> text(String path);

  /** Returns whether a directory that was asked for has too many files to be read as one. */
  default boolean hasTooMany() {
    return false;
  }

  /** Returns those of a file. */
  static Siblings of(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? NONE : new OnDisk(new Known(parent));
  }

  /**
   * What was read beside the files of a directory, each of which may ask for all others. Not
   * thread-safe.
   */
  final class Known {
    /** Beyond so many characters texts are not kept. */
    private static final int MAX_KEPT = 1 << 20;

    private final Path parent;
    private final Map<String, Optional<List<String>>> names = new HashMap<>();
    private final Map<String, Optional<String>> texts = new HashMap<>();
    private int kept;

    /** Starts with nothing known of what is beside the files of a directory. */
    Known(Path parent) {
      this.parent = parent;
    }

    private Optional<List<String>> names(String directory) {
      return names.computeIfAbsent(directory, this::listed);
    }

    private Optional<List<String>> listed(String directory) {
      try (Stream<Path> entries = Files.list(parent.resolve(directory))) {
        List<String> found =
            entries
                .filter(Files::isRegularFile)
                .map(entry -> String.valueOf(entry.getFileName()))
                .limit(MAX_NAMES + 1)
                .sorted()
                .toList();
        return found.size() > MAX_NAMES ? Optional.empty() : Optional.of(found);
      } catch (IOException | UncheckedIOException | InvalidPathException | SecurityException e) {
        return Optional.of(List.of());
      }
    }

    private Optional<String> text(String path) {
      Optional<String> known = texts.get(path);
      if (known == null) {
        known = read(path);
        kept += path.length() + known.map(String::length).orElse(0);
        if (kept <= MAX_KEPT) {
          texts.put(path, known);
        }
      }
      return known;
    }

    private Optional<String> read(String path) {
      try {
        Path file = parent.resolve(path);
        return Files.isRegularFile(file) ? Optional.of(Yaml.text(file)) : Optional.empty();
      } catch (InputException | InvalidPathException | SecurityException e) {
        return Optional.empty();
      }
    }
  }

  /** Files on disk, beside one of a directory. */
  final class OnDisk implements Siblings {
    private final Known known;
    private boolean hasTooMany;

    OnDisk(Known known) {
      this.known = known;
    }

    @Override
    public List<String> names(String directory) {
      Optional<List<String>> names = known.names(directory);
      hasTooMany |= names.isEmpty();
      return names.orElse(List.of());
    }

    @Override
    public Optional<String> text(String path) {
      return known.text(path);
    }

    @Override
    public boolean hasTooMany() {
      return hasTooMany;
    }
  }
}

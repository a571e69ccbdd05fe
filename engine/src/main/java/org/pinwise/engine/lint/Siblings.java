package org.pinwise.engine.lint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
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

  /** Directories with more entries are looked at so far only. */
  int MAX_NAMES = 1_000;

  /** Returns the names of the regular files of a directory, in the order of their characters. */
  List<String> names(String directory);

  /** Returns a file's text. */
  Optional<String> text(String path);

  /** Returns those of a file. */
  static Siblings of(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? NONE : new OnDisk(parent);
  }

  /** Files on disk. */
  record OnDisk(Path parent) implements Siblings {
    @Override
    public List<String> names(String directory) {
      try (Stream<Path> entries = Files.list(parent.resolve(directory))) {
        return entries
            .limit(MAX_NAMES)
            .filter(Files::isRegularFile)
            .map(entry -> String.valueOf(entry.getFileName()))
            .sorted()
            .toList();
      } catch (IOException | InvalidPathException | SecurityException e) {
        return List.of();
      }
    }

    @Override
    public Optional<String> text(String path) {
      try {
        Path file = parent.resolve(path);
        return Files.isRegularFile(file) ? Optional.of(Yaml.text(file)) : Optional.empty();
      } catch (InputException | InvalidPathException | SecurityException e) {
        return Optional.empty();
      }
    }
  }
}

package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The files in which a system tells of itself, below a root. Paths are as on the system itself,
 * such as {@code /proc/self/status}.
 */
class SystemFiles {
  private final Path root;

  SystemFiles(Path root) {
    this.root = root;
  }

  /** Returns where a file of the system is. */
  final Path at(String file) {
    return root.resolve(file.startsWith("/") ? file.substring(1) : file);
  }

  /** Returns the bytes of a file. */
  byte[] bytes(String file) throws IOException {
    return Files.readAllBytes(at(file));
  }

  /** Returns the text of a file. */
  final String text(String file) throws IOException {
    return new String(bytes(file), StandardCharsets.ISO_8859_1);
  }

  /** Returns the text of a file, empty where there is none or it cannot be read. */
  final Optional<String> textIfAny(String file) {
    try {
      return Optional.of(text(file));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  final boolean isDirectory(String file) {
    return Files.isDirectory(at(file));
  }

  final boolean exists(String file) {
    return Files.exists(at(file));
  }

  /** Returns the last name of what a symbolic link holds; empty where it is none. */
  final Optional<String> linkName(String file) {
    try {
      return Optional.ofNullable(Files.readSymbolicLink(at(file)).getFileName())
          .map(Path::toString);
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  /** Returns the sorted names in a folder; none where it cannot be listed. */
  final List<String> names(String directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(at(directory))) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      return List.of();
    }
    Collections.sort(names);
    return names;
  }

  /** Says in a clause why reading failed, with paths as they are on the system. */
  final String reason(Exception e) {
    if (e instanceof UnknownException) {
      return String.valueOf(e.getMessage());
    }
    if (e instanceof NoSuchFileException missing) {
      return "there is no " + shown(missing.getFile());
    }
    if (e instanceof AccessDeniedException denied) {
      return shown(denied.getFile()) + " may not be read by this user";
    }
    return Shown.of("cannot be read: " + shown(String.valueOf(e.getMessage())));
  }

  private String shown(String file) {
    String prefix = root.toString();
    return prefix.length() > 1 ? file.replace(prefix, "") : file;
  }
}

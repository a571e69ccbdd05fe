package org.pinwise.engine.facts;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
  private static final String SELF = "/proc/self";
  private static final int BUFFER = 1 << 16;
  private static final int MAX_BYTES = 1 << 26;

  private final Path root;
  private final String process;

  SystemFiles(Path root) {
    this(root, SELF);
  }

  private SystemFiles(Path root, String process) {
    this.root = root;
    this.process = process;
  }

  /** Returns the same files, with those of another process for {@code /proc/self}. */
  final SystemFiles ofProcess(long pid) {
    return new SystemFiles(root, "/proc/" + pid);
  }

  /** Returns the files of this host. */
  static SystemFiles ofThisHost() {
    return new SystemFiles(Path.of("/"));
  }

  /** Returns where a file of the system is. */
  final Path at(String file) {
    String named = file.startsWith(SELF + "/") ? process + file.substring(SELF.length()) : file;
    return root.resolve(named.startsWith("/") ? named.substring(1) : named);
  }

  /**
   * Returns the bytes of a file. They are read by one large buffer: files of /proc have the size 0,
   * by which {@link Files#readAllBytes} asks for one byte first, and a number in /proc/sys ends
   * after the first read.
   */
  byte[] bytes(String file) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = Files.newInputStream(at(file))) {
      for (int n = in.read(buffer); n > 0 && bytes.size() < MAX_BYTES; n = in.read(buffer)) {
        bytes.write(buffer, 0, n);
      }
    }
    return bytes.toByteArray();
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
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return Shown.of("cannot be read: " + shown(message));
  }

  /** Returns a text with paths as they are on the system. */
  final String shown(String text) {
    String prefix = root.toString();
    String bare = prefix.length() > 1 ? text.replace(prefix, "") : text;
    return bare.replace(SELF + "/", process + "/");
  }
}

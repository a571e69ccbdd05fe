package org.pinwise.engine.lint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;

/**
 * Reaches the files that are linted. A directory is walked in the order of names, without what
 * {@code .gitignore} leaves out and without following links to directories, so that no loop can
 * hold it.
 */
final class FileWalk {
  /** Files larger than this are not read, in bytes. */
  static final int MAX_BYTES = 16 << 20;

  private static final Path HERE = Path.of(".");
  private static final String GIT = ".git";
  private static final String IGNORE = ".gitignore";
  private static final int HEAD = 8_000;
  private static final int START = 64 << 10;
  private static final String NO_TEXT = "is not text; save it as UTF-8";

  private final LintRun run;

  /** The directory of the last file, and what was read beside it. */
  private @Nullable Path parent;

  private Siblings.Known known = new Siblings.Known(HERE);

  FileWalk(LintRun run) {
    this.run = run;
  }

  /** Lints what somebody named. */
  void walk(Path path) {
    BasicFileAttributes found = attributes(path);
    if (found != null && found.isDirectory()) {
      directory(path, above(path));
    } else if (found != null && found.isRegularFile()) {
      file(path, found.size(), true);
    } else {
      run.problem(path.toString(), noFile(path, found));
    }
  }

  /** Returns what a path leads to; null where to nothing. */
  private static @Nullable BasicFileAttributes attributes(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class);
    } catch (IOException e) {
      return null;
    }
  }

  private static String noFile(Path path, @Nullable BasicFileAttributes found) {
    if (found != null) {
      return "is a pipe or a device; save what it gives to a file and name that, or name -";
    }
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? "is a link to nothing, or to itself"
        : "there is no such file or directory";
  }

  /** Returns what the directories above a directory of a repository leave out. */
  private @Nullable GitIgnore above(Path directory) {
    List<Path> parents = new ArrayList<>();
    Path parent = directory.toAbsolutePath().normalize();
    while (parent != null && !Files.exists(parent.resolve(GIT))) {
      parent = parent.getParent();
      if (parent != null) {
        parents.add(0, parent);
      }
    }
    GitIgnore found = null;
    if (parent != null) {
      for (Path one : parents) {
        found = ignoring(one, found);
      }
    }
    return found;
  }

  private @Nullable GitIgnore ignoring(Path directory, @Nullable GitIgnore above) {
    Path file = directory.resolve(IGNORE);
    if (!Files.isRegularFile(file)) {
      return above;
    }
    try {
      byte[] bytes = head(file, MAX_BYTES);
      return GitIgnore.of(
          directory.toAbsolutePath().normalize(), new String(bytes, StandardCharsets.UTF_8), above);
    } catch (IOException e) {
      run.problem(file.toString(), reason(e));
      return above;
    }
  }

  private void directory(Path directory, @Nullable GitIgnore above) {
    GitIgnore ignored = ignoring(directory, above);
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      run.problem(directory.toString(), reason(e));
    }
    entries.sort(null);
    for (Path entry : entries) {
      BasicFileAttributes itself;
      try {
        itself = Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      } catch (IOException e) {
        // It is there, since its directory lists it: its path may be longer than the system takes.
        run.problem(shown(entry).toString(), reason(e));
        continue;
      }
      boolean isDirectory = itself.isDirectory();
      if ((ignored != null && ignored.ignores(entry.toAbsolutePath().normalize(), isDirectory))
          || String.valueOf(entry.getFileName()).equals(GIT)) {
        continue;
      }
      BasicFileAttributes found = itself.isSymbolicLink() ? attributes(entry) : itself;
      if (isDirectory) {
        directory(entry, ignored);
      } else if (found != null && found.isRegularFile()) {
        file(entry, found.size(), false);
      } else if (found != null && found.isDirectory()) {
        run.skipped("links to directories, which are not followed");
      } else {
        unreadable(entry, noFile(entry, found));
      }
    }
  }

  /** In a directory, what cannot be read matters where its name alone says that it is linted. */
  private void unreadable(Path path, String message) {
    if (Readers.of(new Source(path.toString(), "")).isPresent()) {
      run.problem(shown(path).toString(), message);
    } else {
      run.other();
    }
  }

  /** Programs that show a report beside a change know files without the dot. */
  private static Path shown(Path path) {
    return path.startsWith(HERE) && path.getNameCount() > 1 ? HERE.relativize(path) : path;
  }

  private void file(Path found, long size, boolean named) {
    Path path = shown(found);
    run.file(path);
    byte[] bytes = {};
    try {
      if (size > 0) { // those of /proc say 0, and reading some of them never ends
        bytes = head(path, HEAD);
      }
      if (!named && isBinary(bytes)) {
        unreadable(path, NO_TEXT);
        return;
      }
      if (size > HEAD) {
        bytes = head(path, MAX_BYTES + 1);
      }
    } catch (IOException e) {
      run.problem(path.toString(), reason(e));
      return;
    }
    if (bytes.length > MAX_BYTES) {
      // How it starts says what it is; other programs' data may have any size.
      String start = new String(bytes, 0, START, StandardCharsets.UTF_8);
      if (named || Readers.of(new Source(path.toString(), start)).isPresent()) {
        run.problem(path.toString(), "has more than %,d bytes".formatted(MAX_BYTES));
      } else {
        run.other();
      }
      return;
    }
    if (isBinary(bytes)) {
      run.problem(path.toString(), NO_TEXT);
      return;
    }
    text(path, bytes, named);
  }

  private void text(Path path, byte[] bytes, boolean named) {
    Source source;
    try {
      source = Source.of(path.toString(), bytes, siblings(path));
    } catch (InputException e) {
      Source damaged = new Source(path.toString(), new String(bytes, StandardCharsets.UTF_8));
      if (named || Readers.of(damaged).isPresent()) {
        run.problem(e);
      } else {
        run.other();
      }
      return;
    }
    if (named) {
      run.named(source);
    } else {
      run.met(source);
    }
  }

  private Siblings siblings(Path path) {
    Path directory = path.toAbsolutePath().getParent();
    if (directory == null) {
      return Siblings.NONE;
    }
    if (!directory.equals(parent)) {
      parent = directory;
      known = new Siblings.Known(directory);
    }
    return new Siblings.OnDisk(known);
  }

  /**
   * Reads a file again that was read before.
   *
   * @throws IOException if it cannot be read any more
   * @throws InputException if it is no text any more
   */
  static Source again(String file) throws IOException {
    Path path = Path.of(file);
    return Source.of(file, head(path, MAX_BYTES), Siblings.of(path));
  }

  private static boolean isBinary(byte[] bytes) {
    for (int i = 0; i < Math.min(bytes.length, HEAD); i++) {
      if (bytes[i] == 0) {
        return true;
      }
    }
    return false;
  }

  private static byte[] head(Path path, int most) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(most);
    }
  }

  /** Returns why a file could not be read. */
  static String reason(Exception e) {
    if (e instanceof AccessDeniedException) {
      return "cannot be read: permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "went away while it was linted";
    }
    // A file system's message has the path in it, which is said already.
    String reason = e instanceof FileSystemException ours ? ours.getReason() : null;
    return "cannot be read: " + (reason == null ? e.getMessage() : reason);
  }
}

package org.pinwise.engine.lint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  private final LintRun run;

  FileWalk(LintRun run) {
    this.run = run;
  }

  /** Lints what somebody named. */
  void walk(Path path) {
    if (Files.isDirectory(path)) {
      directory(path, above(path));
    } else if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      run.problem(path.toString(), "there is no such file or directory");
    } else if (!Files.isRegularFile(path)) {
      run.problem(
          path.toString(),
          Files.exists(path)
              ? "is a pipe or a device; save what it gives to a file and name that, or name -"
              : "is a link to nothing, or to itself");
    } else {
      file(path, true);
    }
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
      boolean isDirectory = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
      if ((ignored != null && ignored.ignores(entry.toAbsolutePath().normalize(), isDirectory))
          || String.valueOf(entry.getFileName()).equals(GIT)) {
        continue;
      }
      if (isDirectory) {
        directory(entry, ignored);
      } else if (Files.isRegularFile(entry)) {
        file(entry, false);
      } else {
        run.other();
      }
    }
  }

  private void file(Path found, boolean named) {
    // Programs that show a report beside a change know files without the dot.
    Path path = found.startsWith(HERE) && found.getNameCount() > 1 ? HERE.relativize(found) : found;
    run.file(path);
    byte[] bytes;
    try {
      bytes = head(path, HEAD);
      if (!named && isBinary(bytes)) {
        run.other();
        return;
      }
      if (Files.size(path) > HEAD) {
        bytes = head(path, MAX_BYTES + 1);
      }
    } catch (IOException e) {
      run.problem(path.toString(), reason(e));
      return;
    }
    if (bytes.length > MAX_BYTES) {
      run.tooLarge(path, named);
      return;
    }
    if (isBinary(bytes)) {
      run.problem(path.toString(), "is not text");
      return;
    }
    text(path, bytes, named);
  }

  private void text(Path path, byte[] bytes, boolean named) {
    Source source;
    try {
      source = source(path, bytes);
    } catch (CharacterCodingException e) {
      Source damaged = new Source(path.toString(), new String(bytes, StandardCharsets.UTF_8));
      if (named || Readers.of(damaged).isPresent()) {
        int wrong = damaged.text().indexOf('\ufffd');
        run.problem(
            path + ":" + damaged.at(Math.max(0, wrong)), "is not UTF-8 text; save it as UTF-8");
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

  private static Source source(Path path, byte[] bytes) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return new Source(
        path.toString(), text.startsWith("\ufeff") ? text.substring(1) : text, Siblings.of(path));
  }

  /**
   * Reads a file again that was read before.
   *
   * @throws IOException if it changed so that it cannot be
   */
  static Source again(String file) throws IOException {
    Path path = Path.of(file);
    return source(path, head(path, MAX_BYTES));
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
    return e instanceof NoSuchFileException
        ? "went away while it was linted"
        : "cannot be read: " + e.getMessage();
  }
}

package org.pinwise.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.spi.Rule;

/** Finds rooms: in the rules jar, which nobody lists, and in directories of teams. */
final class Rooms {
  private static final String ROOT = "org/pinwise/rules/";
  private static final Pattern ROOM = Pattern.compile("[A-Z]{2,12}\\d{3}-[a-z0-9-]+");

  private Rooms() {}

  /** Returns the rooms that come with Pinwise, by name. */
  static List<Room> builtIn() {
    CodeSource source = Rule.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException(
          "the rules jar cannot be found: its class has no code source");
    }
    URL location = source.getLocation();
    try {
      Path path = Path.of(location.toURI());
      return Files.isDirectory(path) ? inClasses(path.resolve(ROOT)) : named(inJar(path, ROOT));
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the rules jar's location is no path: " + location, e);
    } catch (IOException e) {
      throw new UncheckedIOException("the rules jar cannot be read: " + location, e);
    }
  }

  /** Returns the rooms of an unpacked jar, named as those of a packed one. */
  private static List<Room> inClasses(Path path) {
    return named(inDirectory(path));
  }

  private static List<Room> named(List<Room> rooms) {
    return rooms.stream().map(room -> new Room(room.name(), room.name(), room.files())).toList();
  }

  /** Returns the rooms of a folder in a jar, by name. */
  static List<Room> inJar(Path path, String root) throws IOException {
    Map<String, Map<String, String>> files = new TreeMap<>();
    try (JarFile jar = new JarFile(path.toFile())) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        String name = entry.getName();
        int slash = name.lastIndexOf('/');
        if (!name.startsWith(root) || slash < root.length() || entry.isDirectory()) {
          continue;
        }
        String room = name.substring(root.length(), slash);
        if (ROOM.matcher(room).matches()) {
          try (InputStream in = jar.getInputStream(entry)) {
            files
                .computeIfAbsent(room, r -> new TreeMap<>())
                .put(name.substring(slash + 1), text(path, name, in));
          }
        }
      }
    }
    List<Room> rooms = new ArrayList<>();
    files.forEach((name, content) -> rooms.add(new Room(name, path + "!/" + root + name, content)));
    return rooms;
  }

  /** A jar may unpack to more than a machine has memory for. */
  static String text(Path jar, String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes((int) Yaml.MAX_BYTES + 1);
    if (bytes.length > Yaml.MAX_BYTES) {
      throw new InputException(
          jar + "!/" + name, "has more than %d bytes".formatted(Yaml.MAX_BYTES));
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Returns the rooms of a directory, by name.
   *
   * @throws InputException if the directory or a file in it cannot be read
   */
  static List<Room> inDirectory(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw new InputException(
          directory.toString(),
          Files.exists(directory)
              ? "is neither a directory of rules nor a jar"
              : "there is no such directory of rules");
    }
    Map<String, Path> folders = new TreeMap<>();
    for (Path entry : list(directory)) {
      String name = String.valueOf(entry.getFileName());
      if (Files.isDirectory(entry) && ROOM.matcher(name).matches()) {
        folders.put(name, within(directory, entry));
      }
    }
    List<Room> rooms = new ArrayList<>();
    folders.forEach((name, folder) -> {
      Map<String, String> files = new LinkedHashMap<>();
      for (Path file : list(folder)) {
        files.put(String.valueOf(file.getFileName()), Yaml.text(within(directory, file)));
      }
      rooms.add(new Room(name, folder.toString(), files));
    });
    return rooms;
  }

  /**
   * Returns a file of a pack. What its rules and examples say is shown, so one who sends in a link
   * would be shown a file of the reader's.
   *
   * @throws InputException if it is a link that leads out of the pack's directory
   */
  static Path within(Path directory, Path file) {
    if (Files.isSymbolicLink(file)) {
      Path target;
      try {
        target = file.toRealPath();
        if (target.startsWith(directory.toRealPath())) {
          return file;
        }
      } catch (IOException e) {
        throw new InputException(
            file.toString(), "is a link that cannot be followed: " + e.getMessage());
      }
      throw new InputException(
          file.toString(),
          "is a link that leads out of %s, to %s; a pack holds its own files"
              .formatted(directory, target));
    }
    return file;
  }

  /** Returns the folders of a directory that hold a rule file and are not named as rooms are. */
  static List<String> strays(Path directory) {
    return list(directory).stream()
        .filter(entry -> Files.exists(entry.resolve("rule.drl")))
        .filter(entry -> !ROOM.matcher(String.valueOf(entry.getFileName())).matches())
        .map(Path::toString)
        .sorted()
        .toList();
  }

  private static List<Path> list(Path directory) {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (IOException e) {
      throw new InputException(directory.toString(), "cannot be listed: " + e.getMessage());
    }
    return entries;
  }
}

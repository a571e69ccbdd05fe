package org.pinwise.engine;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.yaml.Yaml;

/**
 * A team's rules as files: a directory of rooms, or a jar that holds one in {@code
 * META-INF/pinwise/rules}. Beside the rooms lies {@code pack.yaml}:
 *
 * <pre>
 * name: acme-fleet
 * version: "1.2"
 * pinwise: "0.1"      # the least version of Pinwise that it needs; may be left out
 * </pre>
 *
 * @param location where it is, as problems name it
 * @param manifest what {@code pack.yaml} says; null where there is none
 * @param rooms the rooms, by name
 * @param strays folders with a rule file that are no rooms, because of their names
 */
public record Pack(
    String location, @Nullable Manifest manifest, List<Room> rooms, List<String> strays) {
  /** The folder of rooms in a jar. */
  public static final String IN_JAR = "META-INF/pinwise/rules/";

  /** The manifest's file. */
  public static final String MANIFEST = "pack.yaml";

  /** Keeps an immutable copy. */
  public Pack {
    rooms = List.copyOf(rooms);
    strays = List.copyOf(strays);
  }

  /**
   * What a pack says of itself.
   *
   * @param name its name
   * @param version its version, as the team counts
   * @param pinwise the least version of Pinwise that it needs; null where it says none
   * @param where where it says so
   */
  public record Manifest(String name, String version, @Nullable String pinwise, String where) {}

  /**
   * Reads a pack.
   *
   * @param path a directory of rooms, or a jar
   * @throws InputException if it cannot be read, or its manifest not be understood
   */
  public static Pack load(Path path) {
    if (Files.isRegularFile(path)) {
      return ofJar(path);
    }
    Path manifest = path.resolve(MANIFEST);
    List<Room> rooms = Rooms.inDirectory(path);
    return new Pack(
        path.toString(),
        Files.exists(manifest) ? manifest(Yaml.read(Rooms.within(path, manifest))) : null,
        rooms,
        Rooms.strays(path));
  }

  private static Pack ofJar(Path path) {
    try (JarFile jar = new JarFile(path.toFile())) {
      JarEntry entry = jar.getJarEntry(IN_JAR + MANIFEST);
      Manifest manifest = null;
      if (entry != null) {
        try (InputStream in = jar.getInputStream(entry)) {
          String file = path + "!/" + IN_JAR + MANIFEST;
          manifest = manifest(Yaml.parse(file, Rooms.text(path, IN_JAR + MANIFEST, in)));
        }
      }
      return new Pack(path.toString(), manifest, Rooms.inJar(path, IN_JAR), List.of());
    } catch (IOException e) {
      throw new InputException(path.toString(), "is no jar that can be read: " + e.getMessage());
    }
  }

  private static Manifest manifest(Yaml yaml) {
    Yaml.Mapping mapping = yaml.asMapping("a pack's manifest");
    mapping.allow("name", "version", "pinwise");
    Yaml pinwise = mapping.get("pinwise").orElse(null);
    if (pinwise != null && !pinwise.asText().matches("\\d{1,4}(\\.\\d{1,4}){0,2}")) {
      throw pinwise.problem("pinwise takes a version such as \"0.1\", not " + pinwise.asText());
    }
    return new Manifest(
        mapping.require("name").asText(),
        mapping.require("version").asText(),
        pinwise == null ? null : pinwise.asText(),
        (pinwise == null ? mapping : pinwise).where());
  }

  /**
   * Returns the packs on a class path: every place of it that holds a manifest in {@code
   * META-INF/pinwise/rules}, in the order of their names, so that the order of the class path
   * changes nothing.
   *
   * @throws InputException if one of them cannot be read
   */
  public static List<Pack> onClassPath(ClassLoader loader) {
    List<Pack> packs = new ArrayList<>();
    try {
      // A jar need not have entries for its folders, so it is the manifest that is looked for.
      for (URL url : Collections.list(loader.getResources(IN_JAR + MANIFEST))) {
        packs.add(
            url.openConnection() instanceof JarURLConnection jar
                ? load(Path.of(jar.getJarFileURL().toURI()))
                : load(Path.of(url.toURI()).resolveSibling("")));
      }
    } catch (IOException | URISyntaxException e) {
      throw new InputException(IN_JAR, "cannot be read on the class path: " + e.getMessage());
    }
    packs.sort(Comparator.comparing(Pack::name).thenComparing(Pack::location));
    return List.copyOf(packs);
  }

  /** Returns the name that its manifest gives it, or else where it is. */
  public String name() {
    return manifest == null ? location : manifest.name();
  }

  /** Returns what is wrong with the pack as a whole; empty where nothing is. */
  List<RuleProblem> problems() {
    List<RuleProblem> problems = new ArrayList<>();
    for (String stray : strays) {
      problems.add(
          new RuleProblem(
              stray,
              0,
              0,
              null,
              "the folder's name is no room's, so its rule would be left out; name it such as"
                  + " ACME101-regions-are-small"));
    }
    Manifest said = manifest;
    if (said != null && said.pinwise() != null && compare(Pinwise.version(), said.pinwise()) < 0) {
      problems.add(
          new RuleProblem(
              said.where(),
              0,
              0,
              null,
              "pack %s needs Pinwise %s, and this is %s"
                  .formatted(said.name(), said.pinwise(), Pinwise.version())));
    }
    return problems;
  }

  private static int compare(String version, String other) {
    String[] left = version.replaceFirst("-.*", "").split("\\.", -1);
    String[] right = other.split("\\.", -1);
    for (int i = 0; i < Math.max(left.length, right.length); i++) {
      int order = Integer.compare(part(left, i), part(right, i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int part(String[] parts, int place) {
    return place < parts.length ? Integer.parseInt(parts[place]) : 0;
  }
}

package org.pinwise.registrar;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A local repository for a Maven that a test runs: links to what is in the one that this build
 * uses, and this build's own artifacts. So nothing is fetched and nothing is installed.
 */
final class MavenRepository {
  /** What a project that lints needs, by the folder that each is built in. */
  private static final Map<String, String> MODULES =
      Map.of(
          "pinwise-parent", "..",
          "pinwise-rules", "../rules",
          "pinwise-engine", "../engine",
          "pinwise-maven-plugin", "../engine/maven-plugin");

  private MavenRepository() {}

  /** Makes one anew, under the target directory; skips a test that is not run by Maven. */
  static Path make() throws IOException {
    String from = System.getProperty("pinwise.maven.repository");
    assumeTrue(from != null, "run by Maven only: it says where its repository is");
    Path repository = Path.of(property("pinwise.target"), "repository");
    delete(repository);
    Files.createDirectories(repository);
    link(Path.of(from), repository, "org");
    link(Path.of(from, "org"), Files.createDirectory(repository.resolve("org")), "pinwise");
    String version = version();
    for (Map.Entry<String, String> module : MODULES.entrySet()) {
      Path folder = Path.of(module.getValue());
      String name = module.getKey() + "-" + version;
      Path place = repository.resolve("org/pinwise/" + module.getKey() + "/" + version);
      Files.createDirectories(place);
      Files.copy(folder.resolve("pom.xml"), place.resolve(name + ".pom"));
      Path jar = folder.resolve(target()).resolve(name + ".jar");
      if (!module.getKey().endsWith("parent")) {
        Files.copy(jar, place.resolve(jar.getFileName()));
      }
    }
    return repository;
  }

  /** The version of this build. */
  static String version() {
    return property("pinwise.version");
  }

  /** The folder of the Maven that runs this build. */
  static Path home() {
    return Path.of(property("pinwise.maven.home"));
  }

  /** Builds of different kinds have different target directories: all modules' are this one's. */
  private static Path target() {
    return Path.of("").toAbsolutePath().relativize(Path.of(property("pinwise.target")));
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }

  /** Deletes links, not what they lead to. */
  private static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> entries = Files.walk(tree)) {
        for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(entry);
        }
      }
    }
  }

  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals(except)) {
          Files.createSymbolicLink(to.resolve(entry.getFileName()), entry.toAbsolutePath());
        }
      }
    }
  }
}

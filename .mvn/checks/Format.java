import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.spi.ToolProvider;

/**
 * Checks, or with {@code apply} repairs, the format of every Java file of the checkout with
 * google-java-format.
 *
 * <p>The build runs it from source, in a JVM of its own: the formatter parses with the compiler of
 * the JVM that runs it, so that must be the newest JDK and not whichever one runs Maven. Files
 * whose content was found well formatted before are remembered by hash and not looked at again.
 *
 * <p>Arguments: {@code check|apply}, the checkout, the file that remembers.
 */
public final class Format {
  private static final Set<String> SKIPPED = Set.of("target", "testdata", "node_modules");

  private Format() {}

  public static void main(String[] args) throws IOException {
    boolean apply = args[0].equals("apply");
    Path root = Path.of(args[1]);
    Path memory = Path.of(args[2]);

    Set<String> known =
        Files.exists(memory) ? new HashSet<>(Files.readAllLines(memory)) : new HashSet<>();
    Map<Path, String> hashes = new TreeMap<>();
    for (Path source : sources(root)) {
      hashes.put(source, hash(source));
    }
    List<Path> unknown =
        hashes.entrySet().stream()
            .filter(entry -> !known.contains(entry.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    if (unknown.isEmpty()) {
      return;
    }

    List<String> command = new ArrayList<>();
    if (apply) {
      command.add("--replace");
    } else {
      command.addAll(List.of("--dry-run", "--set-exit-if-changed"));
    }
    unknown.forEach(source -> command.add(source.toString()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    ToolProvider formatter = ToolProvider.findFirst("google-java-format").orElseThrow();
    int exit;
    try (PrintWriter outWriter = new PrintWriter(out);
        PrintWriter errWriter = new PrintWriter(err)) {
      exit = formatter.run(outWriter, errWriter, command.toArray(String[]::new));
    }

    if (exit != 0) {
      out.toString()
          .lines()
          .map(Path::of)
          .forEach(file -> System.err.println("not formatted: " + root.relativize(file)));
      err.toString().lines().forEach(System.err::println);
      System.err.println("To repair: mvn -Pformat validate");
      System.exit(1);
    }
    for (Path source : unknown) {
      String before = hashes.put(source, hash(source));
      if (!hashes.get(source).equals(before)) {
        System.out.println("formatted " + root.relativize(source));
      }
    }
    Files.createDirectories(memory.getParent());
    Files.write(memory, hashes.values());
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean hidden = name.startsWith(".") && !name.equals(".mvn") && !folder.equals(root);
            return hidden || SKIPPED.contains(name)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }

  private static String hash(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(System.getProperty("java.class.path").getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Fails the build when a jar that it uses brings Kotlin: an artifact of the Kotlin project, or the
 * Kotlin runtime's classes under their own or a relocated name, also in a jar within a jar. Kotlin
 * sources in the checkout fail it too.
 *
 * <p>Classes of other packages that merely speak to Kotlin (those of JUnit, Micrometer and PIT) are
 * no Kotlin runtime and pass.
 *
 * <p>Arguments: the checkout, the list of jars that jars.bsh wrote (a path, a tab, who brings it),
 * and a folder for the self-test, which runs first: a check that finds nothing must be able to.
 */
public final class NoKotlin {
  private static final Pattern ARTIFACT = Pattern.compile(".*/org/jetbrains/kotlinx?/.*");

  /** The Kotlin runtime at the root of a jar, where any class will do. */
  private static final Pattern ORIGINAL =
      Pattern.compile("(META-INF/versions/\\d+/)?kotlinx?/.*\\.class");

  /** The same below another package, told from other packages of that name by what only it has. */
  private static final Pattern RELOCATED =
      Pattern.compile(
          ".*/kotlin/("
              + "Metadata|Unit|KotlinVersion|KotlinNothingValueException|Lazy|LazyKt|Pair|Result"
              + "|Function|ResultKt|TuplesKt|UninitializedPropertyAccessException"
              + "|NoWhenBranchMatchedException"
              + "|jvm/internal/.*|jvm/functions/Function\\w+|jvm/Jvm\\w+"
              + "|collections/\\w*CollectionsKt\\w*|coroutines/(Continuation|CoroutineContext)\\w*"
              + "|text/\\w*StringsKt\\w*|ranges/\\w*Range\\w*|sequences/Sequence\\w*"
              + "|io/\\w+Kt\\w*|reflect/K\\w+|annotation/\\w+|enums/EnumEntries\\w*"
              + ")\\.class");

  private static final Set<String> SKIPPED = Set.of("target", ".git", "node_modules");

  private NoKotlin() {}

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    selfTest(Path.of(args[2]));

    List<String> complaints = new ArrayList<>(sources(root));
    Map<Path, Set<String>> jars = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(args[1]))) {
      String[] parts = line.split("\t", 2);
      jars.computeIfAbsent(Path.of(parts[0]), path -> new TreeSet<>()).add(parts[1]);
    }
    for (Map.Entry<Path, Set<String>> jar : jars.entrySet()) {
      String kotlin = kotlinIn(jar.getKey());
      if (kotlin != null) {
        complaints.add(
            "Kotlin in %s (%s), brought by %s"
                .formatted(jar.getKey().getFileName(), kotlin, String.join(", ", jar.getValue())));
      }
    }
    if (jars.size() < 50) {
      complaints.add("only " + jars.size() + " jars in " + args[1] + ": jars.bsh misses some");
    }
    if (!complaints.isEmpty()) {
      complaints.forEach(System.err::println);
      System.err.println("Pinwise is built without Kotlin: leave it out, or take another library.");
      System.exit(1);
    }
    System.out.println("no Kotlin in " + jars.size() + " jars");
  }

  /** What makes this jar Kotlin, or null. */
  private static String kotlinIn(Path jar) throws IOException {
    if (ARTIFACT.matcher(jar.toString().replace('\\', '/')).matches()) {
      return "an artifact of the Kotlin project";
    }
    if (!Files.isRegularFile(jar) || !isArchive(jar.toString())) {
      return null;
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        if (isKotlin(entry.getName())) {
          return entry.getName();
        }
        if (isArchive(entry.getName())) {
          try (InputStream in = zip.getInputStream(entry)) {
            String nested = kotlinIn(in);
            if (nested != null) {
              return entry.getName() + "!" + nested;
            }
          }
        }
      }
    }
    return null;
  }

  private static String kotlinIn(InputStream jar) throws IOException {
    // Not closed: it reads from a stream that belongs to the caller.
    ZipInputStream in = new ZipInputStream(jar);
    for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
      if (isKotlin(entry.getName())) {
        return entry.getName();
      }
      if (isArchive(entry.getName())) {
        String nested = kotlinIn(in);
        if (nested != null) {
          return entry.getName() + "!" + nested;
        }
      }
    }
    return null;
  }

  private static boolean isKotlin(String entry) {
    return ORIGINAL.matcher(entry).matches() || RELOCATED.matcher(entry).matches();
  }

  private static boolean isArchive(String name) {
    return name.endsWith(".jar") || name.endsWith(".war") || name.endsWith(".zip");
  }

  private static Set<String> sources(Path root) throws IOException {
    Set<String> found = new LinkedHashSet<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if (name.endsWith(".kt") || name.endsWith(".kts")) {
              found.add("Kotlin source " + root.relativize(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  private static void selfTest(Path folder) throws IOException {
    Files.createDirectories(folder);
    Path jar = folder.resolve("planted.jar");
    for (String planted :
        List.of(
            "kotlin/Metadata.class",
            "kotlinx/coroutines/Job.class",
            "META-INF/versions/9/kotlin/Unit.class",
            "BOOT-INF/classes/kotlin/Unit.class",
            "shaded/kotlin/Metadata.class",
            "com/code_intelligence/jazzer/third_party/kotlin/jvm/internal/Intrinsics.class")) {
      expect(jar, planted, true);
    }
    for (String harmless :
        List.of(
            "META-INF/junit-jupiter-api.kotlin_module",
            "org/junit/jupiter/api/AssertionsKt.class",
            "org/junit/platform/commons/util/KotlinReflectionUtils.class",
            "io/micrometer/core/instrument/kotlin/AsContextElementKt.class",
            "org/pitest/kotlin/KotlinFilter.class",
            "notkotlin/Metadata.class",
            "kotlin.properties")) {
      expect(jar, harmless, false);
    }
    Path repository = folder.resolve("org/jetbrains/kotlin/kotlin-stdlib-common/1");
    if (kotlinIn(repository.resolve("kotlin-stdlib-common-1.jar")) == null) {
      throw new AssertionError("an artifact of the Kotlin project passes");
    }
    Files.delete(jar);
    Files.delete(folder);
  }

  private static void expect(Path jar, String entry, boolean kotlin) throws IOException {
    write(jar, entry, false);
    if ((kotlinIn(jar) != null) != kotlin) {
      throw new AssertionError(entry + (kotlin ? " passes" : " is taken for Kotlin"));
    }
    write(jar, entry, true);
    if ((kotlinIn(jar) != null) != kotlin) {
      throw new AssertionError(entry + " in a nested jar" + (kotlin ? " passes" : " is taken"));
    }
  }

  private static void write(Path jar, String entry, boolean nested) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream out = new ZipOutputStream(file)) {
      out.putNextEntry(new ZipEntry("a/Harmless.class"));
      if (nested) {
        out.putNextEntry(new ZipEntry("lib/inner.jar"));
        ZipOutputStream inner = new ZipOutputStream(out);
        inner.putNextEntry(new ZipEntry(entry));
        inner.finish();
      } else {
        out.putNextEntry(new ZipEntry(entry));
      }
      out.closeEntry();
    }
  }
}

package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;

/**
 * Lints the configurations of the corpus. A comment says what the line after it has: {@code #
 * expect: RULE severity at TEXT}, where the finding must stand at the text; {@code # expect-file:}
 * speaks of the file as a whole. What has no such comment must stay silent.
 */
@Tag("slow") // the Java 17 run leaves it out: it builds the rules
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConfigCorpusTest {
  private static final Path CORPUS = Path.of("../testdata/config");
  private static final List<String> AREAS =
      List.of("modprobe", "limits", "systemd", "slurm", "sysctl", "scripts", "sources");
  private static final Pattern EXPECT =
      Pattern.compile("\\s*(?:#|//) expect(-file)?: (\\S+ \\w+)(?: at (.*))?");

  private final MrValidator validator = MrValidator.create(RuleSet.builtIn());
  private final ConfigLinter linter = ConfigLinter.create(validator);

  @BeforeAll
  static void theCorpusIsThere() {
    assertThat(CORPUS).isDirectory();
  }

  static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String area : AREAS) {
      try (Stream<Path> tree = Files.walk(CORPUS.resolve(area))) {
        tree.filter(Files::isRegularFile).sorted().forEach(files::add);
      }
    }
    return files;
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyMistakeIsFoundAtItsPlaceAndNothingElse(Path file) throws IOException {
    LintReport report = linter.lint(file);
    assertThat(report.problems()).isEmpty();
    assertThat(report.diagnostics())
        .extracting(ConfigCorpusTest::shown)
        .containsExactlyInAnyOrderElementsOf(expected(file));
    assertThat(report.diagnostics())
        .allSatisfy(found -> assertThat(found.message()).doesNotContain("{", "null", "unknown"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"modprobe.d", "limits.d", "sysctl.d", "app.service.d"})
  void aReadmeBesideTheFilesIsNone(String directory) {
    assertThat(Readers.of(new Source(directory + "/README", "Put *.conf files here.\n"))).isEmpty();
    assertThat(Readers.of(new Source(directory + "/a.conf", "Put *.conf files here.\n")))
        .isPresent();
  }

  @Test
  void callsWithoutLiteralFlagsAreCounted() {
    assertThat(linter.lint(CORPUS.resolve("sources/right/register.c")).summary().skipped())
        .containsExactly(java.util.Map.entry(SourceCodeReader.SKIPPED, 1L));
  }

  @Test
  void everyRuleOfThisCorpusIsShown() throws IOException {
    List<String> shown = new ArrayList<>();
    for (Path file : files()) {
      expected(file).forEach(line -> shown.add(line.split(" ")[1]));
    }
    assertThat(
            validator.ruleSet().rules().stream()
                .map(rule -> rule.id())
                .filter(id -> id.matches("CF0[5-7].*")))
        .allSatisfy(id -> assertThat(shown).contains(id));
  }

  static String shown(Diagnostic found) {
    return "%s %s %s"
        .formatted(found.place(), found.rule(), found.severity().name().toLowerCase(Locale.ROOT));
  }

  static List<String> expected(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> expected = new ArrayList<>();
    List<Matcher> open = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = EXPECT.matcher(lines.get(i));
      if (!matcher.matches()) {
        for (Matcher one : open) {
          // A $ is the line's end, where a value is missing.
          int column =
              one.group(3).equals("$") ? lines.get(i).length() : lines.get(i).indexOf(one.group(3));
          assertThat(column).as("%s:%d holds %s", file, i + 1, one.group(3)).isNotNegative();
          // A lone = names what comes after it, where a value is missing.
          column += one.group(3).equals("=") ? 1 : 0;
          expected.add("%d:%d %s".formatted(i + 1, column + 1, one.group(2)));
        }
        open.clear();
      } else if (matcher.group(1) != null) {
        expected.add("1:1 " + matcher.group(2));
      } else {
        open.add(matcher);
      }
    }
    assertThat(open).as("%s ends with an expectation", file).isEmpty();
    return expected;
  }
}

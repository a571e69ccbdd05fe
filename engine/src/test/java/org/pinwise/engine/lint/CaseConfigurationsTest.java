package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.spi.Severity;

/**
 * Lints the configurations of the public reports: each report as the plan of what it registers, and
 * those of which files are known as these files, too. A report that is neither says why in its own
 * file.
 */
@Tag("slow") // the Java 17 run leaves it out: it builds the rules
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CaseConfigurationsTest {
  private static final Path CASES = Path.of("../testdata/cases");
  private static final Path FILES = Path.of("../testdata/config/cases");

  private final ConfigLinter linter = ConfigLinter.create(MrValidator.create(RuleSet.builtIn()));

  private static List<Path> in(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    }
  }

  private static List<Yaml.Mapping> cases() throws IOException {
    return in(CASES).stream().map(file -> Yaml.read(file).asMapping("a case")).toList();
  }

  static List<Yaml.Mapping> plans() throws IOException {
    return cases().stream().filter(one -> one.get("inexpressible").isEmpty()).toList();
  }

  static List<Path> files() throws IOException {
    return in(FILES);
  }

  private static Object tree(Yaml value) {
    if (value instanceof Yaml.Mapping mapping) {
      Map<String, Object> tree = new LinkedHashMap<>();
      mapping.entries().forEach((key, one) -> tree.put(key, tree(one)));
      return tree;
    }
    return value instanceof Yaml.Sequence sequence
        ? sequence.items().stream().map(CaseConfigurationsTest::tree).toList()
        : value.asText();
  }

  @ParameterizedTest
  @MethodSource("plans")
  void aPlanOfItIsJudgedAsTheReportSays(Yaml.Mapping report) {
    Map<String, Object> plan = new LinkedHashMap<>();
    report.entries().forEach((key, value) -> plan.put(key, tree(value)));
    List.of("case", "expect", "neighbour").forEach(plan::remove);
    plan.putIfAbsent("plan", Map.of());
    List<Diagnostic> found = new ArrayList<>();
    List<LintProblem> problems = new ArrayList<>();
    linter.lint(
        "case.pinwise.json",
        JsonTree.indented(plan),
        new LintListener() {
          @Override
          public void found(Diagnostic diagnostic) {
            found.add(diagnostic);
          }

          @Override
          public void problem(LintProblem problem) {
            problems.add(problem);
          }
        });
    assertThat(problems).isEmpty();
    Yaml.Mapping expected = report.require("expect").asMapping("expect");
    List<String> rules =
        expected.get("findings").map(Yaml::asList).orElse(List.of()).stream()
            .map(Yaml::asText)
            .toList();
    assertThat(found).extracting(Diagnostic::rule).containsAll(rules);
    // Lint judges each region of a list, of which the report's own verdict is one.
    if (YamlPlaces.items(report, "plan", "regions").isEmpty()) {
      assertThat(found)
          .filteredOn(one -> one.severity() != Severity.INFO || rules.isEmpty())
          .extracting(Diagnostic::rule)
          .allSatisfy(rule -> assertThat(rules).contains(rule));
    }
    boolean fails =
        expected.get("decision").map(Yaml::asText).filter("rejected"::equals).isPresent();
    assertThat(found.stream().anyMatch(one -> one.severity() == Severity.ERROR)).isEqualTo(fails);
  }

  @ParameterizedTest
  @MethodSource("files")
  void itsFilesAreJudgedAsTheReportSays(Path directory) throws IOException {
    LintReport report = linter.lint(directory);
    assertThat(report.problems()).isEmpty();
    assertThat(report.summary().statements()).isNotNegative();
    List<String> expected = new ArrayList<>();
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path file : tree.filter(Files::isRegularFile).sorted().toList()) {
        ConfigCorpusTest.expected(file).forEach(line -> expected.add(file + ":" + line));
      }
    }
    assertThat(report.diagnostics())
        .extracting(found -> found.file() + ":" + ConfigCorpusTest.shown(found))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void everyReportIsAPlanOrFilesOrSaysWhyNot() throws IOException {
    List<Yaml.Mapping> all = cases();
    assertThat(all).hasSize(84);
    List<String> files =
        files().stream().map(directory -> String.valueOf(directory.getFileName())).toList();
    assertThat(all.stream().map(one -> one.require("case").asText())).containsAll(files);
    List<String> neither =
        all.stream()
            .filter(one -> one.get("inexpressible").isPresent())
            .map(one -> one.require("case").asText())
            .filter(id -> !files.contains(id))
            .toList();
    assertThat(neither).containsExactly("032", "063", "075", "081", "092");
  }
}

package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.yaml.Yaml;

/**
 * What is known to go wrong in configuration files is reported, and what must stay silent is:
 * {@code testdata/config/known.yaml} says of which files.
 */
@Tag("slow") // the Java 17 run leaves it out: it builds the rules
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KnownMistakesTest {
  private static final Path CORPUS = Path.of("../testdata/config");

  private final ConfigLinter linter = ConfigLinter.create(MrValidator.create(RuleSet.builtIn()));

  /** A row of the list; its text names the test. */
  record Row(String area, Yaml.Mapping yaml) {
    @Override
    public String toString() {
      return area + ": " + yaml.require("says").asText();
    }
  }

  static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    Yaml.read(CORPUS.resolve("known.yaml"))
        .asMapping("areas")
        .entries()
        .forEach((area, list) ->
            list.asList().forEach(row -> rows.add(new Row(area, row.asMapping("a row")))));
    return rows;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void isReportedOrSilent(Row row) {
    if (row.yaml().get("files").isEmpty()) {
      row.yaml().allow("says", "unseen");
      assertThat(row.yaml().require("unseen").asText()).isNotBlank();
      return;
    }
    row.yaml().allow("says", "files", "finds");
    LintReport report = linter.lint(CORPUS.resolve(row.yaml().require("files").asText()));
    assertThat(report.problems()).isEmpty();
    assertThat(report.summary().statements()).isPositive();
    assertThat(report.diagnostics().stream().map(Diagnostic::rule).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(
            row.yaml().require("finds").asList().stream().map(Yaml::asText).toList());
  }
}

package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.spi.Severity;

/**
 * Public reports of registrations that failed, each as facts and what must be said of them: the
 * decision, exactly the errors and warnings, and the report's own numbers; or nothing at all, and
 * which neighbouring fact would make a rule speak. A figure that a report does not give, and the
 * facts need, stands under {@code ours}.
 */
class CasesTest {
  private static final int CASES = 84;
  private static final int MOST_INEXPRESSIBLE = 8;

  private final FactsReader reader = FactsReader.of(DeviceCatalog.load());
  private static final MrValidator VALIDATOR = MrValidator.create(RuleSet.builtIn());

  static Stream<Path> cases() throws IOException, URISyntaxException {
    URL folder = CasesTest.class.getClassLoader().getResource("cases");
    try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(folder).toURI()))) {
      return files.filter(f -> f.toString().endsWith(".yaml")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isJudged(Path file) {
    Yaml.Mapping document = Yaml.read(file).asMapping("a case");
    assertThat(document.require("case").asText() + ".yaml")
        .isEqualTo(String.valueOf(file.getFileName()));
    if (document.get("inexpressible").isPresent()) {
      assertThat(document.require("inexpressible").asText()).contains(" ");
      document.allow("case", "inexpressible");
      return;
    }
    Verdict verdict = verdict(document);
    Yaml.Mapping expected = document.require("expect").asMapping("expect");
    if (expected.get("silent").isPresent()) {
      expected.allow("silent");
      assertThat(verdict.findings()).isEmpty();
      assertThat(verdict).isInstanceOf(Accepted.class);
      Yaml.Mapping neighbour = document.require("neighbour").asMapping("neighbour");
      Verdict other = verdict(Documents.over(document, Documents.without(neighbour, "findings")));
      assertThat(ids(other)).containsAll(texts(neighbour, "findings")).isNotEmpty();
      return;
    }
    expected.allow("decision", "errno", "findings", "undecided", "numbers", "ours");
    assertThat(verdict.decision())
        .as("%s", verdict)
        .isEqualTo(expected.require("decision").asText());
    assertThat(verdict.errno().stream().map(Errno::name).toList())
        .as("%s", verdict)
        .isEqualTo(texts(expected, "errno"));
    Set<String> findings = new TreeSet<>(texts(expected, "findings"));
    assertThat(ids(verdict)).containsAll(findings);
    verdict.findings().stream()
        .filter(finding -> finding.severity() != Severity.INFO)
        .forEach(finding -> assertThat(findings).contains(finding.rule()));
    assertThat(
            verdict.undecided().stream()
                .filter(open -> open.severity() == Severity.ERROR)
                .map(UndecidedRule::rule))
        .containsAll(texts(expected, "undecided"));
    String said =
        verdict.findings().stream()
            .filter(finding -> findings.contains(finding.rule()))
            .map(Finding::message)
            .collect(Collectors.joining("\n"));
    for (String figures : List.of("numbers", "ours")) {
      texts(expected, figures).forEach(figure -> assertThat(said).contains(figure));
    }
  }

  @Test
  void everyReportIsThere() throws IOException, URISyntaxException {
    List<Path> files = cases().toList();
    assertThat(files).hasSize(CASES);
    assertThat(
            files.stream()
                .map(file -> Yaml.read(file).asMapping("a case"))
                .filter(document -> document.get("inexpressible").isPresent()))
        .hasSizeLessThanOrEqualTo(MOST_INEXPRESSIBLE);
  }

  private Verdict verdict(Yaml.Mapping document) {
    return VALIDATOR.validate(
        reader.read(document, "case", "expect", "neighbour", "inexpressible").facts());
  }

  private static Set<String> ids(Verdict verdict) {
    return verdict.findings().stream()
        .map(Finding::rule)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> texts(Yaml.Mapping mapping, String key) {
    return mapping.get(key).map(Yaml::asList).orElse(List.of()).stream().map(Yaml::asText).toList();
  }
}

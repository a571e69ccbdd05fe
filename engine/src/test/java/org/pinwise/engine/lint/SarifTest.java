package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.spi.Severity;

/** Holds what is written as SARIF to the schema that OASIS publishes. */
@Tag("slow") // the Java 17 run leaves it out: it builds the rules
class SarifTest {
  private static final Schema SCHEMA = schema();
  private static final String MISTAKE =
      """
      schema: pinwise-plan/1
      device: rxe
      host: {kernel: 6.12}
      plan:
        regions:
          - {length: 64KiB, access: [REMOTE_WRITE]}%s
      """;

  private static Schema schema() {
    try (InputStream in =
        Objects.requireNonNull(
            SarifTest.class.getResourceAsStream("/schema/sarif-schema-2.1.0.json"))) {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
          .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<Error> errors(String json) {
    return SCHEMA.validate(
        json,
        InputFormat.JSON,
        context -> context.executionConfig(c -> c.formatAssertionsEnabled(true)));
  }

  /** Returns what is written of findings and problems, which fits the schema. */
  private static String written(List<Diagnostic> found, List<LintProblem> problems) {
    StringBuilder out = new StringBuilder();
    LintWriter writer = LintFormat.SARIF.to(out);
    found.forEach(writer::found);
    problems.forEach(writer::problem);
    writer.done();
    writer.end(new LintSummary(1, 1, Map.of(), problems.size(), 0, 0, Map.of(), 0));
    return fitting(out.toString());
  }

  private static String fitting(String json) {
    assertThat(errors(json)).as(json).isEmpty();
    return json;
  }

  private static Diagnostic found(String file, Place place, Severity severity, String message) {
    return new Diagnostic(
        file,
        place,
        "MR001",
        severity,
        Finding.Origin.TEAM,
        message,
        "Do this.",
        "ibv_reg_mr(3)",
        null,
        List.of(new Diagnostic.Related(file, place, message)));
  }

  /** Steps through what was written. */
  private static Yaml at(String json, Object... path) {
    Yaml value = Yaml.parse("sarif", json);
    for (Object step : path) {
      value =
          step instanceof Integer index
              ? value.asList().get(index)
              : value.asMapping("an object").require(step.toString());
    }
    return value;
  }

  @Test
  void nothingAtAllFits() {
    String json = written(List.of(), List.of());
    assertThat(at(json, "runs", 0, "results").asList()).isEmpty();
    assertThat(at(json, "runs", 0, "invocations", 0, "executionSuccessful").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"ERROR, error", "WARNING, warning", "INFO, note"})
  void eachSeverityFits(Severity severity, String level) {
    String json = written(List.of(found("a.yaml", new Place(7, 3), severity, "no")), List.of());
    assertThat(at(json, "runs", 0, "results", 0, "level").asText()).isEqualTo(level);
    Yaml region = at(json, "runs", 0, "results", 0, "locations", 0, "physicalLocation", "region");
    assertThat(region.asMapping("region").require("startLine").asText()).isEqualTo("7");
    assertThat(region.asMapping("region").require("startColumn").asText()).isEqualTo("3");
  }

  @Test
  void aFileAsAWholeFits() {
    written(List.of(found("limits.d/rdma", Place.START, Severity.INFO, "no")), List.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a file.yaml",
        "50%.yaml",
        "%41.yaml",
        "gr\u00f6\u00dfe/\u65e5\u672c.yaml",
        "\ud83d\ude80.yaml",
        "a:b.yaml",
        "c#d?e=f&g.yaml",
        "[1].yaml",
        "back\\slash.yaml",
        "quo\"te.yaml",
        "new\nline.yaml",
        "../above.yaml",
        "/abs olute/\u00e4.yaml",
        "//two.yaml",
        "~{a}|^`.yaml"
      })
  void oddNamesOfFilesAreUris(String name) throws Exception {
    String json = written(List.of(found(name, new Place(1, 1), Severity.ERROR, name)), List.of());
    String uri =
        at(json, "runs", 0, "results", 0, "locations", 0, "physicalLocation", "artifactLocation")
            .asMapping("a location")
            .require("uri")
            .asText();
    assertThat(uri).matches("\\p{ASCII}+").doesNotContain(" ");
    URI parsed = new URI(uri);
    assertThat(parsed.getPath()).isEqualTo(name.replace('\\', '/'));
    assertThat(parsed.getScheme()).isEqualTo(name.startsWith("/") ? "file" : null);
  }

  @Test
  void textsOfAllCharactersFit() {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 0x180; c++) {
      all.append(c);
    }
    all.append("\u2028\ufeff\uffff\ud800 {0} [a](b) </script>");
    written(
        List.of(found("a", new Place(1, 1), Severity.ERROR, all.toString())),
        List.of(new LintProblem(all.toString(), all.toString()), new LintProblem("", "no")));
  }

  @Test
  void bracesAreNoPlaceholders() {
    String json =
        written(List.of(found("a", new Place(1, 1), Severity.INFO, "{0} [a](1)")), List.of());
    assertThat(at(json, "runs", 0, "results", 0, "message", "text").asText())
        .isEqualTo("{{0}} [a](1). Do this.");
  }

  @Test
  void whatCannotBeReadIsANotification() {
    String json = written(List.of(), List.of(new LintProblem("a.yaml:3:1", "is not YAML")));
    Yaml.Mapping invocation = at(json, "runs", 0, "invocations", 0).asMapping("an invocation");
    assertThat(invocation.require("executionSuccessful").asBoolean()).isFalse();
    assertThat(
            at(
                    json,
                    "runs",
                    0,
                    "invocations",
                    0,
                    "toolExecutionNotifications",
                    0,
                    "message",
                    "text")
                .asText())
        .isEqualTo("a.yaml:3:1: is not YAML");
  }

  @Test
  void whatALinterFindsFits(@TempDir Path work) throws IOException {
    ConfigLinter linter = ConfigLinter.create(MrValidator.create(RuleSet.builtIn()));
    Files.writeString(work.resolve("found.pinwise.yaml"), MISTAKE.formatted(""));
    Files.writeString(
        work.resolve("suppressed.pinwise.yaml"),
        MISTAKE.formatted(" # pinwise: ignore MR001 a test"));
    Files.writeString(
        work.resolve("unused.pinwise.yaml"), MISTAKE.formatted(" # pinwise: ignore MR002 a test"));
    Files.writeString(work.resolve("broken.pinwise.yaml"), "plan: [");
    Path corpus = Path.of("../testdata/config");
    StringBuilder out = new StringBuilder();
    LintWriter writer = LintFormat.SARIF.to(out);
    LintSummary summary = linter.lint(List.of(work, corpus), writer);
    writer.end(summary);
    String json = fitting(out.toString());
    assertThat(summary.suppressed()).isPositive();
    assertThat(at(json, "runs", 0, "results").asList())
        .hasSize((int) summary.findings().values().stream().mapToLong(Long::longValue).sum());
    assertThat(json).contains("\"relatedLocations\"", "\"ruleId\" : \"suppression\"");
  }

  @Test
  void theSchemaRefusesWhatIsNoSarif() {
    String good = written(List.of(found("a", new Place(1, 1), Severity.INFO, "no")), List.of());
    for (List<String> change :
        List.of(
            List.of("\"startLine\" : 1", "\"startLine\" : 0"),
            List.of("\"startColumn\" : 1", "\"startColumn\" : -1"),
            List.of("\"level\" : \"note\"", "\"level\" : \"info\""),
            List.of("\"version\" : \"2.1.0\"", "\"version\" : \"2.2\""),
            List.of("\"ruleId\"", "\"rule\""),
            List.of("\"text\" : \"no", "\"txt\" : \"no"),
            List.of("\"name\" : \"pinwise\"", "\"nam\" : \"pinwise\""))) {
      String bad = good.replace(change.get(0), change.get(1));
      assertThat(bad).isNotEqualTo(good);
      assertThat(errors(bad)).as(bad).isNotEmpty();
    }
  }
}

package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.spi.Severity;

/**
 * The flags with which healthy projects register memory are accepted: no error, and no error rule
 * undecided, on devices of the catalogue as they are. What a row adds to them names its source.
 */
class FlagsTest {
  private static final int ROWS = 51;
  private static final MrValidator VALIDATOR = MrValidator.create(RuleSet.builtIn());

  private final FactsReader reader = FactsReader.of(DeviceCatalog.load());

  private static Yaml.Mapping document() {
    try (InputStream in =
        Objects.requireNonNull(
            FlagsTest.class.getClassLoader().getResourceAsStream("flags/flags.yaml"))) {
      return Yaml.parse("flags.yaml", new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .asMapping("the survey");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<Yaml.Mapping> rows() {
    return document().require("rows").asList().stream().map(row -> row.asMapping("a row")).toList();
  }

  static Stream<Arguments> flags() {
    List<Arguments> flags = new ArrayList<>();
    for (Yaml.Mapping row : rows()) {
      for (Yaml set : row.require("sets").asList()) {
        for (Yaml device : row.require("devices").asList()) {
          flags.add(
              Arguments.of(
                  row.require("row").asText() + " " + row.require("project").asText(),
                  set.asText(),
                  device.asText(),
                  row));
        }
      }
    }
    return flags.stream();
  }

  @ParameterizedTest(name = "{0}: {1} on {2}")
  @MethodSource("flags")
  void isAccepted(String project, String set, String device, Yaml.Mapping row) {
    Yaml.Mapping facts = sourced(document().require("common").asMapping("common"));
    Yaml.Mapping own = row.get("added").map(a -> sourced(a.asMapping("added"))).orElse(null);
    Map<String, Yaml> asked = new LinkedHashMap<>();
    asked.put("request", mapping("access", set));
    asked.put("device", mapping("catalog", device));
    facts = Documents.over(facts, new Yaml.Mapping("flags", 1, 1, asked));
    if (own != null) {
      facts = Documents.over(facts, own);
    }
    Verdict verdict = VALIDATOR.validate(reader.read(facts).facts());
    assertThat(verdict.findings(Severity.ERROR)).as("%s", verdict).isEmpty();
    assertThat(verdict.undecided().stream().filter(open -> open.severity() == Severity.ERROR))
        .as("%s", verdict)
        .isEmpty();
  }

  @Test
  void everyRowIsThereAndRowsWithPrivateBitsAreApart() {
    TreeSet<Integer> numbered = new TreeSet<>();
    rows().forEach(row -> numbered.add(Integer.parseInt(row.require("row").asText())));
    assertThat(numbered).containsExactlyElementsOf(IntStream.rangeClosed(1, ROWS).boxed().toList());
    for (Yaml.Mapping row : rows()) {
      boolean numbers =
          row.require("sets").asList().stream().anyMatch(set -> set.asText().startsWith("0x"));
      assertThat(row.get("private").isPresent()).as("%s", row.where()).isEqualTo(numbers);
    }
  }

  /** The rule set still refuses what no project does: the test above can fail. */
  @Test
  void remoteWriteAloneIsNone() {
    Yaml.Mapping facts = sourced(document().require("common").asMapping("common"));
    Map<String, Yaml> asked = new LinkedHashMap<>();
    asked.put("request", mapping("access", "REMOTE_WRITE"));
    asked.put("device", mapping("catalog", "connectx5"));
    Verdict verdict =
        VALIDATOR.validate(
            reader.read(Documents.over(facts, new Yaml.Mapping("flags", 1, 1, asked))).facts());
    assertThat(verdict).isInstanceOf(Rejected.class);
  }

  private static Yaml.Mapping mapping(String key, String value) {
    return new Yaml.Mapping("flags", 1, 1, Map.of(key, new Yaml.Scalar("flags", 1, 1, value)));
  }

  /** Returns the sections without their sources, each of which has one. */
  private static Yaml.Mapping sourced(Yaml.Mapping sections) {
    Map<String, Yaml> entries = new LinkedHashMap<>();
    sections
        .entries()
        .forEach((key, value) -> {
          Yaml.Mapping section = value.asMapping(key);
          assertThat(section.require("source").asText()).as("%s", section.where()).contains(" ");
          entries.put(key, Documents.without(section, "source"));
        });
    return new Yaml.Mapping(sections.file(), sections.line(), sections.column(), entries);
  }
}

package org.pinwise.engine.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.Pack;
import org.pinwise.engine.Profile;
import org.pinwise.engine.Room;
import org.pinwise.engine.RoomVerifier;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.facts.DeviceCatalog;

/** The guide to rule files says what the parser does. */
class GuideTest {
  private static final Path GUIDE = Path.of("RULE-FILES.md");

  @Test
  void guideIsUpToDate() throws IOException {
    if (System.getProperty("catalog.update") != null) {
      Files.writeString(GUIDE, Guide.markdown());
    }
    assertThat(Files.readString(GUIDE))
        .as("engine/RULE-FILES.md; -Dcatalog.update writes it anew")
        .isEqualTo(Guide.markdown());
  }

  @Test
  void whatLiesAroundARuleIsReadAsItStands(@TempDir Path folder) throws IOException {
    Path profile = Files.writeString(folder.resolve("fleet.yaml"), Guide.PROFILE);
    Files.writeString(folder.resolve(Pack.MANIFEST), Guide.MANIFEST);
    Path room = Files.createDirectory(folder.resolve("ACME101-small"));
    Files.writeString(room.resolve("rule.md"), "Why.");
    Files.writeString(
        room.resolve("rule.drl"),
        rule(
                "@severity(ERROR) @since(1) @spec(\"s\") @summary(\"Small\") @remediation(\"Mend"
                    + " it.\")",
                "length > Size.GIB")
            .replace("GUIDE001", "ACME101"));
    Files.writeString(room.resolve("reject-large.yaml"), Guide.EXAMPLE);
    Files.writeString(
        room.resolve("accept-small.yaml"),
        Guide.EXAMPLE.replace("2GiB ", "1GiB").replaceAll("# expect.*", ""));

    RuleSet rules = RuleSet.builtIn().withFiles(folder).with(Profile.load(profile));

    assertThat(rules.problems()).isEmpty();
    RuleSet ungraded = RuleSet.builtIn().withFiles(folder);
    RoomVerifier verifier = new RoomVerifier(ungraded, DeviceCatalog.load());
    assertThat(ungraded.rooms())
        .filteredOn(made -> made.id().equals("ACME101"))
        .singleElement()
        .satisfies(made -> assertThat(verifier.problems(made)).isEmpty());
  }

  private static String rule(String annotations, String condition) {
    return """
    package mr.rules.guide;
    import org.pinwise.rules.model.AccessFlag;
    import org.pinwise.rules.model.MrRequest;
    import org.pinwise.rules.model.Size;
    import org.pinwise.rules.model.Verb;
    global org.pinwise.rules.spi.Findings findings;
    rule "GUIDE001" %s
    when
      $r : MrRequest( %s )
    then
      findings.report("GUIDE001", $r, "{length}");
    end
    """
        .formatted(annotations, condition);
  }

  private static Stream<String> examples(boolean required) {
    return Annotations.KINDS.stream()
        .filter(kind -> kind.needed().equals("always") || !required)
        .map(Annotations.Kind::example);
  }

  static Stream<String> comparisons() {
    return Guide.COMPARISONS.stream();
  }

  @ParameterizedTest
  @MethodSource("comparisons")
  void everyComparisonThatItShowsIsOne(String comparison) {
    String text = rule(String.join("\n", examples(true).toList()), comparison);

    assertThat(RuleFileParser.parseOfTeam("guide.drl", text).problems()).isEmpty();
  }

  @Test
  void everyAnnotationThatItShowsIsOne() {
    String text = rule(String.join("\n", examples(false).toList()), "length > 1");

    assertThat(RuleFileParser.parse("guide.drl", text).problems()).isEmpty();
  }

  /** Each word and symbol in quotes is in a rule file of Pinwise, or in a comparison above. */
  @Test
  void theGrammarHasNothingThatNobodyWrites() {
    StringBuilder all = new StringBuilder(String.join("\n", Guide.COMPARISONS));
    RuleSet.builtInRooms().stream().map(Room::rule).forEach(all::append);
    List<String> terminals =
        Pattern.compile("\"([^\"]+)\"")
            .matcher(Guide.GRAMMAR)
            .results()
            .map(result -> result.group(1))
            .distinct()
            .toList();

    assertThat(terminals).hasSizeGreaterThan(40);
    assertThat(terminals.stream().filter(terminal -> all.indexOf(terminal) < 0))
        .as("not written by any rule of Pinwise; each has a test of its own")
        .isSubsetOf("exists", "true");
  }

  @Test
  void existsIsAPatternAsItIs() {
    String text =
        rule(String.join("\n", examples(true).toList()), "length > 1")
            .replace(
                "import org.pinwise.rules.model.Size;", "import org.pinwise.rules.model.Device;")
            .replace("when", "when exists Device( odp == true )");

    RuleFileParser.Result result = RuleFileParser.parseOfTeam("guide.drl", text);

    assertThat(result.problems()).isEmpty();
    assertThat(result.rules().get(0).inWords())
        .isEqualTo("device.odp is true and request.length is more than 1");
  }
}

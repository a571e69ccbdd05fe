package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.json.VerdictJson;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Truth;

/** Rules in full DRL: what no rule file may do, because somebody trusts them. */
@Tag("slow") // Drools' compiler takes seconds
class TrustedRulesTest {
  private static final String RULE =
      """
      package acme;

      import org.pinwise.rules.model.Host;
      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.Size;
      global org.pinwise.rules.spi.Findings findings;

      function String giB(long bytes) { return String.format("%.1f GiB", bytes / (double) Size.GIB); }

      declare Big
        bytes : Long
      end

      rule "what is big"
      when
        MrRequest( $l : length, length > Size.GIB )
      then
        insert(new Big($l));
      end

      rule "ACME201"
        @severity(ERROR) @since(1) @spec("the fleet's guide, part 4")
        @summary("A region has at most 1 GiB")
        @remediation("Register chunks.")
      when
        Big( $l : bytes )
        $r : MrRequest( length != null && Long.bitCount(length) == 1 )
      then
        findings.report("ACME201", $r, giB($l) + " in one region, {length} with access {request.access}");
      end

      rule "ACME201/pins"
        @severity(WARNING) @since(1) @spec("s") @summary("Little is pinned") @remediation("Pin less.")
      when
        $h : Host( pinnedPages > 1000 )
      then
        findings.report("ACME201/pins", $h, "{pinnedPages} pages, {nothing.such}");
      end
      """;

  @TempDir static Path shared;
  private static Path trusted;
  private static RuleSet rules;
  private static MrValidator validator;

  @TempDir Path folder;

  @BeforeAll
  static void compile() throws IOException {
    trusted = pack(shared.resolve("trusted"), "ACME201-big", RULE);
    rules = RuleSet.builtIn().withTrustedFiles(trusted);
    validator = MrValidator.create(rules);
  }

  private Path pack(String rule) throws IOException {
    return pack(folder.resolve("trusted"), "ACME201-big", rule);
  }

  private static Path pack(Path pack, String room, String rule) throws IOException {
    Path made = Files.createDirectories(pack.resolve(room));
    Files.writeString(made.resolve("rule.drl"), rule);
    return pack;
  }

  private static Facts request(long length) {
    return Facts.of(MrRequest.ofLength(length).access(AccessFlag.LOCAL_WRITE).build());
  }

  private static List<String> findings(Verdict verdict) {
    return verdict.findings().stream()
        .filter(finding -> finding.rule().startsWith("ACME"))
        .map(finding -> finding.rule() + " " + finding.severity() + ": " + finding.message())
        .toList();
  }

  @Test
  void rulesMayDoWhatNoRuleFileMay() {
    Verdict big = validator.validate(request(2 * Size.GIB));
    assertThat(findings(big))
        .containsExactly("ACME201 ERROR: 2.0 GiB in one region, 2GiB with access [LOCAL_WRITE]");
    Finding finding = big.findings(Severity.ERROR).get(0);
    assertThat(finding.origin()).isEqualTo(Finding.Origin.TEAM);
    assertThat(finding.errno()).isNull();
    assertThat(finding.remediation()).isEqualTo("Register chunks.");
    assertThat(finding.arguments())
        .isEqualTo(Map.of("request.length", "2GiB", "request.access", "[LOCAL_WRITE]"));
    assertThat(big).isInstanceOf(Rejected.class);
    assertThat(big.errno()).isEmpty();

    assertThat(findings(validator.validate(request(3 * Size.GIB)))).isEmpty();
    assertThat(findings(validator.validate(request(Size.GIB)))).isEmpty();
    // A fact that a rule left behind is not there for the next verdict.
    assertThat(findings(validator.validate(request(Size.MIB)))).isEmpty();
    // A place that names nothing stays: any code may have made the text.
    Facts pinned = request(1).withHost(Host.TYPE.of(Map.of("pinnedPages", 2000L)));
    assertThat(findings(validator.validate(pinned)))
        .containsExactly("ACME201/pins WARNING: {pinnedPages} pages, {nothing.such}");
  }

  @Test
  void eachVerdictSaysThatTheyTookPart() {
    Verdict verdict = validator.validate(request(1));
    assertThat(verdict.trusted()).containsExactly(trusted.toString());
    assertThat(VerdictJson.compact(verdict)).contains("\"trusted\":[\"" + trusted + "\"]");
    assertThat(rules.trustedRules())
        .extracting(rule -> rule.id() + " " + rule.source())
        .containsExactly(
            "ACME201 " + trusted + "/ACME201-big/rule.drl:21",
            "ACME201/pins " + trusted + "/ACME201-big/rule.drl:32");
    assertThat(MrValidator.create(RuleSet.builtIn()).validate(request(1)).trusted()).isEmpty();
  }

  @Test
  void whatIsUnknownIsNotSo() {
    Facts unknown = Facts.of(MrRequest.builder().access(AccessFlag.LOCAL_WRITE).build());

    Verdict verdict = validator.validate(unknown);

    assertThat(findings(verdict)).isEmpty();
    assertThat(verdict.undecided()).noneMatch(open -> open.rule().startsWith("ACME"));
    assertThat(validator.why(unknown))
        .filteredOn(Why::trusted)
        .containsExactly(
            new Why("ACME201", Truth.FALSE, true, true, List.of()),
            new Why("ACME201/pins", Truth.FALSE, true, true, List.of()));
    assertThat(validator.why(request(2 * Size.GIB)))
        .contains(new Why("ACME201", Truth.TRUE, true, true, List.of()));
  }

  @Test
  void aProfileGradesThem() throws IOException {
    Path profile = folder.resolve("p.yaml");
    Files.writeString(
        profile,
        """
        profile: p
        rules:
          ACME201: {severity: info}
          ACME201/pins: {off: "nobody reads it"}
        """);

    Verdict verdict =
        MrValidator.create(rules.with(Profile.load(profile))).validate(request(2 * Size.GIB));
    assertThat(verdict.findings(Severity.INFO))
        .anyMatch(f -> f.rule().equals("ACME201") && f.origin() == Finding.Origin.PROFILE);
    assertThat(verdict.disabled()).containsExactly("ACME201/pins: nobody reads it");
    assertThat(findings(verdict)).hasSize(1);

    Files.writeString(profile, "profile: p\nrules:\n  ACME202: {severity: info}\n");
    assertThat(rules.with(Profile.load(profile)).problems())
        .singleElement()
        .satisfies(p -> assertThat(p.message()).contains("did you mean ACME201"));
  }

  @Test
  void anIdOfTwoNamesBothFiles() throws IOException {
    Path other = pack(folder.resolve("other"), "ACME201-same", RULE);

    assertThat(rules.withTrustedFiles(other).problems())
        .extracting(RuleProblem::toString)
        .containsExactly(
            "%s/ACME201-same/rule.drl:21: [ACME201] the id is taken by %s/ACME201-big/rule.drl:21; give one of them another"
                .formatted(other, trusted),
            "%s/ACME201-same/rule.drl:32: [ACME201/pins] the id is taken by %s/ACME201-big/rule.drl:32; give one of them another"
                .formatted(other, trusted));
  }

  @Test
  void aRuleThatFailsHasDecidedNothing() throws IOException {
    String failing =
        RULE.replace(
            "findings.report(\"ACME201\"",
            "int x = 1 / (int) ($l % 2); findings.report(\"ACME201\"");
    MrValidator judge = MrValidator.create(RuleSet.builtIn().withTrustedFiles(pack(failing)));

    Verdict verdict = judge.validate(request(2 * Size.GIB));
    assertThat(findings(verdict)).isEmpty();
    assertThat(verdict).isInstanceOf(Undecided.class);
    assertThat(verdict.undecided())
        .filteredOn(open -> open.rule().equals("ACME201"))
        .singleElement()
        .satisfies(open -> assertThat(open.summary()).contains("ArithmeticException: / by zero"));
    assertThat(verdict.undecided()).anyMatch(open -> open.rule().equals("ACME201/pins"));
    // It fails where it is judged, and not for ever.
    assertThat(judge.validate(request(3)).undecided())
        .noneMatch(open -> open.rule().startsWith("ACME"));
  }

  @Test
  void rulesThatWakeEachOtherAreStopped() throws IOException {
    String endless =
        RULE.replace(
            "insert(new Big($l));",
            """
            insert(new Big($l));
            end
            rule "again"
            when
              Big( $l : bytes )
            then
              insert(new Big($l + 1));
            """);
    MrValidator judge = MrValidator.create(RuleSet.builtIn().withTrustedFiles(pack(endless)));

    assertThat(judge.validate(request(2 * Size.GIB)).undecided())
        .anyMatch(open -> open.summary().contains("they may wake each other"));
  }

  @Test
  void oneThatReportsForAnotherIsUndecided() throws IOException {
    String another = RULE.replace("findings.report(\"ACME201\"", "findings.report(\"MR001\"");
    MrValidator judge = MrValidator.create(RuleSet.builtIn().withTrustedFiles(pack(another)));

    Verdict verdict = judge.validate(request(2 * Size.GIB));
    assertThat(verdict.findings()).noneMatch(finding -> finding.rule().equals("MR001"));
    assertThat(verdict.undecided())
        .anyMatch(
            open -> open.rule().equals("ACME201") && open.summary().contains("reports for MR001"));
  }

  @Test
  void whatIsWrongIsAProblem() throws IOException {
    Map<String, String> said = new LinkedHashMap<>();
    UnaryOperator<String> bad = rule -> rule.replace("@severity(ERROR)", "@severity(BAD)");
    said.put(add("ACME301", bad), "rule.drl:21:1: [ACME301] @severity cannot be BAD");
    said.put(
        add("ACME302", rule -> rule.replaceFirst("@summary\\(.*\\)\n", "")),
        "rule.drl:21:1: [ACME302] rule \"ACME302\" has no @summary");
    said.put(
        add("ACME303", rule -> rule.replace("@severity(ERROR)", "@severity(ERROR) @errno(EINVAL)")),
        "rule.drl:21:1: [ACME303] a team's rule has neither @errno nor @stage");
    said.put(
        add("ACME304", rule -> rule.replace("@since(1)", "@since(1) @param(\"x = 1\")")),
        "rule.drl:21:1: [ACME304] a rule in full DRL has no @param");
    said.put(
        add("ACME305", rule -> rule.replace("ACME305", "MR305")),
        "rule.drl:21:1: [MR305] MR305 is an id of Pinwise's own");
    said.put(
        add("ACME306", rule -> rule.replace("ACME306", "ACME307")),
        "rule.drl:21:1: [ACME307] the rule's id does not start with its room's, ACME306");

    String problems =
        RuleSet.builtIn().withTrustedFiles(folder.resolve("wrong")).problems().toString();
    said.forEach((room, message) -> assertThat(problems).contains(room + "/" + message));
  }

  /** Adds a room of its own package to a pack, and returns where it is. */
  private String add(String id, UnaryOperator<String> change) throws IOException {
    String rule = RULE.replace("package acme", "package " + id).replace("ACME201", id);
    pack(folder.resolve("wrong"), id + "-wrong", change.apply(rule));
    return folder.resolve("wrong/" + id + "-wrong").toString();
  }

  @Test
  void whatDoesNotCompileIsAProblem() throws IOException {
    String file = folder + "/trusted/ACME201-big/rule.drl";

    assertThat(problems(RULE.replace("when\n  Big(", "when\n  Big((")))
        .startsWith("[" + file + ":")
        .doesNotContain("\n");
    assertThat(problems(RULE.replace("bitCount(length)", "bits(length)")))
        .contains("bits")
        .doesNotContain("\n");
    assertThat(problems("package acme;\nrule \"prepares\" when then end"))
        .contains("no rule can report; declare: global org.pinwise.rules.spi.Findings findings");
  }

  private String problems(String rule) throws IOException {
    return RuleSet.builtIn().withTrustedFiles(pack(rule)).problems().toString();
  }

  @Test
  void twoThreadsDoNotDisturbEachOther() {
    assertThat(
            IntStream.range(0, 400)
                .parallel()
                .filter(i ->
                    findings(validator.validate(request((i % 2 + 1) * Size.GIB))).size() != i % 2)
                .count())
        .isZero();
  }

  @Test
  void withoutTheCompilerItSaysWhatToAdd() throws Exception {
    URL[] without =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(jar -> !jar.contains("drools-model-codegen"))
            .map(TrustedRulesTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader =
        new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
      Class<?> ruleSet = loader.loadClass(RuleSet.class.getName());
      Object none = ruleSet.getMethod("empty").invoke(null);
      Object more = ruleSet.getMethod("withTrustedFiles", Path.class).invoke(none, trusted);
      assertThat(ruleSet.getMethod("problems").invoke(more).toString())
          .isEqualTo(
              "[%s: full DRL needs Drools' compiler, which is not on the class path; add org.drools:drools-engine, org.drools:drools-drl-extensions, org.drools:drools-io, org.kie:kie-util-maven-support 10.2.0, or write the rule in the closed subset and load it with --rules]"
                  .formatted(trusted));
    }
  }

  private static URL url(String path) {
    try {
      return Path.of(path).toUri().toURL();
    } catch (java.net.MalformedURLException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  @Test
  void aPackThatCannotBeReadIsSaidAtOnce() {
    assertThatThrownBy(() -> RuleSet.builtIn().withTrustedFiles(folder.resolve("gone")))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("there is no such directory of rules");
  }
}

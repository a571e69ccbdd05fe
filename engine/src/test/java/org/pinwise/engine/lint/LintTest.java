package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;

/** Lints manifests, Compose files and plans: what is wrong, where, and nothing else. */
@Tag("slow") // the Java 17 run leaves it out: it builds the rules
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LintTest {
  private static final Path CORPUS = Path.of("../testdata/config");
  private static final Pattern EXPECT = Pattern.compile("\\s*# expect: (\\S+ \\w+) at (.*)");
  private static final String MISTAKE =
      """
      schema: pinwise-plan/1
      device: rxe
      host: {kernel: 6.12}
      plan:
        regions:
          - {length: 64KiB, access: [REMOTE_WRITE]}%s
      """;

  private final ConfigLinter linter = ConfigLinter.create(MrValidator.create(RuleSet.builtIn()));

  static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String area : List.of("kubernetes", "compose", "plans")) {
      try (Stream<Path> tree = Files.walk(CORPUS.resolve(area))) {
        tree.filter(Files::isRegularFile)
            .filter(file -> !file.toString().endsWith(".json")) // which has no comments
            .sorted()
            .forEach(files::add);
      }
    }
    return files;
  }

  /** A comment says what the next other line has, and at which text. */
  @ParameterizedTest
  @MethodSource("files")
  void everyMistakeIsFoundAtItsPlaceAndNothingElse(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = EXPECT.matcher(lines.get(i));
      if (matcher.matches()) {
        int next = i + 1;
        while (EXPECT.matcher(lines.get(next)).matches()) {
          next++;
        }
        int column = lines.get(next).lastIndexOf(matcher.group(2)) + 1;
        expected.add("%d:%d %s".formatted(next + 1, column, matcher.group(1)));
      }
    }
    LintReport report = linter.lint(file);
    assertThat(report.problems()).isEmpty();
    assertThat(shown(report)).containsExactlyElementsOf(expected);
  }

  private static List<String> shown(LintReport report) {
    return report.diagnostics().stream()
        .map(d ->
            "%s %s %s".formatted(d.place(), d.rule(), d.severity().name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  @Test
  void jsonHasPlaces() {
    assertThat(shown(linter.lint(CORPUS.resolve("plans/mistakes.pinwise.json"))))
        .containsExactly("7:53 MR001 error");
  }

  @Test
  void aPlanIsJoinedWithThePodThatItNames() {
    LintReport report = linter.lint(CORPUS.resolve("joined/pod"));
    assertThat(shown(report)).containsExactly("10:26 CF009 warning");
    assertThat(report.diagnostics().get(0).file()).endsWith("pod.yaml");
    assertThat(report.diagnostics().get(0).related())
        .extracting(related -> related.place().toString())
        .containsExactly("6:3");
  }

  @Test
  void aPlanLearnsTheLimitOfTheServiceThatItNames() {
    LintReport report = linter.lint(CORPUS.resolve("joined/compose"));
    assertThat(shown(report)).containsExactly("6:3 MR048 error", "7:28 MR013 error");
    assertThat(report.diagnostics().get(1).related())
        .extracting(Diagnostic.Related::fact)
        .contains("host.memlock is 64MiB", "host.ipcLock is false");
  }

  @Test
  void aPlanLearnsTheLimitOfTheUnitThatItNamesWithItsDropIns() {
    LintReport report = linter.lint(CORPUS.resolve("joined/unit"));
    // That the unit uses RDMA the plan says; of the other unit nothing does.
    assertThat(shown(report))
        .containsExactlyInAnyOrder("4:16 CF063 error", "6:3 MR048 error", "7:28 MR013 error");
    Diagnostic limit =
        report.diagnostics().stream()
            .filter(found -> found.rule().equals("MR013"))
            .findFirst()
            .orElseThrow();
    assertThat(limit.related())
        .anySatisfy(related -> {
          assertThat(related.fact()).isEqualTo("host.memlock is 64MiB");
          assertThat(related.file()).endsWith("10-limits.conf");
          assertThat(related.place()).isEqualTo(new Place(2, 14));
        });
  }

  @Test
  void aPlanLearnsTheLimitOfTheUserThatItNames() {
    LintReport report = linter.lint(CORPUS.resolve("joined/user"));
    assertThat(shown(report)).containsExactly("6:3 MR048 error", "7:28 MR013 error");
    assertThat(report.diagnostics().get(1).related())
        .extracting(Diagnostic.Related::fact)
        .contains("host.memlock is 64MiB", "host.ipcLock is false");
  }

  /** pam_limits reads all files as one: of two that name a user the later holds, for each limit. */
  @Test
  void aPlanLearnsOfSeveralFilesWhatHoldsForItsUser(@TempDir Path work) throws IOException {
    lint(
        work,
        "job.pinwise.yaml",
        """
        workload: user:trainer
        device: rxe
        host: {kernel: 6.12, pageSize: 4KiB}
        plan: {regions: [{length: 128MiB, access: [LOCAL_WRITE]}]}
        """);
    lint(work, "security/limits.conf", "trainer - memlock 65536\n");
    lint(work, "security/limits.d/20.conf", "trainer - memlock unlimited\n");
    assertThat(rules(linter.lint(work))).containsExactly("limits.conf:1:19 CF059");
    lint(work, "security/limits.d/30.conf", "trainer hard memlock 70000\n");
    LintReport lowered = linter.lint(work);
    assertThat(rules(lowered))
        .containsExactly(
            "limits.conf:1:19 CF059", "job.pinwise.yaml:4:7 MR048", "job.pinwise.yaml:4:27 MR013");
    assertThat(lowered.diagnostics().get(1).related())
        .extracting(one -> Path.of(one.file()).getFileName() + ":" + one.place() + " " + one.fact())
        .contains("30.conf:1:22 host.memlock is 70000KiB");
    lint(work, "security/limits.d/40.conf", "trainer - memlock unlimited\n");
    assertThat(rules(linter.lint(work)))
        .containsExactly("limits.conf:1:19 CF059", "20.conf:1:19 CF059", "30.conf:1:22 CF059");
  }

  private static List<String> rules(LintReport report) {
    return report.diagnostics().stream()
        .map(d -> "%s:%s %s".formatted(Path.of(d.file()).getFileName(), d.place(), d.rule()))
        .toList();
  }

  @Test
  void withoutItsPartnerAFileIsJudgedAlone() {
    assertThat(shown(linter.lint(CORPUS.resolve("joined/pod/pod.yaml")))).isEmpty();
    assertThat(shown(linter.lint(CORPUS.resolve("joined/compose/store.pinwise.yaml")))).isEmpty();
  }

  private LintReport lint(Path directory, String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return linter.lint(file);
  }

  @Test
  void suppressionsNeedReasonsAndFindings(@TempDir Path work) throws IOException {
    String ignore = " # pinwise: ignore ";
    LintReport used = lint(work, "a.pinwise.yaml", MISTAKE.formatted(ignore + "MR001 a test"));
    assertThat(used.diagnostics()).isEmpty();
    assertThat(used.summary().suppressed()).isEqualTo(1);
    LintReport bare = lint(work, "a.pinwise.yaml", MISTAKE.formatted(ignore + "MR001"));
    assertThat(shown(bare)).containsExactly("6:31 MR001 error", "6:47 suppression warning");
    assertThat(bare.diagnostics().get(1).message()).contains("has no reason");
    LintReport unused = lint(work, "a.pinwise.yaml", MISTAKE.formatted(ignore + "MR002 a test"));
    assertThat(unused.diagnostics().get(1).message()).startsWith("MR002 reports nothing here");
  }

  @Test
  void directoriesAreWalkedAsGitSeesThem(@TempDir Path work) throws IOException {
    Files.createDirectories(work.resolve(".git"));
    Files.writeString(work.resolve(".gitignore"), "out/\n*.bak.yaml\n!kept.bak.yaml\n/top.yaml\n");
    for (String name : List.of("a", "kept.bak", "lost.bak", "out/b", "top", "sub/top")) {
      lint(work, name + ".yaml", MISTAKE.formatted(""));
    }
    Files.createSymbolicLink(work.resolve("sub/loop"), work);
    Files.createSymbolicLink(work.resolve("sub/self"), Path.of("self"));
    Files.write(work.resolve("image.yaml"), new byte[] {'s', 0, 1, 2});
    Files.write(work.resolve("latin.pinwise.yaml"), new byte[] {'a', '\n', (byte) 0xe9});
    LintReport report = linter.lint(work);
    assertThat(report.diagnostics())
        .extracting(d -> work.relativize(Path.of(d.file())).toString())
        .containsExactly("a.yaml", "kept.bak.yaml", "sub/top.yaml");
    assertThat(report.problems())
        .extracting(LintProblem::toString)
        .containsExactly(work + "/latin.pinwise.yaml:2:1: is not UTF-8 text; save it as UTF-8");
  }

  @Test
  void brokenFilesAreProblemsWithTheirPlaces(@TempDir Path work) throws IOException {
    String pods = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a}]}\n---\nkind: [\n";
    LintReport broken = lint(work, "pods.yaml", pods);
    assertThat(broken.summary().problems()).isEqualTo(1);
    assertThat(broken.problems().get(0).place()).startsWith(work + "/pods.yaml:6:1");
    assertThat(lint(work, "x.txt", "hello").problems().get(0).message())
        .startsWith("is of no format that is linted");
    assertThat(linter.lint(work.resolve("none")).problems().get(0).message())
        .isEqualTo("there is no such file or directory");
    String wide = "apiVersion: v1\nkind: Pod\nx: " + "y".repeat(70_000);
    assertThat(lint(work, "wide.yaml", wide).problems().get(0).place()).endsWith("wide.yaml:3:1");
  }

  @Test
  void whatAliasesMultiplyIsBounded(@TempDir Path work) throws IOException {
    String head = "apiVersion: v1\nkind: Pod\n";
    StringBuilder doubled = new StringBuilder(head + "a0: &a0 [x, x]\n");
    for (int i = 1; i < 40; i++) {
      doubled.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    // The list of a16 holds 2^18 - 1 values, and all lines up to it 2^19.
    assertThat(problems(work, doubled.toString()))
        .containsExactly(
            "20:18: with what this alias repeats the document has more than 1000000 values");
    // Two aliases a line: the 51st is the first of the 26th of these lines.
    assertThat(problems(work, head + "a: &a [x]\n" + many()))
        .containsExactly(
            "29:7: is one of more than 50 aliases of mappings and sequences in a document");
    assertThat(problems(work, head + "a: &a {b: [*a]}\n"))
        .containsExactly("3:12: is an alias of what holds it: a");
    assertThat(problems(work, head + "a: *b\n"))
        .containsExactly("3:4: is an alias of b, which no anchor names");
    String deep = head + "a: &a " + "[".repeat(40) + "]".repeat(40) + "\nb: ";
    assertThat(problems(work, deep + "[".repeat(20) + "*a" + "]".repeat(20))).isEmpty();
    assertThat(problems(work, deep + "[".repeat(30) + "*a" + "]".repeat(30)))
        .containsExactly("4:34: is nested deeper than 64");
    assertThat(problems(work, head + "a: " + "[".repeat(60_000)))
        .containsExactly("3:68: is nested deeper than 64");
    // Scalars multiply nothing.
    String scalars = head + "a: &a x\nb: [" + "*a, ".repeat(100) + "*a]\n*a : y\n";
    assertThat(problems(work, scalars)).isEmpty();
  }

  private static String many() {
    StringBuilder lines = new StringBuilder();
    for (int i = 10; i < 50; i++) {
      lines.append("b%d: [*a, *a]\n".formatted(i));
    }
    return lines.toString();
  }

  private List<String> problems(Path work, String text) throws IOException {
    String file = work.resolve("a.yaml").toString();
    return lint(work, "a.yaml", text).problems().stream()
        .map(problem -> problem.toString().replace(file + ":", ""))
        .toList();
  }

  /** Found by the fuzzer: YAML's lines end by a carriage return, too. */
  @Test
  void carriageReturnsEndLines(@TempDir Path work) throws IOException {
    for (String end : List.of("\r", "\r\n", "\n")) {
      LintReport report = lint(work, "a.pinwise.yaml", MISTAKE.formatted("").replace("\n", end));
      assertThat(shown(report)).containsExactly("6:31 MR001 error");
      assertThat(report.diagnostics().get(0).sourceLine())
          .isEqualTo("    - {length: 64KiB, access: [REMOTE_WRITE]}");
    }
  }

  /** Found by the fuzzer, in the last line of such a text. */
  @ParameterizedTest
  @ValueSource(strings = {"\r", "\r\n", "\n"})
  void linesOfPropertiesEndLikeThoseOfYaml(String end) {
    Fuzz.Input input = new Fuzz.Input("c.pinwise.properties", List.of());
    String text = input.text().replace("\n", end);
    Recorded recorded = Recorded.of(new PlanReader(), input.name(), text);
    Source source = new Source(input.name(), text);
    assertThat(recorded.statements).hasSize(2);
    for (Statement statement : recorded.statements) {
      Place place = statement.placeOf("plan.cacheKey");
      assertThat(place).isEqualTo(new Place(8, 18));
      assertThat(source.line(place.line()).substring(place.column() - 1))
          .isEqualTo("address,access");
    }
  }

  private static List<String> problems(LintReport report, Path work) {
    return report.problems().stream()
        .map(problem -> problem.toString().replace(work + "/", ""))
        .toList();
  }

  @Test
  void aPipeIsNeverRead(@TempDir Path work) throws Exception {
    for (String name : List.of("a.pinwise.yaml", "a.yaml")) {
      Process made = new ProcessBuilder("mkfifo", work.resolve(name).toString()).start();
      assertThat(made.waitFor()).isZero();
    }
    Files.writeString(work.resolve("b.pinwise.yaml"), MISTAKE.formatted(""));
    String pipe = "is a pipe or a device; save what it gives to a file and name that, or name -";
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          LintReport directory = linter.lint(work);
          assertThat(shown(directory)).containsExactly("6:31 MR001 error");
          // Of the one the name says that it is linted; of the other only what is in it could.
          assertThat(problems(directory, work)).containsExactly("a.pinwise.yaml: " + pipe);
          assertThat(directory.summary().other()).isEqualTo(1);
          assertThat(problems(linter.lint(work.resolve("a.yaml")), work))
              .containsExactly("a.yaml: " + pipe);
        });
  }

  /** Reading the kernel's log waits for more of it. */
  @Test
  void aFileThatNeverEndsIsNotWaitedFor() {
    assumeThat(Path.of("/proc/kmsg")).exists();
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> assertThat(linter.lint(Path.of("/proc/kmsg")).problems()).hasSize(1));
  }

  /** A file that may only be written cannot be read by anybody, root included. */
  @Test
  void whatCannotBeReadIsNeitherCleanNorTheEnd(@TempDir Path work) throws IOException {
    Path writeOnly = Path.of("/sys/bus/platform/uevent");
    assumeThat(writeOnly).exists();
    Files.createSymbolicLink(work.resolve("a.pinwise.yaml"), writeOnly);
    Files.createSymbolicLink(work.resolve("gone.pinwise.yaml"), Path.of("nowhere"));
    Files.createSymbolicLink(work.resolve("gone.txt"), Path.of("nowhere"));
    Files.createSymbolicLink(work.resolve("self.pinwise.yaml"), Path.of("self.pinwise.yaml"));
    Files.createSymbolicLink(work.resolve("up"), work);
    Files.writeString(work.resolve("z.pinwise.yaml"), MISTAKE.formatted(""));
    LintReport report = linter.lint(work);
    Files.delete(work.resolve("a.pinwise.yaml")); // what is outside is not the test's to remove
    assertThat(shown(report)).containsExactly("6:31 MR001 error");
    assertThat(problems(report, work))
        .hasSize(3)
        .anyMatch(problem -> problem.startsWith("a.pinwise.yaml: cannot be read: "))
        .contains(
            "gone.pinwise.yaml: is a link to nothing, or to itself",
            "self.pinwise.yaml: is a link to nothing, or to itself");
    assertThat(report.summary().other()).isEqualTo(1);
    assertThat(report.summary().inWords())
        .endsWith(
            "; 1 file of another kind; 1 skipped: links to directories, which are not followed)"
                + "; 3 problems: the report is not whole");
  }

  /** Paths have 4,095 bytes at most; what lies deeper can be made, and be read by no path. */
  @Test
  void whatLiesTooDeepIsNotPassedOver(@TempDir Path work) throws IOException {
    String name = "d".repeat(250);
    Path half = Path.of(name, Collections.nCopies(8, name).toArray(String[]::new));
    Path upper = Files.createDirectories(work.resolve("tree").resolve(half));
    Path lower = Files.createDirectories(work.resolve("lower").resolve(half)).getParent();
    Path joined = Files.move(work.resolve("lower"), upper.resolve("lower"));
    try {
      assertThat(joined.resolve(work.resolve("lower").relativize(lower)).toString())
          .hasSizeGreaterThan(4_095);
      LintReport report = linter.lint(work.resolve("tree"));
      assertThat(report.problems())
          .singleElement()
          .satisfies(problem -> {
            assertThat(problem.place()).endsWith(name);
            assertThat(problem.message()).isEqualTo("cannot be read: File name too long");
          });
    } finally {
      Files.move(joined, work.resolve("lower")); // by paths it cannot be removed, either
    }
  }

  @Test
  void namesMayHoldAnything(@TempDir Path work) throws IOException {
    for (String name : List.of("a\nb", "\u001b[31m", "::error::", "a\"<b>&", "-")) {
      lint(work, name + ".pinwise.yaml", MISTAKE.formatted(""));
    }
    LintReport report = linter.lint(work);
    assertThat(report.problems()).isEmpty();
    assertThat(report.diagnostics()).hasSize(5);
    for (LintFormat format : LintFormat.values()) {
      assertThat(written(format, work)).as(format.name()).doesNotContain("\u001b");
    }
  }

  @Test
  void whatItsNameCallsOursMustBeText(@TempDir Path work) throws IOException {
    Files.writeString(work.resolve("a.pinwise.yaml"), MISTAKE, StandardCharsets.UTF_16);
    Files.write(work.resolve("b.yaml"), new byte[] {'s', 0, 1, 2});
    LintReport report = linter.lint(work);
    assertThat(problems(report, work))
        .containsExactly("a.pinwise.yaml: is not text; save it as UTF-8");
    assertThat(report.summary().other()).isEqualTo(1);
  }

  @Test
  void otherProgramsDataMayBeLarge(@TempDir Path work) throws IOException {
    String much = "# c\n".repeat(FileWalk.MAX_BYTES / 4);
    Files.writeString(work.resolve("data.json"), "[1]\n".repeat(FileWalk.MAX_BYTES / 4 + 1));
    Files.writeString(work.resolve("a.yaml"), "apiVersion: v1\nkind: Pod\n" + much);
    LintReport report = linter.lint(work);
    assertThat(problems(report, work)).containsExactly("a.yaml: has more than 16,777,216 bytes");
    assertThat(report.summary().other()).isEqualTo(1);
    assertThat(linter.lint(work.resolve("data.json")).problems()).hasSize(1);
  }

  /** Each file of such a directory asks for all others. */
  @Test
  void ofVeryManyFilesThatAreReadAsOneEachIsJudgedAlone(@TempDir Path work) throws IOException {
    Path directory = Files.createDirectories(work.resolve("limits.d"));
    for (int i = 0; i <= Siblings.MAX_NAMES; i++) {
      Files.writeString(directory.resolve(i + ".conf"), "a - memlock unlimited\n");
    }
    assertThat(linter.lint(work).summary().skipped())
        .containsExactly(
            Map.entry(
                "files among more than 1,000 that are read as one; each was judged alone", 1001L));
    Files.delete(directory.resolve("7.conf"));
    assertThat(linter.lint(work).summary().skipped()).isEmpty();
  }

  @Test
  void servicesOfAHostShareItsMemoryAndItsDevice() {
    Recorded recorded =
        Recorded.of(
            new PlanReader(),
            "a.pinwise.yaml",
            """
            device: rxe
            host: {pageSize: 4KiB, memlock: 8MiB}
            services:
              a: {plan: {processes: 2, regions: [{length: 1MiB, count: 3, access: 1}]}}
              b: {host: {pageSize: 4KiB}, plan: {regions: [{length: 4KiB, access: 1}]}}
            """);
    assertThat(recorded.statements)
        .extracting(one -> one.facts().plan().regions())
        .containsExactly(7L, 7L);
    assertThat(recorded.statements)
        .extracting(one -> one.facts().plan().residentBytes())
        .containsExactly((6L << 20) + 4096, (6L << 20) + 4096);
    // A limit of a process binds each by itself.
    assertThat(recorded.statements)
        .extracting(one -> one.facts().plan().pinnedBytes())
        .containsExactly(3L << 20, 4096L);
    assertThat(recorded.statements)
        .extracting(one -> one.facts().host().memlock())
        .containsExactly(8L << 20, null);
  }

  @Test
  void deviceAndHostMayStandInOtherFiles(@TempDir Path work) throws IOException {
    Files.writeString(work.resolve("node.yaml"), "device: rxe\nhost: {kernel: 6.12}\n");
    String plan = "device: node.yaml\nhost: node.yaml\nplan: {regions: [{length: 1, access: 2}]}\n";
    assertThat(shown(lint(work, "a.pinwise.yaml", plan))).containsExactly("3:38 MR001 error");
    LintReport missing = lint(work, "b.pinwise.yaml", plan.replace("node.yaml", "none.yaml"));
    assertThat(missing.problems())
        .extracting(LintProblem::toString)
        .containsExactly(work + "/none.yaml: there is no such file");
  }

  private String written(LintFormat format, Path file) {
    StringBuilder out = new StringBuilder();
    LintWriter writer = format.to(out);
    writer.end(linter.lint(List.of(file), writer));
    return out.toString();
  }

  @Test
  void textShowsTheLineAndPointsAtWhatIsWrong(@TempDir Path work) throws IOException {
    Path file = work.resolve("a.pinwise.yaml");
    Files.writeString(file, MISTAKE.formatted(""));
    assertThat(written(LintFormat.TEXT, file))
        .isEqualTo(
            file
                + ":6:31: error MR001: access [REMOTE_WRITE] has no LOCAL_WRITE\n"
                + "      - {length: 64KiB, access: [REMOTE_WRITE]}\n"
                + "                                ^\n"
                + "  fix: Add LOCAL_WRITE to the access flags.\n"
                + "1 error, 0 warnings, 0 hints in 1 file (1 part judged"
                + "; 1 with rules that need more facts)\n");
    assertThat(written(LintFormat.GITHUB, file))
        .startsWith("::error file=" + file + ",line=6,col=31,title=MR001::access [REMOTE_WRITE]");
    assertThat(written(LintFormat.JUNIT, file))
        .contains("<failure type=\"error\" message=\"access [REMOTE_WRITE] has no LOCAL_WRITE\">");
  }

  @Test
  void nothingToCheckIsSaid(@TempDir Path work) {
    assertThat(linter.lint(work).summary().inWords()).startsWith("nothing to check: ");
  }
}

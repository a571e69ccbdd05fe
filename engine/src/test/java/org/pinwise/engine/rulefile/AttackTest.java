package org.pinwise.engine.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Room;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;

/**
 * A rule file that someone hostile wrote runs no code, reads no file, opens no socket, and costs
 * neither time nor memory: each attack is refused at its line, or bounded.
 */
class AttackTest {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final String HEAD =
      """
      package mr.rules.evil;
      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.Device;
      """;

  /** The condition stands on line 8, from column 17. */
  private static final String RULE =
      HEAD
          + """
          rule "EVIL001"
            @severity(ERROR) @since(1) @spec("s") @summary("s") @remediation("r.")
          when
            $d : Device()
            $r : MrRequest(
              CONDITION )
          then
            findings.report("EVIL001", $r, "m");
          end
          """;

  /** A second of work, whatever else the machine does; and should it hang, not for ever. */
  private static List<RuleProblem> problemsInTime(String text) {
    return assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () -> {
          long before = THREADS.getCurrentThreadCpuTime();
          List<RuleProblem> problems = RuleFileParser.parseOfTeam("evil.drl", text).problems();
          assertThat(THREADS.getCurrentThreadCpuTime() - before)
              .as("nanoseconds of work")
              .isLessThan(1_000_000_000);
          return problems;
        });
  }

  private static RuleProblem onlyProblem(String text) {
    List<RuleProblem> problems = problemsInTime(text);
    assertThat(problems).hasSize(1);
    return problems.get(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "new java.io.File(\"/tmp/x\").delete()",
        "length == new Long(1)",
        "System.exit(0) == null",
        "Runtime.getRuntime().exec(\"id\") != null",
        "java.lang.System.exit(1)",
        "length == System.currentTimeMillis()",
        "getClass() != null",
        "class.forName(\"x\") != null",
        "this.getClass().getClassLoader() != null",
        "this != null",
        "eval(true)",
        "length.getClass() != null",
        "access.isEmpty()",
        "access[0] == null",
        "access#Foo",
        "$d.getDriver() == \"x\"",
        "$d.driver.length() > 1",
        "length == length()",
        "verb.name() == \"x\"",
        "Verb.REG_MR.getClass() != null",
        "(System.exit(0)) == 1",
        "length > (1 + System.exit(0))",
        "length in (1, System.exit(0))",
        "length matches \"(a+)+$\"",
        "verb soundslike \"x\"",
        "verb str[startsWith] \"x\"",
        "length == 1 ? 2 : 3",
        "length = 4",
        "length += 4",
        "length++",
        "length & 1 == 1",
        "length == 1 ; System.exit(0)",
        "{ System.exit(0); }",
        "() -> true",
        "x -> true",
        "$f : java.nio.file.Files.delete($d)",
        "MrRequest.TYPE != null",
        "`id` == 1",
        "'a' == 1",
        "length == 1 // ) then System.exit(0); end \n && exit(0)",
        "length == 0x7fffffffffffffffffff",
        "length == 99999999999999999999L",
        "length > -1",
        "length / 0 == 1",
        "length % length == 1",
        "null == length",
        "length == 1 || eval(true)",
        "! (! (Thread.sleep(1000)))",
        "over window:length(3)",
        "length after[1d] 3",
        "@watch(*)",
        "\u0000",
        "\\u0053ystem",
        "length == \"${jndi:ldap://x}\"",
        "length == \"\\u0041\"",
      })
  void conditionRunsNothing(String condition) {
    RuleProblem problem = onlyProblem(RULE.replace("CONDITION", condition));

    assertThat(problem.line()).isIn(9, 10);
    assertThat(problem.rule()).isIn("EVIL001", null);
    assertThat(problem.message()).isNotBlank();
  }

  static Stream<Arguments> constructs() {
    String body =
        " when $r : MrRequest( length > 1 ) then findings.report(\"EVIL001\", $r, \"m\"); end";
    String meta = " @severity(ERROR) @since(1) @spec(\"s\") @summary(\"s\") @remediation(\"r.\")\n";
    return Stream.of(
        Arguments.of(4, "function void f() { System.exit(0); }"),
        Arguments.of(4, "import function java.lang.System.exit"),
        Arguments.of(4, "import static java.lang.System.exit"),
        Arguments.of(4, "import java.lang.Runtime;"),
        Arguments.of(4, "import java.util.*;"),
        Arguments.of(4, "import org.pinwise.rules.model.*;"),
        Arguments.of(4, "import org.pinwise.rules.spi.Rule;"),
        Arguments.of(4, "import accumulate java.util.List l"),
        Arguments.of(4, "declare Evil x : int end"),
        Arguments.of(4, "declare window w MrRequest() over window:length(3) end"),
        Arguments.of(4, "query \"q\" MrRequest() end"),
        Arguments.of(4, "global java.lang.Runtime rt;"),
        Arguments.of(4, "global org.pinwise.rules.spi.Findings other;"),
        Arguments.of(4, "dialect \"mvel\""),
        Arguments.of(4, "unit Evil;"),
        Arguments.of(4, "rule EVIL001" + body),
        Arguments.of(4, "rule \"EVIL001\" extends \"MR001\"" + meta + body),
        Arguments.of(4, "rule \"EVIL001\" salience 100" + meta + body),
        Arguments.of(5, "rule \"EVIL001\"\n no-loop true" + meta + body),
        Arguments.of(5, "rule \"EVIL001\"\n timer(int: 1s)" + meta + body),
        Arguments.of(4, "rule \"EVIL001\" @watch(*)" + meta + body),
        Arguments.of(4, "rule \"EVIL001\" @severity(new Evil())" + meta + body),
        Arguments.of(4, "rule \"MR001\"" + meta + body),
        Arguments.of(4, "rule \"EVIL001\" @errno(EINVAL)" + meta + body),
        Arguments.of(4, "rule \"../../etc/passwd\"" + meta + body),
        Arguments.of(5, rule(meta, "eval( true )")),
        Arguments.of(5, rule(meta, "$x : Object() from $d.list")),
        Arguments.of(5, rule(meta, "MrRequest( length > 1 ) from entry-point \"x\"")),
        Arguments.of(5, rule(meta, "accumulate( MrRequest(), $s : sum(1) )")),
        Arguments.of(5, rule(meta, "forall( MrRequest( length > 1 ) )")),
        Arguments.of(5, rule(meta, "( MrRequest( length > 1 ) or Device() )")),
        Arguments.of(5, rule(meta, "MrRequest( length > 1 ) or Device( odp )")),
        Arguments.of(5, rule(meta, "?q( 1; )")),
        Arguments.of(5, rule(meta, "java.lang.Runtime( )")),
        Arguments.of(5, rule(meta, "Object( )")),
        Arguments.of(5, rule(meta, "not( MrRequest( length > 1 ) and Device() )")),
        Arguments.of(5, rule(meta, "$r : /requests[ length > 1 ]")),
        Arguments.of(5, then(meta, "System.exit(0);")),
        Arguments.of(5, then(meta, "insert(new Object());")),
        Arguments.of(5, then(meta, "findings.report(\"EVIL001\", $r, \"m\"); System.exit(0);")),
        Arguments.of(5, then(meta, "findings.report(\"EVIL001\", $r, \"a\" + System.exit(0));")),
        Arguments.of(5, then(meta, "findings.report(\"MR001\", $r, \"m\");")),
        Arguments.of(5, then(meta, "findings.report(\"EVIL001\", kcontext, \"m\");")),
        Arguments.of(5, then(meta, "findings.report(\"EVIL001\", $r, \"{class.name}\");")),
        Arguments.of(5, then(meta, "findings.getClass();")),
        Arguments.of(5, then(meta, "modify($r) { setLength(1) }")),
        Arguments.of(5, then(meta, "{ while (true); }")));
  }

  private static String rule(String meta, String pattern) {
    return "rule \"EVIL001\""
        + meta
        + "when "
        + pattern
        + " $r : MrRequest( length > 1 ) then findings.report(\"EVIL001\", $r, \"m\"); end";
  }

  private static String then(String meta, String consequence) {
    return "rule \"EVIL001\""
        + meta
        + "when $r : MrRequest( length > 1 ) then "
        + consequence
        + " end";
  }

  @ParameterizedTest
  @MethodSource("constructs")
  void constructIsRefusedAtItsLine(int line, String text) {
    RuleProblem problem = onlyProblem(HEAD + text + "\n");

    assertThat(problem.line()).as("%s", problem).isEqualTo(line);
    assertThat(problem.column()).isPositive();
  }

  static Stream<Arguments> huge() {
    return Stream.of(
        Arguments.of("parentheses", "(".repeat(100_000) + "length > 1" + ")".repeat(100_000)),
        Arguments.of("open parentheses", "(".repeat(100_000)),
        Arguments.of(
            "sums in parentheses", "(".repeat(60_000) + "length" + ")".repeat(60_000) + " > 1"),
        Arguments.of("negations", "!".repeat(100_000) + "odp"),
        Arguments.of("a sum", "length" + " + 1".repeat(50_000) + " > 1"),
        Arguments.of("a product", "length" + " * 1".repeat(50_000) + " > 1"),
        Arguments.of("alternatives", "length > 1" + " || length > 1".repeat(15_000)),
        Arguments.of("conditions", "length > 1" + ", length > 1".repeat(15_000)),
        Arguments.of("values", "length in (1" + ", 1".repeat(60_000) + ")"),
        Arguments.of(
            "nested alternatives", "(length > 1 || ".repeat(15_000) + "odp" + ")".repeat(15_000)),
        Arguments.of("a name", "x".repeat(250_000) + " > 1"),
        Arguments.of("a number", "length > " + "9".repeat(250_000)),
        Arguments.of("a string", "length == \"" + "s".repeat(250_000) + "\""),
        Arguments.of("a comment", "/*" + "*".repeat(250_000)));
  }

  @ParameterizedTest
  @MethodSource("huge")
  void hugeConditionIsRefusedInTime(String what, String condition) {
    RuleProblem problem = onlyProblem(RULE.replace("CONDITION", condition));

    assertThat(problem.line()).as(what).isIn(1, 8, 9);
    assertThat(problem.message()).as(what).hasSizeLessThan(2_000);
  }

  @Test
  void hugeFilesAreRefused() {
    assertThat(onlyProblem("x".repeat(RuleFileParser.MAX_LENGTH + 1)).message())
        .contains("more than 262144; split it");
    assertThat(onlyProblem("\u0000".repeat(250_000)).message()).contains("U+0000");
    assertThat(onlyProblem(HEAD + "@".repeat(250_000)).line()).isEqualTo(4);
  }

  @Test
  void aFileFullOfBrokenRulesHasSoManyProblemsAndNoMore() {
    String text = HEAD + "rule \"EVIL001\" when then end\n".repeat(8_000);

    List<RuleProblem> problems = problemsInTime(text);

    assertThat(problems).hasSizeBetween(100, 101);
    assertThat(problems.get(problems.size() - 1).message()).contains("more problems");
  }

  @Test
  void thousandWayJoinsAreRefused() {
    StringBuilder patterns = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      patterns.append("  $m%d : MrRequest( length > %d )\n".formatted(i, i + 1));
    }
    String text =
        RULE.replace("  $r : MrRequest(", patterns + "  $r : MrRequest(")
            .replace("CONDITION", "length > 1");

    assertThat(onlyProblem(text).message()).contains("more than");
  }

  @Test
  void whatIsAllowedAtMostIsJudgedInTime() {
    StringBuilder conditions = new StringBuilder("length > 1");
    for (int i = 2; i < RuleFileParser.MAX_OPERANDS / 2; i++) {
      conditions.append(" || length == ").append(i);
    }
    String text =
        RULE.replace("CONDITION", conditions)
            .replace("\nrule ", "\nglobal org.pinwise.rules.spi.Findings findings;\nrule ");
    assertTimeoutPreemptively(
        Duration.ofSeconds(30), // all of Drools' start counts
        () -> {
          RuleSet rules =
              RuleSet.empty()
                  .withRooms(List.of(new Room("EVIL001-most", "evil", Map.of("rule.drl", text))));
          MrValidator validator = MrValidator.create(rules, Assumptions.NONE);
          for (int i = 0; i < 2_000; i++) {
            validator.validate(Facts.of(MrRequest.ofLength(i).build()));
          }
        });
  }
}

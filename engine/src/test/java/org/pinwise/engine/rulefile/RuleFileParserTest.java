package org.pinwise.engine.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;

/** The closed subset: what is refused, where, and with which words. */
class RuleFileParserTest {
  private static final String HEADER =
      """
      package mr.rules.acme101;
      import org.pinwise.rules.model.AccessFlag;
      import org.pinwise.rules.model.Device;
      import org.pinwise.rules.model.Host;
      import org.pinwise.rules.model.Kernel;
      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.Parameters;
      import org.pinwise.rules.model.Size;
      import org.pinwise.rules.model.Verb;
      global org.pinwise.rules.spi.Findings findings;
      """;
  private static final String ANNOTATIONS =
      """
        @severity(ERROR) @since(1.0) @spec("a page") @summary("A summary") @remediation("Do it.")
      """;

  /** The line of a rule's first condition in {@link #rule}. */
  private static final int CONDITION_LINE = 14;

  private static String rule(String id, String condition) {
    return """
    rule "%s"
    %swhen
      $r : MrRequest( %s )
    then
      findings.report("%s", $r, "text");
    end
    """
        .formatted(id, ANNOTATIONS, condition, id);
  }

  private static List<RuleProblem> problems(String text) {
    return RuleFileParser.parse("rule.drl", text).problems();
  }

  @Test
  void aRuleIsRead() {
    RuleFileParser.Result result =
        RuleFileParser.parse("rule.drl", HEADER + rule("ACME101", "length > 4 * Size.KIB"));
    assertThat(result.problems()).isEmpty();
    assertThat(result.rules()).hasSize(1);
    assertThat(result.rules().get(0).inWords())
        .isEqualTo("request.length is more than (4 * Size.KIB)");
    assertThat(result.rules().get(0).source()).isEqualTo("rule.drl:11");
  }

  /** A condition, the column of the problem in it (1 is its first character), and its words. */
  static Stream<Arguments> refusedConditions() {
    return Stream.of(
        Arguments.of("lenght > 4", 1, "MrRequest has no field lenght, did you mean length?"),
        Arguments.of("length = 4", 8, "'=' does not compare; use =="),
        Arguments.of("length > -1", 10, "negative numbers are not allowed"),
        Arguments.of("length > 1.5", 11, "expected ',', found '.'"),
        Arguments.of("length > 1e3", 10, "1e3 is no whole number"),
        Arguments.of("length > 08", 10, "08 would be octal in DRL"),
        Arguments.of("length > 4294967296", 10, "does not fit an int; write 4294967296L"),
        Arguments.of("length > 99999999999999999999L", 10, "is no whole number from 0 to 2^63-1"),
        Arguments.of("length == null", 11, "null is not allowed"),
        Arguments.of("length == \"4\"", 11, "request.length is a number, but \"4\" is text"),
        Arguments.of("length", 1, "request.length is a number and no condition"),
        Arguments.of("length >= 0", -1, "has the same answer for all facts"),
        Arguments.of("length > length", -1, "has the same answer for all facts"),
        Arguments.of("length > 4, length > 4", -1, "stands there twice"),
        Arguments.of("length > 4, !(length > 4)", -1, "and its opposite stand side by side"),
        Arguments.of("4 > 5", 1, "reads no field, so it is constant"),
        Arguments.of("4 in (4, 5)", 1, "reads no field, so it is constant"),
        Arguments.of("length / iova > 4", 10, "the divisor must be a constant of at least 1"),
        Arguments.of("length % 0 == 4", 10, "the divisor must be a constant of at least 1"),
        Arguments.of("length + verb > 4", 1, "and '+' takes numbers"),
        Arguments.of("length not > 4", 12, "after 'not' comes in, contains or memberOf"),
        Arguments.of("length matches \"4.*\"", 8, "matches is not allowed; use ==, in, contains"),
        Arguments.of("length & 4", 8, "bit operators are not allowed"),
        Arguments.of("length.intValue() > 4", 7, "has no fields or methods; compare it itself"),
        Arguments.of("getLength() > 4", 10, "calls are not allowed"),
        Arguments.of("length[0] > 4", 7, "calls and accesses are not allowed"),
        Arguments.of("System.exit(1) > 4", 1, "System is no field and holds no constants"),
        Arguments.of("java.lang.Math.PI > 4", 1, "java is no field and holds no constants"),
        Arguments.of("new Object() == length", 1, "MrRequest has no field new"),
        Arguments.of("this == length", 1, "MrRequest has no field this"),
        Arguments.of("$x > 4", 1, "$x is not bound"),
        Arguments.of("$r > 4", 4, "a bound fact is read by its fields"),
        Arguments.of("$r.length() > 4", 10, "calls are not allowed"),
        Arguments.of("$l : length, $l : iova", 14, "$l is bound twice"),
        Arguments.of("verb > Verb.REG_MR", 6, "which has no order; use == or !="),
        Arguments.of("verb == Verb.REG", 14, "Verb has no constant REG"),
        Arguments.of("verb == Use.RECEIVE", 9, "Use is not imported; add: import"),
        Arguments.of("verb == AccessFlag.MW_BIND", 9, "request.verb is"),
        Arguments.of("access == AccessFlag.MW_BIND", 11, "is"),
        Arguments.of("access contains Verb.REG_MR", 17, "holds AccessFlag constants"),
        Arguments.of("length contains AccessFlag.MW_BIND", 1, "is no set of flags"),
        Arguments.of("AccessFlag.MW_BIND memberOf length", 29, "is no set of flags"),
        Arguments.of("verb in Verb.REG_MR", 9, "expected '('"),
        Arguments.of("length in (iova)", 12, "the values of in are constants"),
        Arguments.of("length in (4, \"5\")", 15, "request.length is a number, but"),
        Arguments.of("length > 4)", 13, "expected a pattern"),
        Arguments.of("length > 4 iova > 4", 12, "conditions of a pattern are separated by commas"),
        Arguments.of("length > 4 || ", 16, "expected a field or a constant"),
        Arguments.of("eval(length > 4)", 5, "calls are not allowed"),
        Arguments.of("length > Size.KILO", 15, "Size has no constant KILO"),
        Arguments.of("length > Size", 15, "expected '.'"),
        Arguments.of("true", 1, "is"),
        Arguments.of("\"text\"", 1, "is"),
        Arguments.of("length > 'a'", 10, "the character ''' (U+0027) has no meaning"),
        Arguments.of("length > `a`", 10, "has no meaning in a rule file"),
        Arguments.of("length > \u0000", 10, "the character ? (U+0000) has no meaning"),
        Arguments.of("length == \"open", 11, "the string has no end on its line"),
        Arguments.of("length == \"a\\qb\"", 13, "the escape \\q is not allowed in a string"),
        Arguments.of("length > 4 /* open", 12, "the comment has no end"));
  }

  @ParameterizedTest
  @MethodSource("refusedConditions")
  void conditionsAreRefusedWithTheirPosition(String condition, int column, String words) {
    List<RuleProblem> problems = problems(HEADER + rule("ACME101", condition));
    assertThat(problems).isNotEmpty();
    RuleProblem first = problems.get(0);
    assertThat(first.message()).contains(words);
    assertThat(first.file()).isEqualTo("rule.drl");
    assertThat(first.line()).as(first.toString()).isEqualTo(CONDITION_LINE);
    // -1: the problem is the pattern's.
    int start = "  $r : MrRequest( ".length();
    assertThat(first.column())
        .as(first.toString())
        .isEqualTo(column < 0 ? "  $r : ".length() + 1 : start + column);
  }

  /** What is missing is missed where the next token is. */
  @Test
  void openParenthesesAreNamedAtTheNextToken() {
    for (String open : List.of("(length > 4", "verb in (Verb.REG_MR", "!(length > 4")) {
      List<RuleProblem> problems = problems(HEADER + rule("ACME101", open));
      assertThat(problems).hasSize(1);
      assertThat(problems.get(0).message()).startsWith("expected ',', found 'then'");
      assertThat(problems.get(0).line()).isEqualTo(CONDITION_LINE + 1);
    }
  }

  /** Stock Drools would not take such a file. */
  @Test
  void findingsAreDeclared() {
    String without = HEADER.replaceFirst("global .*\n", "");
    List<RuleProblem> problems = problems(without + rule("ACME101", "length > 4"));
    assertThat(problems).hasSize(1);
    RuleProblem problem = problems.get(0);
    assertThat(problem.message())
        .isEqualTo(
            "findings is not declared; add: global org.pinwise.rules.spi.Findings findings;");
    assertThat(List.of(problem.line(), problem.column())).containsExactly(CONDITION_LINE + 1, 3);
  }

  /** A whole file, and the position and words of its problem. */
  static Stream<Arguments> refusedFiles() {
    String r = rule("ACME101", "length > 4");
    return Stream.of(
        Arguments.of("", 1, 1, "a rule file starts with its package"),
        Arguments.of("rule \"ACME101\"", 1, 1, "a rule file starts with its package"),
        Arguments.of("package mr;\n", 2, 1, "the file has no rule"),
        Arguments.of("package mr;\nimport static java.lang.Math.PI;\n", 2, 8, "import static"),
        Arguments.of("package mr;\nimport function java.lang.Math.abs;\n", 2, 8, "import function"),
        Arguments.of(
            "package mr;\nimport java.util.List;\n" + r, 2, 8, "import java.util.List is not"),
        Arguments.of(
            "package mr;\nimport org.pinwise.rules.model.MrReqest;\n" + r,
            2,
            32,
            "did you mean MrRequest?"),
        Arguments.of(
            "package mr;\nimport org.pinwise.rules.model.*;\n" + r, 2, 32, "expected a name"),
        Arguments.of("package mr;\nglobal java.util.List list;\n" + r, 2, 8, "is not allowed"),
        Arguments.of(
            "package mr;\nglobal org.pinwise.rules.spi.Findings found;\n" + r,
            2,
            39,
            "the only global is"),
        Arguments.of("package mr;\nfunction int f() { return 1; }\n", 2, 1, "'function' is not"),
        Arguments.of("package mr;\ndeclare A a : int end\n", 2, 1, "'declare' is not allowed here"),
        Arguments.of("package mr;\nquery \"q\" end\n", 2, 1, "'query' is not allowed here"),
        Arguments.of("package mr;\ndialect \"mvel\"\n", 2, 1, "'dialect' is not allowed here"),
        Arguments.of("package mr;\nrule ACME101 when then end\n", 2, 6, "its id in quotes"),
        Arguments.of("package mr;\nrule \"acme 1\" when then end\n", 2, 6, "is no rule id"),
        Arguments.of("package mr;\nrule \"ACME101\" when then end\n", 2, 6, "has no @severity"),
        Arguments.of(HEADER + r.replace("when", "salience 5 when"), 13, 1, "has: when"),
        Arguments.of(HEADER + r.replace("when", "no-loop when"), 13, 1, "has: when"),
        Arguments.of(
            HEADER + r.replace("$r : MrRequest( length > 4 )", ""),
            15,
            1,
            "the rule demands nothing"),
        Arguments.of(
            HEADER + r.replace("$r : MrRequest", "$r : Request"), 14, 8, "there is no fact type"),
        Arguments.of(
            HEADER.replace("import org.pinwise.rules.model.MrRequest;\n", "") + r,
            13,
            8,
            "MrRequest is not imported"),
        Arguments.of(
            HEADER + r.replace("then", "  eval( true )\nthen"), 15, 3, "eval is not allowed"),
        Arguments.of(
            HEADER + r.replace("then", "  or MrRequest( iova > 4 )\nthen"),
            15,
            3,
            "or between patterns is not allowed"),
        Arguments.of(
            HEADER + r.replace("then", "  and MrRequest( iova > 4 )\nthen"),
            15,
            3,
            "and between patterns is not needed"),
        Arguments.of(
            HEADER + r.replace("then", "  ( MrRequest( iova > 4 ) )\nthen"),
            15,
            3,
            "grouped patterns are not allowed"),
        Arguments.of(
            HEADER + r.replace("then", "  forall( MrRequest( iova > 4 ) )\nthen"),
            15,
            3,
            "forall is not allowed"),
        Arguments.of(
            HEADER + r.replace("then", "  accumulate( MrRequest(); sum(1) )\nthen"),
            15,
            3,
            "accumulate is not allowed"),
        Arguments.of(
            HEADER + r.replace("then", "  not MrRequest( )\nthen"), 15, 7, "this never holds"),
        Arguments.of(
            HEADER + r.replace("then", "  not MrRequest( $i : iova )\nthen"),
            15,
            18,
            "binds nothing"),
        Arguments.of(
            HEADER + r.replace("then", "  $x : not MrRequest( iova > 4 )\nthen"),
            15,
            8,
            "expected a pattern"),
        Arguments.of(
            HEADER + r.replace("then", "  not $x : MrRequest( iova > 4 )\nthen"),
            15,
            7,
            "only a plain pattern of a fact can be bound"),
        Arguments.of(
            HEADER + r.replace("then", "  Parameters( $n : limit )\nthen"),
            15,
            20,
            "the rule declares no parameter limit"),
        Arguments.of(
            HEADER + r.replace("then", "  Parameters( limit > 4 )\nthen"),
            15,
            15,
            "Parameters( .. ) only binds"),
        Arguments.of(
            HEADER + r.replace("findings.report", "System.out.println"),
            16,
            3,
            "a rule's only consequence is"),
        Arguments.of(
            HEADER + r.replace("report(\"ACME101\"", "report(\"ACME102\""),
            16,
            19,
            "the finding's id is the rule's name"),
        Arguments.of(HEADER + r.replace(", $r, ", ", $q, "), 16, 30, "'$q' is not bound to a fact"),
        Arguments.of(HEADER + r.replace("\"text\"", "\"text \" + 1"), 16, 42, "expected ')'"),
        Arguments.of(
            HEADER + r.replace("\"text\"", "\"a {lenght}\""), 16, 37, "{lenght} names no field"),
        Arguments.of(HEADER + r.replace("\"text\"", "\"a {length\""), 16, 37, "the place has no }"),
        Arguments.of(
            HEADER + r.replace("end\n", "  findings.report(\"ACME101\", $r, \"text\");\nend\n"),
            17,
            3,
            "a rule has one consequence"),
        Arguments.of(
            HEADER + r.replace("end\n", "  retract($r);\nend\n"), 17, 3, "has one consequence"));
  }

  @ParameterizedTest
  @MethodSource("refusedFiles")
  void filesAreRefusedWithTheirPosition(String text, int line, int column, String words) {
    List<RuleProblem> problems = problems(text);
    assertThat(problems).isNotEmpty();
    assertThat(problems.get(0).message()).contains(words);
    assertThat(problems.get(0).line() + ":" + problems.get(0).column())
        .as(problems.get(0).toString())
        .isEqualTo(line + ":" + column);
  }

  /** An annotation added to, or put in the place of, those of a rule. */
  static Stream<Arguments> refusedAnnotations() {
    return Stream.of(
        Arguments.of("@severty(ERROR)", "there is no annotation @severty, did you mean severity?"),
        Arguments.of("@severity(ERROR)", "@severity is given twice; keep one"),
        Arguments.of("@stage(PIN)", "has only one of @stage and @errno"),
        Arguments.of("@errno(EFAULT)", "has only one of @stage and @errno"),
        Arguments.of("@stage(PINN) @errno(EFAULT)", "@stage cannot be PINN, did you mean PIN?"),
        Arguments.of("@stage(PIN) @errno(EFAIL)", "@errno cannot be EFAIL"),
        Arguments.of("@step(-1)", "@step takes a whole number, 0 to 9999"),
        Arguments.of("@verified(\"6.1\")", "@verified takes kernels and how each is known"),
        Arguments.of("@verified(\"six lab\")", "@verified takes kernels and how each is known"),
        Arguments.of("@verified(\"6.1 hope\")", "@verified cannot be HOPE"),
        Arguments.of("@stack(\"debian\")", "@stack cannot be DEBIAN"),
        Arguments.of("@fix(\"add REMOTE_WRITE\")", "a fix never gives peers a right"),
        Arguments.of("@fix(\"add FLUSH_GLOBAL\")", "a fix never gives peers a right"),
        Arguments.of("@fix(\"add EVERYTHING\")", "@fix cannot be \"add EVERYTHING\""),
        Arguments.of("@param(\"Limit = 1\")", "@param takes a name and a whole number"),
        Arguments.of("@param(\"a = 1\") @param(\"a = 2\")", "parameter a is declared twice"),
        Arguments.of("@later(\"  \")", "@later is empty"),
        Arguments.of("@later(open\n", "an annotation ends on its line"),
        Arguments.of("@later", "an annotation has its value in parentheses"));
  }

  @ParameterizedTest
  @MethodSource("refusedAnnotations")
  void annotationsAreRefused(String annotation, String words) {
    String text = HEADER + rule("ACME101", "length > 4").replace("@since", annotation + " @since");
    assertThat(problems(text)).hasSize(1);
    assertThat(problems(text).get(0).message()).contains(words);
    assertThat(problems(text).get(0).rule()).isEqualTo("ACME101");
    assertThat(problems(text).get(0).line()).isBetween(11, 13);
  }

  @Test
  void summariesAndRemediationsHaveTheirForm() {
    String text = HEADER + rule("ACME101", "length > 4");
    assertThat(problems(text.replace("A summary", "A summary.")).get(0).message())
        .isEqualTo("@summary ends without a period");
    assertThat(problems(text.replace("Do it.", "Do it")).get(0).message())
        .isEqualTo("@remediation ends with a period");
  }

  /** One run names the problems of all rules, and reads those that have none. */
  @Test
  void allProblemsAtOnce() {
    String text =
        HEADER
            + rule("ACME101", "lenght > 4")
            + rule("ACME102", "length > 4")
            + rule("ACME103", "length = 4")
            + rule("ACME104", "length > 4").replace("@since(1.0)", "@sinse(1.0)")
            + rule("ACME105", "iova > 4");
    RuleFileParser.Result result = RuleFileParser.parse("rule.drl", text);
    assertThat(result.problems())
        .extracting(RuleProblem::rule)
        .containsExactly("ACME101", "ACME103", "ACME104");
    assertThat(result.problems()).extracting(RuleProblem::line).containsExactly(14, 28, 33);
    assertThat(result.rules()).extracting(r -> r.id()).containsExactly("ACME102", "ACME105");
  }

  @Test
  void deepNestingIsRefusedAndDoesNotOverflow() {
    for (int depth : new int[] {40, 1_000, 50_000}) {
      for (String open : new String[] {"(", "!(", "!"}) {
        String condition =
            open.repeat(depth) + "length > 4" + (open.endsWith("(") ? ")".repeat(depth) : "");
        List<RuleProblem> problems = problems(HEADER + rule("ACME101", condition));
        assertThat(problems).as("%s x %d", open, depth).hasSize(1);
        assertThat(problems.get(0).line()).isEqualTo(CONDITION_LINE);
        assertThat(problems.get(0).message()).contains("deep");
      }
    }
    assertThat(problems(HEADER + rule("ACME101", "(".repeat(10) + "length > 4" + ")".repeat(10))))
        .isEmpty();
  }

  @Test
  void longConditionsAreRead() {
    StringBuilder any = new StringBuilder("length > 4");
    for (int i = 5; i < 200; i++) {
      any.append(" || length == ").append(i * 3);
    }
    assertThat(problems(HEADER + rule("ACME101", any.toString()))).isEmpty();
  }

  @Test
  void hugeFilesAreRefusedBeforeTheyAreRead() {
    String huge = HEADER + "\"".repeat(RuleFileParser.MAX_LENGTH);
    assertThat(problems(huge)).hasSize(1);
    assertThat(problems(huge).get(0).message()).contains("; split it");
    assertThat(problems(HEADER + rule("ACME101", "length > 4") + "// ".repeat(50_000))).isEmpty();
  }

  /** Whatever stands in a file, it is read or refused with a position in it. */
  @Test
  void noTextBreaksTheParser() {
    String whole = HEADER + rule("ACME101", "length > 4 && (iova in (1, 2) || !(address == 3))");
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String alphabet = "(){}[]\"'\\/*,;:.@$<>=!&|+-%#~? \n\tabzAZ019_\u00e4\u2028\ud83d\ude00";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder(whole);
      for (int change = random.nextInt(3); change >= 0; change--) {
        int at = random.nextInt(text.length());
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
          case 1 -> text.delete(at, Math.min(text.length(), at + random.nextInt(30)));
          default -> text.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
        }
      }
      String mutant = text.toString();
      RuleFileParser.Result result = RuleFileParser.parse("rule.drl", mutant);
      assertThat(result.rules().isEmpty() && result.problems().isEmpty())
          .as("seed %d: %s", seed, mutant)
          .isFalse();
      List<String> lines = mutant.lines().toList();
      assertThat(result.problems())
          .as("seed %d: %s", seed, mutant)
          .allSatisfy(problem -> {
            assertThat(problem.line()).isBetween(1, lines.size() + 1);
            assertThat(problem.column()).isPositive();
            assertThat(problem.message()).isNotBlank();
          });
    }
  }

  @Test
  void builtInRuleFilesHaveNoProblems() {
    assertThat(RuleSet.builtIn().problems()).isEmpty();
  }
}

package org.pinwise.engine.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.pinwise.engine.Room;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.rulefile.Token.Kind;

/**
 * Every rule file of Pinwise, broken in every way that a slip of the hand can break it at every
 * token: there is exactly one problem, and it is where the file stops being a rule file.
 *
 * <p>Where that is: at the token that was changed or put in; where one is left out, at the token
 * that comes next, for nothing before it is wrong. What is not noticed, or elsewhere, is listed
 * here, with the reason.
 */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class MutationTest {
  /** What a value without quotes may hold: it is judged as a whole, at its start. */
  private static final Pattern RAW = Pattern.compile("@(\\w+)\\([^\")]*$");

  private static final List<String> STRAYS = List.of("( ", "= ", "7x ", "\"s\" ");

  private static final Set<String> JUDGED_STRINGS =
      Set.of("verified", "stack", "fix", "param", "remediation");

  private record Place(int line, int column) {
    static Place of(Token token) {
      return new Place(token.line(), token.column());
    }
  }

  /** A rule file and a token of it. */
  private record Site(String text, List<Token> tokens, int index) {
    Token token() {
      return tokens.get(index);
    }

    Token next() {
      return tokens.get(index + 1);
    }

    Token before(int count) {
      return tokens.get(Math.max(0, index - count));
    }

    /** The file with the token blanked out or overwritten, so that places before and after stay. */
    String with(String replacement) {
      return text.substring(0, token().offset())
          + replacement
          + " ".repeat(Math.max(0, token().end() - token().offset() - replacement.length()))
          + text.substring(token().end());
    }

    String insertedBefore(String junk) {
      return text.substring(0, token().offset()) + junk + text.substring(token().offset());
    }

    /** The name of the annotation whose value holds the token, without quotes; empty for none. */
    String rawAnnotation() {
      int start = text.lastIndexOf('\n', token().offset()) + 1;
      Matcher matcher = RAW.matcher(text.substring(start, token().offset()));
      return matcher.find() && !token().is(")") ? matcher.group(1) : "";
    }

    Token startOfRaw() {
      int i = index;
      while (!tokens.get(i - 1).is("(")) {
        i--;
      }
      return tokens.get(i);
    }

    boolean inPackage() {
      int i = index;
      while (i > 0 && !tokens.get(i).is("import")) {
        i--;
      }
      return i == 0;
    }

    @Override
    public String toString() {
      return "%d:%d: %s [%s] %s"
          .formatted(
              token().line(), token().column(), before(1).text(), token().text(), next().text());
    }
  }

  private static Stream<DynamicTest> everyToken(Consumer<Site> mutation) {
    return RuleSet.builtInRooms().stream()
        .map(room -> DynamicTest.dynamicTest(room.name(), () -> everyToken(room, mutation)));
  }

  private static void everyToken(Room room, Consumer<Site> mutation) {
    List<Token> tokens = Lexer.tokens(room.rule());
    for (int i = 0; i < tokens.size() - 1; i++) {
      mutation.accept(new Site(room.rule(), tokens, i));
    }
  }

  private static List<RuleProblem> problems(String text) {
    return RuleFileParser.parse("rule.drl", text).problems();
  }

  private static void refused(Site site, String mutated, Place expected) {
    List<RuleProblem> problems = problems(mutated);
    assertThat(problems).as("%s", site).hasSize(1);
    RuleProblem problem = problems.get(0);
    assertThat(new Place(problem.line(), problem.column()))
        .as("%s: %s", site, problem)
        .isEqualTo(expected);
    assertThat(problem.message()).as("%s", site).isNotBlank().doesNotContain("Exception");
  }

  @TestFactory
  Stream<DynamicTest> aTokenIsDropped() {
    return everyToken(site -> {
      Token token = site.token();
      String mutated = site.with("");
      String raw = site.rawAnnotation();
      if (token.is(";") && !site.before(1).is(")")) {
        assertThat(problems(mutated)).as("a semicolon before a line's end: %s", site).isEmpty();
      } else if (token.is("not") && Set.of("contains", "in").contains(site.next().text())) {
        assertThat(problems(mutated)).as("the opposite is a rule, too: %s", site).isEmpty();
      } else if (raw.isEmpty() && (token.is("!") || isSoleFlagOfBoundPattern(site))) {
        assertThat(problems(mutated)).as("what is left is a rule, too: %s", site).isEmpty();
      } else if (!raw.isEmpty()
          && token.kind() != Kind.STRING
          && !site.next().is(")")
          && !site.before(1).is("(")) {
        refused(site, mutated, Place.of(site.startOfRaw()));
      } else if (!raw.isEmpty() && site.next().is(")") && !site.before(1).is("(")) {
        refused(site, mutated, Place.of(site.startOfRaw()));
      } else if (token.is("(") && isGroup(site)) {
        refused(site, mutated, Place.of(afterPattern(site)));
      } else if (token.is(")") && isListEnd(site)) {
        refused(site, mutated, Place.of(afterList(site)));
      } else {
        refused(site, mutated, Place.of(site.next()));
      }
    });
  }

  /** A pattern that is bound may ask for nothing: {@code $p : Plan( forks )}. */
  private static boolean isSoleFlagOfBoundPattern(Site site) {
    return site.before(1).is("(") && site.next().is(")") && site.before(3).is(":");
  }

  private static boolean isGroup(Site site) {
    return Set.of("||", "&&", "!", ",").contains(site.before(1).text());
  }

  /**
   * Without its start the end of a group ends the pattern, and what follows that has no meaning.
   */
  private static Token afterPattern(Site site) {
    int i = site.index() - 1;
    for (int closed = 0; !site.tokens().get(i).is("(") || closed > 0; i--) {
      closed += site.tokens().get(i).is(")") ? 1 : site.tokens().get(i).is("(") ? -1 : 0;
    }
    int open = 1;
    while (open > 0) {
      i++;
      boolean dropped = i == site.index();
      open += site.tokens().get(i).is(")") ? -1 : site.tokens().get(i).is("(") && !dropped ? 1 : 0;
    }
    return site.tokens().get(i + 1);
  }

  /** A list that is not closed goes on with what comes next, as far as that can be. */
  private static boolean isListEnd(Site site) {
    return site.next().is(")") || (site.next().is(",") && !endsGroup(site));
  }

  /** After a group no comma goes on with a list: the parser misses the parenthesis there. */
  private static boolean endsGroup(Site site) {
    int i = site.index();
    for (int closed = 1; closed > 0; ) {
      i--;
      closed += site.tokens().get(i).is(")") ? 1 : site.tokens().get(i).is("(") ? -1 : 0;
    }
    return Set.of("||", "&&", "!", ",").contains(site.tokens().get(i - 1).text());
  }

  private static Token afterList(Site site) {
    int i = site.index() + 1;
    while (site.tokens().get(i).is(",") || site.tokens().get(i).is(")")) {
      i++;
    }
    return site.tokens().get(i);
  }

  @TestFactory
  Stream<DynamicTest> aStrayTokenIsThere() {
    return everyToken(site -> {
      refused(site, site.insertedBefore("? "), Place.of(site.token()));
      // Some strays still read on, to the end of what they opened or stand in. One of them a token
      // is enough, in turn.
      String junk = STRAYS.get(site.index() % STRAYS.size());
      List<RuleProblem> problems = problems(site.insertedBefore(junk));
      assertThat(problems).as("%s before %s", junk, site).hasSizeLessThanOrEqualTo(1);
      problems.forEach(problem ->
          assertThat(problem.line())
              .as("%s before %s: %s", junk, site, problem)
              .isBetween(site.token().line() - 1, lineOfEnd(site)));
    });
  }

  /** The line on which the construct around a token ends: the next keyword's. */
  private static int lineOfEnd(Site site) {
    int i = site.index();
    while (!Set.of("when", "then", "end", "rule").contains(site.tokens().get(i).text())) {
      i++;
    }
    return site.tokens().get(i).line();
  }

  @TestFactory
  Stream<DynamicTest> aNameHasATypo() {
    return everyToken(site -> {
      Token token = site.token();
      if (token.kind() != Kind.NAME) {
        return;
      }
      String mutated =
          site.text().substring(0, token.end()) + "q" + site.text().substring(token.end());
      if (site.inPackage() && site.index() > 0) {
        assertThat(problems(mutated)).as("any package's name will do: %s", site).isEmpty();
      } else if (token.text().startsWith("$") && site.next().is(":")) {
        refused(site, mutated, firstUse(site));
      } else if (!site.rawAnnotation().isEmpty()) {
        refused(site, mutated, Place.of(site.startOfRaw()));
      } else {
        refused(site, mutated, Place.of(token));
      }
    });
  }

  /** A binding may have any name, so that it is its use that has no meaning. */
  private static Place firstUse(Site site) {
    for (int i = site.index() + 1; i < site.tokens().size(); i++) {
      Token token = site.tokens().get(i);
      if (token.text().equals(site.token().text())) {
        int moved = token.line() == site.token().line() ? 1 : 0;
        return new Place(token.line(), token.column() + moved);
      }
    }
    throw new AssertionError("not used: " + site);
  }

  @TestFactory
  Stream<DynamicTest> aConstantIsOfAnotherType() {
    return everyToken(site -> {
      Token token = site.token();
      boolean inWhen = !site.rawAnnotation().isEmpty() || isMeta(site);
      if (inWhen || site.before(1).is(".") || site.before(1).is("rule")) {
        return;
      }
      if (token.kind() == Kind.NUMBER && !site.before(1).is("/") && !site.before(1).is("%")) {
        refused(site, site.with("\"\""), Place.of(typeOf(site)));
      } else if (token.kind() == Kind.STRING && isCompared(site)) {
        refused(site, site.with("1"), Place.of(token));
      } else if (token.is("true") || token.is("false")) {
        refused(site, site.with("1"), Place.of(token));
      }
    });
  }

  /** A sum is judged as a whole, at its start. */
  private static Token typeOf(Site site) {
    return Set.of("*", "+", "-").contains(site.before(1).text()) ? site.before(2) : site.token();
  }

  private static boolean isMeta(Site site) {
    return site.before(1).is("(") && site.before(3).is("@");
  }

  private static boolean isCompared(Site site) {
    int i = site.index();
    while (!Set.of("when", "then", "rule").contains(site.tokens().get(i).text())) {
      i--;
    }
    return site.tokens().get(i).is("when");
  }

  @TestFactory
  Stream<DynamicTest> aStringSaysNonsenseOrHasNoEnd() {
    return everyToken(site -> {
      Token token = site.token();
      if (token.kind() != Kind.STRING) {
        return;
      }
      if (isMeta(site) && JUDGED_STRINGS.contains(site.before(2).text())) {
        refused(site, site.with("\"?\""), Place.of(token));
      }
      if (isMeta(site)) {
        refused(site, site.with("\"\""), Place.of(token));
      }
      int place = token.text().indexOf('{');
      if (place >= 0) {
        refused(
            site,
            site.text().substring(0, token.offset() + place + 2)
                + "?"
                + site.text().substring(token.offset() + place + 2),
            new Place(token.line(), token.column() + place + 1));
      }
      String open =
          site.text().substring(0, token.end() - 1) + " " + site.text().substring(token.end());
      List<RuleProblem> problems = problems(open);
      assertThat(problems).as("%s", site).hasSize(1);
      assertThat(problems.get(0).line()).as("%s", site).isEqualTo(token.line());
      if (site.text().indexOf('"', token.end()) < 0
          || site.text().indexOf('"', token.end()) > site.text().indexOf('\n', token.end())) {
        refused(site, open, Place.of(token));
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> theFileEndsEarly() {
    return everyToken(site -> {
      String cut = site.text().substring(0, site.token().offset()).stripTrailing();
      List<Token> left = Lexer.tokens(cut);
      if (site.token().is("rule") && site.before(1).is("end")) {
        assertThat(problems(cut)).as("whole rules are left: %s", site).isEmpty();
      } else {
        refused(site, cut, Place.of(left.get(left.size() - 1)));
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> anAnnotationIsMissingOrThereTwice() {
    return everyToken(site -> {
      if (!site.token().is("@")) {
        return;
      }
      int end = site.index();
      while (!site.tokens().get(end).is(")")) {
        end++;
      }
      String annotation =
          site.text().substring(site.token().offset(), site.tokens().get(end).end());
      String mutated =
          site.text().substring(0, site.token().offset())
              + " ".repeat(annotation.length())
              + site.text().substring(site.tokens().get(end).end());
      String name = site.next().text();
      int rule = site.index();
      while (!site.tokens().get(rule).is("rule")) {
        rule--;
      }
      Place ruleName = Place.of(site.tokens().get(rule + 1));
      if (Set.of("severity", "since", "spec", "summary", "remediation", "stage", "errno")
          .contains(name)) {
        refused(site, mutated, ruleName);
        assertThat(problems(mutated).get(0).message()).contains("@" + name);
      } else if (name.equals("param")) {
        assertThat(problems(mutated)).as("%s", site).hasSize(1);
      } else {
        assertThat(problems(mutated)).as("%s is optional", site).isEmpty();
      }
      if (!name.equals("fix") && !name.equals("param")) {
        refused(
            site,
            site.insertedBefore(annotation + " "),
            new Place(site.token().line(), site.next().column() + annotation.length() + 1));
      }
    });
  }

  @Test
  void problemsOfAllRulesOfAFileAreNamedAtOnce() {
    Room room =
        RuleSet.builtInRooms().stream()
            .filter(r -> r.id().equals("MR006"))
            .findFirst()
            .orElseThrow();
    int rules = RuleFileParser.parse("rule.drl", room.rule()).rules().size();

    List<RuleProblem> problems =
        problems(room.rule().replace("access contains AccessFlag.", "acess contains AccessFlag."));

    assertThat(problems).hasSize(rules);
    List<String> names = new ArrayList<>();
    problems.forEach(problem -> names.add(String.valueOf(problem.rule())));
    assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.startsWith("MR006/"));
    assertThat(problems)
        .allSatisfy(problem ->
            assertThat(problem.message())
                .startsWith("MrRequest has no field acess, did you mean access?"));
  }
}

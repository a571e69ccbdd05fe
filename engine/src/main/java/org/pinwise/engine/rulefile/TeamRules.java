package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pinwise.engine.RuleProblem;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleChecks;
import org.pinwise.rules.spi.RuleMeta;

/** What holds for rules of teams, in files and in Java. */
public final class TeamRules {
  /** Only the kernel's own refusal has an errno, so a finding could not keep it. */
  static final String ERRNO_PROBLEM =
      "a team's rule has neither @errno nor @stage: it refuses what the kernel accepts, so no call"
          + " fails; drop both";

  /** What Pinwise can keep only where it knows a rule's conditions. */
  private static final Set<String> NOT_OF_TRUSTED =
      Set.of("verified", "stack", "fix", "param", "step");

  private TeamRules() {}

  static boolean takesOurId(String id) {
    return id.matches("(MR|CF)\\d.*");
  }

  static String idProblem(String id) {
    return "%s is an id of Pinwise's own, MR and CF; take a prefix of the team's, such as ACME101"
        .formatted(id);
  }

  /** Returns why a team cannot take an id; empty where it can. */
  public static List<String> idProblems(String id) {
    return takesOurId(id) ? List.of(idProblem(id)) : List.of();
  }

  /**
   * Returns what is said about a rule in full DRL, as its annotations say it; empty, and a problem
   * more, where they do not say what they must. Annotations that Pinwise does not know are Drools'.
   *
   * @param line the line of the rule; 0 where it is not known
   */
  public static Optional<RuleMeta> metaOfTrusted(
      String id,
      Map<String, String> annotations,
      String file,
      int line,
      List<RuleProblem> problems) {
    Token rule = new Token(Token.Kind.STRING, id, line, line > 0 ? 1 : 0, 0, 0);
    try {
      if (takesOurId(id)) {
        throw new SyntaxException(rule, idProblem(id));
      }
      Annotations read = new Annotations(rule, true);
      for (Map.Entry<String, String> annotation : annotations.entrySet()) {
        String name = annotation.getKey();
        if (NOT_OF_TRUSTED.contains(name)) {
          throw new SyntaxException(
              rule,
              "a rule in full DRL has no @%s, for Pinwise does not know its conditions"
                  .formatted(name));
        }
        if (Annotations.KINDS.stream().anyMatch(kind -> kind.name().equals(name))) {
          read.add(new Annotations.Raw(rule.named(name), annotation.getValue(), rule));
        }
      }
      return Optional.of(read.meta());
    } catch (SyntaxException e) {
      problems.add(new RuleProblem(file, e.line, e.column, id, String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  /** Returns what is wrong with a rule that a team wrote in Java; empty where nothing is. */
  public static List<String> problems(Rule rule) {
    List<String> problems = new ArrayList<>(RuleChecks.problems(rule));
    if (takesOurId(rule.id())) {
      problems.add(idProblem(rule.id()));
    }
    if (rule.meta().errno() != null || rule.meta().stage() != null) {
      problems.add(ERRNO_PROBLEM.replace("@", ""));
    }
    return problems;
  }
}

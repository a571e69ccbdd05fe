package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.List;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleChecks;

/** What holds for rules of teams, in files and in Java. */
public final class TeamRules {
  /** Only the kernel's own refusal has an errno, so a finding could not keep it. */
  static final String ERRNO_PROBLEM =
      "a team's rule has neither @errno nor @stage: it refuses what the kernel accepts, so no call"
          + " fails; drop both";

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

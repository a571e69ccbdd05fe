package org.pinwise.engine.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Room;
import org.pinwise.engine.RoomVerifier;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.facts.DeviceCatalog;

/**
 * Assertions on a {@link RuleSet}.
 *
 * {@snippet :
 * assertThat(RuleSet.builtIn().withFiles(Path.of("rules.d"))).hasNoProblems().hasRoomsThatHold();
 * }
 */
public final class RuleSetAssert extends AbstractAssert<RuleSetAssert, @Nullable RuleSet> {

  RuleSetAssert(@Nullable RuleSet actual) {
    super(actual, RuleSetAssert.class);
  }

  private RuleSet rules() {
    isNotNull();
    return Objects.requireNonNull(actual);
  }

  /** Fails if anything is wrong with the rules or the profile, and names all of it. */
  public RuleSetAssert hasNoProblems() {
    return none(rules().problems());
  }

  /** Fails unless a problem is shown so: {@code file:line:column: [rule] message}, or a part. */
  public RuleSetAssert hasProblem(String part) {
    if (rules().problems().stream().noneMatch(problem -> problem.toString().contains(part))) {
      failWithMessage(
          "expected a problem with \"%s\", but there is:\n%s", part, lines(rules().problems()));
    }
    return this;
  }

  /**
   * Fails unless every room of a team proves itself by its examples, as {@code pinwise rules test}
   * checks it.
   *
   * @throws org.pinwise.engine.RuleSetException if the rule set has problems
   */
  public RuleSetAssert hasRoomsThatHold() {
    Set<Room> ours = Set.copyOf(RuleSet.builtInRooms());
    RoomVerifier verifier = new RoomVerifier(rules(), DeviceCatalog.load());
    List<RuleProblem> problems = new ArrayList<>();
    int checked = 0;
    for (Room room : rules().rooms()) {
      if (!ours.contains(room)) {
        checked++;
        problems.addAll(verifier.problems(room));
      }
    }
    if (checked == 0) {
      failWithMessage("expected rooms of a team, but there is none, so nothing is proven");
    }
    return none(problems);
  }

  private RuleSetAssert none(List<RuleProblem> problems) {
    if (!problems.isEmpty()) {
      failWithMessage("expected no problem with the rules, but there is:\n%s", lines(problems));
    }
    return this;
  }

  private static String lines(List<RuleProblem> problems) {
    return problems.stream().map(RuleProblem::toString).collect(Collectors.joining("\n"));
  }
}

package org.pinwise.engine;

import java.util.List;
import java.util.stream.Collectors;

/** A rule set that cannot be used; it names all problems at once. */
public final class RuleSetException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // an immutable list of records; exceptions here are not serialised
  private final List<RuleProblem> problems;

  /** Makes the exception of at least one problem. */
  public RuleSetException(List<RuleProblem> problems) {
    super(problems.stream().map(RuleProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** Returns the problems, in the order of files and lines. */
  public List<RuleProblem> problems() {
    return problems;
  }
}

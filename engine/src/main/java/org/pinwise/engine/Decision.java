package org.pinwise.engine;

import java.util.ArrayList;
import java.util.List;
import org.pinwise.engine.MrValidator.Graded;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Stage;

/**
 * What the rules say of all requests that they cannot tell apart: a verdict without its texts.
 *
 * @param validator what decided
 * @param fired the rules that fire
 * @param settled rooms of which one rule fires, whatever kernel or driver it is
 * @param undecided the other undecided rules
 * @param rejects whether an error is among them
 * @param open whether an error rule is undecided
 */
record Decision(
    MrValidator validator,
    List<Graded> fired,
    List<Settled> settled,
    List<Graded> undecided,
    boolean rejects,
    boolean open) {

  static Decision of(
      MrValidator validator, List<Graded> fired, List<Settled> settled, List<Graded> undecided) {
    return new Decision(
        validator,
        List.copyOf(fired),
        List.copyOf(settled),
        List.copyOf(undecided),
        !settled.isEmpty() || fired.stream().anyMatch(Decision::isError),
        undecided.stream().anyMatch(Decision::isError));
  }

  private static boolean isError(Graded rule) {
    return rule.severity() == Severity.ERROR;
  }

  /**
   * A room of which one rule fires on every kernel and driver.
   *
   * @param first the room's first undecided rule
   * @param firing those that fire on some of them
   */
  record Settled(Graded first, List<Graded> firing) {
    List<Possible> possible() {
      List<Possible> possible = new ArrayList<>();
      for (Graded fires : firing) {
        Errno errno = fires.errno();
        Stage stage = fires.rule().meta().stage();
        if (errno != null && stage != null) {
          possible.add(new Possible(stage, fires.rule().meta().step(), errno));
        }
      }
      return possible;
    }
  }

  /** An errno that a check may give. */
  record Possible(Stage stage, int step, Errno errno) implements Comparable<Possible> {
    @Override
    public int compareTo(Possible other) {
      int byStage = stage.compareTo(other.stage);
      return byStage != 0 ? byStage : Integer.compare(step, other.step);
    }
  }
}

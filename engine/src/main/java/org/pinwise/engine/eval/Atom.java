package org.pinwise.engine.eval;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;

/**
 * A comparison of a rule. Two comparisons with equal keys have equal answers.
 *
 * @param key what it compares, in words, and the evidence that it rests on
 * @param test the comparison
 * @param reads the fields that it reads
 * @param condition the comparison as the rule has it; null for the evidence
 * @param parameters the values of the rule's parameters
 */
public record Atom(
    String key,
    Test test,
    List<Operand.FieldOf<?>> reads,
    @Nullable Condition condition,
    Map<String, Long> parameters) {

  // The key says it all; the generated methods would compare the whole condition.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Atom atom && key.equals(atom.key);
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }
}

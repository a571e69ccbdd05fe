package org.pinwise.engine.eval;

import java.util.List;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Operand;

/**
 * A comparison of a rule. Two comparisons with equal keys have equal answers.
 *
 * @param key what it compares, in words, and the evidence that it rests on
 * @param test the comparison
 * @param reads the fields that it reads
 */
public record Atom(String key, Test test, List<Operand.FieldOf<?>> reads) {

  /**
   * Returns whether the answer depends on the request or its memory, not only on device and host.
   */
  public boolean dependsOnRequest() {
    return reads.stream()
        .map(Operand.FieldOf::type)
        .anyMatch(type ->
            type.equals(MrRequest.TYPE)
                || type.equals(AddressRange.TYPE)
                || type.equals(Memory.TYPE)
                || type.equals(Labels.TYPE));
  }
}

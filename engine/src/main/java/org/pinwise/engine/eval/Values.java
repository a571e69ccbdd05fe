package org.pinwise.engine.eval;

import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.spi.Operand;

/** Operands that are not numbers. */
@FunctionalInterface
interface Values {
  /** Returns the value, null where a fact is unknown. */
  @Nullable Object of(FactTuple facts);

  static Values compile(Operand operand) {
    if (operand instanceof Operand.FieldOf<?> field) {
      return field(field.type(), field.field());
    }
    Object value = ((Operand.Constant) operand).value();
    return facts -> value;
  }

  @SuppressWarnings("unchecked") // a FieldOf holds a type and a field of that type
  private static <F> Values field(FactType<?> rawType, Field<?> rawField) {
    FactType<F> type = (FactType<F>) rawType;
    Field<F> field = (Field<F>) rawField;
    return facts -> field.read(facts.get(type));
  }
}

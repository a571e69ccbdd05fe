package org.pinwise.engine.eval;

import java.util.Map;
import java.util.Objects;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.spi.Operand;

/** Operands that are numbers. */
@FunctionalInterface
interface Numbers {
  /** What {@link #of} returns where a fact is unknown; no operand has this value. */
  long UNKNOWN = Long.MIN_VALUE;

  long of(FactTuple facts);

  static Numbers compile(Operand operand, Map<String, Long> parameters) {
    if (operand instanceof Operand.FieldOf<?> field) {
      return field(field.type(), field.field());
    }
    if (operand instanceof Operand.Constant constant) {
      long value = (Long) constant.value();
      return facts -> value;
    }
    if (operand instanceof Operand.Parameter parameter) {
      long value = Objects.requireNonNull(parameters.get(parameter.name()), parameter.name());
      return facts -> value;
    }
    Operand.Arithmetic arithmetic = (Operand.Arithmetic) operand;
    Numbers left = compile(arithmetic.left(), parameters);
    Numbers right = compile(arithmetic.right(), parameters);
    char operator = arithmetic.operator();
    return facts -> {
      long a = left.of(facts);
      long b = right.of(facts);
      return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : apply(a, operator, b);
    };
  }

  @SuppressWarnings("unchecked") // a FieldOf holds a type and a field of that type
  private static <F> Numbers field(FactType<?> rawType, Field<?> rawField) {
    FactType<F> type = (FactType<F>) rawType;
    Field<F> field = (Field<F>) rawField;
    return facts -> {
      Object value = field.read(facts.get(type));
      return value == null ? UNKNOWN : ((Number) value).longValue();
    };
  }

  private static long apply(long a, char operator, long b) {
    return switch (operator) {
      case '+' -> saturate(a, a + b, ((a ^ (a + b)) & (b ^ (a + b))) < 0);
      case '-' -> saturate(a, a - b, ((a ^ b) & (a ^ (a - b))) < 0);
      case '*' -> {
        long high = Math.multiplyHigh(a, b);
        long low = a * b;
        boolean fits = (high == 0 && low >= 0) || (high == -1 && low < 0);
        yield fits
            ? Math.max(low, -Long.MAX_VALUE)
            : (a < 0) == (b < 0) ? Long.MAX_VALUE : -Long.MAX_VALUE;
      }
      case '/' -> a / b;
      case '%' -> a % b;
      default -> throw new IllegalArgumentException("operator " + operator);
    };
  }

  /** A sum or difference that overflows has the sign of its left operand. */
  private static long saturate(long a, long result, boolean overflows) {
    if (overflows) {
      return a < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE;
    }
    return Math.max(result, -Long.MAX_VALUE);
  }
}

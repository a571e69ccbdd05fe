package org.pinwise.engine.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.spi.Operand;

class NumbersTest {
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final Operand MEMLOCK = field("memlock");

  private static Operand field(String name) {
    return new Operand.FieldOf<>(Host.TYPE, Host.TYPE.field(name).orElseThrow());
  }

  private static Operand constant(long value) {
    return new Operand.Constant(value, Long.toString(value));
  }

  private static long value(Operand operand, FactTuple facts) {
    return Numbers.compile(operand, Map.of("limit", 60L)).of(facts);
  }

  private static long anyNumber(Random random) {
    long near = random.nextInt(3);
    return switch (random.nextInt(4)) {
      case 0 -> near;
      case 1 -> Long.MAX_VALUE - near;
      case 2 -> (1L << random.nextInt(63)) + near & Long.MAX_VALUE;
      default -> random.nextLong() & Long.MAX_VALUE;
    };
  }

  @Test
  void arithmeticSaturates() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      long a = anyNumber(random);
      long b = anyNumber(random);
      long c = anyNumber(random);
      char operator = "+-*/%".charAt(random.nextInt(5));
      if ((operator == '/' || operator == '%') && b == 0) {
        continue;
      }
      BigInteger exact = saturated(exact(BigInteger.valueOf(a), operator, BigInteger.valueOf(b)));
      Operand once = new Operand.Arithmetic(constant(a), operator, constant(b));
      assertThat(value(once, FactTuple.UNKNOWN))
          .as("seed %d: %d %s %d", seed, a, operator, b)
          .isEqualTo(exact.longValue());
      BigInteger then = saturated(exact(exact, '-', BigInteger.valueOf(c)));
      assertThat(value(new Operand.Arithmetic(once, '-', constant(c)), FactTuple.UNKNOWN))
          .as("seed %d: (%d %s %d) - %d", seed, a, operator, b, c)
          .isEqualTo(then.longValue());
    }
  }

  private static BigInteger exact(BigInteger a, char operator, BigInteger b) {
    return switch (operator) {
      case '+' -> a.add(b);
      case '-' -> a.subtract(b);
      case '*' -> a.multiply(b);
      case '/' -> a.divide(b);
      default -> a.remainder(b);
    };
  }

  private static BigInteger saturated(BigInteger value) {
    return value.min(MAX).max(MAX.negate());
  }

  @Test
  void anUnknownOperandIsUnknown() {
    FactTuple known = FactTuple.UNKNOWN.with(Host.TYPE.of(Map.of("memlock", 5L)));
    assertThat(value(MEMLOCK, known)).isEqualTo(5);
    assertThat(value(MEMLOCK, FactTuple.UNKNOWN)).isEqualTo(Numbers.UNKNOWN);
    Operand sum = new Operand.Arithmetic(MEMLOCK, '+', new Operand.Parameter("limit"));
    assertThat(value(sum, known)).isEqualTo(65);
    assertThat(value(sum, FactTuple.UNKNOWN)).isEqualTo(Numbers.UNKNOWN);
    assertThat(value(new Operand.Arithmetic(sum, '*', field("pinnedPages")), known))
        .isEqualTo(Numbers.UNKNOWN);
  }

  /** No result is the number that stands for unknown. */
  @Test
  void theSmallestResultIsNotUnknown() {
    Operand least =
        new Operand.Arithmetic(
            new Operand.Arithmetic(constant(0), '-', constant(Long.MAX_VALUE)),
            '-',
            constant(Long.MAX_VALUE));
    assertThat(value(least, FactTuple.UNKNOWN)).isEqualTo(-Long.MAX_VALUE);
  }
}

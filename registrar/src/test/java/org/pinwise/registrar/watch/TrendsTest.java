package org.pinwise.registrar.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class TrendsTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void whatRisesReachesItsLimit() {
    Trend trend = last(60, second -> 1000 + 2 * second, 22_918).orElseThrow();

    assertThat(trend.perSecond()).isCloseTo(2, within(1e-9));
    assertThat(trend.now()).isEqualTo(1118);
    assertThat(trend.over()).isEqualTo(Duration.ofSeconds(59));
    assertThat(trend.reached())
        .hasValueSatisfying(left ->
            assertThat(left).isBetween(Duration.ofSeconds(10_899), Duration.ofSeconds(10_901)));
  }

  @Test
  void whatIsOverItsLimitHasReachedIt() {
    assertThat(last(10, second -> 100 + second, 50).orElseThrow().reached())
        .contains(Duration.ZERO);
  }

  @Test
  void whatHasNoLimitOrFallsReachesNone() {
    assertThat(last(10, second -> second, Long.MAX_VALUE).orElseThrow().reached()).isEmpty();
    Trend falling = last(10, second -> 100 - second, 1000).orElseThrow();
    assertThat(falling.perSecond()).isCloseTo(-1, within(1e-9));
    assertThat(falling.reached()).isEmpty();
  }

  /** A cache that fills and empties has no trend, whatever it ends on. */
  @Test
  void noiseAroundAValueIsSteady() {
    Random random = new Random(42);
    Trend trend = last(300, second -> 1000 + random.nextInt(200), 10_000).orElseThrow();

    assertThat(trend.perSecond()).isZero();
    assertThat(trend.reached()).isEmpty();
  }

  /** A leak below noise that is as large is still found. */
  @Test
  void aSlowLeakUnderNoiseIsFound() {
    Random random = new Random(7);
    Trend trend = last(300, second -> 1000 + second + random.nextInt(100), 10_000).orElseThrow();

    assertThat(trend.perSecond()).isCloseTo(1, within(0.1));
  }

  @Test
  void twoReadingsAreNoTrend() {
    assertThat(last(2, second -> second, 100)).isEmpty();
    assertThat(last(3, second -> second, 100)).isPresent();
  }

  @Test
  void aSlopeOfAgesIsNoTime() {
    assertThat(last(1000, second -> second / 500, Long.MAX_VALUE - 1).orElseThrow().reached())
        .isEmpty();
  }

  private static Optional<Trend> last(int seconds, LongUnaryOperator value, long limit) {
    Trends trends = new Trends();
    Optional<Trend> last = Optional.empty();
    for (int second = 0; second < seconds; second++) {
      last = trends.add("regions", second * SECOND, value.applyAsLong(second), limit, "max_mr");
    }
    return last;
  }
}

package org.pinwise.registrar.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {

  @Test
  void ofNothing() {
    assertThat(new Latencies().figures()).isEqualTo(new LatencyFigures(0, 0, 0, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 15, 16, 17, 31, 32, 1000, 123_456_789, Long.MAX_VALUE})
  void oneIsItsOwnPercentile(long nanos) {
    Latencies latencies = new Latencies();
    latencies.record(nanos);

    assertThat(latencies.figures())
        .isEqualTo(new LatencyFigures(1, nanos, nanos, nanos, nanos, nanos));
  }

  @Test
  void aClockThatWentBackIsNoTime() {
    Latencies latencies = new Latencies();
    latencies.record(-5);

    assertThat(latencies.figures().maxNanos()).isZero();
  }

  /** Against the sorted values themselves. */
  @Test
  void percentilesAreUpperBoundsAndAtMostASixteenthOff() {
    Random random = new Random(1);
    Latencies latencies = new Latencies();
    long[] values = new long[10_001];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextDouble() * 20);
      latencies.record(values[i]);
    }
    Arrays.sort(values);
    LatencyFigures figures = latencies.figures();

    assertThat(figures.count()).isEqualTo(values.length);
    assertThat(figures.meanNanos()).isEqualTo(Arrays.stream(values).sum() / values.length);
    assertThat(figures.maxNanos()).isEqualTo(values[values.length - 1]);
    assertBound(figures.p50Nanos(), values[values.length / 2]);
    assertBound(figures.p90Nanos(), values[values.length * 9 / 10]);
    assertBound(figures.p99Nanos(), values[values.length * 99 / 100]);
  }

  private static void assertBound(long bound, long exact) {
    assertThat(bound).isBetween(exact, exact + exact / 15 + 1);
  }
}

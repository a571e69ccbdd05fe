package org.pinwise.registrar.watch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Fits a line through the last readings of each figure, by least squares, so that a figure that
 * goes up and down around one value has no trend.
 */
final class Trends {
  private static final int MAX_SAMPLES = 600;

  /** Two readings are a difference, no trend. */
  private static final int MIN_SAMPLES = 3;

  /**
   * A slope counts where it explains most of what was seen: the coefficient of determination, R
   * squared. Noise around a constant stays far below.
   */
  private static final double MIN_DETERMINATION = 0.5;

  private static final double NANOS = 1e9;

  private record Sample(long nanos, long value) {}

  private final Map<String, Deque<Sample>> samples = new TreeMap<>();

  /**
   * Adds a reading.
   *
   * @param nanos when, of a clock that only goes forward
   * @return the trend; empty where too little was read to tell
   */
  Optional<Trend> add(String what, long nanos, long value, long limit, String limitName) {
    Deque<Sample> all = samples.computeIfAbsent(what, name -> new ArrayDeque<>());
    all.addLast(new Sample(nanos, value));
    if (all.size() > MAX_SAMPLES) {
      all.removeFirst();
    }
    long first = all.getFirst().nanos;
    if (all.size() < MIN_SAMPLES || nanos <= first) {
      return Optional.empty();
    }
    double slope = slope(all, first);
    Optional<Duration> reached = Optional.empty();
    if (slope > 0 && limit != Long.MAX_VALUE) {
      double seconds = Math.max(limit - value, 0) / slope;
      if (seconds < Long.MAX_VALUE / NANOS) { // else in centuries
        reached = Optional.of(Duration.ofMillis((long) (seconds * 1000)));
      }
    }
    return Optional.of(
        new Trend(what, value, limit, limitName, slope, Duration.ofNanos(nanos - first), reached));
  }

  /** Per second; 0 where the readings lie on no line. */
  private static double slope(Deque<Sample> all, long first) {
    double n = all.size();
    double sumT = 0;
    double sumV = 0;
    for (Sample sample : all) {
      sumT += (sample.nanos - first) / NANOS;
      sumV += sample.value;
    }
    double meanT = sumT / n;
    double meanV = sumV / n;
    double covariance = 0;
    double varianceT = 0;
    double varianceV = 0;
    for (Sample sample : all) {
      double t = (sample.nanos - first) / NANOS - meanT;
      double v = sample.value - meanV;
      covariance += t * v;
      varianceT += t * t;
      varianceV += v * v;
    }
    if (varianceT == 0 || varianceV == 0) {
      return 0;
    }
    double determination = covariance * covariance / (varianceT * varianceV);
    return determination < MIN_DETERMINATION ? 0 : covariance / varianceT;
  }
}

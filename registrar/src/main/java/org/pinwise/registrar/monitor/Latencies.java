package org.pinwise.registrar.monitor;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of durations in 16 steps per power of 2: a percentile is off by at most 1/15.
 * Recording takes no lock and allocates nothing.
 */
final class Latencies {
  private static final int STEP_BITS = 4;
  private static final int STEPS = 1 << STEP_BITS;

  private final AtomicLongArray buckets = new AtomicLongArray((Long.SIZE - STEP_BITS) * STEPS);
  private final LongAdder total = new LongAdder();
  private final LongAccumulator max = new LongAccumulator(Math::max, 0);

  void record(long nanos) {
    long duration = Math.max(nanos, 0);
    buckets.incrementAndGet(bucket(duration));
    total.add(duration);
    max.accumulate(duration);
  }

  private static int bucket(long duration) {
    if (duration < STEPS) {
      return (int) duration;
    }
    int shift = Long.SIZE - 1 - STEP_BITS - Long.numberOfLeadingZeros(duration);
    return (shift + 1) * STEPS + (int) (duration >>> shift) - STEPS;
  }

  /** The largest duration of a bucket. */
  private static long upperBound(int bucket) {
    int shift = bucket / STEPS - 1;
    return shift < 0 ? bucket : ((STEPS + bucket % STEPS + 1L) << shift) - 1;
  }

  /** The figures; of one moment only where nothing is recorded meanwhile. */
  LatencyFigures figures() {
    long[] counts = new long[buckets.length()];
    long count = 0;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = buckets.get(i);
      count += counts[i];
    }
    long longest = max.get();
    return new LatencyFigures(
        count,
        count == 0 ? 0 : total.sum() / count,
        percentile(counts, count, 50, longest),
        percentile(counts, count, 90, longest),
        percentile(counts, count, 99, longest),
        longest);
  }

  private static long percentile(long[] counts, long count, int percent, long longest) {
    long rank = Math.ceilDiv(count * percent, 100L);
    long seen = 0;
    for (int i = 0; i < counts.length && count > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.min(upperBound(i), longest);
      }
    }
    return 0;
  }
}

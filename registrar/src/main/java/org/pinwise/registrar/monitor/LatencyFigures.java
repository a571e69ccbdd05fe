package org.pinwise.registrar.monitor;

/**
 * How long calls took. Percentiles are upper bounds: at most 7 % more than the true ones.
 *
 * @param count how many calls
 * @param meanNanos their mean, in ns; 0 if there were none
 * @param p50Nanos half of them took at most this, in ns
 * @param p90Nanos 90 % of them took at most this, in ns
 * @param p99Nanos 99 % of them took at most this, in ns
 * @param maxNanos the longest, exactly, in ns
 */
public record LatencyFigures(
    long count, long meanNanos, long p50Nanos, long p90Nanos, long p99Nanos, long maxNanos) {}

package org.pinwise.registrar.watch;

import java.time.Duration;
import java.util.Optional;

/**
 * Where a figure is going that has a limit.
 *
 * @param what the figure, such as {@code mlx5_0 regions}
 * @param now its value
 * @param limit what it may not exceed; {@link Long#MAX_VALUE} where it has no limit
 * @param limitName what sets the limit, such as {@code max_mr}
 * @param perSecond how fast it rises, or falls where it is negative
 * @param over the time that was watched
 * @param reached how long it takes to the limit at this rate; empty where it does not rise
 */
public record Trend(
    String what,
    long now,
    long limit,
    String limitName,
    double perSecond,
    Duration over,
    Optional<Duration> reached) {}

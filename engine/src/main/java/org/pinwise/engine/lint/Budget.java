package org.pinwise.engine.lint;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Plan;

/**
 * What a plan locks, and what it may lock.
 *
 * @param file the plan's file
 * @param place where the plan stands
 * @param service what it runs as; empty where it does not say
 * @param plan its sums: {@code pinnedBytes} is what one process locks on all devices, queues too
 * @param host the host, with what joined files say of it
 * @param limits where files that were joined say how much may be locked
 */
public record Budget(
    String file,
    Place place,
    String service,
    Plan plan,
    Host host,
    List<Diagnostic.Related> limits) {

  /** What of the host says how much may be locked. */
  static final List<String> LIMITS = List.of("host.memlock", "host.memlockHard", "host.ipcLock");

  /** Keeps an immutable copy. */
  public Budget {
    limits = List.copyOf(limits);
  }

  /** Returns what is left of the limit in bytes, below 0 where it is exceeded; null is unknown. */
  public @Nullable Long left() {
    Long need = plan.pinnedBytes();
    Long limit = limit();
    return need == null || limit == null ? null : (Long) (limit - need);
  }

  /** Returns the limit in bytes, {@link Long#MAX_VALUE} where none binds; null is unknown. */
  public @Nullable Long limit() {
    return Boolean.TRUE.equals(host.ipcLock()) ? (Long) Long.MAX_VALUE : host.memlock();
  }
}

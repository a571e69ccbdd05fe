package org.pinwise.registrar.watch;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is known at one time.
 *
 * @param time when it was read
 * @param kernel the kernel's view
 * @param pid the process that is watched; null if none is
 * @param registrars those of that process; empty where it is no JVM that answers, or has none
 * @param limits what that process has pinned; null where no process is watched, or it is unknown
 * @param differences regions that one side knows and the other does not
 * @param trends of figures that have a limit; empty before three readings
 * @param problems why something could not be read, one line each
 */
public record Snapshot(
    Instant time,
    KernelView kernel,
    @Nullable Long pid,
    List<JvmRegistrar> registrars,
    @Nullable ProcessLimits limits,
    List<Difference> differences,
    List<Trend> trends,
    List<String> problems) {

  /** Makes the value. */
  public Snapshot {
    registrars = List.copyOf(registrars);
    differences = List.copyOf(differences);
    trends = List.copyOf(trends);
    problems = List.copyOf(problems);
  }

  /** Whether nothing of any region could be read. */
  public boolean isEmpty() {
    return kernel.isEmpty() && registrars.isEmpty();
  }
}

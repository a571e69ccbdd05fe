package org.pinwise.engine.eval;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Truth;
import org.pinwise.rules.spi.Verification;

/**
 * Where a rule is known to be right. Between two verified kernels that agree it holds; with the
 * kernel unknown it holds if all verified kernels agree; beyond what is verified it is undecided.
 */
final class KernelEvidence {
  /** Drivers that come with the kernel only, whatever else the host has installed. */
  private static final Set<String> INBOX_ONLY = Set.of("rxe", "siw");

  private final int[] verified;
  private final Set<DriverStack> stacks;
  private final boolean speaksOfKernels;

  KernelEvidence(RuleMeta meta) {
    List<Verification> known =
        meta.verified().stream().filter(v -> v.means() != Verification.Means.BELIEF).toList();
    this.verified = known.stream().mapToInt(Verification::kernel).sorted().toArray();
    this.stacks = meta.stacks();
    this.speaksOfKernels = !meta.verified().isEmpty();
  }

  /** Returns a text that is equal for evidence that decides equally. */
  String key() {
    return speaksOfKernels ? Arrays.toString(verified) + stacks : "any";
  }

  /**
   * Returns whether the rule may be certain on this host; unknown is a host that may be covered.
   */
  boolean covers(Host host, Device device) {
    if (!speaksOfKernels) {
      return true;
    }
    if (verified.length == 0) {
      return false; // only believed
    }
    Integer kernel = host.kernel();
    if (kernel != null && (kernel < verified[0] || kernel > verified[verified.length - 1])) {
      return false;
    }
    DriverStack stack = host.stack();
    String driver = device.driver();
    return stack == null
        || stacks.contains(stack)
        || (driver != null && INBOX_ONLY.contains(driver));
  }

  /**
   * Returns whether a comparison of the kernel holds, by the kernels that this one behaves like.
   */
  Truth holds(@Nullable Integer kernel, IntPredicate comparison) {
    if (verified.length == 0) {
      return kernel == null ? Truth.UNKNOWN : Truth.of(comparison.test(kernel));
    }
    int from = 0;
    int to = verified.length - 1;
    if (kernel != null) {
      int place = Arrays.binarySearch(verified, kernel);
      int after = place >= 0 ? place : -place - 1;
      int before = place >= 0 ? place : after - 1;
      from = Math.max(before, 0);
      to = Math.min(after, to);
    }
    Truth first = Truth.of(comparison.test(verified[from]));
    for (int i = from + 1; i <= to; i++) {
      if (Truth.of(comparison.test(verified[i])) != first) {
        return Truth.UNKNOWN;
      }
    }
    return first;
  }
}

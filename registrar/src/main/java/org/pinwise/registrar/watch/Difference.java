package org.pinwise.registrar.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.pinwise.registrar.monitor.RegionFigures;

/**
 * Regions of a process that one side knows and the other does not.
 *
 * @param device of the regions
 * @param kernelOnly those that the kernel has and no registrar knows: a leak, or registered past
 *     Pinwise by another library of the process
 * @param jvmOnly those that a registrar holds for registered and the kernel does not have
 * @param byKey whether they were matched by key; if not, the kernel told none, and only lengths
 *     were compared: two regions of one length may stand for each other
 */
public record Difference(
    String device, List<KernelRegion> kernelOnly, List<RegionFigures> jvmOnly, boolean byKey) {

  /** Makes the value. */
  public Difference {
    kernelOnly = List.copyOf(kernelOnly);
    jvmOnly = List.copyOf(jvmOnly);
  }

  /** What a region is matched by. */
  private record Mark(long key, long length) {}

  /**
   * Compares. The three lists are not of one moment, so the JVM is asked before the kernel and
   * after: what it knew at either time is no leak, and what it did not know at both is not missing.
   *
   * @param ofProcess whether a number of the kernel's is that of the process, or of one of its
   *     threads
   * @param before what the JVM knew before the kernel was asked
   * @param after what it knew after
   * @return one for each device on which they differ
   */
  static List<Difference> between(
      LongPredicate ofProcess,
      List<JvmRegistrar> before,
      KernelView kernel,
      List<JvmRegistrar> after) {
    Map<String, List<KernelRegion>> kernels = new TreeMap<>();
    for (JvmRegistrar registrar : after) {
      if (!registrar.simulated()) {
        kernels.put(registrar.device(), new ArrayList<>());
      }
    }
    for (KernelRegion region : kernel.regions()) {
      List<KernelRegion> watched = kernels.get(region.device());
      // Without a number it is of the kernel itself, or of a thread that has ended: nobody's leak.
      if (watched != null && (region.pid() == null || ofProcess.test(region.pid()))) {
        watched.add(region);
      }
    }
    List<Difference> differences = new ArrayList<>();
    kernels.forEach((device, regions) -> {
      boolean byKey = regions.stream().allMatch(region -> region.lkey() != null);
      Difference difference =
          on(device, regions, regions(before, device), regions(after, device), byKey);
      if (!difference.kernelOnly.isEmpty() || !difference.jvmOnly.isEmpty()) {
        differences.add(difference);
      }
    });
    return differences;
  }

  private static List<RegionFigures> regions(List<JvmRegistrar> registrars, String device) {
    return registrars.stream()
        .filter(registrar -> !registrar.simulated() && registrar.device().equals(device))
        .flatMap(registrar -> registrar.regions().stream())
        .toList();
  }

  private static Difference on(
      String device,
      List<KernelRegion> kernels,
      List<RegionFigures> before,
      List<RegionFigures> after,
      boolean byKey) {
    Map<Mark, Integer> knownAtOnce = counts(before, byKey);
    Map<Mark, Integer> knownLater = counts(after, byKey);
    Map<Mark, Integer> known = new HashMap<>(knownAtOnce);
    knownLater.forEach((mark, count) -> known.merge(mark, count, Math::max));
    List<KernelRegion> kernelOnly = new ArrayList<>();
    Map<Mark, Integer> kernelHas = new HashMap<>();
    List<KernelRegion> ownedFirst = new ArrayList<>(kernels);
    ownedFirst.sort(Comparator.comparing(region -> region.pid() == null));
    for (KernelRegion region : ownedFirst) {
      Long lkey = region.lkey();
      Mark mark = new Mark(byKey && lkey != null ? lkey : 0, region.length());
      kernelHas.merge(mark, 1, Integer::sum);
      if (!take(known, mark) && region.pid() != null) {
        kernelOnly.add(region);
      }
    }
    List<RegionFigures> jvmOnly = new ArrayList<>();
    for (RegionFigures region : after) {
      Mark mark = mark(region, byKey);
      if (take(knownAtOnce, mark) && !take(kernelHas, mark)) {
        jvmOnly.add(region);
      }
    }
    return new Difference(device, kernelOnly, jvmOnly, byKey);
  }

  private static Map<Mark, Integer> counts(List<RegionFigures> regions, boolean byKey) {
    Map<Mark, Integer> counts = new HashMap<>();
    regions.forEach(region -> counts.merge(mark(region, byKey), 1, Integer::sum));
    return counts;
  }

  private static Mark mark(RegionFigures region, boolean byKey) {
    return new Mark(byKey ? region.lkey() : 0, region.length());
  }

  /** Takes one of a kind; false if there is none left. */
  private static boolean take(Map<Mark, Integer> counts, Mark mark) {
    Integer left = counts.get(mark);
    if (left == null || left == 0) {
      return false;
    }
    counts.put(mark, left - 1);
    return true;
  }
}

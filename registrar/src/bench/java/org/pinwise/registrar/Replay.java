package org.pinwise.registrar;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.pinwise.engine.BoundValidator;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

/**
 * A million mixed registrations, between which the pages pinned so far move. From the first on:
 * what the JVM does to get warm is in it.
 */
final class Replay {
  private static final int REGISTRATIONS = 1_000_000;
  private static final int MOST_PINNED = 1 << 20;

  /** A host on which a process may lock 2 GiB. */
  static final Map<String, Object> HOST =
      Map.of(
          "kernel",
          Kernel.V6_12,
          "stack",
          DriverStack.INBOX,
          "rdmaCore",
          50,
          "pageSize",
          4096L,
          "memlock",
          2L << 30,
          "ipcLock",
          false,
          "pinnedPages",
          0L);

  private Replay() {}

  /** Prints a row for the hits, and for each way to sum up the times. */
  public static void main(String[] args) {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    Device device = DeviceCatalog.load().find("connectx5").orElseThrow().facts(Kernel.V6_12);
    Map<String, Object> limits = new LinkedHashMap<>(HOST);
    BoundValidator bound = validator.forHost(device, Host.TYPE.of(limits));
    Random random = new Random(42);
    // The hosts are made before, as reading them is not what is measured.
    Host[] hosts = new Host[256];
    for (int i = 0; i < hosts.length; i++) {
      limits.put("pinnedPages", (long) random.nextInt(MOST_PINNED));
      hosts[i] = Host.TYPE.of(limits);
    }
    long[] nanos = new long[REGISTRATIONS];
    for (int i = 0; i < REGISTRATIONS; i++) {
      Facts facts = new Facts(request(random), null, device, hosts[random.nextInt(hosts.length)]);
      long start = System.nanoTime();
      bound.validate(facts);
      nanos[i] = System.nanoTime() - start;
    }
    double hits = 1 - (double) bound.decided() / REGISTRATIONS;
    double mean = Arrays.stream(nanos).average().orElse(0);
    Arrays.sort(nanos);
    Row.of("replay of 1 M registrations, live facts moving: hits", 100 * hits, "%")
        .target(Row.Bound.AT_LEAST, 95)
        .print();
    Row.of("the same, p50", nanos[REGISTRATIONS / 2], "ns").print();
    Row.of("the same, p99", nanos[(int) (REGISTRATIONS * 0.99)], "ns").print();
    Row.of("the same, mean", mean, "ns").print();
  }

  /** Draws a registration, of which about a third is refused. */
  static MrRequest request(Random random) {
    Set<AccessFlag> flags = new LinkedHashSet<>();
    if (random.nextInt(10) != 0) {
      flags.add(AccessFlag.LOCAL_WRITE);
    }
    for (AccessFlag flag : AccessFlag.values()) {
      if (random.nextInt(flag.name().startsWith("REMOTE") ? 2 : 12) == 0) {
        flags.add(flag);
      }
    }
    long address = 0x7f00_0000_0000L + ((long) random.nextInt(1 << 24) << 12);
    return MrRequest.range(
            random.nextInt(6) == 0 ? address + random.nextInt(4096) : address,
            1L << random.nextInt(34) | random.nextInt(4096))
        .access(Access.of(flags.toArray(new AccessFlag[0])))
        .build();
  }
}

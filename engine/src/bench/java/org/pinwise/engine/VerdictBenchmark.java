package org.pinwise.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;

/**
 * A verdict whose outcome was seen before, against the same rules written by hand; and one that
 * Drools has to decide. The requests are a mix, of which about a third is in order.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class VerdictBenchmark {
  private static final int REQUESTS = 1024;
  private static final int TEAM_RULES = 200;

  private MrRequest[] requests;
  private final Facts[] facts = new Facts[REQUESTS];
  private Device device;
  private Host host;
  private BoundValidator bound;
  private BoundValidator boundWithTeam;
  private MrValidator validator;
  private MrValidator forgetful;
  private BoundValidator forgetfulBound;
  private BoundValidator forgetfulBoundWithTeam;

  /** Where a thread is in the mix. */
  @State(Scope.Thread)
  public static class Place {
    private final long[] fired = new long[HandRule.WORDS];
    private int next;

    int next() {
      next = (next + 1) & (REQUESTS - 1);
      return next;
    }

    /** Returns words without a bit. */
    long[] noneFired() {
      Arrays.fill(fired, 0);
      return fired;
    }
  }

  /** Makes the mix. */
  @Setup
  public void prepare() {
    RuleSet rules = RuleSet.builtIn();
    RuleSet withTeam = rules.withRooms(teamRooms());
    validator = MrValidator.create(rules);
    forgetful = MrValidator.create(rules, Assumptions.USUAL, 1);
    device = device();
    host = host();
    forgetfulBound = new BoundValidator(forgetful, device, host, 1);
    forgetfulBoundWithTeam =
        new BoundValidator(MrValidator.create(withTeam, Assumptions.USUAL, 1), device, host, 1);
    bound = validator.forHost(device, host);
    boundWithTeam = MrValidator.create(withTeam).forHost(device, host);
    requests = requests();
    for (int i = 0; i < REQUESTS; i++) {
      facts[i] = new Facts(requests[i], null, device, host);
    }
  }

  static Device device() {
    return DeviceCatalog.load().find("connectx5").orElseThrow().facts(Kernel.V6_12);
  }

  static Host host() {
    return Host.TYPE.of(
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
            8L << 20,
            "ipcLock",
            false,
            "pinnedPages",
            0L,
            "dmaBounce",
            false));
  }

  static MrRequest[] requests() {
    Random random = new Random(7);
    MrRequest[] mix = new MrRequest[REQUESTS];
    Arrays.setAll(mix, i -> request(random));
    return mix;
  }

  private static MrRequest request(Random random) {
    Set<AccessFlag> flags = new LinkedHashSet<>();
    if (random.nextInt(8) != 0) {
      flags.add(AccessFlag.LOCAL_WRITE);
    }
    for (AccessFlag flag : AccessFlag.values()) {
      if (random.nextInt(flag.name().startsWith("REMOTE") ? 2 : 10) == 0) {
        flags.add(flag);
      }
    }
    long address = 0x7f00_0000_0000L + random.nextInt(1 << 20) * 4096L;
    MrRequest.Builder builder =
        MrRequest.range(
                address + (random.nextInt(8) == 0 ? random.nextInt(4096) : 0),
                random.nextInt(50) == 0 ? 0 : 1 + random.nextInt(1 << 24))
            .access(Access.of(flags.toArray(new AccessFlag[0])));
    if (random.nextInt(4) == 0) {
      builder.iova(random.nextInt(2) == 0 ? 0 : address);
    }
    return builder.build();
  }

  /** Rules as teams have them: on flags, lengths and drivers of their own. */
  static List<Room> teamRooms() {
    List<Room> rooms = new ArrayList<>();
    for (int i = 0; i < TEAM_RULES; i++) {
      String id = "TEAM%03d".formatted(i);
      String flag = AccessFlag.values()[i % AccessFlag.values().length].name();
      Map<String, String> files = new HashMap<>();
      files.put(
          "rule.drl",
          """
          package mr.rules.%s;
          import org.pinwise.rules.model.MrRequest;
          import org.pinwise.rules.model.Device;
          import org.pinwise.rules.model.AccessFlag;
          import org.pinwise.rules.spi.Findings;
          global org.pinwise.rules.spi.Findings findings;
          rule "%s"
            @severity(WARNING) @since(1.0) @spec("the team's handbook")
            @summary("A house rule") @remediation("Ask the team.")
          when
            $r : MrRequest( access contains AccessFlag.%s, length > %dL )
            Device( driver == "%s" )
          then
            findings.report("%s", $r, "length {length} is more than the team allows");
          end
          """
              .formatted(
                  id.toLowerCase(Locale.ROOT),
                  id,
                  flag,
                  (1 + i / 12) * 3_000_000L,
                  i % 3 == 0 ? "mlx5" : i % 3 == 1 ? "rxe" : "efa",
                  id));
      rooms.add(new Room(id + "-house", id + "-house", files));
    }
    return rooms;
  }

  /** The reference: ifs. */
  @Benchmark
  public long[] seenByHand(Place place) {
    return byHand(place);
  }

  private long[] byHand(Place place) {
    long[] fired = place.noneFired();
    HandWritten.judge(requests[place.next()], Memory.ORDINARY, device, host, fired);
    return fired;
  }

  /** Device and host bound once. */
  @Benchmark
  public Verdict seenBound(Place place) {
    return bound.validate(requests[place.next()]);
  }

  /** The same on two threads. */
  @Benchmark
  @Threads(2)
  public Verdict seenBoundOnTwoThreads(Place place) {
    return bound.validate(requests[place.next()]);
  }

  /** The reference on two threads. */
  @Benchmark
  @Threads(2)
  public long[] seenByHandOnTwoThreads(Place place) {
    return byHand(place);
  }

  /** With 200 rules of a team. */
  @Benchmark
  public Verdict seenBoundWithTeam(Place place) {
    return boundWithTeam.validate(requests[place.next()]);
  }

  /** Not bound: every comparison of every rule is made. */
  @Benchmark
  public Verdict seenUnbound(Place place) {
    return validator.validate(facts[place.next()]);
  }

  // Drools is large, and takes its time to be compiled well.

  /** By all built-in rules; Drools decides each time, as one outcome is remembered. */
  @Benchmark
  @Warmup(iterations = 9, time = 1)
  public Verdict newOutcome(Place place) {
    return forgetfulBound.validate(requests[place.next()]);
  }

  /** With 200 rules of a team more. */
  @Benchmark
  @Warmup(iterations = 9, time = 1)
  public Verdict newOutcomeWithTeam(Place place) {
    return forgetfulBoundWithTeam.validate(requests[place.next()]);
  }

  /** Not bound: Drools decides by the rules for all devices and hosts. */
  @Benchmark
  @Warmup(iterations = 9, time = 1)
  public Verdict newOutcomeUnbound(Place place) {
    return forgetful.validate(facts[place.next()]);
  }
}

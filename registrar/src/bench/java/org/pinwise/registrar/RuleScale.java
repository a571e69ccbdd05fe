package org.pinwise.registrar;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.pinwise.engine.BoundValidator;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Room;
import org.pinwise.engine.RuleSet;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

/** How loading and judging grow with the number of rules. */
final class RuleScale {
  private static final int[] RULES = {20, 200, 2000};
  private static final int VERDICTS = 1_000_000;
  private static final int NEW_OUTCOMES = 200;
  private static final AccessFlag[] FLAGS = AccessFlag.values();

  private RuleScale() {}

  /** What so many rules cost. */
  private record Step(
      double rules, double loadMillis, double heapMegabytes, double seenNanos, double newMicros) {}

  /** Prints a row for each of the costs. */
  public static void main(String[] args) {
    for (int warmUp = 0; warmUp < 3; warmUp++) {
      run(RULES[0]);
      run(RULES[1]);
    }
    List<Step> steps = Arrays.stream(RULES).mapToObj(RuleScale::run).toList();
    print("load of 20, 200, 2,000 rules", "ms", steps, Step::loadMillis);
    print("their memory", "MB", steps, Step::heapMegabytes);
    print("verdict by them, outcome seen", "ns", steps, Step::seenNanos);
    print("verdict by them, new outcome", "us", steps, Step::newMicros);
  }

  private static void print(
      String what, String unit, List<Step> steps, ToDoubleFunction<Step> cost) {
    Row.growth(
            what,
            steps.stream().map(Step::rules).toList(),
            steps.stream().mapToDouble(cost).boxed().toList(),
            unit)
        .print();
  }

  private static Step run(int rules) {
    List<Room> rooms = rooms(rules);
    long before = used();
    long start = System.nanoTime();
    RuleSet ruleSet = RuleSet.empty().withRooms(rooms);
    MrValidator validator = MrValidator.create(ruleSet);
    double load = (System.nanoTime() - start) / 1e6;
    double heap = (used() - before) / 1e6;
    Reference.reachabilityFence(rooms);
    Device device = Device.TYPE.of(Map.of("driver", "mlx5"));
    Host host = Host.TYPE.of(Map.of("kernel", Kernel.V6_12, "pageSize", 4096L));
    int outcomes = Math.max(2, rules / FLAGS.length);
    int validators = Math.max(1, NEW_OUTCOMES / outcomes);
    long fresh = 0;
    for (int i = 0; i < validators; i++) {
      fresh += nanosOfNewOutcomes(MrValidator.create(ruleSet).forHost(device, host), outcomes);
    }
    double micros = fresh / 1e3 / validators / (outcomes - 1);
    BoundValidator bound = validator.forHost(device, host);
    MrRequest[] seen = new MrRequest[outcomes];
    Arrays.setAll(seen, RuleScale::request);
    double nanos = 0;
    for (int round = 0; round < 3; round++) { // the last counts
      start = System.nanoTime();
      for (int i = 0, at = 0; i < VERDICTS; i++, at = at + 1 == outcomes ? 0 : at + 1) {
        bound.validate(seen[at]);
      }
      nanos = (System.nanoTime() - start) / (double) VERDICTS;
    }
    return new Step(rules, load, heap, nanos, micros);
  }

  /** Every length between two bounds is a new outcome; the first also builds what Drools needs. */
  private static long nanosOfNewOutcomes(BoundValidator bound, int outcomes) {
    bound.validate(request(0));
    long start = System.nanoTime();
    for (int i = 1; i < outcomes; i++) {
      bound.validate(request(i));
    }
    return System.nanoTime() - start;
  }

  private static MrRequest request(int outcome) {
    return MrRequest.ofLength(outcome * 1000L + 500).access(FLAGS[outcome % FLAGS.length]).build();
  }

  /** Returns the bytes in use. */
  static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static List<Room> rooms(int count) {
    List<Room> rooms = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String id = "T" + (char) ('A' + i / 1000) + "%03d".formatted(i % 1000);
      String text =
          """
          package mr.rules.%s;
          import org.pinwise.rules.model.MrRequest;
          import org.pinwise.rules.model.AccessFlag;
          global org.pinwise.rules.spi.Findings findings;
          rule "%s"
            @severity(WARNING) @since(1.0) @spec("the team's handbook")
            @summary("A house rule") @remediation("Ask the team.")
          when
            $r : MrRequest( access contains AccessFlag.%s, length > %dL )
          then
            findings.report("%s", $r, "length {length} is more than the team allows");
          end
          """
              .formatted(
                  id.toLowerCase(Locale.ROOT),
                  id,
                  FLAGS[i % FLAGS.length].name(),
                  (1 + i / FLAGS.length) * 1000L,
                  id);
      rooms.add(new Room(id + "-house", id + "-house", Map.of("rule.drl", text)));
    }
    return rooms;
  }
}

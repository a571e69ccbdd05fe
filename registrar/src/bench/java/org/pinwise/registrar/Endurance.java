package org.pinwise.registrar;

import java.lang.ref.Reference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.pinwise.engine.BoundValidator;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

/** Gives verdicts on and on, and looks at the memory: {@code Endurance VERDICTS}. */
final class Endurance {
  private static final int REQUESTS = 1 << 16;

  private Endurance() {}

  /** Prints the heap in use at the end beside that after a tenth. */
  public static void main(String[] args) {
    long verdicts = Long.parseLong(args[0]);
    Map<String, Object> values = new LinkedHashMap<>(Replay.HOST);
    Random random = new Random(5);
    Host[] hosts = new Host[64];
    for (int i = 0; i < hosts.length; i++) {
      values.put("pinnedPages", (long) random.nextInt(1 << 20));
      hosts[i] = Host.TYPE.of(values);
    }
    MrRequest[] requests = new MrRequest[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
      requests[i] = Replay.request(random);
    }
    BoundValidator bound =
        MrValidator.create(RuleSet.builtIn())
            .forHost(
                DeviceCatalog.load().find("connectx5").orElseThrow().facts(Kernel.V6_12), hosts[0]);
    double first = 0;
    long rejected = 0;
    long start = System.nanoTime();
    for (long i = 0; i < verdicts; i++) {
      MrRequest request = requests[(int) (i * 40_503) & (REQUESTS - 1)];
      Host host = hosts[(int) (i >>> 16) & (hosts.length - 1)];
      Verdict verdict = bound.validate(new Facts(request, null, bound.device(), host));
      rejected += verdict.decision().equals("rejected") ? 1 : 0;
      if (i == verdicts / 10) {
        first = RuleScale.used() / 1e6;
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double last = RuleScale.used() / 1e6;
    Reference.reachabilityFence(requests);
    Reference.reachabilityFence(hosts);
    Reference.reachabilityFence(bound);
    long millions = verdicts / 1_000_000;
    Row.of("heap in use after %,d M verdicts".formatted(millions), last, "MB")
        .beside(first, "after a tenth of them")
        .target(Row.Bound.AT_MOST_TIMES, 1.05)
        .note(
            "in a heap of %s MB, %s s, %.0f %% rejected"
                .formatted(
                    Row.number(Runtime.getRuntime().maxMemory() >> 20),
                    Row.number(seconds),
                    100.0 * rejected / verdicts))
        .print();
  }
}

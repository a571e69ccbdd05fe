package org.pinwise.engine;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Verification;

/**
 * Holds {@link HandWritten} against the rules, on random facts that are fully known and on the
 * requests of the benchmark. A rule that the two see differently, or that only one of them has, is
 * named in the row that it prints for the table of speeds.
 */
final class HandWrittenCheck {
  private static final int RANDOM_FACTS = 60_000;

  private final MrValidator validator = MrValidator.create(RuleSet.builtIn());
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final Map<String, String> differ = new TreeMap<>();
  private final Set<String> fired = new TreeSet<>();

  private HandWrittenCheck() {
    for (Rule rule : RuleSet.builtIn().rules()) {
      if (isOfRegistrations(rule)) {
        rules.put(rule.id(), rule);
      }
    }
  }

  /** Prints how many rules agree, of those that a registration can meet. */
  public static void main(String[] args) {
    HandWrittenCheck check = new HandWrittenCheck();
    check.run();
    check.differ.forEach((id, where) -> System.out.println("# " + id + " differs: " + where));
    int met = check.rules.size();
    Set<String> silent = new LinkedHashSet<>(check.rules.keySet());
    silent.removeAll(check.fired);
    if (!silent.isEmpty()) {
      System.out.println("# never fired: " + silent);
    }
    System.out.printf(
        "{\"row\":\"rules written as ifs by hand that say the same on %,d random facts\","
            + "\"ours\":%d,\"unit\":\"rules\",\"reference\":%d,"
            + "\"referenceIs\":\"that a registration can meet\",\"atLeastTimes\":1%s}%n",
        RANDOM_FACTS,
        met - check.differ.size(),
        met,
        check.differ.isEmpty() ? "" : ",\"note\":\"not " + check.differ.keySet() + "\"");
  }

  /**
   * Rules about configuration files or a plan of many registrations are not; nor is one that is
   * only believed, which never decides.
   */
  private static boolean isOfRegistrations(Rule rule) {
    List<Verification> verified = rule.meta().verified();
    return rule.configuration().isEmpty()
        && rule.patterns().stream().noneMatch(pattern -> pattern.type().equals(Plan.TYPE))
        && (verified.isEmpty()
            || verified.stream().anyMatch(v -> v.means() != Verification.Means.BELIEF));
  }

  private void run() {
    Set<String> byHand = new LinkedHashSet<>();
    for (HandRule rule : HandRule.values()) {
      byHand.add(rule.id());
    }
    for (String id : rules.keySet()) {
      if (!byHand.contains(id)) {
        differ.put(id, "not written by hand");
      }
    }
    FactSampler sampler = new FactSampler(List.copyOf(rules.values()), 11);
    for (int i = 0; i < RANDOM_FACTS; i++) {
      FactSampler.Draft draft = sampler.known();
      if (i % 10 == 0) { // by chance few ask for all memory at once
        draft.request().put("address", 0L);
        draft.request().put("length", -1L);
      }
      FactTuple tuple = draft.tuple();
      MrRequest request = tuple.request();
      if (request.rawAddress() != null && request.rawLength() != null) {
        compare(new Facts(request, tuple.memory(), tuple.device(), withInboxDrivers(tuple.host())));
      }
    }
    Device device = VerdictBenchmark.device();
    Host host = VerdictBenchmark.host();
    for (MrRequest request : VerdictBenchmark.requests()) {
      compare(new Facts(request, Memory.ORDINARY, device, host));
    }
  }

  private static Host withInboxDrivers(Host host) {
    Map<String, Object> values = Host.TYPE.values(host);
    values.put("stack", DriverStack.INBOX);
    return Host.TYPE.of(values);
  }

  private void compare(Facts facts) {
    Verdict verdict = validator.validate(facts);
    Set<String> ours = new TreeSet<>();
    verdict.findings().forEach(finding -> ours.add(finding.rule()));
    // A kernel on which a rule was not tried: by hand one would not think of that.
    Set<String> undecided = new TreeSet<>();
    verdict.undecided().forEach(rule -> undecided.add(rule.rule()));
    long[] words = new long[HandRule.WORDS];
    HandWritten.judge(facts.request(), facts.memory(), facts.device(), facts.host(), words);
    for (HandRule rule : HandRule.values()) {
      boolean theirs = rule.isIn(words) && !undecided.contains(rule.id());
      if (theirs != ours.contains(rule.id())) {
        differ.putIfAbsent(rule.id(), (theirs ? "only by hand, on " : "not by hand, on ") + facts);
      }
      if (theirs) {
        fired.add(rule.id());
      }
    }
  }
}

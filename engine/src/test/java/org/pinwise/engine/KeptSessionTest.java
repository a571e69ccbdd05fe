package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.drools.Judge;
import org.pinwise.engine.drools.OpenRulesJudge;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Truth;

/** What Drools was given before is kept, and yet what it says is of the facts at hand alone. */
class KeptSessionTest {
  private static final int FACTS = 1_000;
  private static final int VALIDATORS = 20;
  private static final int REQUESTS = 20;

  /** Reads nothing of the request, so only that it is given anew can make it fire anew. */
  private static final String TEAM =
      """
      package mr.rules.team002;
      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.Host;
      import org.pinwise.rules.spi.Findings;
      global org.pinwise.rules.spi.Findings findings;
      rule "TEAM002"
        @severity(INFO) @since(1.0) @spec("-") @summary("Limits") @remediation("None.")
      when
        $r : MrRequest()
        Host( ipcLock == false )
        not Host( memlock == 0 )
      then
        findings.report("TEAM002", $r, "limited to {host.memlock}");
      end
      """;

  private static final int THREADS = 4;

  private final List<Rule> rules =
      RuleSet.builtIn()
          .withRooms(List.of(new Room("TEAM002-x", "TEAM002-x", Map.of("rule.drl", TEAM))))
          .rules()
          .stream()
          .filter(rule -> rule.configuration().isEmpty())
          .toList();
  private final List<CompiledRule> compiled =
      rules.stream().map(rule -> CompiledRule.of(rule, rule.meta().parameters())).toList();
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final FactSampler sampler = new FactSampler(rules, seed);

  @Test
  void saysTheSameWhicheverFactsChange() {
    DroolsJudge judge = new DroolsJudge(compiled);
    FactTuple facts = sampler.known().tuple();
    for (int i = 0; i < FACTS; i++) {
      facts = changed(facts, sampler, random);
      check(judge, facts);
    }
  }

  @Test
  void judgesFewByTheRulesThatTheFirstLeavesOpen() {
    for (int i = 0; i < VALIDATORS; i++) {
      OpenRulesJudge judge = new OpenRulesJudge(compiled);
      FactTuple first = sampler.known().tuple();
      check(judge, first);
      for (int j = 0; j < REQUESTS; j++) {
        MrRequest other = sampler.known().tuple().request();
        check(judge, first.with(other).with(AddressRange.of(other, first.host(), false)));
      }
      check(
          judge,
          changed(first, sampler, random)); // of a device, host or memory that it may not know
    }
  }

  @Test
  void judgesByTheRulesThatDeviceAndHostLeaveOpen() {
    for (int i = 0; i < VALIDATORS; i++) {
      FactTuple around =
          FactTuple.UNKNOWN
              .with(sampler.hide(sampler.known()).tuple().device())
              .with(sampler.hide(sampler.known()).tuple().host());
      Judge judge = OpenRulesJudge.of(compiled, around);
      for (int j = 0; j < REQUESTS; j++) {
        FactTuple other = sampler.hide(sampler.known()).tuple();
        check(judge, other.with(around.device()).with(around.host()));
      }
    }
  }

  /** What was answered of one thread's facts must not be taken for another's. */
  @Test
  void saysTheSameToThreadsThatShareIt() {
    DroolsJudge judge = new DroolsJudge(compiled);
    List<FactTuple> all =
        IntStream.range(0, FACTS).mapToObj(i -> sampler.hide(sampler.known()).tuple()).toList();
    List<CompletableFuture<Void>> threads =
        IntStream.range(0, THREADS)
            .mapToObj(thread ->
                CompletableFuture.runAsync(
                    () -> {
                      for (int i = 0; i < FACTS / THREADS; i++) {
                        check(judge, all.get(thread * (FACTS / THREADS) + i));
                      }
                    },
                    task -> new Thread(task).start()))
            .toList();
    threads.forEach(CompletableFuture::join);
  }

  private void check(Judge judge, FactTuple facts) {
    assertThat(judge.judge(facts))
        .as("seed %d, %s", seed, facts)
        .isEqualTo(byFormulas(compiled, facts));
  }

  /** Any number of the facts is others; sometimes none is. */
  private static FactTuple changed(FactTuple facts, FactSampler sampler, Random random) {
    FactTuple other =
        (random.nextInt(3) == 0 ? sampler.hide(sampler.known()) : sampler.known()).tuple();
    FactTuple changed = facts;
    for (Object fact : other.all()) {
      changed = random.nextBoolean() ? changed.with(fact) : changed;
    }
    return changed;
  }

  private static Outcome byFormulas(List<CompiledRule> rules, FactTuple facts) {
    Outcome outcome = new Outcome();
    for (int place = 0; place < rules.size(); place++) {
      Truth truth = rules.get(place).of(facts);
      if (truth == Truth.TRUE) {
        outcome.certain(place);
      }
      if (truth != Truth.FALSE) {
        outcome.possible(place);
      }
    }
    return outcome;
  }
}

package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.FactSampler.Draft;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Truth;

/**
 * Unknown is not false, and undecided is not a guess: an undecided rule can still go both ways, and
 * a decided one cannot. A build draws the same facts again; {@code -Dpinwise.seed} and {@code
 * -Dpinwise.partialFacts} draw others, and more.
 */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class UnknownFactsTest {
  private static final int PARTIAL_FACTS = Integer.getInteger("pinwise.partialFacts", 200);
  private static final int AT_MOST = 2_000;
  private static final int COMPLETIONS_OF_DECIDED = 40;
  private static final int TRIES = 20_000;
  private static final int CLIMB = 300;
  private static final Set<String> RANGE_OF_HOST =
      Set.of("host.pageSize", "host.memlock", "host.pinnedPages");

  private final List<Rule> rules =
      RuleSet.builtIn().rules().stream().filter(rule -> rule.configuration().isEmpty()).toList();
  private final List<CompiledRule> compiled =
      rules.stream().map(rule -> CompiledRule.of(rule, rule.meta().parameters())).toList();

  @Test
  void undecidedRulesGoBothWaysAndDecidedOnesDoNot() {
    long seed = Long.getLong("pinwise.seed", 20_261_129L);
    FactSampler sampler = new FactSampler(rules, seed);
    DroolsJudge judge = new DroolsJudge(compiled);
    Set<String> rooms = new TreeSet<>();
    rules.forEach(rule -> rooms.add(rule.meta().room()));
    Set<String> roomsWithPair = new TreeSet<>();
    for (int i = 0; i < PARTIAL_FACTS || (i < AT_MOST && !roomsWithPair.equals(rooms)); i++) {
      Draft partial = sampler.hide(sampler.known());
      FactTuple facts = partial.tuple();
      Outcome outcome = judge.judge(facts);
      assertThat(outcome).as("Drools and the formulas, seed %d", seed).isEqualTo(byFormula(facts));
      List<FactTuple> completions = new ArrayList<>();
      for (int j = 0; j < COMPLETIONS_OF_DECIDED; j++) {
        completions.add(sampler.complete(partial).tuple());
      }
      for (CompiledRule rule : compiled) {
        Truth truth = rule.of(facts);
        if (truth != Truth.UNKNOWN) {
          for (FactTuple completion : completions) {
            if (rule.of(completion) != Truth.UNKNOWN) {
              assertThat(rule.of(completion))
                  .as(
                      "seed %d: %s is decided on %s, and differs on %s",
                      seed, rule.rule().id(), facts, completion)
                  .isEqualTo(truth);
            }
          }
        } else if (rule.evidence().test().of(facts) == Truth.TRUE) {
          boolean pair = hasPair(rule, partial, sampler);
          assertThat(pair)
              .as(
                  "seed %d: %s is undecided, but does not go both ways: %s",
                  seed, rule.rule().id(), facts)
              .isTrue();
          roomsWithPair.add(rule.rule().meta().room());
        }
      }
    }
    assertThat(roomsWithPair)
        .as("rooms with an undecided rule that goes both ways")
        .isEqualTo(rooms);
  }

  /** Looks for a completion that fires and one that does not, the first by climbing. */
  private static boolean hasPair(CompiledRule rule, Draft partial, FactSampler sampler) {
    boolean fires = false;
    boolean silent = false;
    Draft best = sampler.complete(partial);
    List<String> open = new ArrayList<>(partial.unknown());
    Set<String> read = new TreeSet<>();
    rule.atoms().forEach(atom -> atom.reads().forEach(field -> read.add(field.toString())));
    // The range's fields are derived of the request's and of some of the host's.
    open.removeIf(name ->
        !name.startsWith("request.") && !read.contains(name) && !RANGE_OF_HOST.contains(name));
    long reached = -1;
    for (int i = 0; i < TRIES && !(fires && silent); i++) {
      if (i % CLIMB == 0) {
        best = sampler.complete(partial);
        reached = -1;
      }
      Draft next = best.copy();
      if (!open.isEmpty()) {
        sampler.fill(next, open.get(i % open.size()));
      }
      FactTuple facts = next.tuple();
      Truth truth = rule.of(facts);
      fires |= truth == Truth.TRUE;
      silent |= truth == Truth.FALSE;
      long score = score(rule, facts);
      if (score >= reached) {
        best = next;
        reached = score;
      }
    }
    return fires && silent;
  }

  private static long score(CompiledRule rule, FactTuple facts) {
    return rule.parts().stream()
        .flatMap(part -> part.conjuncts().stream())
        .filter(formula -> formula.of(facts) == Truth.TRUE)
        .count();
  }

  private Outcome byFormula(FactTuple facts) {
    Outcome outcome = new Outcome();
    for (int place = 0; place < compiled.size(); place++) {
      Truth truth = compiled.get(place).of(facts);
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

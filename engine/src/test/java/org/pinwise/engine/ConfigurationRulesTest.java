package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Truth;

/** Rules about configuration obey the logic that rules about calls obey. */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class ConfigurationRulesTest {
  private static final int DRAWS = 2_000;
  private static final int MORE_DRAWS = 50_000;
  private static final int COMPLETIONS = 20;

  static List<FactType<? extends Configuration>> types() {
    return Configuration.types();
  }

  @ParameterizedTest
  @MethodSource("types")
  void decidedRulesStayDecided(FactType<? extends Configuration> type) {
    List<Rule> rules =
        RuleSet.builtIn().rules().stream()
            .filter(rule -> rule.configuration().filter(type::equals).isPresent())
            .toList();
    List<CompiledRule> compiled =
        rules.stream().map(rule -> CompiledRule.of(rule, rule.meta().parameters())).toList();
    DroolsJudge judge = new DroolsJudge(compiled);
    long seed = new Random().nextLong();
    // Each draw is about one of the rules, so that those of many conditions fire, too.
    List<FactSampler> samplers =
        rules.stream().map(rule -> new FactSampler(List.of(rule), seed)).toList();
    TreeSet<String> fired = new TreeSet<>();
    for (int i = 0; i < DRAWS && !samplers.isEmpty(); i++) {
      FactSampler sampler = samplers.get(i % samplers.size());
      Configuration partial = sampler.configuration(type, 0.3 * (i % 3));
      FactTuple facts = FactTuple.UNKNOWN.with(partial);
      Outcome outcome = judge.judge(facts);
      Outcome expected = new Outcome();
      for (int place = 0; place < compiled.size(); place++) {
        CompiledRule rule = compiled.get(place);
        Truth truth = rule.of(facts);
        if (truth == Truth.TRUE) {
          expected.certain(place);
          fired.add(rule.rule().id());
        }
        if (truth != Truth.FALSE) {
          expected.possible(place);
        }
        for (int j = 0; truth != Truth.UNKNOWN && j < COMPLETIONS; j++) {
          FactTuple completion = FactTuple.UNKNOWN.with(sampler.complete(type, partial));
          assertThat(rule.of(completion))
              .as("seed %d: %s is decided on %s, %s", seed, rule.rule().id(), facts, completion)
              .isIn(truth, Truth.UNKNOWN);
        }
      }
      assertThat(outcome).as("Drools and the formulas, seed %d", seed).isEqualTo(expected);
    }
    // A rule that no fact of its type makes fire would be a rule about nothing. One of many
    // conditions takes more draws, of facts that are known.
    for (int place = 0; place < compiled.size(); place++) {
      CompiledRule rule = compiled.get(place);
      for (int i = 0; !fired.contains(rule.rule().id()) && i < MORE_DRAWS; i++) {
        Configuration known = samplers.get(place).configuration(type, 0);
        if (rule.of(FactTuple.UNKNOWN.with(known)) == Truth.TRUE) {
          fired.add(rule.rule().id());
        }
      }
    }
    assertThat(fired)
        .as("rules that fire without a plan, seed %d", seed)
        .containsAll(
            rules.stream()
                .filter(rule -> rule.reads().stream().allMatch(field -> field.type().equals(type)))
                .map(Rule::id)
                .toList());
  }
}

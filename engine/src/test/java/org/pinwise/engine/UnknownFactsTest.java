package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.FactSampler.Draft;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.eval.Atom;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Formula;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Truth;
import org.pinwise.rules.spi.Verification;

/**
 * Unknown is not false, and undecided is not a guess: an undecided rule can still go both ways, and
 * a decided one cannot. {@code -Dpinwise.seed} repeats a failure, {@code -Dpinwise.partialFacts}
 * draws more.
 */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class UnknownFactsTest {
  private static final int PARTIAL_FACTS = Integer.getInteger("pinwise.partialFacts", 1_000);
  private static final int COMPLETIONS_OF_DECIDED = 40;
  private static final int TRIES = 20_000;
  private static final int CLIMB = 300;

  private final List<Rule> rules =
      RuleSet.builtIn().rules().stream().filter(rule -> rule.configuration().isEmpty()).toList();
  private final List<CompiledRule> compiled =
      rules.stream().map(rule -> CompiledRule.of(rule, rule.meta().parameters())).toList();

  @Test
  void undecidedRulesGoBothWaysAndDecidedOnesDoNot() {
    long seed = Long.getLong("pinwise.seed", new Random().nextLong());
    FactSampler sampler = new FactSampler(rules, seed);
    DroolsJudge judge = new DroolsJudge(compiled);
    Set<String> rooms = new TreeSet<>();
    rules.forEach(rule -> rooms.add(rule.meta().room()));
    Set<String> roomsWithPair = new TreeSet<>();
    for (int i = 0; i < PARTIAL_FACTS; i++) {
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
            Truth completed = rule.of(completion);
            if (completed != Truth.UNKNOWN && isBeside(rule, facts, completion)) {
              assertThat(completed)
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
        .as("seed %d: rooms with an undecided rule that goes both ways", seed)
        .isEqualTo(rooms);
  }

  /** Looks for a completion that fires and one that does not, the first by climbing. */
  private static boolean hasPair(CompiledRule rule, Draft partial, FactSampler sampler) {
    List<Formula> conditions =
        rule.parts().stream().flatMap(part -> part.conjuncts().stream()).toList();
    List<List<String>> open = new ArrayList<>();
    Set<String> anyOpen = new TreeSet<>();
    for (Formula condition : conditions) {
      open.add(open(condition, partial));
      anyOpen.addAll(open(condition, partial));
    }
    boolean fires = false;
    boolean silent = false;
    Draft best = sampler.complete(partial);
    FactTuple facts = best.tuple();
    for (int i = 0; i < TRIES && !(fires && silent); i++) {
      if (i % CLIMB == 0) {
        best = sampler.complete(partial);
        facts = best.tuple();
      }
      Truth truth = rule.of(facts);
      fires |= truth == Truth.TRUE;
      silent |= truth == Truth.FALSE;
      if (anyOpen.isEmpty()) {
        continue; // only the kernel is open, which the next completion draws
      }
      String name = next(conditions, open, anyOpen, facts, sampler);
      Object before = best.value(name);
      sampler.fill(best, name);
      FactTuple next = best.tuple(facts, name);
      silent |= rule.of(next) == Truth.FALSE;
      if (score(conditions, next) < score(conditions, facts)) {
        best.set(name, before);
      } else {
        facts = next;
      }
    }
    return fires && silent;
  }

  /** Mostly takes what a condition reads that does not hold yet, else anything that is open. */
  private static String next(
      List<Formula> conditions,
      List<List<String>> open,
      Set<String> anyOpen,
      FactTuple facts,
      FactSampler sampler) {
    List<String> missed = new ArrayList<>();
    for (int place = 0; place < conditions.size(); place++) {
      if (conditions.get(place).of(facts) != Truth.TRUE) {
        missed.addAll(open.get(place));
      }
    }
    boolean any = missed.isEmpty() || sampler.oneIn(4);
    return sampler.oneOf(any ? List.copyOf(anyOpen) : missed);
  }

  /** Returns the unknown fields that a condition reads, if only in what is derived of them. */
  private static List<String> open(Formula condition, Draft partial) {
    Set<Atom> atoms = new LinkedHashSet<>();
    condition.atoms(atoms);
    Set<String> read = new TreeSet<>();
    atoms.forEach(atom -> atom.reads().forEach(field -> read.add(field.toString())));
    boolean range = read.stream().anyMatch(name -> name.startsWith("range."));
    boolean request = range || read.stream().anyMatch(name -> name.startsWith("request."));
    return partial.unknown().stream()
        .filter(name ->
            read.contains(name)
                || (request && name.startsWith("request."))
                || (range && FactSampler.RANGE_OF_HOST.contains(name)))
        .toList();
  }

  private static long score(List<Formula> conditions, FactTuple facts) {
    return conditions.stream().filter(condition -> condition.of(facts) == Truth.TRUE).count();
  }

  /** Between kernels a rule is what those beside it are that it was verified on. */
  private static boolean isBeside(CompiledRule rule, FactTuple facts, FactTuple completion) {
    Integer given = facts.host().kernel();
    Integer drawn = completion.host().kernel();
    TreeSet<Integer> verified = new TreeSet<>();
    for (Verification verification : rule.rule().meta().verified()) {
      if (verification.means() != Verification.Means.BELIEF) {
        verified.add(verification.kernel());
      }
    }
    return given == null
        || given.equals(drawn)
        || verified.isEmpty()
        || Objects.equals(drawn, verified.floor(given))
        || Objects.equals(drawn, verified.ceiling(given));
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

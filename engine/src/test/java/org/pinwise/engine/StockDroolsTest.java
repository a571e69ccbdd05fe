package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.drools.model.codegen.ExecutableModelProject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.kie.api.KieBase;
import org.kie.api.KieServices;
import org.kie.api.builder.KieBuilder;
import org.kie.api.builder.KieFileSystem;
import org.kie.api.builder.Message;
import org.kie.api.builder.ReleaseId;
import org.kie.api.definition.type.FactType;
import org.kie.api.runtime.KieSession;
import org.kie.api.runtime.rule.FactHandle;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.spi.Findings;
import org.pinwise.rules.spi.Rule;

/**
 * The closed subset is DRL: Drools' own compiler takes every rule file, and its rules find the same
 * on facts that are fully known.
 */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class StockDroolsTest {
  private static final int REQUESTS = 20_000;
  private static final int CONFIGURATIONS = 1_000;

  @Test
  void stockDroolsFindsTheSame() throws ReflectiveOperationException {
    RuleSet ruleSet = RuleSet.builtIn();
    Map<String, Map<String, Long>> parameters = new LinkedHashMap<>();
    KieBase stock = compile(RuleSet.builtInRooms(), ruleSet.rules(), parameters);
    long seed = new Random().nextLong();
    FactSampler sampler = new FactSampler(ruleSet.rules(), seed);

    Set<String> found = new TreeSet<>();
    KieSession session = stock.newKieSession();
    session.setGlobal("findings", (Findings) (id, fact, template) -> found.add(id));
    for (Map.Entry<String, Map<String, Long>> entry : parameters.entrySet()) {
      FactType type = stock.getFactType(entry.getKey(), "Parameters");
      Object fact = type.newInstance();
      entry.getValue().forEach((name, value) -> type.set(fact, name, value));
      session.insert(fact);
    }
    Compared calls = compared(ruleSet, null);
    for (int i = 0; i < REQUESTS; i++) {
      calls.compare(sampler.known().tuple(), session, found, seed);
    }
    for (org.pinwise.rules.model.FactType<? extends Configuration> type : Configuration.types()) {
      Compared configuration = compared(ruleSet, type);
      for (int i = 0; i < CONFIGURATIONS; i++) {
        FactTuple facts = sampler.known().tuple().with(sampler.configuration(type, 0));
        configuration.compare(facts, session, found, seed);
      }
    }
  }

  private static Compared compared(
      RuleSet ruleSet, org.pinwise.rules.model.@Nullable FactType<?> configuration) {
    List<CompiledRule> compiled =
        ruleSet.rules().stream()
            .filter(rule -> Objects.equals(rule.configuration().orElse(null), configuration))
            .map(rule -> CompiledRule.of(rule, rule.meta().parameters()))
            .toList();
    return new Compared(compiled, new DroolsJudge(compiled));
  }

  /** The rules about calls, or about one type of configuration. */
  private record Compared(List<CompiledRule> compiled, DroolsJudge judge) {
    void compare(FactTuple facts, KieSession session, Set<String> found, long seed) {
      found.clear();
      List<FactHandle> handles = new ArrayList<>();
      facts.all().forEach(fact -> handles.add(session.insert(fact)));
      session.fireAllRules();
      handles.forEach(session::delete);
      Set<String> ours = new TreeSet<>();
      for (int place : judge.judge(facts).possible()) {
        // Where evidence ends the rule is undecided, which DRL cannot say.
        ours.add(compiled.get(place).rule().id());
      }
      if (facts.configuration() != null) {
        // Stock Drools has all rules, and judges the call, too.
        Set<String> own = new TreeSet<>();
        compiled.forEach(rule -> own.add(rule.rule().id()));
        found.retainAll(own);
      }
      assertThat(ours).as("seed %d, %s", seed, facts).isEqualTo(found);
    }
  }

  private static KieBase compile(
      List<Room> rooms, List<Rule> rules, Map<String, Map<String, Long>> parameters) {
    KieServices services = KieServices.Factory.get();
    ReleaseId release = services.newReleaseId("org.pinwise", "stock", "1");
    KieFileSystem files = services.newKieFileSystem().generateAndWritePomXML(release);
    for (Room room : rooms) {
      Map<String, Long> declared = new LinkedHashMap<>();
      rules.stream()
          .filter(rule -> rule.meta().room().equals(room.id()))
          .forEach(rule -> declared.putAll(rule.meta().parameters()));
      String drl = room.rule();
      if (!declared.isEmpty()) {
        // What the loader provides, written in DRL: a type that holds the rule's parameters.
        String type =
            declared.keySet().stream()
                .map(name -> "  " + name + " : Long\n")
                .collect(Collectors.joining("", "declare Parameters\n", "end\n"));
        drl =
            drl.replace("import org.pinwise.rules.model.Parameters;\n", "")
                .replaceFirst("\nrule ", "\n" + type + "\nrule ");
        parameters.put("mr.rules." + room.id().toLowerCase(java.util.Locale.ROOT), declared);
      }
      files.write("src/main/resources/" + room.id() + ".drl", drl);
    }
    KieBuilder builder = services.newKieBuilder(files).buildAll(ExecutableModelProject.class);
    assertThat(builder.getResults().getMessages(Message.Level.ERROR)).isEmpty();
    return services.newKieContainer(release).getKieBase();
  }
}

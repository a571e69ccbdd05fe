package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.RuleSet;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Rule;

class RulesTest {

  @Test
  void listsAllRulesInTheirOrder() {
    Run run = Run.of("rules", "list");

    assertThat(run.exit()).isZero();
    assertThat(run.out().lines().map(line -> line.split(" ", 2)[0]))
        .containsExactlyElementsOf(RuleSet.builtIn().rules().stream().map(Rule::id).toList());
  }

  @Test
  void listsRulesAsTheProfileGradesThem(@TempDir Path folder) throws IOException {
    Path profile =
        Files.writeString(
            folder.resolve("p.yaml"),
            "profile: p\nrules:\n  MR001: {off: why}\n  MR023: {severity: info}\n");

    assertThat(Run.of("rules", "list", "--profile", profile.toString()).out().lines())
        .anyMatch(line -> line.matches("MR001 +off .*"))
        .anyMatch(line -> line.matches("MR023 +info .*"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"show", "explain"})
  void everyRuleCanBeShownAndExplained(String how) {
    for (Rule rule : RuleSet.builtIn().rules()) {
      Run run =
          how.equals("show") ? Run.of("rules", "show", rule.id()) : Run.of("explain", rule.id());

      assertThat(run.exit()).as(run.err()).isZero();
      assertThat(run.out()).startsWith(rule.id() + "  " + rule.meta().summary() + "\n");
    }
  }

  @Test
  void everyFactCanBeExplained() {
    for (FactType<?> type : FactType.all()) {
      type.fields()
          .forEach(field -> {
            String name = type.key() + "." + field.name();
            Run run = Run.of("explain", name);
            assertThat(run.exit()).as(run.err()).isZero();
            assertThat(run.out()).startsWith(name + "  " + field.doc() + "\n");
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EINVAL", "einval", "22"})
  void errnoIsTakenByNameAndNumber(String written) {
    assertThat(Run.of("explain", written).out()).startsWith("EINVAL  22, Invalid argument\n");
  }

  @Test
  void errnoThatNoRuleGives() {
    assertThat(Run.of("explain", "ETIMEDOUT").out()).contains("No rule here gives it.\n");
  }
}

package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Truth;

class WhyTest {
  private static final MrValidator VALIDATOR = MrValidator.create(RuleSet.builtIn());

  private static Why why(Facts facts, String rule) {
    return VALIDATOR.why(facts).stream()
        .filter(why -> why.rule().equals(rule))
        .findFirst()
        .orElseThrow();
  }

  private static Facts facts(AccessFlag... flags) {
    return Facts.of(MrRequest.ofLength(4096).access(flags).build());
  }

  @Test
  void aRuleThatReportsShowsAllThatItDemands() {
    Why why = why(facts(AccessFlag.REMOTE_WRITE), "MR001");

    assertThat(why.truth()).isEqualTo(Truth.TRUE);
    assertThat(why.reasons())
        .contains(
            new Why.Reason(
                "request.access has no AccessFlag.LOCAL_WRITE",
                Truth.TRUE,
                Map.of("request.access", "[REMOTE_WRITE]")))
        .hasSize(3);
  }

  @Test
  void aSilentRuleShowsOnlyWhatDoesNotHold() {
    Why why = why(facts(AccessFlag.REMOTE_WRITE, AccessFlag.LOCAL_WRITE), "MR001");

    assertThat(why.truth()).isEqualTo(Truth.FALSE);
    assertThat(why.reasons())
        .extracting(Why.Reason::condition)
        .containsExactly("request.access has no AccessFlag.LOCAL_WRITE");
  }

  @Test
  void anUndecidedRuleShowsWhatIsNotKnown() {
    Why why = why(facts(AccessFlag.ON_DEMAND), "MR004");

    assertThat(why.truth()).isEqualTo(Truth.UNKNOWN);
    assertThat(why.covered()).isTrue();
    assertThat(why.reasons())
        .extracting(Why.Reason::values)
        .contains(Map.of("device.odp", "unknown"));
  }

  @Test
  void aRuleBeyondItsEvidenceSaysSo() {
    Facts facts =
        facts(AccessFlag.REMOTE_WRITE)
            .withHost(org.pinwise.rules.model.Host.TYPE.of(Map.of("kernel", 99_000)));

    assertThat(why(facts, "MR001").covered()).isFalse();
  }

  /** On every example, for every rule: the reasons tell why, and agree with the verdict. */
  @Test
  void everyRuleHasReasonsThatAgreeWithTheVerdict() {
    FactsReader reader = FactsReader.of(DeviceCatalog.load());
    for (Room room : RuleSet.builtInRooms()) {
      room.files()
          .forEach((name, text) -> {
            if (name.endsWith(".yaml")) {
              agrees(room.name() + "/" + name, reader.read(name, text).facts());
            }
          });
    }
  }

  private static void agrees(String name, Facts facts) {
    List<Why> all = VALIDATOR.why(facts);
    Verdict verdict = VALIDATOR.validate(facts);
    Configuration configuration = facts.configuration();
    FactType<?> type = configuration == null ? null : configuration.factType();
    assertThat(all)
        .extracting(Why::rule)
        .containsExactlyElementsOf(
            RuleSet.builtIn().rules().stream()
                .filter(rule -> Objects.equals(rule.configuration().orElse(null), type))
                .map(Rule::id)
                .toList());
    for (Why why : all) {
      boolean found = verdict.findings().stream().anyMatch(f -> f.rule().equals(why.rule()));
      // A finding of a room whose rules differ by kernel can be certain although none of them is.
      assertThat(why.truth())
          .as("%s on %s", why, name)
          .isIn(found ? Set.of(Truth.TRUE, Truth.UNKNOWN) : Set.of(Truth.FALSE, Truth.UNKNOWN));
      assertThat(why.reasons().isEmpty() && why.covered()).as("%s on %s", why, name).isFalse();
      assertThat(why.reasons()).allMatch(reason -> reason.truth() == why.truth());
    }
  }

  @Test
  void assumptionsCountAsTheyDoForTheVerdict() {
    Facts facts = facts(AccessFlag.LOCAL_WRITE).withDevice(Device.UNKNOWN);

    assertThat(why(facts, "MR008").truth()).isEqualTo(Truth.FALSE);
  }
}

package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.engine.facts.FactsWriter;
import org.pinwise.rules.dsl.Fields;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.spi.Operand;

/** A team's rules read facts of the team's own, without Java. */
class LabelsTest {
  private static final String RULE =
      """
      package mr.rules.acme101;
      import org.pinwise.rules.model.Labels;
      import org.pinwise.rules.model.MrRequest;
      global org.pinwise.rules.spi.Findings findings;
      rule "ACME101"
        @severity(ERROR) @since(1) @spec("the guide")
        @summary("Only storage registers more than 1 MiB in production")
        @remediation("Ask the storage team.")
      when
        $r : MrRequest( length > 0x100000 )
        Labels( team != "storage", tier == "prod" )
      then
        findings.report("ACME101", $r, "{length} by team {labels.team}");
      end
      """;

  private static final MrValidator VALIDATOR = MrValidator.create(rules(RULE));

  private static RuleSet rules(String rule) {
    return RuleSet.empty().withRooms(List.of(new Room("ACME101-x", "x", Map.of("rule.drl", rule))));
  }

  private static Facts facts(String text) {
    return FactsReader.of(DeviceCatalog.load()).read("facts.yaml", text).facts();
  }

  @Test
  void labelsOfAFactsFileDecide() {
    Verdict rejected =
        VALIDATOR.validate(facts("register: {length: 2MiB}\nlabels: {team: web, tier: prod}\n"));
    assertThat(rejected).isInstanceOf(Rejected.class);
    assertThat(rejected.findings())
        .extracting(Finding::message)
        .containsExactly("2MiB by team web");

    assertThat(
            VALIDATOR.validate(
                facts("register: {length: 2MiB}\nlabels: {team: storage, tier: prod}\n")))
        .isInstanceOf(Accepted.class);
  }

  @Test
  void whereLabelsAreGivenOneThatIsNotIsEmpty() {
    assertThat(VALIDATOR.validate(facts("register: {length: 2MiB}\nlabels: {tier: prod}\n")))
        .isInstanceOf(Rejected.class);
    assertThat(VALIDATOR.validate(facts("register: {length: 2MiB}\nlabels: {team: web}\n")))
        .isInstanceOf(Accepted.class);
  }

  @Test
  void whereNoneAreGivenTheyAreUnknown() {
    Verdict verdict = VALIDATOR.validate(facts("register: {length: 2MiB}\n"));

    assertThat(verdict).isInstanceOf(Undecided.class);
    assertThat(verdict.undecided().get(0).needs()).containsExactly("labels.team", "labels.tier");
  }

  @Test
  void labelsComeBackFromWhatWasWritten() {
    Facts facts = facts("register: {length: 2MiB}\nlabels: {team: 'a: b', tier: \"\"}\n");

    assertThat(facts.labels().values()).isEqualTo(Map.of("team", "a: b", "tier", ""));
    assertThat(facts(FactsWriter.write(facts))).isEqualTo(facts);
  }

  @Test
  void aLabelIsOneFieldWhereverItIsRead() {
    assertThat(Labels.TYPE.field("team")).isEqualTo(Labels.TYPE.field("team")).isPresent();
    assertThat(Fields.text(Labels.TYPE, "team").is("x").condition())
        .isEqualTo(Fields.text(Labels.TYPE, "team").is("x").condition());
    assertThat(Labels.TYPE.field("Team")).isEmpty();
    assertThat(rules(RULE).rules().get(0).reads())
        .extracting(Operand.FieldOf::toString)
        .contains("labels.team", "labels.tier");
  }

  @Test
  void whatIsNoLabelIsRefusedAtItsPlace() {
    assertThatThrownBy(() -> facts("labels: {Team: x}\n"))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("facts.yaml:1:16: Team is no label's name");
    assertThatThrownBy(() -> facts("labels: {team: [x]}\n"))
        .hasMessageStartingWith("facts.yaml:1:16: a single value is expected here");
    assertThat(rules(RULE.replace("team != \"storage\"", "team != 3")).problems())
        .extracting(RuleProblem::toString)
        .containsExactly("x/rule.drl:11:19: [ACME101] labels.team is text, but 3 is a number");
  }

  /** Drools compares one fact with at most four others, so more is refused and not guessed. */
  @Test
  void aConditionOverAllTypesOfFactsIsRefused() {
    String all =
        RULE.replace(
                "import org.pinwise.rules.model.Labels;",
                """
                import org.pinwise.rules.model.Labels;
                import org.pinwise.rules.model.Device;
                import org.pinwise.rules.model.Host;
                import org.pinwise.rules.model.Memory;
                import org.pinwise.rules.model.AddressRange;\
                """)
            .replace(
                "  $r : MrRequest( length > 0x100000 )",
                "  $d : Device()  $h : Host()  $m : Memory()  $a : AddressRange()\n"
                    + "  $r : MrRequest( length > 0x100000 )")
            .replace(
                "team != \"storage\"",
                "team != \"storage\" || $d.odp || $h.ipcLock || $m.mapped || $a.rangeWraps");

    assertThat(MrValidator.create(rules(all)).validate(facts("labels: {team: web}\n"))).isNotNull();
    assertThat(rules(all.replace("|| $d.odp", "|| $d.odp || $r.length == 7")).problems())
        .extracting(RuleProblem::message)
        .containsExactly("one condition reads facts of 6 types, and may of 5; split it");
  }
}

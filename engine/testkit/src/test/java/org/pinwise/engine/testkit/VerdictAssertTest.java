package org.pinwise.engine.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.engine.testkit.PinwiseAssertions.assertThat;

import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Severity;

@OnDevice(value = "rxe", kernel = "6.12")
class VerdictAssertTest {
  private static final RuleSet RULES = RuleSet.builtIn().with(new AcmeRules());
  private static final MrValidator VALIDATOR = MrValidator.create(RULES);

  private static Verdict verdict(Facts facts, AccessFlag... flags) {
    return VALIDATOR.validate(
        facts.withRequest(MrRequest.range(0x7f00_0000_0000L, 4096).access(flags).build()));
  }

  @Test
  void kernelAndTeamBothRefuse(Facts onRxe) {
    Facts facts = onRxe.withMemory(Memory.TYPE.of(Map.of("kind", MemoryKind.CUDA)));

    assertThat(verdict(facts, AccessFlag.REMOTE_WRITE))
        .isRejected()
        .hasErrno(Errno.EINVAL)
        .hasFinding("MR001")
        .fromKernel()
        .givesErrno(Errno.EINVAL)
        .hasArgument("request.access", "[REMOTE_WRITE]")
        .and()
        .hasFinding("ACME101")
        .fromTeam()
        .givesErrno(null)
        .hasSeverity(Severity.ERROR)
        .hasMessage("requests that have memory CUDA should register via REG_DMABUF_MR");
  }

  @Test
  void onlyTheTeamRefusesSoThereIsNoErrno(Facts onRxe) {
    Facts facts = onRxe.withMemory(Memory.TYPE.of(Map.of("kind", MemoryKind.CUDA, "mapped", true)));

    Verdict verdict = verdict(facts, AccessFlag.LOCAL_WRITE);

    assertThat(verdict.findings(Severity.ERROR)).extracting(f -> f.rule()).contains("ACME101");
    assertThat(verdict).isRejected().hasFinding("ACME101").givesErrno(null);
  }

  @Test
  void aProfileStandsBehindWhatItGradesHigher(Facts onRxe) {
    MrValidator strict = MrValidator.create(RULES.with(Profile.builtIn("strict")));
    Facts facts = onRxe.withRequest(MrRequest.ofLength(4096).access(AccessFlag.MW_BIND).build());

    assertThat(strict.validate(facts)).isRejected().hasFinding("MR023").fromProfile();
  }

  @Test
  void acceptsAndCorrects(Facts onRxe) {
    assertThat(verdict(onRxe, AccessFlag.LOCAL_WRITE))
        .isAccepted()
        .hasNoErrno()
        .hasNoFindings()
        .hasNoFinding("MR001")
        .assumes("memory");
    assertThat(verdict(onRxe, AccessFlag.REMOTE_WRITE))
        .hasFindingsOf("MR001")
        .isCorrectedTo(Access.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
  }

  @Test
  void undecidedNamesWhatItNeeds() {
    assertThat(
            VALIDATOR.validate(
                Facts.of(MrRequest.ofLength(4096).access(AccessFlag.ON_DEMAND).build())))
        .isUndecided()
        .isUndecidedBy("MR004", "device.odp");
  }

  @Test
  void failuresShowTheVerdict(Facts onRxe) {
    Verdict accepted = verdict(onRxe, AccessFlag.LOCAL_WRITE);
    fails(
        () -> assertThat(accepted).isRejected(),
        "expected a verdict that rejects, but it is:\naccepted");
    fails(() -> assertThat(accepted).isUndecided(), "is undecided");
    fails(() -> assertThat(accepted).hasErrno(Errno.EINVAL), "has errno [EINVAL]");
    fails(() -> assertThat(accepted).hasFinding("MR001"), "has a finding of MR001");
    fails(() -> assertThat(accepted).assumesNothing(), "assumes nothing");
    fails(() -> assertThat((Verdict) null).isAccepted(), "not to be null");

    Verdict rejected = verdict(onRxe, AccessFlag.REMOTE_WRITE);
    fails(() -> assertThat(rejected).isAccepted(), "MR001 error: access [REMOTE_WRITE]");
    fails(() -> assertThat(rejected).hasNoErrno(), "has no errno");
    fails(() -> assertThat(rejected).hasNoFindings(), "has no findings");
    fails(() -> assertThat(rejected).hasNoFinding("MR001"), "has no finding of MR001");
    fails(() -> assertThat(rejected).hasFindingsOf("MR002"), "of just [MR002]");
    fails(() -> assertThat(rejected).isUndecidedBy("MR004"), "leaves MR004 undecided");
    fails(() -> assertThat(rejected).isCorrectedTo(Access.NONE), "is corrected to access 0");
    FindingAssert finding = assertThat(rejected).hasFinding("MR001");
    fails(finding::fromTeam, "expected a finding from a team's rule, but it is from KERNEL");
    fails(finding::fromProfile, "from a profile");
    fails(() -> finding.hasMessage("x"), "that says \"x\"");
    fails(() -> finding.hasSeverity(Severity.INFO), "of severity INFO");
    fails(() -> finding.givesErrno(Errno.EPERM), "with errno EPERM");
    fails(() -> finding.hasArgument("request.access", "x"), "with request.access = x");
    fails(
        () -> assertThat(verdict(onRxe.withMemory(null), AccessFlag.LOCAL_WRITE)).isRejected(),
        "accepted");
  }

  @Test
  void verbsOfDmabufSatisfyTheTeam(Facts onRxe) {
    MrRequest request = MrRequest.ofLength(4096).verb(Verb.REG_DMABUF_MR).build();

    assertThat(VALIDATOR.validate(onRxe.withRequest(request))).hasNoFinding("ACME101");
  }

  private static void fails(ThrowingCallable assertion, String message) {
    assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContaining(message);
  }

  private static <T> org.assertj.core.api.ListAssert<T> assertThat(java.util.List<T> list) {
    return org.assertj.core.api.Assertions.assertThat(list);
  }

  private static VerdictAssert assertThat(Verdict verdict) {
    return PinwiseAssertions.assertThat(verdict);
  }
}

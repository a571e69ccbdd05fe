package org.pinwise.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.engine.testkit.RuleVerifier.verifyThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.RuleSetException;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;

class RuleVerifierTest {
  private static final MrRequest REQUEST = MrRequest.range(0x7f00_0000_0000L, 4096).build();
  private static final Memory CUDA = Memory.TYPE.of(Map.of("kind", MemoryKind.CUDA));

  @Test
  void cudaWithoutDmabufIsReported() {
    verifyThat(AcmeRules.CUDA_NEEDS_DMABUF)
        .given(Facts.of(REQUEST).withMemory(CUDA))
        .reports("requests that have memory CUDA should register via REG_DMABUF_MR");
  }

  @Test
  void otherMemoryIsSilentAndUnknownMemoryUndecided() {
    verifyThat(AcmeRules.CUDA_NEEDS_DMABUF).given(REQUEST).isSilent();
    verifyThat(AcmeRules.CUDA_NEEDS_DMABUF)
        .assuming(Assumptions.NONE)
        .given(REQUEST)
        .isUndecided("memory.kind");
    verifyThat(AcmeRules.CUDA_NEEDS_DMABUF)
        .assuming(Assumptions.NONE)
        .given(REQUEST.toBuilder().verb(Verb.REG_DMABUF_MR).build())
        .isSilent();
  }

  @Test
  void parametersAreSetAsAProfileDoes() {
    Facts half =
        Facts.of(MrRequest.ofLength(512).access(AccessFlag.REMOTE_READ).build())
            .withDevice(Device.TYPE.of(Map.of("maxMrSize", 1024L)));

    verifyThat(AcmeRules.NO_HUGE_REGIONS).given(half).isSilent();
    verifyThat(AcmeRules.NO_HUGE_REGIONS)
        .withParameters(Map.of("percent", 40L))
        .given(half)
        .reports();
    assertThatThrownBy(() ->
            verifyThat(AcmeRules.NO_HUGE_REGIONS)
                .withParameters(Map.of("per_cent", 40L))
                .given(half))
        .isInstanceOf(RuleSetException.class)
        .hasMessageContaining("has no parameter per_cent; it has [percent]");
  }

  @Test
  void failuresSayWhatTheRuleDidAndWhatItDemands() {
    RuleVerifier.Judged silent = verifyThat(AcmeRules.CUDA_NEEDS_DMABUF).given(REQUEST);

    assertThatThrownBy(silent::reports)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("expected ACME101 to report, but it is silent")
        .hasMessageContaining(
            "it reports if memory.kind is MemoryKind.CUDA and request.verb is not"
                + " Verb.REG_DMABUF_MR");
    assertThatThrownBy(() -> silent.reports("this"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("to report \"this\"");
    assertThatThrownBy(silent::isUndecided)
        .hasMessageContaining("to be undecided, but it is silent");

    RuleVerifier.Judged reports =
        verifyThat(AcmeRules.CUDA_NEEDS_DMABUF).given(Facts.of(REQUEST).withMemory(CUDA));
    assertThatThrownBy(reports::isSilent)
        .hasMessageContaining("to be silent, but it reports \"requests that have");

    RuleVerifier.Judged open =
        verifyThat(AcmeRules.CUDA_NEEDS_DMABUF).assuming(Assumptions.NONE).given(REQUEST);
    assertThatThrownBy(open::isSilent).hasMessageContaining("undecided and needs memory.kind");
    assertThatThrownBy(() -> open.isUndecided("device.odp"))
        .hasMessageContaining("to be undecided and need device.odp");
    assertThat(open.verdict().undecided()).hasSize(1);
  }
}

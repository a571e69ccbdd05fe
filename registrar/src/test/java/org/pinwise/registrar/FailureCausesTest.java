package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.advice.Diagnosis;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

class FailureCausesTest {
  private static RegistrationOutcome.Failed failed(int errno) {
    Facts facts =
        Facts.of(MrRequest.range(0x7f00_0000_0000L, 1 << 20).access(AccessFlag.LOCAL_WRITE).build())
            .withDevice(Device.TYPE.of(Map.of("driver", "mlx5", "name", "mlx5_0")))
            .withHost(
                Host.TYPE.of(
                    Map.of(
                        "kernel", Kernel.V6_12,
                        "pageSize", 4096L,
                        "memlock", 65536L,
                        "ipcLock", false,
                        "pinnedPages", 0L)));
    Verdict verdict = MrValidator.create(RuleSet.builtIn()).validate(facts);
    return new RegistrationOutcome.Failed(
        new VerbsException("ibv_reg_mr", "mlx5_0, length 1048576", errno), verdict);
  }

  @Test
  void aFailureRanksItsCausesAsExplainDoes() {
    RegistrationOutcome.Failed failed = failed(12);
    Diagnosis causes = failed.causes().orElseThrow();
    assertThat(causes).isEqualTo(Diagnosis.of(causes.errno(), failed.diagnosis()));
    assertThat(causes.causes().get(0).id()).isEqualTo("MR013");
    assertThat(causes.causes().get(0).likelihood()).isEqualTo(Diagnosis.Likelihood.CERTAIN);
    assertThat(failed.isExplained()).isTrue();
  }

  @Test
  void anErrnoThatTheRulesDoNotGiveHasOtherCauses() {
    Diagnosis causes = failed(5).causes().orElseThrow();
    assertThat(failed(5).isExplained()).isFalse();
    assertThat(causes.causes()).extracting(Diagnosis.Ranked::id).contains("device-gone");
    assertThat(failed(4095).causes()).isEmpty();
  }
}

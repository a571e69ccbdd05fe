package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.SlurmLimits;

class SlurmReaderTest {

  private static SlurmLimits limits(String text) {
    return Recorded.of(new SlurmReader(), "slurm.conf", text).only(SlurmLimits.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PropagateResourceLimits=ALL|true",
        "PropagateResourceLimits=NONE|false",
        "PropagateResourceLimits=NOFILE,STACK|false",
        "propagateresourcelimits = \"CORE, RLIMIT_MEMLOCK\"|true",
        "PropagateResourceLimitsExcept=MEMLOCK|false",
        "PropagateResourceLimitsExcept=ALL|false",
        "PropagateResourceLimitsExcept=NONE|true",
        "PropagateResourceLimitsExcept=NOFILE|true",
        "ClusterName=c PropagateResourceLimitsExcept=MEMLOCK|false",
        "PropagateResourceLimitsExcept=NOFILE #MEMLOCK|true",
        "#PropagateResourceLimitsExcept=MEMLOCK|true",
      })
  void whatAJobTakesOver(String line, boolean memlock) {
    assertThat(limits(line + "\n").memlock()).isEqualTo(memlock);
  }

  @Test
  void theLastOfTwoHoldsAndExceptionsWin() {
    SlurmLimits limits =
        limits(
            """
            PropagateResourceLimitsExcept=NOFILE
            PropagateResourceLimits=NONE
            PropagateResourceLimitsExcept=MEMLOCK
            """);
    assertThat(limits.both()).isTrue();
    assertThat(limits.memlock()).isFalse();
    assertThat(limits.except()).isEqualTo("MEMLOCK");
  }

  @Test
  void anIncludedFileMaySayIt() {
    SlurmLimits limits = limits("ClusterName=c\nInclude limits.conf\n");
    assertThat(limits.given()).isNull();
    assertThat(limits.memlock()).isNull();
  }

  @Test
  void namesAreKnown() {
    assertThat(limits("PropagateResourceLimitsExcept=MEMLOCKS\n").namesKnown()).isFalse();
    assertThat(limits("PropagateResourceLimitsExcept=RLIMIT_MEMLOCK,AS\n").namesKnown()).isTrue();
  }
}

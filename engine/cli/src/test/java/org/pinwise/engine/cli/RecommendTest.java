package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecommendTest {
  private static Run check(String use, String... more) {
    java.util.List<String> args =
        new java.util.ArrayList<>(java.util.List.of("check", "--kernel", "6.12", "--use", use));
    args.addAll(java.util.List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  @Test
  void usesWithoutAccessAskForFlags() {
    Run run = check("write_target,polls_memory", "--device", "rxe", "--length", "1MiB");

    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .startsWith(
            "recommended for write_target, polls_memory: --access 'LOCAL_WRITE|REMOTE_WRITE'\n")
        .contains("  RELAXED_ORDERING  left out: the program polls memory")
        .contains("\naccepted\n");
  }

  @Test
  void aUseThatCannotBeServedEndsWithOne() {
    Run run = check("flush_target", "--device", "connectx5");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out())
        .contains("FLUSH_PERSISTENT  left out, so it cannot be served: MR005")
        .contains("let the receiver flush");
  }

  @Test
  void jsonFollowsItsSchema() {
    Run served = check("receive", "--device", "connectx5", "--format", "json");
    Run refused = check("atomic_target,receive", "--device", "efa", "--format", "json", "--why");

    Schemas.assertFits("pinwise-recommendation-1", served.out());
    Schemas.assertFits("pinwise-recommendation-1", refused.out());
    assertThat(served.out()).contains("\"access\": [ \"LOCAL_WRITE\", \"RELAXED_ORDERING\" ]");
    assertThat(refused.exit()).isEqualTo(1);
  }

  @Test
  void withAccessTheRequestIsJudgedAsBefore() {
    assertThat(check("receive", "--device", "rxe", "--access", "0").out())
        .doesNotContain("recommended");
    assertThat(check("receive", "--verb", "bind_mw").err())
        .contains("--use: recommends flags for regions of memory");
  }
}

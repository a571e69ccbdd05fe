package org.pinwise.registrar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.watch.TraceTargets;

class TraceCommandTest {

  private static final Map<String, Long> FUNCTIONS =
      Map.of(
          "ibv_reg_mr", 0x17a00L,
          "ibv_reg_mr_iova2", 0x17930L,
          "ibv_dereg_mr", 0x17c40L);

  private static TraceTargets whole() {
    return new TraceTargets(
        "6.12.117+deb12-amd64",
        Optional.of(Path.of("/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0")),
        OptionalInt.of(44),
        FUNCTIONS,
        Map.of(
            "ib_uverbs_reg_mr", "ib_uverbs",
            "ib_umem_get", "ib_uverbs",
            "mlx5_ib_reg_user_mr", "mlx5_ib"),
        List.of("mlx5_ib_reg_user_mr"),
        List.of());
  }

  @Test
  void commandLines() throws IOException {
    Golden.compare("trace.txt", TraceText.of(whole(), null));
    Golden.compare("trace-pid.txt", TraceText.of(whole(), 4711L));
  }

  @Test
  void whatIsNotKnownIsSaidAndNotTraced() throws IOException {
    TraceTargets little =
        new TraceTargets(
            "",
            Optional.of(Path.of("/opt/odd name/libibverbs.so.1")),
            OptionalInt.empty(),
            FUNCTIONS,
            Map.of(),
            List.of(),
            List.of("the kernel has no ib_uverbs_reg_mr"));

    Golden.compare("trace-little.txt", TraceText.of(little, null));
    assertThat(TraceText.of(little, null)).doesNotContain("kprobe", "perf record");
  }
}

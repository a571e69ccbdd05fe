package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.InputException;

/** Texts that are made to take time or depth: every reader ends soon. */
class ReaderAttackTest {
  static List<ConfigReader> readers() {
    return Readers.ALL;
  }

  static List<String> hostile() {
    int size = 1 << 18;
    return List.of(
        "",
        "\0".repeat(size),
        "x".repeat(size),
        " ".repeat(size),
        "\n".repeat(size),
        "\\\n".repeat(size / 2),
        "#\n".repeat(size / 2),
        "a=b ".repeat(size / 4),
        "\"".repeat(size),
        "R\"".repeat(size / 2),
        "ibv_reg_mr(".repeat(size / 11),
        "ibv_reg_mr(a,b,c,((((((((((((((((((".repeat(size / 40),
        "[Service]\n" + "LimitMEMLOCK=1\\\n".repeat(size / 16),
        "* - memlock 1 ".repeat(size / 16),
        "* - memlock 1\n".repeat(size / 16),
        "options mlx4_core " + "a=1 ".repeat(size / 8),
        "options mlx4_core a=\"" + "b".repeat(size),
        "modprobe " + "-f ".repeat(size / 4),
        "modprobe\t".repeat(size / 10),
        "vm.max_map_count=1\n".repeat(size / 20),
        "PropagateResourceLimits=" + "ALL,".repeat(size / 4),
        "CapabilityBoundingSet=" + "CAP_IPC_LOCK ".repeat(size / 13),
        "[".repeat(size),
        "a: ".repeat(size / 3),
        "{a: ".repeat(size / 4),
        "- ".repeat(size / 2),
        "plan.regions[9].a = b\n".repeat(size / 22),
        "a.".repeat(size / 2) + "=1",
        "a[0]".repeat(size / 4) + "=1");
  }

  private static void read(ConfigReader reader, Source source) {
    try {
      reader.read(source, new Recorded());
    } catch (InputException e) {
      assertThat(e).hasMessageContaining(source.name());
    }
  }

  @ParameterizedTest
  @MethodSource("readers")
  void hostileTextsTakeNeitherTimeNorDepth(ConfigReader reader) {
    for (String text : hostile()) {
      for (String name : Fuzz.SEEDS.keySet()) {
        Source source = new Source(name, text);
        if (Readers.of(source).filter(reader::equals).isPresent()) {
          Assertions.assertTimeout(
              Duration.ofSeconds(10),
              () -> read(reader, source),
              () -> name + ": " + text.substring(0, Math.min(40, text.length())));
        }
      }
    }
  }
}

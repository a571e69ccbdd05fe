package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.InputException;

/**
 * Broken input: every reader ends, throws nothing but an {@link InputException}, and gives only
 * places that are in the text. Texts are mutations of good ones, and such as take time or depth.
 */
class ReaderAttackTest {
  private static final int MUTATIONS = Integer.getInteger("pinwise.fuzz", 1_500);

  /** Good texts to start from: what a reader understands is what it can get wrong. */
  private static final Map<String, String> SEEDS =
      Map.of(
          "pod.yaml",
          """
          apiVersion: v1
          kind: Pod
          metadata: {name: a}
          spec:
            containers:
              - name: c
                resources: {limits: {rdma/hca: 1, memory: 2Gi}}
                securityContext: {capabilities: {add: [IPC_LOCK]}}
          """,
          "compose.yaml",
          """
          services:
            a:
              devices: [/dev/infiniband]
              ulimits: {memlock: {soft: -1, hard: 64}}
          """,
          "modprobe.d/a.conf",
          """
          # c
          options mlx4_core log_num_mtt=24 \\
            log_mtts_per_seg="3"
          alias a b
          """,
          "limits.conf",
          """
          * soft memlock 64 # c
          @g hard memlock unlimited
          :1 - memlock -1
          %g - memlock 0x1
          a -
          1:2 - memlock 99999999999999999999
          """,
          "app.service",
          """
          [Unit]
          A=b
          [Service]
          LimitMEMLOCK=1.5G:2G
          PrivateDevices=yes
          User=a \\
          # c
           b
          CapabilityBoundingSet=~CAP_IPC_LOCK CAP_X
          DeviceAllow=/dev/infiniband/* rw
          """,
          "slurm.conf",
          """
          ClusterName=c
          PropagateResourceLimitsExcept="MEMLOCK,AS" # c
          PropagateResourceLimits = ALL
          Include x
          """,
          "sysctl.d/a.conf",
          """
          -vm.max_map_count = 65530
          vm/nr_hugepages=0x10
          ; c
          vm.nr_hugepage=1
          -a
          """,
          "register.c",
          """
          x = ibv_reg_mr(pd, b, 1, (int)(IBV_ACCESS_LOCAL_WRITE | 2u)); /* c */ R"(a)"
          ibv_reg_mr_iova2(pd, f(a, {1}), SIZE_MAX, 'x', 0x1f)
          """,
          "Dockerfile",
          """
          RUN modprobe mlx5_core log_num_mtt=24
          # c
          ENV MLX5_LOG_NUM_MTT="24"
          RUN echo 1 > /sys/module/mlx5_core/parameters/log_num_mtt
            name: mlx5_core
            params: 'log_num_mtt=1'
          mlx4_core.log_num_mtt=1
          options mlx4_core a=1 b=2
          /etc/security/limits.d/a --kernel-memory
          """);

  static List<ConfigReader> readers() {
    return Readers.ALL;
  }

  /** Reads a text and checks the places. */
  private static void read(ConfigReader reader, String name, String text) {
    Source source = new Source(name, text);
    Recorded recorded = new Recorded();
    try {
      reader.reads(source);
      reader.read(source, recorded);
    } catch (InputException e) {
      assertThat(e).hasMessageContaining(name);
    }
    for (Statement statement : recorded.statements) {
      assertThat(statement.places().values())
          .allSatisfy(
              place -> assertThat(isIn(source, place)).as("%s in %s", place, text).isTrue());
      assertThat(isIn(source, statement.whole())).isTrue();
    }
  }

  private static boolean isIn(Source source, Place place) {
    int lines = (int) source.text().chars().filter(c -> c == '\n').count() + 1;
    return place.line() >= 1
        && place.line() <= lines
        && place.column() >= 1
        && place.column() <= source.line(place.line()).length() + 2;
  }

  private static String mutated(Random random, String seed) {
    StringBuilder text = new StringBuilder(seed);
    for (int i = random.nextInt(6); i >= 0; i--) {
      int at = text.length() == 0 ? 0 : random.nextInt(text.length());
      switch (random.nextInt(7)) {
        case 0 -> text.insert(at, (char) random.nextInt(256));
        case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(9)));
        case 2 ->
            text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(40))));
        case 3 -> text.insert(at, "\0\n\\=[]{}(),:\"'#;|".charAt(random.nextInt(17)));
        case 4 -> text.setLength(at);
        case 5 -> text.insert(at, "\uFFFD\uD800\u2028".charAt(random.nextInt(3)));
        default -> text.insert(at, Long.toUnsignedString(random.nextLong()));
      }
    }
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("readers")
  void mutatedTextsNeverCrash(ConfigReader reader) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<String> names = SEEDS.keySet().stream().sorted().toList();
    for (int i = 0; i < MUTATIONS; i++) {
      // Mostly a reader's own format; a file may also be called by the name of another.
      String name = names.get(random.nextInt(names.size()));
      String text = mutated(random, String.valueOf(SEEDS.get(name)));
      try {
        read(reader, name, text);
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("seed %d, %s: %s".formatted(seed, name, text), e);
      }
    }
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
        "CapabilityBoundingSet=" + "CAP_IPC_LOCK ".repeat(size / 13));
  }

  @ParameterizedTest
  @MethodSource("readers")
  void hostileTextsTakeNeitherTimeNorDepth(ConfigReader reader) {
    for (String text : hostile()) {
      for (String name : SEEDS.keySet()) {
        Source source = new Source(name, text);
        if (Readers.of(source).filter(reader::equals).isPresent()) {
          Assertions.assertTimeout(
              Duration.ofSeconds(10),
              () -> reader.read(source, new Recorded()),
              () -> name + ": " + text.substring(0, Math.min(40, text.length())));
        }
      }
    }
  }

  /** A reader with a bug that one kind of mutation shows. */
  private record Planted(ConfigReader reader, Predicate<String> trigger) implements ConfigReader {
    @Override
    public String format() {
      return reader.format();
    }

    @Override
    public boolean reads(Source source) {
      return reader.reads(source);
    }

    @Override
    public void read(Source source, Statements into) {
      if (trigger.test(source.text())) {
        throw new IndexOutOfBoundsException("planted");
      }
      reader.read(source, into);
    }
  }

  @ParameterizedTest
  @MethodSource("readers")
  void aBugThatIsPlantedIsFound(ConfigReader reader) {
    List<Predicate<String>> triggers =
        List.of(
            text -> text.contains("\0"),
            text -> text.indexOf(0xD800) >= 0,
            text -> !text.endsWith("\n") && !text.isEmpty());
    for (Predicate<String> trigger : triggers) {
      assertThatThrownBy(() -> mutatedTextsNeverCrash(new Planted(reader, trigger)))
          .hasRootCauseMessage("planted");
    }
  }

  @Test
  void aPlaceOutsideTheTextIsFound() {
    ConfigReader lying =
        new ConfigReader() {
          @Override
          public String format() {
            return "lies";
          }

          @Override
          public boolean reads(Source source) {
            return true;
          }

          @Override
          public void read(Source source, Statements into) {
            into.add(
                Statement.of(org.pinwise.rules.model.Setting.TYPE, new Place(1, 1))
                    .set("key", "a", new Place(99, 1))
                    .build());
          }
        };
    assertThatThrownBy(() -> read(lying, "a", "text")).isInstanceOf(AssertionError.class);
  }
}

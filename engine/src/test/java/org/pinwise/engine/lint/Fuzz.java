package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import org.pinwise.engine.InputException;

/**
 * The mutation fuzzer of the readers: what it draws, and what must hold of it. Texts are good ones
 * with some edits, since what a reader understands is what it can get wrong; jqwik draws the edits,
 * and takes away those that a failure does not need.
 */
final class Fuzz {
  private Fuzz() {}

  /** Good texts to start from, by the name of their file; each reader reads at least one. */
  static final Map<String, String> SEEDS = new TreeMap<>();

  static {
    SEEDS.put(
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
        ---
        apiVersion: v1
        kind: List
        items: [{kind: Job, spec: {template: {spec: {containers: [{env: [{name: A, value: b}]}]}}}}]
        """);
    SEEDS.put(
        "compose.yaml",
        """
        x-limits: &limits {memlock: {soft: -1, hard: 64}}
        services:
          a:
            devices: [/dev/infiniband]
            ulimits: *limits
          b: {<<: {cap_add: [IPC_LOCK]}, ulimits: {memlock: 65536}, mem_limit: 1g}
        """);
    SEEDS.put(
        "modprobe.d/a.conf",
        """
        # c
        options mlx4_core log_num_mtt=24 \\
          log_mtts_per_seg="3"
        alias a b
        """);
    SEEDS.put(
        "limits.conf",
        """
        * soft memlock 64 # c
        @g hard memlock unlimited
        :1 - memlock -1
        %g - memlock 0x1
        a -
        1:2 - memlock 99999999999999999999
        """);
    SEEDS.put(
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
        """);
    SEEDS.put(
        "slurm.conf",
        """
        ClusterName=c
        PropagateResourceLimitsExcept="MEMLOCK,AS" # c
        PropagateResourceLimits = ALL
        Include x
        """);
    SEEDS.put(
        "sysctl.d/a.conf",
        """
        -vm.max_map_count = 65530
        vm/nr_hugepages=0x10
        ; c
        vm.nr_hugepage=1
        -a
        """);
    SEEDS.put(
        "register.c",
        """
        x = ibv_reg_mr(pd, b, 1, (int)(IBV_ACCESS_LOCAL_WRITE | 2u)); /* c */ R"(a)"
        ibv_reg_mr_iova2(pd, f(a, {1}), SIZE_MAX, 'x', 0x1f)
        """);
    SEEDS.put(
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
    SEEDS.put(
        "a.pinwise.yaml",
        """
        schema: pinwise-plan/1
        workload: kubernetes:ml/trainer
        device: {catalog: connectx5, maxMr: 9}
        host: {kernel: 6.12, pageSize: 4KiB, memlock: 8MiB, ipcLock: false, ram: 1TiB}
        labels: {team: a}
        plan:
          processes: 2
          queueBytes: 0x1000
          regions:
            - {name: a, length: 64MiB, count: 16, access: [LOCAL_WRITE, 2], memory: {protection: rw}}
            - {length: 18446744073709551615, access: REMOTE_READ|0x80, address: 4095}
          cache: {key: [address], maxBytes: unlimited}
        """);
    SEEDS.put(
        "b.pinwise.json",
        """
        {"schema": "pinwise-plan/1", "device": "rxe", "services": {
          "a": {"workload": "user:root", "plan": {"regions": [{"length": 1, "access": 3}]}},
          "b": {"host": {"memlock": 0}, "plan": {"devices": 3, "regions": []}}}}
        """);
    SEEDS.put(
        "c.pinwise.properties",
        """
        # c
        schema = pinwise-plan/1
        device: siw
        host.kernel=6.12
        plan.regions[0].length = 64KiB
        plan.regions[0].access = REMOTE_WRITE
        plan.regions[1].length=1
        plan.cache.key = address,access
        """);
  }

  /** What is done to a text; {@code at} is where, of 0 to 1 of its length. */
  record Edit(int kind, double at, int size, String text) {
    private static final int KINDS = 6;

    String applied(String before) {
      StringBuilder edited = new StringBuilder(before);
      int from = (int) (at * before.length());
      int to = Math.min(before.length(), from + size);
      switch (kind) {
        case 0 -> edited.insert(from, text);
        case 1 -> edited.delete(from, to);
        case 2 -> edited.insert(from, before, from, to);
        case 3 -> edited.setLength(from);
        case 4 -> edited.replace(from, Math.min(before.length(), from + 1), text);
        default -> {
          // A word of the text stands elsewhere: what is right at one place is wrong at another.
          String word = edited.substring(from, to);
          edited.insert((from * 7 + size) % (before.length() + 1), word);
        }
      }
      return edited.toString();
    }
  }

  /** A text that is read as a file of a name. */
  record Input(String name, List<Edit> edits) {

    String text() {
      String text = String.valueOf(SEEDS.get(name));
      for (Edit edit : edits) {
        text = edit.applied(text);
      }
      return text;
    }

    @Override
    public String toString() {
      return name + ": " + text();
    }
  }

  /** Returns what is drawn of. */
  static Arbitrary<Input> inputs() {
    Arbitrary<String> text =
        Arbitraries.oneOf(
            Arbitraries.chars().range('\0', '\u00ff').map(String::valueOf),
            Arbitraries.of(
                "\n", "\\", "\\\n", "=", "[", "]", "{", "}", "(", ")", ",", ":", "\"", "'", "#",
                ";", "|", "&a ", "*a", "<<: ", "---\n", "? ", "!t ", "%", "-", "\t", "\r\n", "null",
                "~"),
            Arbitraries.of("\0", "\ufffd", "\ud800", "\u2028", "\ufeff", "\u0085"),
            Arbitraries.longs().map(Long::toUnsignedString),
            Arbitraries.of("0", "-1", "1.5", "unlimited", "unknown", "99999999999999999999"));
    Arbitrary<Edit> edit =
        Combinators.combine(
                Arbitraries.integers().between(0, Edit.KINDS - 1),
                Arbitraries.doubles().between(0, 1).ofScale(4),
                Arbitraries.integers().between(1, 40),
                text)
            .as(Edit::new);
    return Combinators.combine(
            Arbitraries.of(SEEDS.keySet()), edit.list().ofMinSize(1).ofMaxSize(6))
        .as(Input::new);
  }

  /**
   * Lets a reader read an input: it ends, throws nothing but an {@link InputException} that names
   * the file, and gives only places that are in the text.
   */
  static void check(ConfigReader reader, Input input) {
    Source source = new Source(input.name(), input.text());
    Recorded recorded = new Recorded();
    Suppressions.of(source);
    try {
      reader.reads(source);
      reader.read(source, recorded);
    } catch (InputException e) {
      assertThat(e).hasMessageContaining(input.name());
    }
    for (Statement statement : recorded.statements) {
      statement.places().forEach((field, place) -> assertIn(source, place, field));
      assertIn(source, statement.whole(), "whole");
    }
  }

  private static void assertIn(Source source, Place place, String field) {
    long lines = source.text().lines().count() + 1;
    if (place.line() < 1
        || place.line() > lines
        || place.column() < 1
        || place.column() > source.line(place.line()).length() + 2) {
      throw new AssertionError("%s of %s is outside of the text".formatted(place, field));
    }
  }

  /** Returns the reader, of some, that reads a file of the input's name. */
  static Optional<ConfigReader> of(List<ConfigReader> readers, Input input) {
    Source seed = new Source(input.name(), String.valueOf(SEEDS.get(input.name())));
    return readers.stream().filter(reader -> reader.reads(seed)).findFirst();
  }
}

package org.pinwise.engine.lint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;

/**
 * Measures lint on a tree of manifests that it makes: beside parsing the same files with the same
 * library, in turns; and how much heap is live after few files and after many. It is to run with
 * {@code -Xmx256m}; rows of JSON go to standard output. Where {@code pinwise.bench.profile} names
 * the first row, only lint runs, for a profile.
 */
public final class LintBench {
  private static final int FEW = 2_000;
  private static final int ROUNDS = 11;
  private static final int WARM_UP = 4;
  private static final long MIB = 1 << 20;
  private static final String RATIO =
      String.format(java.util.Locale.ROOT, "lint, %,d manifests", FEW);

  private static final LintListener SILENT =
      new LintListener() {
        @Override
        public void found(Diagnostic diagnostic) {}

        @Override
        public void problem(LintProblem problem) {
          throw new IllegalStateException(problem.toString());
        }
      };

  private LintBench() {}

  /** Takes how many manifests are many; 100,000 if nothing is said. */
  public static void main(String[] args) throws IOException {
    long heap = Runtime.getRuntime().maxMemory() / MIB;
    if (heap > 256) {
      throw new IllegalStateException(
          "the heap may have %d MiB; run it with -Xmx256m".formatted(heap));
    }
    int many = args.length == 0 ? 100_000 : Integer.parseInt(args[0]);
    ConfigLinter linter = ConfigLinter.create(MrValidator.create(RuleSet.builtIn()));
    Path tree = Files.createTempDirectory("pinwise-lint-bench");
    try {
      grow(tree, 0, FEW);
      if (System.getProperty("pinwise.bench.profile", "").equals(RATIO)) {
        for (int i = 0; i < 2 * ROUNDS; i++) {
          linter.lint(List.of(tree), SILENT);
        }
        return;
      }
      ratio(linter, tree);
      long few = live(linter, tree, FEW);
      grow(tree, FEW, many);
      long start = System.nanoTime();
      long all = live(linter, tree, many);
      row(
          "lint, %,d manifests in a heap of %d MiB".formatted(many, heap),
          (System.nanoTime() - start) / 1e9,
          "s",
          "");
      row(
          "what lint keeps of each file of %,d".formatted(many),
          Math.max(0, (all - few) / (double) (many - FEW)),
          "B",
          ",\"atMost\":100");
    } finally {
      try (Stream<Path> made = Files.walk(tree)) {
        made.sorted(Comparator.reverseOrder()).forEach(LintBench::delete);
      }
    }
  }

  private static void row(String name, double ours, String unit, String rest) {
    System.out.printf(
        java.util.Locale.ROOT,
        "{\"row\":\"%s\",\"ours\":%.1f,\"unit\":\"%s\"%s}%n",
        name,
        ours,
        unit,
        rest);
  }

  private static void ratio(ConfigLinter linter, Path tree) throws IOException {
    List<Path> files;
    try (Stream<Path> walked = Files.walk(tree)) {
      files = walked.filter(Files::isRegularFile).sorted().toList();
    }
    double[] lint = new double[ROUNDS];
    double[] parse = new double[ROUNDS];
    for (int i = -WARM_UP; i < ROUNDS; i++) {
      double linted = millis(() -> linter.lint(List.of(tree), SILENT));
      double parsed = millis(() -> files.forEach(LintBench::parse));
      if (i >= 0) {
        lint[i] = linted;
        parse[i] = parsed;
      }
    }
    row(
        RATIO,
        median(lint),
        "ms",
        String.format(
            java.util.Locale.ROOT,
            ",\"reference\":%.1f,\"referenceIs\":\"parsing them with snakeyaml-engine"
                + " alone\",\"atMostTimes\":1.5",
            median(parse)));
  }

  private static double millis(Runnable task) {
    long start = System.nanoTime();
    task.run();
    return (System.nanoTime() - start) / 1e6;
  }

  private static double median(double[] times) {
    double[] sorted = times.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static void parse(Path file) {
    try {
      LoadSettings settings = LoadSettings.builder().setLabel(file.toString()).build();
      for (Object node : new Compose(settings).composeAllFromString(Files.readString(file))) {
        if (node == null) {
          throw new IllegalStateException(file + " is empty");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the bytes that are live when all files were linted, and files would be joined. */
  private static long live(ConfigLinter linter, Path tree, int files) {
    long[] live = new long[1];
    LintSummary summary =
        linter.lint(
            List.of(tree),
            new LintListener() {
              @Override
              public void found(Diagnostic diagnostic) {}

              @Override
              public void problem(LintProblem problem) {
                throw new IllegalStateException(problem.toString());
              }

              @Override
              public void done() {
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                live[0] = runtime.totalMemory() - runtime.freeMemory();
              }
            });
    if (summary.files() != files || summary.problems() != 0) {
      throw new IllegalStateException(summary.inWords());
    }
    System.err.println(summary.inWords() + "; live " + live[0] / MIB + " MiB");
    return live[0];
  }

  /** Makes manifests, 500 to a directory; each of its own name, one in ten wrong. */
  private static void grow(Path tree, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      Path directory = tree.resolve("d" + i / 500);
      if (i % 500 == 0) {
        Files.createDirectories(directory);
      }
      Files.writeString(directory.resolve("m" + i + ".yaml"), manifest(i));
    }
  }

  private static String manifest(int i) {
    List<String> capabilities = new ArrayList<>(List.of("IPC_LOCK"));
    if (i % 10 == 0) {
      capabilities.clear();
    }
    return """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: app-%1$d
      namespace: team-%2$d
      labels: {app: app-%1$d, tier: backend}
    spec:
      replicas: 3
      selector:
        matchLabels: {app: app-%1$d}
      template:
        metadata:
          labels: {app: app-%1$d}
        spec:
          containers:
            - name: main
              image: registry.example/app:%1$d
              args: ["--port", "8080", "--workers", "16"]
              env:
                - {name: UCX_TLS, value: rc}
                - {name: NCCL_IB_HCA, value: mlx5_0}
              ports:
                - containerPort: 8080
              resources:
                limits: {rdma/hca: 1, memory: 4Gi, cpu: "4"}
                requests: {rdma/hca: 1, memory: 4Gi, cpu: "2"}
              securityContext:
                runAsUser: 0
                capabilities:
                  add: %3$s
              volumeMounts:
                - {name: shm, mountPath: /dev/shm}
            - name: sidecar
              image: registry.example/proxy:7
          volumes:
            - name: shm
              emptyDir: {medium: Memory, sizeLimit: 1Gi}
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: app-%1$d, namespace: team-%2$d}
    spec:
      selector: {app: app-%1$d}
      ports: [{port: 80, targetPort: 8080}]
    """
        .formatted(i, i % 20, capabilities);
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

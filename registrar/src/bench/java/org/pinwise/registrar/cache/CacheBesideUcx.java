package org.pinwise.registrar.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.pinwise.registrar.Row;

/**
 * Measures a cache hit beside one of UCX's registration cache, in turn: {@code CacheBesideUcx
 * NATIVE_DIR WORK_DIR}. Without gcc or libucx-dev it says what is missing, and measures only our
 * own.
 */
public final class CacheBesideUcx {

  private static final int[] REGIONS = {1, 1000, 100_000};

  private CacheBesideUcx() {}

  /**
   * What is measured.
   *
   * @param speedup how many times UCX's hits a second are the target
   */
  private record Case(String benchmark, int threads, int regions, double speedup) {
    String what() {
      return "cache hit, %,d region%s, %d thread%s"
          .formatted(regions, regions == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
    }

    /**
     * Returns the millions of hits a second of all threads, where one takes so many nanoseconds.
     */
    double hits(double nanos) {
      return threads * 1e3 / nanos;
    }
  }

  public static void main(String[] args) throws Exception {
    Path ucx = Path.of(args[1]).resolve("ucx-rcache");
    String missing = build(Path.of(args[0]).resolve("ucx-rcache.c"), ucx);
    for (Case one : cases()) {
      double theirs = missing == null ? ucx(ucx, one) : Double.NaN;
      RunResult result = ours(one.benchmark, one).iterator().next();
      print(
          one,
          result.getPrimaryResult().getScore(),
          theirs,
          // The median: into the last iteration falls what closing the cache takes.
          result.getSecondaryResults().get("gc.alloc.rate.norm").getStatistics().getPercentile(50));
    }
    if (missing != null) {
      Row.notMeasured("a cache hit in UCX's cache", missing).print();
    }
  }

  private static void print(Case one, double ours, double theirs, double bytes) {
    Row time =
        one.threads == 1
            ? Row.of(one.what(), ours, "ns")
            : Row.of(one.what(), one.hits(ours), "M hits/s");
    time = time.note("%.1f B for each".formatted(bytes));
    if (!Double.isNaN(theirs)) {
      time =
          one.threads == 1
              ? time.beside(theirs, "in UCX").target(Row.Bound.AT_MOST_TIMES, 1)
              : time.beside(one.hits(theirs), "in UCX")
                  .target(Row.Bound.AT_LEAST_TIMES, one.speedup);
    }
    time.print(() -> parts(one));
    if (one.threads == 1 && one.regions == 1000) {
      // JMH's own few objects are shared out over the operations, and leave a little.
      Row.of("memory that a cache hit takes", bytes, "B").target(Row.Bound.AT_MOST, 0.5).print();
    }
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int regions : REGIONS) {
      cases.add(new Case("oneThread", 1, regions, 1));
      cases.add(new Case("twoThreads", 2, regions, regions == 1 ? 3 : 10));
    }
    return cases;
  }

  /** Where the time of a hit goes: what its parts take alone, with as many threads. */
  private static String parts(Case one) {
    StringBuilder text = new StringBuilder();
    for (String[] part :
        new String[][] {
          {
            "partRead",
            "to read a word of a random region's entry, each after the last: memory alone"
          },
          {"partFind", "to find a random region"},
          {"partLease", "to lease and release a random region that is at hand"}
        }) {
      double nanos;
      try {
        nanos = ours(part[0], one).iterator().next().getPrimaryResult().getScore();
      } catch (RunnerException e) {
        return "the parts could not be measured: " + e.getMessage() + "\n";
      }
      text.append("%6.1f ns %s%n".formatted(nanos, part[1]));
    }
    return text
        + "Each alone, on %d thread%s.%n".formatted(one.threads, one.threads == 1 ? "" : "s");
  }

  private static Collection<RunResult> ours(String benchmark, Case one) throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .include(CacheHitBench.class.getSimpleName() + "\\." + benchmark + "$")
                .param("regions", Integer.toString(one.regions))
                .threads(one.threads)
                .addProfiler(GCProfiler.class)
                .warmupIterations(3)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(4)
                .measurementTime(TimeValue.seconds(1))
                .jvmArgs("--enable-native-access=ALL-UNNAMED")
                .build())
        .run();
  }

  /** Nanoseconds a hit. */
  private static double ucx(Path program, Case one) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                program.toString(),
                Integer.toString(one.regions),
                Integer.toString(one.threads),
                "4")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(program + " failed: " + output);
    }
    // UCX may log before it.
    List<String> lines = output.strip().lines().toList();
    return Double.parseDouble(lines.getLast());
  }

  /** Builds the C program; what is missing for that, or null. */
  private static String build(Path source, Path program) throws IOException, InterruptedException {
    Files.createDirectories(program.getParent());
    Process gcc;
    try {
      gcc =
          new ProcessBuilder(
                  "gcc", "-O2", "-o", program.toString(), source.toString(), "-lucs", "-lpthread")
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      return "there is no gcc: " + e.getMessage();
    }
    String output = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!gcc.waitFor(1, TimeUnit.MINUTES) || gcc.exitValue() != 0) {
      return "gcc could not build it; Debian's libucx-dev has what it needs: "
          + output.lines().findFirst().orElse("no output");
    }
    return null;
  }
}

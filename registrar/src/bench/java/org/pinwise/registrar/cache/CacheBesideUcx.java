package org.pinwise.registrar.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures a cache hit beside one of UCX's registration cache, in turn, and prints a table with the
 * targets. {@code CacheBesideUcx NATIVE_DIR WORK_DIR PATTERN}; does nothing if the pattern of
 * benchmarks to run does not find {@code CacheHit}. Without gcc or libucx-dev it says what is
 * missing, and measures only our own.
 */
public final class CacheBesideUcx {

  private static final int[] REGIONS = {1, 1000, 100_000};

  private CacheBesideUcx() {}

  /**
   * What is measured.
   *
   * @param speedup how many times UCX's hits a second are the target
   */
  private record Case(String benchmark, int threads, int regions, double speedup) {}

  public static void main(String[] args) throws Exception {
    if (!Pattern.compile(args[2]).matcher("CacheHit").find()) {
      return;
    }
    Path ucx = Path.of(args[1]).resolve("ucx-rcache");
    String missing = build(Path.of(args[0]).resolve("ucx-rcache.c"), ucx);
    List<String> lines = new ArrayList<>();
    for (Case one : cases()) {
      double theirs = missing == null ? ucx(ucx, one) : Double.NaN;
      Collection<RunResult> results = ours(one);
      RunResult result = results.iterator().next();
      double ours = result.getPrimaryResult().getScore();
      double bytes = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
      lines.add(
          missing == null
              ? "%7d %7d %9.1f %9.1f %8.2f x %7.1f x  %-6s %6.2f"
                  .formatted(
                      one.regions,
                      one.threads,
                      ours,
                      theirs,
                      theirs / ours,
                      one.speedup,
                      theirs / ours >= one.speedup ? "met" : "missed",
                      bytes)
              : "%7d %7d %9.1f %9s %10s %9s  %-6s %6.2f"
                  .formatted(one.regions, one.threads, ours, "-", "-", "-", "-", bytes));
    }
    System.out.println("\nA cache hit beside UCX's (ucs_rcache), nanoseconds for each thread:");
    System.out.println("regions threads      ours       UCX   hits/s     target          B/hit");
    lines.forEach(System.out::println);
    if (missing != null) {
      System.out.println("UCX was not measured: " + missing);
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

  private static Collection<RunResult> ours(Case one) throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .include(CacheHitBench.class.getSimpleName() + "\\." + one.benchmark + "$")
                .param("regions", Integer.toString(one.regions))
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

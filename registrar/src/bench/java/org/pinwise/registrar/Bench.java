package org.pinwise.registrar;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.Processes.Fed;
import org.pinwise.registrar.Row.Bound;

/**
 * Measures what JMH has not yet, and puts all into one table. What cannot be measured is a row that
 * says why; only a table that cannot be written is a failure.
 */
final class Bench {
  private static final int MANY_LINES = 120_000;
  private static final int FEW_LINES = 20_000;

  /** So many that what the compiler needs for a while is in both. */
  private static final int MOST_LINES = 480_000;

  private static final int STREAMS = 7;
  private static final int FEW_STREAMS = 3;
  private static final String[] STEPS = {
    "reading and parsing the rules",
    "making the validator of them",
    "the first verdict, for which Drools' rules are built",
    "reading the device catalogue",
    "the verdict's text"
  };

  private static final String[] CHECK =
      "check --device rxe --kernel 6.12 --access REMOTE_WRITE --length 4KiB".split(" ");

  /** A short process has few samples. */
  private static final int PROFILED_RUNS = 15;

  private static final String HEAP = "-Xms64m -Xmx64m -XX:+AlwaysPreTouch";
  private static final String HISTOGRAM = "GC.class_histogram";
  private static final String NATIVE_MEMORY = "VM.native_memory";

  private final SpeedTable table = new SpeedTable();
  private final Map<String, Profiler> profilerOf = new LinkedHashMap<>();
  private final Pattern wanted;
  private final Path engine;
  private final Path here;
  private final Path distribution;
  private final Path registrar;

  /** What a part of the measurements does. */
  @FunctionalInterface
  private interface Part {
    void measure() throws Exception;
  }

  /** Says where the time or the memory of a row goes. */
  @FunctionalInterface
  private interface Profiler {
    String profile() throws IOException, InterruptedException;
  }

  /** Makes recordings in a folder. */
  @FunctionalInterface
  private interface Recording {
    void into(Path folder) throws IOException, InterruptedException;
  }

  private Bench(Pattern wanted, Path engine, Path here, Path distribution, Path registrar) {
    this.wanted = wanted;
    this.engine = engine;
    this.here = here;
    this.distribution = distribution;
    this.registrar = registrar;
  }

  /**
   * Takes the pattern of what is to be measured, the build folders of engine and registrar, the
   * distribution, the registrar's folder, the number of verdicts to give on end, a README whose
   * table is to be replaced ("-" for none), and the number of texts to fuzz the readers with.
   */
  public static void main(String[] args) throws Exception {
    Path engine = Path.of(args[1]);
    Path here = Path.of(args[2]);
    Bench bench =
        new Bench(Pattern.compile(args[0]), engine, here, Path.of(args[3]), Path.of(args[4]));
    JmhResults jmh = JmhResults.read(engine.resolve("jmh.json"), here.resolve("jmh.json"));
    bench.part("VerdictBenchmark", () -> bench.verdicts(jmh));
    bench.program("org.pinwise.engine.HandWrittenCheck", List.of());
    bench.program("org.pinwise.registrar.Replay", List.of("-Xmx512m"));
    bench.part("RegistrarBenchmark", () -> bench.registrar(jmh));
    bench.program(
        "org.pinwise.registrar.cache.CacheBesideUcx",
        List.of(),
        args[4] + "/src/bench/native",
        here + "/native");
    bench.part("SpeedLab", bench::lab);
    bench.part("ColdStart", bench::coldStart);
    bench.part("Batch", bench::batch);
    bench.program("org.pinwise.registrar.RuleScale", List.of("-Xmx1g"));
    bench.program("org.pinwise.registrar.cache.CacheScale", List.of("-Xmx4g"));
    bench.program("org.pinwise.registrar.Endurance", List.of("-Xmx64m"), args[5]);
    bench.program("org.pinwise.engine.lint.LintBench", List.of("-Xmx256m"));
    bench.program(
        "org.pinwise.engine.lint.ReaderFuzz", List.of("-Xmx512m", "-Dpinwise.fuzz=" + args[7]));
    bench.profile();
    String text = bench.table.markdown();
    System.out.println();
    System.out.println(text);
    bench.table.write(here.resolve("speed.json"));
    Files.writeString(here.resolve("speed.md"), text);
    System.out.println("Written to " + here.resolve("speed.json") + " and speed.md beside it.");
    if (!args[6].equals("-")) {
      replace(Path.of(args[6]), text);
    }
  }

  private void part(String name, Part part) throws InterruptedException {
    if (!wanted.matcher(name).find()) {
      return;
    }
    System.out.println("# " + name);
    try {
      part.measure();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      table.add(Row.notMeasured(name, String.valueOf(e.getMessage())));
    }
  }

  /**
   * Runs a program that prints rows. Of one that misses its target, and of which the program says
   * no more, it is run again to see where its time goes; which row that is stands in the property
   * {@code pinwise.bench.profile}, so that the program can leave out what is not of it.
   */
  private void program(String name, List<String> options, String... arguments)
      throws InterruptedException {
    List<String> main = new ArrayList<>(List.of(name));
    main.addAll(List.of(arguments));
    part(
        name,
        () -> {
          SpeedTable rows = new SpeedTable();
          try {
            Processes.measure(options(options), classPath(), registrar, main, rows);
          } finally {
            table.addAll(rows);
            for (Row row : rows.missed()) {
              profilerOf.put(
                  row.what(),
                  () ->
                      recorded(folder -> {
                        List<String> again = options(options);
                        again.add("-Dpinwise.bench.profile=" + row.what());
                        again.addAll(Processes.recorder(folder));
                        Processes.measure(again, classPath(), registrar, main, new SpeedTable());
                      }));
            }
          }
        });
  }

  private static List<String> options(List<String> more) {
    List<String> all = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
    all.addAll(more);
    return all;
  }

  /** The class path of this program, and that of the engine's tests and benchmarks. */
  private String classPath() throws IOException {
    return System.getProperty("java.class.path")
        + File.pathSeparator
        + Files.readString(engine.resolve("class-path.txt"));
  }

  private void verdicts(JmhResults jmh) {
    String of = "VerdictBenchmark.";
    double hand = jmh.nanos(of + "seenByHand");
    add(
        jmh,
        of + "seenBound",
        Row.of("verdict, outcome seen", jmh.nanos(of + "seenBound"), "ns")
            .beside(hand, "for the same rules as ifs by hand")
            .target(Bound.AT_MOST_TIMES, 3));
    add(
        jmh,
        of + "seenBound",
        Row.of("memory of it", jmh.bytes(of + "seenBound"), "B").target(Bound.AT_MOST, 64.5));
    add(
        jmh,
        of + "seenBoundOnTwoThreads",
        Row.of("the same on 2 threads", jmh.nanos(of + "seenBoundOnTwoThreads"), "ns")
            .beside(jmh.nanos(of + "seenByHandOnTwoThreads"), "by hand on 2 threads")
            .target(Bound.AT_MOST_TIMES, 3));
    table.add(
        Row.of("outcome seen, 200 team rules more", jmh.nanos(of + "seenBoundWithTeam"), "ns")
            .beside(hand, "by hand, without the team's"));
    table.add(Row.of("outcome seen, validator not bound", jmh.nanos(of + "seenUnbound"), "ns"));
    double fresh = jmh.nanos(of + "newOutcome") / 1000;
    add(
        jmh,
        of + "newOutcome",
        Row.of("verdict, new outcome, all built-in rules", fresh, "us").target(Bound.AT_MOST, 20));
    long rules =
        RuleSet.builtIn().rules().stream().filter(rule -> rule.configuration().isEmpty()).count();
    add(
        jmh,
        of + "newOutcomeWithTeam",
        Row.of(
                "new outcome, 200 team rules more",
                jmh.nanos(of + "newOutcomeWithTeam") / 1000,
                "us")
            .beside(fresh, "without them")
            .target(Bound.AT_MOST_TIMES, (rules + 200) / (double) rules)
            .note("%d rules with them, %d without".formatted(rules + 200, rules)));
    table.add(
        Row.of(
            "new outcome, validator not bound", jmh.nanos(of + "newOutcomeUnbound") / 1000, "us"));
  }

  /** Says of what missed its target where the time goes, unless that was said already. */
  private void profile() throws InterruptedException {
    for (Row row : table.missed()) {
      Profiler profiler = profilerOf.get(row.what());
      if (table.hasProfile(row.what()) || profiler == null) {
        continue;
      }
      System.out.println("# profile of " + row.what());
      try {
        table.profile(row.what(), profiler.profile());
      } catch (IOException | IllegalStateException e) {
        table.profile(row.what(), "not profiled: " + e.getMessage() + "\n");
      }
    }
  }

  /** Runs a benchmark again under Flight Recorder. */
  private String hotspots(String benchmark) throws IOException, InterruptedException {
    return inFolder(folder -> {
      List<String> main = new ArrayList<>();
      main.addAll(List.of("org.openjdk.jmh.Main", benchmark.replace(".", "\\.") + "$"));
      main.addAll(List.of("-f", "1", "-wi", "3", "-w", "1", "-i", "3", "-r", "1", "-v", "SILENT"));
      main.addAll(List.of("-prof", "jfr:configName=profile;dir=" + folder));
      Processes.measure(options(List.of()), classPath(), registrar, main, new SpeedTable());
      return Hotspots.of(folder);
    });
  }

  /** Returns which parts of ours and which libraries take the time of what was recorded. */
  private String recorded(Recording work) throws IOException, InterruptedException {
    return inFolder(folder -> {
      work.into(folder);
      return Hotspots.parts(folder);
    });
  }

  /** Makes something of a folder. */
  @FunctionalInterface
  private interface OfFolder {
    String make(Path folder) throws IOException, InterruptedException;
  }

  private String inFolder(OfFolder work) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(here, "jfr");
    try {
      return work.make(folder);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Adds a row that a benchmark of JMH has measured. */
  private void add(JmhResults jmh, String benchmark, Row row) {
    profilerOf.put(row.what(), () -> jmh.words(benchmark) + hotspots(benchmark));
    table.add(row);
  }

  private void registrar(JmhResults jmh) {
    String of = "RegistrarBenchmark.";
    for (String[] port :
        new String[][] {
          {"through FFM over a stand-in for libibverbs", "standIn"},
          {"on the simulator", "simulated"}
        }) {
      add(
          jmh,
          of + port[1] + "Registrar",
          Row.of("register + deregister " + port[0], jmh.nanos(of + port[1] + "Registrar"), "ns")
              .beside(jmh.nanos(of + port[1] + "Bare"), "for the two calls alone")
              .target(Bound.AT_MOST_MORE, 300));
    }
    table.add(Row.of("of that, the verdict", jmh.nanos(of + "verdict"), "ns"));
  }

  /** On a real kernel, if there is what its machine needs. */
  private void lab() throws Exception {
    List<String> command =
        List.of(
            "bash",
            registrar.resolve("src/lab/run.sh").toString(),
            distribution.resolve("lib").toString(),
            "org.pinwise.registrar.lab.SpeedLab");
    ProcessBuilder program = new ProcessBuilder(command).directory(registrar.toFile());
    // A warm JVM is one whose best compiler has done its work; the lab's other programs end before.
    program.environment().put("PINWISE_LAB_JAVA_OPTIONS", "-XX:TieredStopAtLevel=4");
    Processes.rows(program, "the lab", table);
  }

  private void coldStart() throws Exception {
    Processes processes = processes();
    Path jar = jar(Hello.class, ColdStages.class, Recorded.class);
    List<String> hello = processes.java("-cp", jar.toString(), Hello.class.getName());
    List<String> check = processes.pinwise(CHECK);
    double[] millis = Processes.millis(List.of(hello, check));
    List<String> main = new ArrayList<>(List.of("org.pinwise.engine.cli.Main"));
    main.addAll(List.of(CHECK));
    String cold = "pinwise check, cold process";
    String loading = "of that, loading rules";
    profilerOf.put(
        cold, () -> recorded(folder -> processes.record(PROFILED_RUNS, folder, jar, main)));
    List<String> stages = List.of(ColdStages.class.getName());
    profilerOf.put(
        loading, () -> recorded(folder -> processes.record(PROFILED_RUNS, folder, jar, stages)));
    table.add(
        Row.of(cold, millis[1], "ms")
            .beside(millis[0], "java hello world")
            .target(Bound.AT_MOST_TIMES, 4)
            .note("medians of %d, both with %s".formatted(Processes.RUNS, processes.flags())));
    double[] steps = Processes.printed(processes.javaWithPinwise(jar, stages.get(0)));
    table.add(
        Row.of(loading, (steps[0] + steps[1] + steps[2]) / 1e6, "ms")
            .beside(millis[1], "in all")
            .target(Bound.AT_MOST_TIMES, 1.0 / 3));
    for (int i = 0; i < STEPS.length; i++) {
      table.add(Row.of("of that, " + STEPS[i], steps[i] / 1e6, "ms"));
    }
  }

  /** Returns a jar of some programs of this folder. */
  private Path jar(Class<?>... programs) {
    Path jar = here.resolve("processes.jar");
    List<String> arguments = new ArrayList<>(List.of("--create", "--file", jar.toString()));
    for (Class<?> program : programs) {
      arguments.addAll(
          List.of("-C", here + "/test-classes", program.getName().replace('.', '/') + ".class"));
    }
    int status =
        ToolProvider.findFirst("jar")
            .orElseThrow(() -> new IllegalStateException("this Java has no jar tool"))
            .run(System.out, System.err, arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IllegalStateException("jar ended with " + status);
    }
    return jar;
  }

  private Processes processes() throws IOException, InterruptedException {
    return Processes.of(distribution.resolve("../../bin/pinwise").normalize());
  }

  private void batch() throws Exception {
    List<String> command =
        processes().pinwise("check", "--batch", "--device", "connectx5", "--kernel", "6.12");
    List<String> onOneCore = new ArrayList<>(List.of("taskset", "-c", "0"));
    onOneCore.addAll(command);
    Path few = lines(here.resolve("few.jsonl"), FEW_LINES);
    Path many = lines(here.resolve("many.jsonl"), MANY_LINES);
    List<Fed> ofFew = new ArrayList<>();
    List<Fed> ofMany = new ArrayList<>();
    List<Fed> ofOneCore = new ArrayList<>();
    List<Fed> fewOnOneCore = new ArrayList<>();
    for (int run = 0; run < STREAMS; run++) {
      ofFew.add(Processes.feed(command, few, HEAP));
      ofMany.add(Processes.feed(command, many, HEAP));
      fewOnOneCore.add(Processes.feed(onOneCore, few, HEAP));
      ofOneCore.add(Processes.feed(onOneCore, many, HEAP));
    }
    table.add(
        Row.of(
                "check --batch, %d cores".formatted(Runtime.getRuntime().availableProcessors()),
                perSecond(ofFew, ofMany),
                "verdicts/s")
            .beside(perSecond(fewOnOneCore, ofOneCore), "on one core")
            .note("medians of " + STREAMS));
    memory(command, many, Processes.median(ofMany, Fed::residentMegabytes));
    Files.delete(few);
    Files.delete(many);
  }

  /**
   * Whether memory is flat: all that is resident, with a heap that is resident from the start, and
   * what of the heap is live. How many lines were read must not matter.
   */
  private void memory(List<String> command, Path many, double residentOfMany) throws Exception {
    Path most = lines(here.resolve("most.jsonl"), MOST_LINES);
    List<Fed> ofMost = new ArrayList<>();
    for (int run = 0; run < FEW_STREAMS; run++) {
      ofMost.add(Processes.feed(command, most, HEAP));
    }
    String then = "at %,d".formatted(MANY_LINES);
    memory(
        Row.of(
                "its resident memory at %,d lines, with 64 MB of heap".formatted(MOST_LINES),
                Processes.median(ofMost, Fed::residentMegabytes),
                "MB")
            .beside(residentOfMany, then),
        () -> {
          String counted = HEAP + " -XX:NativeMemoryTracking=summary";
          return Memory.grown(
              Memory.ofJvm(Processes.feed(command, many, counted, NATIVE_MEMORY).said()),
              Memory.ofJvm(Processes.feed(command, most, counted, NATIVE_MEMORY).said()));
        });
    Map<String, Long> before =
        Memory.ofClasses(Processes.feed(command, many, HEAP, HISTOGRAM).said());
    Map<String, Long> after =
        Memory.ofClasses(Processes.feed(command, most, HEAP, HISTOGRAM).said());
    memory(
        Row.of("what of its heap is live", Memory.megabytes(after), "MB")
            .beside(Memory.megabytes(before), then),
        () -> Memory.grown(before, after));
    Files.delete(most);
  }

  private void memory(Row row, Profiler profiler) throws IOException, InterruptedException {
    Row aimed = row.target(Bound.AT_MOST_TIMES, 1.1);
    table.add(aimed);
    if (Boolean.FALSE.equals(aimed.met())) {
      table.profile(aimed.what(), profiler.profile());
    }
  }

  /** What starting takes is in both, and falls out. */
  private static double perSecond(List<Fed> few, List<Fed> many) {
    return (MANY_LINES - FEW_LINES)
        / (Processes.median(many, Fed::millis) - Processes.median(few, Fed::millis))
        * 1000;
  }

  private static Path lines(Path file, int count) throws IOException {
    return Files.write(
        file,
        (Iterable<String>)
            IntStream.range(0, count)
                    .mapToObj(i ->
                        "{\"access\":\"%s\",\"length\":%d}"
                            .formatted(
                                i % 3 == 0 ? "LOCAL_WRITE" : "LOCAL_WRITE|REMOTE_WRITE",
                                4096L * (1 + i % 1000)))
                ::iterator);
  }

  /** Puts the table between the two lines of a README that mark its place. */
  private static void replace(Path readme, String text) throws IOException {
    String begin =
        "<!-- speed: written by mvn verify -Pbench -Dpinwise.bench.readme=README.md -->\n";
    String end = "<!-- /speed -->\n";
    String old = Files.readString(readme, StandardCharsets.UTF_8);
    int from = old.indexOf(begin);
    int to = old.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(readme + " has no lines that mark the place of the table");
    }
    Files.writeString(readme, old.substring(0, from + begin.length()) + text + old.substring(to));
  }
}

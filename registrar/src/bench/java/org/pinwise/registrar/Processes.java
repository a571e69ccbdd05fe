package org.pinwise.registrar;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Measures whole processes: medians of several runs, in turns with what they are compared with. */
final class Processes {
  /** How often each is run. */
  static final int RUNS = 11;

  private final Path launcher;
  private final List<String> flags;
  private final List<String> aheadOfTime;
  private final String classPath;

  /**
   * What a run that reads lines took.
   *
   * @param said what its JVM said of itself when it had read all lines; empty if it was not asked
   */
  record Fed(double millis, double residentMegabytes, String said) {}

  private Processes(Path launcher, List<String> flags, List<String> aheadOfTime, String classPath) {
    this.launcher = launcher;
    this.flags = List.copyOf(flags);
    this.aheadOfTime = List.copyOf(aheadOfTime);
    this.classPath = classPath;
  }

  /**
   * Makes them for the launcher of the distribution that was built. Which flags it gives the JVM is
   * asked of a process that it started, which waits for its input meanwhile.
   */
  static Processes of(Path launcher) throws IOException, InterruptedException {
    Process waiting = start(List.of("bash", launcher.toString(), "lint", "-"), "");
    try {
      List<String> command = List.of();
      for (int tries = 0; tries < 500 && !command.contains("-cp"); tries++) {
        Thread.sleep(10);
        command =
            List.of(Files.readString(Path.of("/proc/" + waiting.pid() + "/cmdline")).split("\0"));
      }
      int path = command.indexOf("-cp");
      if (path < 0) {
        throw new IllegalStateException("the launcher started no Java: " + command);
      }
      List<String> flags = new ArrayList<>();
      List<String> aheadOfTime = new ArrayList<>();
      for (String option : command.subList(1, path)) {
        boolean ofClasses = option.startsWith("-XX:AOT") || option.startsWith("-Xlog:");
        (ofClasses ? aheadOfTime : flags).add(option);
      }
      return new Processes(launcher, flags, aheadOfTime, command.get(path + 1));
    } finally {
      waiting.destroy();
    }
  }

  /** Returns the launcher's command. */
  List<String> pinwise(String... arguments) {
    List<String> command = new ArrayList<>(List.of("bash", launcher.toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Returns a Java command with the launcher's flags, but not with its classes. */
  List<String> java(String... arguments) {
    return command(flags, arguments);
  }

  /**
   * Returns a command that runs a program of ours with the launcher's flags and classes.
   *
   * @param jar holds the program; a folder on the class path would keep the JVM from taking the
   *     classes that were loaded ahead of time
   */
  List<String> javaWithPinwise(Path jar, String main, String... arguments) {
    List<String> all = new ArrayList<>(flags);
    all.addAll(aheadOfTime);
    all.addAll(List.of("-cp", classPath + File.pathSeparator + jar, main));
    return command(all, arguments);
  }

  private static List<String> command(List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of(arguments));
    return command;
  }

  /** Returns the launcher's flags, to show them. */
  String flags() {
    return String.join(" ", flags);
  }

  /** Returns the median of the milliseconds that each command takes. */
  static double[] millis(List<List<String>> commands) throws IOException, InterruptedException {
    double[][] times = new double[commands.size()][RUNS];
    for (int run = 0; run < RUNS; run++) {
      for (int i = 0; i < commands.size(); i++) {
        long start = System.nanoTime();
        output(commands.get(i));
        times[i][run] = (System.nanoTime() - start) / 1e6;
      }
    }
    return Arrays.stream(times).mapToDouble(Processes::median).toArray();
  }

  /** Returns the median of each of the numbers that a command prints, one a line. */
  static double[] printed(List<String> command) throws IOException, InterruptedException {
    List<List<Double>> columns = new ArrayList<>();
    for (int run = 0; run < RUNS; run++) {
      String[] numbers = output(command).split("\\s+");
      for (int i = 0; i < numbers.length; i++) {
        if (columns.size() <= i) {
          columns.add(new ArrayList<>());
        }
        columns.get(i).add(Double.parseDouble(numbers[i]));
      }
    }
    return columns.stream().mapToDouble(Processes::median).toArray();
  }

  /** Returns the median of what the runs say. */
  static double median(List<Fed> runs, ToDoubleFunction<Fed> what) {
    return median(runs.stream().mapToDouble(what).toArray());
  }

  private static double median(List<Double> values) {
    return median(values.stream().mapToDouble(value -> value).toArray());
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static Process start(List<String> command, String options) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("PINWISE_JAVA_HOME", System.getProperty("java.home"));
    if (!options.isEmpty()) {
      builder.environment().put("JDK_JAVA_OPTIONS", options);
    }
    return builder.start();
  }

  private static String output(List<String> command) throws IOException, InterruptedException {
    Process process = start(command, "");
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    end(process, command);
    return text.strip();
  }

  private static void end(Process process, List<String> command) throws InterruptedException {
    int status = process.waitFor();
    if (status > 1) { // 1 is a rejection
      throw new IllegalStateException(
          String.join(" ", command.subList(0, Math.min(3, command.size())))
              + " .. ended with "
              + status);
    }
  }

  /**
   * Feeds lines to a command and reads its answers.
   *
   * @param file the lines
   * @param options of its JVM
   */
  static Fed feed(List<String> command, Path file, String options)
      throws IOException, InterruptedException {
    return feed(command, file, options, "");
  }

  /**
   * Feeds lines to a command, and asks its JVM of itself before its input ends.
   *
   * @param question a command of jcmd; empty for none
   */
  static Fed feed(List<String> command, Path file, String options, String question)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process process = start(command, options);
    Thread reader =
        Thread.startVirtualThread(() -> {
          try (var answers = process.getInputStream()) {
            answers.transferTo(OutputStream.nullOutputStream());
          } catch (IOException e) {
            // It ended, and its status says how.
          }
        });
    double resident;
    String said;
    try (OutputStream in = process.getOutputStream()) {
      Files.copy(file, in);
      in.flush();
      resident = residentMegabytes(process.pid());
      said = question.isEmpty() ? "" : ask(process.pid(), question);
    }
    end(process, command);
    reader.join();
    return new Fed((System.nanoTime() - start) / 1e6, resident, said);
  }

  private static String ask(long pid, String question) throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    return output(List.of(jcmd, Long.toString(pid), question));
  }

  /** The most that was resident, of a process that still runs. */
  private static double residentMegabytes(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
      }
    }
    return Double.NaN;
  }

  /**
   * Runs a program some times under Flight Recorder, with the launcher's flags and classes: a short
   * process has few samples.
   *
   * @param jar holds {@link Recorded} and perhaps the program
   * @param folder for the recordings
   */
  void record(int runs, Path folder, Path jar, List<String> program)
      throws IOException, InterruptedException {
    for (int run = 0; run < runs; run++) {
      List<String> arguments = new ArrayList<>();
      arguments.add(folder.resolve(run + ".jfr").toString());
      arguments.addAll(program);
      output(javaWithPinwise(jar, Recorded.class.getName(), arguments.toArray(String[]::new)));
    }
  }

  /** Returns the options that have a JVM record where its processor time goes, to a folder. */
  static List<String> recorder(Path folder) {
    return List.of(
        "-XX:FlightRecorderOptions:stackdepth=256",
        "-XX:StartFlightRecording:settings=none,+jdk.CPUTimeSample#enabled=true,"
            + "+jdk.CPUTimeSample#throttle=1ms,+jdk.CPUTimeSample#stackTrace=true,filename="
            + folder.resolve("%p.jfr"));
  }

  /**
   * Runs a measuring program in a fresh JVM.
   *
   * @param folder where it runs
   * @param table takes what it measured; other lines it prints are shown
   */
  static void measure(
      List<String> options, String path, Path folder, List<String> main, SpeedTable table)
      throws IOException, InterruptedException {
    List<String> command = command(options, "-cp", path);
    command.addAll(main);
    rows(new ProcessBuilder(command).directory(folder.toFile()), main.get(0), table);
  }

  /**
   * Runs any measuring program.
   *
   * @throws IllegalStateException if it fails; says of what, or what it said last
   */
  static void rows(ProcessBuilder program, String name, SpeedTable table)
      throws IOException, InterruptedException {
    program.environment().put("PINWISE_LAB_JDK", System.getProperty("java.home"));
    Process process = program.redirectErrorStream(true).start();
    process.getOutputStream().close();
    String last = "";
    boolean cause = false;
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("{\"row\":")) {
          table.add(Row.parse(line));
        } else if (Row.Profile.isOn(line)) {
          Row.Profile profile = Row.Profile.parse(line);
          table.profile(profile.row(), profile.text());
        } else {
          System.out.println(line);
          last = line.isBlank() || cause ? last : line.strip();
          cause |= line.matches("[\\w.$]+(Exception|Error)\\b.*"); // what follows is its stack
        }
      }
    }
    int status = process.waitFor();
    if (status != 0) {
      throw new IllegalStateException("%s ended with %d: %s".formatted(name, status, last));
    }
  }
}

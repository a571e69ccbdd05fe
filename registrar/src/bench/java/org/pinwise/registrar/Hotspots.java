package org.pinwise.registrar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where the time of a program goes, by the samples that Flight Recorder took: the methods, or which
 * part of Pinwise and which library. What the recorder itself takes is left out, and so are the
 * compiler's threads, which it does not sample.
 */
final class Hotspots {
  private static final int SHOWN = 12;
  private static final String OURS = "org.pinwise.";
  private static final String PINWISE = "Pinwise";
  private static final String NOTHING = "nothing of these";

  /** What the JDK does for its caller, by the start of the class's name. */
  private static final Map<String, String> WORK_OF_JDK = new LinkedHashMap<>();

  /** Libraries, by the start of the class's name. */
  private static final Map<String, String> LIBRARIES = new LinkedHashMap<>();

  static {
    WORK_OF_JDK.put("java.lang.invoke.", "linking lambdas and records");
    WORK_OF_JDK.put("java.lang.ClassLoader", "loading classes");
    WORK_OF_JDK.put("jdk.internal.loader.", "loading classes");
    WORK_OF_JDK.put("java.util.ServiceLoader", "looking for services");
    WORK_OF_JDK.put("java.util.zip.", "reading jars");
    WORK_OF_JDK.put("java.util.jar.", "reading jars");
    WORK_OF_JDK.put("java.lang.reflect.", "reflection");
    WORK_OF_JDK.put("sun.reflect.", "reflection");
    WORK_OF_JDK.put("java.util.regex.", "regular expressions");
    WORK_OF_JDK.put("java.util.Formatter", "formatting");
    WORK_OF_JDK.put("java.nio.file.", "files");
    WORK_OF_JDK.put("sun.nio.fs.", "files");
    LIBRARIES.put("org.drools.", "Drools");
    LIBRARIES.put("org.kie.", "Drools");
    LIBRARIES.put("org.snakeyaml.", "snakeyaml-engine");
    LIBRARIES.put("com.fasterxml.", "Jackson");
    LIBRARIES.put("picocli.", "picocli");
  }

  private Hotspots() {}

  /** Sums up all recordings in a folder; a line for each of the hottest methods. */
  static String of(Path folder) throws IOException {
    return sum(folder, Hotspots::method);
  }

  /**
   * Sums up all recordings in a folder: by library, by what the JDK does for it, and by both for
   * each package of ours.
   */
  static String parts(Path folder) throws IOException {
    return sum(folder, frames -> part(frames).library())
        + "by what the JDK does, "
        + sum(folder, frames -> part(frames).work())
        + "by both, "
        + sum(folder, frames -> part(frames).toString());
  }

  private static String sum(Path folder, Function<List<RecordedFrame>, String> name)
      throws IOException {
    Map<String, Integer> samples = new HashMap<>();
    int recordings = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".jfr")).toList()) {
        read(file, name, samples);
        recordings++;
      }
    }
    int all = samples.values().stream().mapToInt(count -> count).sum();
    if (all == 0) {
      return "Flight Recorder has no sample.\n";
    }
    StringBuilder text = new StringBuilder("of %,d samples".formatted(all));
    text.append(recordings > 1 ? " in %,d processes:%n".formatted(recordings) : ":%n".formatted());
    List<Map.Entry<String, Integer>> hottest =
        samples.entrySet().stream()
            .sorted(
                Map.Entry.<String, Integer>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey()))
            .limit(SHOWN)
            .toList();
    int shown = 0;
    for (Map.Entry<String, Integer> one : hottest) {
      text.append(line(one.getValue(), all, one.getKey()));
      shown += one.getValue();
    }
    return text.append(shown < all ? line(all - shown, all, "the rest") : "").toString();
  }

  private static String line(int samples, int all, String what) {
    return "%5.1f %%  %s%n".formatted(100.0 * samples / all, what);
  }

  private static void read(
      Path file, Function<List<RecordedFrame>, String> name, Map<String, Integer> samples)
      throws IOException {
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        String type = event.getEventType().getName();
        boolean sample = type.equals("jdk.ExecutionSample") || type.equals("jdk.CPUTimeSample");
        if (!sample || event.getStackTrace() == null) {
          continue;
        }
        List<RecordedFrame> frames = event.getStackTrace().getFrames();
        if (frames.stream().noneMatch(frame -> type(frame).startsWith("jdk.jfr."))) {
          samples.merge(name.apply(frames), 1, Integer::sum);
        }
      }
    }
  }

  /** The method that ran and, where that is not ours, which of ours had called it. */
  private static String method(List<RecordedFrame> frames) {
    RecordedFrame top = frames.get(0);
    String name = type(top) + "." + top.getMethod().getName();
    for (RecordedFrame frame : frames) {
      if (isOurs(type(frame))) {
        return frame == top
            ? name
            : name + " in " + type(frame) + "." + frame.getMethod().getName();
      }
    }
    return name;
  }

  /**
   * What a sample is counted to.
   *
   * @param library the library that ran, or Pinwise, or the JDK
   * @param work what of the JDK it used
   * @param ours the package of ours that ran or had called it; empty where none had
   */
  private record Part(String library, String work, String ours) {
    @Override
    public String toString() {
      String who = ours.isEmpty() || library.equals(PINWISE) ? library : library + " for";
      return (who + " " + ours).strip() + (work.equals(NOTHING) ? "" : ": " + work);
    }
  }

  private static Part part(List<RecordedFrame> frames) {
    String work = "";
    String library = "";
    for (RecordedFrame frame : frames) {
      String type = type(frame);
      if (isOurs(type)) {
        String ours = type.substring(OURS.length(), type.lastIndexOf('.'));
        return new Part(library.isEmpty() ? PINWISE : library, named(work, NOTHING), ours);
      }
      if (library.isEmpty()) {
        library = startingWith(type, LIBRARIES);
        work = work.isEmpty() ? startingWith(type, WORK_OF_JDK) : work;
      }
    }
    return new Part(named(library, "the JDK"), named(work, NOTHING), "");
  }

  private static String named(String name, String otherwise) {
    return name.isEmpty() ? otherwise : name;
  }

  private static String startingWith(String type, Map<String, String> names) {
    for (Map.Entry<String, String> one : names.entrySet()) {
      if (type.startsWith(one.getKey())) {
        return one.getValue();
      }
    }
    return "";
  }

  private static boolean isOurs(String type) {
    return type.startsWith(OURS);
  }

  private static String type(RecordedFrame frame) {
    return frame.getMethod().getType().getName();
  }
}

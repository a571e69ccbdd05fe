package org.pinwise.registrar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/** Where the time of a program goes: the methods in which Flight Recorder found it. */
final class Hotspots {
  private static final int SHOWN = 12;

  private Hotspots() {}

  /** Sums up all recordings in a folder; a line for each of the hottest methods. */
  static String of(Path folder) throws IOException {
    Map<String, Integer> samples = new HashMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".jfr")).toList()) {
        read(file, samples);
      }
    }
    int all = samples.values().stream().mapToInt(count -> count).sum();
    if (all == 0) {
      return "Flight Recorder has no sample.\n";
    }
    List<Map.Entry<String, Integer>> hottest =
        samples.entrySet().stream()
            .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
            .limit(SHOWN)
            .toList();
    return hottest.stream()
        .map(entry -> "%5.1f %%  %s%n".formatted(100.0 * entry.getValue() / all, entry.getKey()))
        .collect(Collectors.joining("", "of %,d samples:%n".formatted(all), ""));
  }

  private static void read(Path file, Map<String, Integer> samples) throws IOException {
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        boolean sample = event.getEventType().getName().equals("jdk.ExecutionSample");
        if (sample && event.getStackTrace() != null) {
          samples.merge(ours(event.getStackTrace().getFrames()), 1, Integer::sum);
        }
      }
    }
  }

  /** The method that ran and, where that is not ours, which of ours had called it. */
  private static String ours(List<RecordedFrame> frames) {
    String top = name(frames.get(0).getMethod());
    if (top.startsWith("org.pinwise.")) {
      return top;
    }
    for (RecordedFrame frame : frames) {
      String name = name(frame.getMethod());
      if (name.startsWith("org.pinwise.")) {
        return top + " in " + name;
      }
    }
    return top;
  }

  private static String name(RecordedMethod method) {
    return method.getType().getName() + "." + method.getName();
  }
}

package org.pinwise.registrar;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import jdk.jfr.Recording;

/**
 * Runs another program under Flight Recorder: {@code Recorded FILE CLASS ARGUMENT..}. The recorder
 * starts here and not by an option of the JVM, because with that no JVM takes the classes that were
 * loaded ahead of time, and then another start would be measured than that of the users.
 */
final class Recorded {
  private Recorded() {}

  /** Records until the process ends. */
  public static void main(String[] args) throws Exception {
    Recording recording = new Recording();
    recording.enable("jdk.CPUTimeSample").with("throttle", "1ms").withStackTrace();
    recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(1)).withStackTrace();
    recording.setDestination(Path.of(args[0]));
    recording.setDumpOnExit(true);
    recording.start();
    Class.forName(args[1])
        .getMethod("main", String[].class)
        .invoke(null, (Object) Arrays.copyOfRange(args, 2, args.length));
  }
}

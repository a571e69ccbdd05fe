package org.pinwise.engine.cli;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the build runs when it makes the cache of classes that are loaded ahead of time: the
 * commands whose start people wait for. What a command needs that is not among them is loaded as it
 * always was.
 */
final class Training {
  private static final List<String> COMMANDS =
      List.of(
          "check --device rxe --kernel 6.12 --access REMOTE_WRITE --length 4KiB",
          "check --device rxe --kernel 6.12 --access LOCAL_WRITE --length 1MiB --format json",
          "check --access REMOTE_WRITE --format json");

  private Training() {}

  /**
   * Runs the commands, one after the other, and shows nothing of what they say. The last one starts
   * and ends as the process does that people start.
   */
  public static void main(String[] args) {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    for (String command : COMMANDS) {
      int code = Main.run(nowhere, nowhere, InputStream.nullInputStream(), command.split(" "));
      if (code == ExitCode.USAGE) {
        throw new IllegalStateException("not understood: " + command);
      }
    }
    Main.main(new String[] {"version"});
  }
}

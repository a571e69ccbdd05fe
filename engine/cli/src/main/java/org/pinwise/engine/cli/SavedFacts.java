package org.pinwise.engine.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.facts.FactsWriter;
import org.pinwise.engine.facts.HostReport;
import org.pinwise.engine.facts.LiveDevice;

/** Writes what was read of a host as a facts file. */
final class SavedFacts {
  private SavedFacts() {}

  /**
   * Writes the file; what is unknown is a comment with the reason.
   *
   * @param device the device that goes with the host; null is none
   * @throws InputException if the file cannot be written
   */
  static void write(
      CliContext context, String file, @Nullable LiveDevice device, HostReport report) {
    StringBuilder text = new StringBuilder();
    if (device != null) {
      comments(text, "device", device.reasons());
    }
    comments(text, "host", report.live().reasons());
    text.append(FactsWriter.write(device == null ? null : device.device(), report.live().host()));
    Path path = Options.path("--save", file);
    try {
      Files.writeString(path, text, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new InputException(file, "cannot be written: " + reason(e));
    }
    context.err().println("facts are in " + Printable.line(file));
  }

  private static String reason(IOException e) {
    return e instanceof java.nio.file.NoSuchFileException
        ? "there is no such folder"
        : e instanceof java.nio.file.AccessDeniedException
            ? "permission denied"
            : String.valueOf(e.getMessage());
  }

  private static void comments(StringBuilder text, String key, Map<String, String> reasons) {
    new TreeMap<>(reasons)
        .forEach((field, why) ->
            text.append("# ")
                .append(Printable.line("%s.%s is unknown: %s".formatted(key, field, why)))
                .append('\n'));
  }
}

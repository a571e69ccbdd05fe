package org.pinwise.engine.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says whether people or programs read the result. */
final class FormatOption {
  private enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text (if nothing is said), or json for programs.")
  private @Nullable String format;

  /**
   * Returns whether JSON was asked for.
   *
   * @throws UsageException if there is no such format
   */
  boolean json() {
    return format != null && Options.choice("--format", format, Format.class) == Format.JSON;
  }
}

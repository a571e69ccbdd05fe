package org.pinwise.engine.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code pinwise version}. */
@Command(name = "version", description = "Shows the version.")
final class VersionCommand implements Callable<Integer> {
  private final CliContext context;

  VersionCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    context.out().print(text() + "\n");
    return ExitCode.OK;
  }

  static String text() {
    String version = VersionCommand.class.getPackage().getImplementationVersion();
    return "pinwise %s, Java %s"
        .formatted(version == null ? "(not packaged)" : version, Runtime.version().feature());
  }
}

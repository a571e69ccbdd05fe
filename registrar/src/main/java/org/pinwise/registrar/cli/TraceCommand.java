package org.pinwise.registrar.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.cli.CliContext;
import org.pinwise.engine.cli.ExitCode;
import org.pinwise.engine.cli.UsageException;
import org.pinwise.registrar.watch.TraceTargets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pinwise trace}. */
@Command(
    name = "trace",
    description = "Prints bpftrace and perf command lines that trace registrations on this host.",
    footer = {
      "",
      "They name the functions by their addresses in the library that is installed, or that",
      "the process has loaded, and only functions that this kernel and its drivers have. What",
      "is not known is said. Run them as root; nothing is run here.",
      "",
      "Exit codes: 0 printed, 2 there is nothing to trace, or wrong usage.",
      "",
      "Example: pinwise trace --pid 4711"
    })
final class TraceCommand implements Callable<Integer> {
  private final CliContext context;
  private final TargetsReader reader;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "Trace only this process, in the libibverbs that it has loaded.")
  private @Nullable String pid;

  /** Looks at a host. */
  @FunctionalInterface
  interface TargetsReader {
    TraceTargets read(@Nullable Long pid);
  }

  TraceCommand(CliContext context) {
    this(context, TraceTargets::ofThisHost);
  }

  TraceCommand(CliContext context, TargetsReader reader) {
    this.context = context;
    this.reader = reader;
  }

  @Override
  public Integer call() {
    Long process = null;
    if (pid != null) {
      if (!pid.matches("[1-9]\\d{0,9}")) {
        throw new UsageException("--pid", pid + " is no number of a process");
      }
      process = Long.parseLong(pid);
    }
    TraceTargets targets = reader.read(process);
    if (targets.libraryFunctions().isEmpty() && targets.kernelFunctions().isEmpty()) {
      throw new UsageException(
          "there is nothing to trace: " + String.join("; ", targets.problems()));
    }
    context.out().print(TraceText.of(targets, process));
    return ExitCode.OK;
  }
}

package org.pinwise.engine.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.advice.HostAdvice;
import org.pinwise.engine.facts.HostReport;
import org.pinwise.engine.facts.LiveDevice;
import org.pinwise.rules.model.Device;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pinwise doctor}. */
@Command(
    name = "doctor",
    description =
        "Shows what of this host matters to registrations, where it was read, and advice.",
    footer = {
      "",
      "What cannot be read is unknown, with the reason. Exit code 0, also where",
      "there is advice; 2 for wrong usage.",
      "",
      "Example: pinwise doctor --save host.yaml; pinwise check --host host.yaml .."
    })
final class DoctorCommand implements Callable<Integer> {
  private final CliContext context;
  private final @Nullable Supplier<HostReport> given;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = {
        "Read the limits, capabilities, control groups and environment",
        "of this process, instead of those of pinwise."
      })
  private @Nullable String pid;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = {
        "Write the facts to FILE, for --host; a device, too,",
        "where there is only one."
      })
  private @Nullable String save;

  @Mixin private ReportOptions format = new ReportOptions();

  DoctorCommand(CliContext context) {
    this(context, null);
  }

  DoctorCommand(CliContext context, @Nullable Supplier<HostReport> given) {
    this.context = context;
    this.given = given;
  }

  @Override
  public Integer call() {
    boolean json = format.json();
    HostReport report = report();
    List<Device> devices = report.devices().stream().map(LiveDevice::device).toList();
    HostAdvice.Given advice = new HostAdvice().on(report.live().host(), devices);
    if (save != null) {
      SavedFacts.write(context, save, devices.size() == 1 ? report.devices().get(0) : null, report);
    }
    context
        .out()
        .print(
            json
                ? DoctorJson.of(report, advice) + "\n"
                : DoctorText.of(report, advice, context.style()));
    return ExitCode.OK;
  }

  private HostReport report() {
    if (given != null) {
      return given.get();
    }
    return pid == null ? HostReport.ofThisProcess() : HostReport.ofProcess(Options.pid(pid));
  }
}

package org.pinwise.registrar.cli;

import java.util.List;
import org.pinwise.engine.cli.CliContext;
import org.pinwise.engine.cli.CliExtension;

/** Adds the registrar's commands to {@code pinwise}. */
public final class RegistrarCommands implements CliExtension {

  /** Made by {@link java.util.ServiceLoader}. */
  public RegistrarCommands() {}

  @Override
  public List<Object> commands(CliContext context) {
    return List.of(
        new RegisterCommand(context),
        new ProbeCommand(context),
        new MonitorCommand(context),
        new TraceCommand(context));
  }
}

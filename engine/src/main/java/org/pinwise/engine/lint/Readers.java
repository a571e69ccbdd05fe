package org.pinwise.engine.lint;

import java.util.List;
import java.util.Optional;

/** All formats: the one place that lists them. */
final class Readers {
  /** In the order in which they are asked: those that know a file by its name first. */
  static final List<ConfigReader> ALL =
      List.of(
          new ModprobeReader(),
          new LimitsReader(),
          new SystemdReader(),
          new SlurmReader(),
          new SysctlReader(),
          new PlanReader(),
          new ComposeReader(),
          new KubernetesReader(),
          new SourceCodeReader(),
          new ScriptReader());

  private Readers() {}

  /** Returns what reads a file; empty where its format is none of ours. */
  static Optional<ConfigReader> of(Source source) {
    for (ConfigReader reader : ALL) {
      if (reader.reads(source)) {
        return Optional.of(reader);
      }
    }
    return Optional.empty();
  }
}

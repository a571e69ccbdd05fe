package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Stands for a command of the registrar where that is left out. */
@Command(description = "Needs Java 25 and the registrar module.")
final class MissingCommand implements Callable<Integer> {
  /** The registrar's commands. */
  static final List<String> NAMES = List.of("register", "probe", "monitor", "trace");

  @Unmatched private List<String> ignored = new ArrayList<>();

  @Override
  public Integer call() {
    throw new UsageException(
        "needs Java 25 and the registrar module; this is Java %d%s"
            .formatted(
                Runtime.version().feature(),
                Runtime.version().feature() < 25
                    ? ", set JAVA_HOME or PINWISE_JAVA_HOME to a JDK 25"
                    : " without the registrar"));
  }
}

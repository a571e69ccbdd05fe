package org.pinwise.engine.cli;

import java.util.List;

/**
 * Adds commands to {@code pinwise}, found by {@link java.util.ServiceLoader}: name the
 * implementation in {@code META-INF/services/org.pinwise.engine.cli.CliExtension}.
 *
 * <p>It is made for every run that may need it, so its constructor does nothing.
 */
public interface CliExtension {

  /**
   * Returns the commands: objects whose class has picocli's {@code @Command} with a name, and that
   * are a {@code Callable<Integer>} which returns the exit code, see {@link ExitCode}.
   *
   * <p>A command says what is wrong with its options by {@link UsageException}, and with a file by
   * {@link org.pinwise.engine.InputException}; neither shows a stack trace. It shares options by
   * picocli's {@code @Mixin} on a field of {@link RequestOptions}, {@link FactsOptions}, {@link
   * RuleOptions} or {@link ReportOptions}.
   *
   * @param context where the commands read and write
   */
  List<Object> commands(CliContext context);
}

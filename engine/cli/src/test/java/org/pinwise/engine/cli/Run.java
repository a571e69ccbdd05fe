package org.pinwise.engine.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pinwise.engine.RuleSet;

/**
 * What a run of the command line came to.
 *
 * @param exit the exit code
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record Run(int exit, String out, String err) {

  /** Runs {@code pinwise} in this process. */
  static Run of(String... args) {
    return of(InputStream.nullInputStream(), args);
  }

  /** Runs {@code pinwise} in this process with this text as its standard input. */
  static Run reading(String text, String... args) {
    return reading(text.getBytes(UTF_8), args);
  }

  /** Runs {@code pinwise} in this process with these bytes as its standard input. */
  static Run reading(byte[] bytes, String... args) {
    return of(new ByteArrayInputStream(bytes), args);
  }

  private static Run of(InputStream in, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        Main.run(new PrintStream(out, false, UTF_8), new PrintStream(err, false, UTF_8), in, args);
    return new Run(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** Runs {@code pinwise} with these extensions and, if wanted, with colours. */
  static Run with(List<CliExtension> extensions, boolean colour, String... args) {
    return with(RuleSet::builtIn, extensions, colour, args);
  }

  /** Runs {@code pinwise} with these rules for those that come with it. */
  static Run with(RuleSet rules, String... args) {
    return with(() -> rules, List.of(), false, args);
  }

  /** Runs a command that the test makes, in place of the one with its name. */
  static Run command(String name, Function<CliContext, Object> command, String... options) {
    List<String> args = new ArrayList<>(List.of(name));
    args.addAll(List.of(options));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CliContext context =
        new CliContext(
            new PrintStream(out, false, UTF_8),
            new PrintStream(err, false, UTF_8),
            InputStream.nullInputStream(),
            false);
    int exit = Main.run(context, Map.of(name, command), List::of, args.toArray(String[]::new));
    return new Run(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  private static Run with(
      Supplier<RuleSet> rules, List<CliExtension> extensions, boolean colour, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CliContext context =
        new CliContext(
            new PrintStream(out, false, UTF_8),
            new PrintStream(err, false, UTF_8),
            InputStream.nullInputStream(),
            colour,
            rules);
    int exit = Main.run(context, () -> extensions, args);
    return new Run(exit, out.toString(UTF_8), err.toString(UTF_8));
  }
}

package org.pinwise.engine.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.RuleSetException;
import org.pinwise.engine.text.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code pinwise}. */
public final class Main {
  private static final int MAX_PROBLEMS = 50;

  /** The commands of this module, made when they are asked for. */
  private static final Map<String, Function<CliContext, Object>> COMMANDS = commands();

  private Main() {}

  /** The commands that read all rules. */
  private static final Set<String> JUDGING = Set.of("check", "lint", "capacity");

  private static Map<String, Function<CliContext, Object>> commands() {
    Map<String, Function<CliContext, Object>> commands = new LinkedHashMap<>();
    commands.put("check", CheckCommand::new);
    commands.put("lint", LintCommand::new);
    commands.put("rules", RulesCommand::new);
    commands.put("explain", ExplainCommand::new);
    commands.put("devices", DevicesCommand::new);
    commands.put("doctor", DoctorCommand::new);
    commands.put("capacity", CapacityCommand::new);
    commands.put("version", VersionCommand::new);
    return commands;
  }

  /** Runs {@code pinwise} and ends the process with its exit code. */
  public static void main(String[] args) {
    Pipe pipe = new Pipe(new FileOutputStream(FileDescriptor.out));
    PrintStream out = new PrintStream(pipe, false, StandardCharsets.UTF_8);
    PrintStream err =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    Supplier<RuleSet> rules =
        args.length > 0 && JUDGING.contains(args[0]) ? readAhead() : RuleSet::builtIn;
    int code =
        run(
            new CliContext(
                out, err, System.in, Colours.wanted(System.getenv(), Colours.terminal()), rules),
            Main::extensions,
            args);
    out.flush();
    String problem = pipe.problem();
    if (problem != null) {
      err.println("pinwise: the output cannot be written: " + Printable.line(problem));
      code = ExitCode.USAGE;
    }
    System.exit(code);
  }

  /**
   * Has the rules read while the arguments and the facts are, which takes as long; who asks for
   * them before that has begun reads them himself.
   */
  private static Supplier<RuleSet> readAhead() {
    FutureTask<RuleSet> reading = new FutureTask<>(RuleSet::builtIn);
    Thread reader = new Thread(reading, "pinwise-rules");
    reader.setDaemon(true); // wrong usage ends the process at once
    reader.start();
    return () -> {
      reading.run();
      try {
        return reading.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while the rules were read", e);
      }
    };
  }

  /**
   * Runs {@code pinwise} without colours. Nothing but the streams is touched, and nothing is thrown
   * for wrong input.
   *
   * @return the exit code, see {@link ExitCode}
   */
  public static int run(PrintStream out, PrintStream err, InputStream in, String... args) {
    return run(new CliContext(out, err, in, false), Main::extensions, args);
  }

  /** Runs with the extensions given; they are asked for only where they may be needed. */
  static int run(CliContext context, Supplier<List<CliExtension>> extensions, String... args) {
    return run(context, COMMANDS, extensions, args);
  }

  /** Runs with these commands instead of the module's own. */
  static int run(
      CliContext context,
      Map<String, Function<CliContext, Object>> commands,
      Supplier<List<CliExtension>> extensions,
      String... args) {
    try {
      return commandLine(context, commands, extensions, args).execute(args);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
      return internal(context.err(), e);
    } finally {
      context.out().flush();
      context.err().flush();
    }
  }

  private static CommandLine commandLine(
      CliContext context,
      Map<String, Function<CliContext, Object>> commands,
      Supplier<List<CliExtension>> extensions,
      String... args) {
    CommandLine root = new CommandLine(new Root());
    root.getCommandSpec()
        .version(VersionCommand.text())
        .addOption(
            OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Show the version.")
                .build());
    String asked = args.length == 0 ? "" : args[0];
    Function<CliContext, Object> one = commands.get(asked);
    if (one != null) {
      root.addSubcommand(asked, one.apply(context));
    } else {
      commands.forEach((name, command) -> root.addSubcommand(name, command.apply(context)));
      for (CliExtension extension : extensions.get()) {
        extension.commands(context).forEach(root::addSubcommand);
      }
      for (String name : MissingCommand.NAMES) {
        if (!root.getSubcommands().containsKey(name)) {
          root.addSubcommand(name, new MissingCommand());
        }
      }
      root.addSubcommand("help", new CommandLine.HelpCommand());
    }
    addHelp(root);
    root.setOut(new PrintWriter(context.out(), true, StandardCharsets.UTF_8));
    root.setErr(new PrintWriter(context.err(), true, StandardCharsets.UTF_8));
    root.setColorScheme(Help.defaultColorScheme(context.colour() ? Ansi.ON : Ansi.OFF));
    root.setUsageHelpWidth(100);
    root.setExpandAtFiles(false);
    root.setParameterExceptionHandler((e, given) -> usage(context.err(), e));
    root.setExecutionExceptionHandler((e, command, result) -> failed(context.err(), e, command));
    return root;
  }

  private static void addHelp(CommandLine command) {
    if (command.getCommandSpec().findOption("--help") == null) {
      command
          .getCommandSpec()
          .addOption(
              OptionSpec.builder("-h", "--help")
                  .usageHelp(true)
                  .description("Show this help.")
                  .build());
    }
    command.getSubcommands().values().forEach(Main::addHelp);
  }

  /** Returns the extensions that this Java can load. */
  private static List<CliExtension> extensions() {
    List<CliExtension> found = new ArrayList<>();
    try {
      ServiceLoader.load(CliExtension.class, Main.class.getClassLoader()).forEach(found::add);
    } catch (ServiceConfigurationError | UnsupportedClassVersionError e) {
      return found; // made for a newer Java: its commands say what they need
    }
    return found;
  }

  private static int usage(PrintStream err, ParameterException e) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    String problem = Printable.problem(problem(e));
    String stop = problem.endsWith("?") ? "" : ".";
    err.printf("%s: %s%s See '%s --help'.%n", name, problem, stop, name);
    return ExitCode.USAGE;
  }

  private static String problem(ParameterException e) {
    CommandLine command = e.getCommandLine();
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String argument = unmatched.getUnmatched().get(0);
      if (argument.startsWith("-")) {
        List<String> options = List.copyOf(command.getCommandSpec().optionsMap().keySet());
        return "there is no option %s%s"
            .formatted(argument, Nearest.hint(argument.replaceFirst("=.*", ""), options));
      }
      if (!command.getSubcommands().isEmpty()) {
        return "there is no command %s%s"
            .formatted(argument, Nearest.hint(argument, command.getSubcommands().keySet()));
      }
      return "%s is one argument too many".formatted(argument);
    }
    String message = String.valueOf(e.getMessage());
    return message.isEmpty()
        ? "wrong usage"
        : Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }

  private static int failed(PrintStream err, Exception e, CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    if (e instanceof RuleSetException rules) {
      List<RuleProblem> problems = rules.problems();
      problems.stream()
          .limit(MAX_PROBLEMS)
          .forEach(problem -> err.println(Printable.line(problem.toString())));
      if (problems.size() > MAX_PROBLEMS) {
        err.printf("%s: and %d more problems%n", name, problems.size() - MAX_PROBLEMS);
      }
      return ExitCode.USAGE;
    }
    String message = Printable.problem(String.valueOf(e.getMessage()));
    if (e instanceof InputException && !message.startsWith("--")) {
      err.println(message); // it starts with the file
    } else if (e instanceof InputException || e instanceof UsageException) {
      err.printf("%s: %s%n", name, message);
    } else {
      return internal(err, e);
    }
    return ExitCode.USAGE;
  }

  private static int internal(PrintStream err, Throwable e) {
    if (e instanceof OutOfMemoryError) {
      err.printf(
          "pinwise: this does not fit into a heap of %d MiB; say more by JDK_JAVA_OPTIONS=-Xmx..%n",
          Runtime.getRuntime().maxMemory() >> 20);
      return ExitCode.USAGE;
    }
    StackTraceElement[] trace = e.getStackTrace();
    String place = trace.length == 0 ? "" : " at " + trace[0];
    err.printf(
        "pinwise: an error in Pinwise itself, please report it: %s%s%n",
        Printable.line(e.toString()), place);
    return ExitCode.USAGE;
  }

  /** The command without a command. */
  @Command(
      name = "pinwise",
      description = "Judges RDMA memory registrations before the call, and explains failures.",
      synopsisSubcommandLabel = "COMMAND")
  private static final class Root implements Callable<Integer> {
    @Override
    public Integer call() {
      throw new UsageException("say what to do, such as check. See 'pinwise --help'.");
    }
  }

  /** Standard output that remembers why it could not be written. */
  private static final class Pipe extends OutputStream {
    private final OutputStream target;
    private @Nullable IOException failure;

    Pipe(OutputStream target) {
      this.target = target;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        target.write(bytes, offset, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }

    /** Returns what went wrong; null where nothing did, or where the reader has seen enough. */
    @Nullable String problem() {
      String message = failure == null ? null : String.valueOf(failure.getMessage());
      return message == null || message.contains("Broken pipe") ? null : message;
    }
  }
}

package org.pinwise.engine.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.InputException;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.engine.lint.ConfigLinter;
import org.pinwise.engine.lint.LintFormat;
import org.pinwise.engine.lint.LintListener;
import org.pinwise.engine.lint.LintSummary;
import org.pinwise.engine.lint.LintWriter;
import org.pinwise.rules.spi.Severity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pinwise lint}. */
@Command(
    name = "lint",
    description = "Judges configuration files: plans of registrations, Kubernetes, Compose, ..",
    footer = {
      "",
      "Directories are walked without what .gitignore leaves out; files of other kinds",
      "in them are passed over, and - reads standard input.",
      "",
      "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong usage or",
      "input that cannot be read, also where there are findings.",
      "",
      "Example: helm template chart | pinwise lint - --fail-on warning"
    })
final class LintCommand implements Callable<Integer> {
  private static final String STDIN = "-";
  private static final int MAX_STDIN = 64 << 20;

  private final CliContext context;

  @Parameters(paramLabel = "PATH", description = "Files, directories, or - for standard input.")
  private List<String> paths = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text (if nothing is said), json, sarif, junit or github.")
  private String format = "text";

  @Option(
      names = "--fail-on",
      paramLabel = "SEVERITY",
      description = "error (if nothing is said), warning, info or never.")
  private String failOn = "error";

  @Option(names = "--require-match", description = "Fail where there is nothing to check.")
  private boolean requireMatch;

  @Option(
      names = "--budget",
      description = "Show what plans lock, and what they may lock; in text only.")
  private boolean budget;

  @Option(
      names = "--plan-schema",
      description = "Print the JSON Schema of plans, by which editors complete them.")
  private boolean planSchema;

  @Mixin private RuleOptions rules;

  LintCommand(CliContext context) {
    this.context = context;
    this.rules = new RuleOptions(context.builtIn());
  }

  /** From which severity on a finding fails the run. */
  private enum FailOn {
    ERROR,
    WARNING,
    INFO,
    NEVER
  }

  @Override
  public Integer call() {
    if (planSchema) {
      if (!paths.isEmpty()) {
        throw new UsageException("--plan-schema", "lints nothing; leave out the files");
      }
      context.out().print(JsonTree.schema("pinwise-plan-1"));
      return ExitCode.OK;
    }
    if (paths.isEmpty()) {
      throw new UsageException("name files, directories or - for standard input");
    }
    LintFormat written = Options.choice("--format", format, LintFormat.class);
    FailOn least = Options.choice("--fail-on", failOn, FailOn.class);
    if (budget && written != LintFormat.TEXT) {
      throw new UsageException("--budget", "is for people; leave out --format " + format);
    }
    List<Path> files = new ArrayList<>();
    boolean stdin = paths.contains(STDIN);
    if (stdin && paths.size() > 1) {
      throw new UsageException("- stands alone: standard input is linted by itself");
    }
    ConfigLinter linter = ConfigLinter.create(rules.validator(Assumptions.USUAL));
    LintWriter writer = written.to(context.out());
    BudgetTable table = new BudgetTable();
    LintListener listener = new LintProgress(writer, table, context, System::nanoTime);
    LintSummary summary;
    if (stdin) {
      summary = linter.lint("stdin", standardInput(), listener);
    } else {
      paths.forEach(path -> files.add(Options.path("PATH", path)));
      summary = linter.lint(files, listener);
    }
    writer.end(summary);
    if (budget) {
      table.print(context.out());
    }
    if (summary.problems() > 0) {
      return ExitCode.USAGE;
    }
    if (requireMatch && summary.statements() == 0) {
      return ExitCode.REJECTED;
    }
    boolean fails = least != FailOn.NEVER && summary.hasAtLeast(Severity.valueOf(least.name()));
    return fails ? ExitCode.REJECTED : ExitCode.OK;
  }

  private byte[] standardInput() {
    try {
      byte[] bytes = context.in().readNBytes(MAX_STDIN + 1);
      if (bytes.length > MAX_STDIN) {
        throw new InputException("stdin", "has more than %d bytes".formatted(MAX_STDIN));
      }
      return bytes;
    } catch (IOException e) {
      throw new InputException("stdin", "cannot be read: " + e.getMessage());
    }
  }
}

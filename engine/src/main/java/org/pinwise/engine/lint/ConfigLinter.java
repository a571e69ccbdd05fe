package org.pinwise.engine.lint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;

/**
 * Lints configuration files by the rules of a validator. Immutable and thread-safe.
 *
 * {@snippet :
 * MrValidator validator = MrValidator.create(RuleSet.builtIn());
 * LintReport report = ConfigLinter.create(validator).lint(Path.of("cluster.yaml"));
 * report.diagnostics().forEach(System.out::println);
 * }
 */
public final class ConfigLinter {
  private final MrValidator validator;

  private ConfigLinter(MrValidator validator) {
    this.validator = validator;
  }

  /** Makes a linter. */
  public static ConfigLinter create(MrValidator validator) {
    return new ConfigLinter(validator);
  }

  /** Lints files and, with all that is in them, directories. */
  public LintReport lint(Path... paths) {
    List<Diagnostic> diagnostics = new ArrayList<>();
    List<LintProblem> problems = new ArrayList<>();
    LintSummary summary =
        lint(
            Arrays.asList(paths),
            new LintListener() {
              @Override
              public void found(Diagnostic diagnostic) {
                diagnostics.add(diagnostic);
              }

              @Override
              public void problem(LintProblem problem) {
                problems.add(problem);
              }
            });
    return new LintReport(diagnostics, problems, summary);
  }

  /** Lints files and directories, and tells a listener what it finds as soon as it does. */
  public LintSummary lint(List<Path> paths, LintListener listener) {
    LintRun run = new LintRun(validator, listener);
    FileWalk walk = new FileWalk(run);
    paths.forEach(walk::walk);
    run.join();
    listener.done();
    return run.summary();
  }

  /** Lints a text, such as what a program wrote to standard input. */
  public LintSummary lint(String name, String text, LintListener listener) {
    return lint(new Source(name, text), listener);
  }

  /**
   * Lints what a program wrote.
   *
   * @throws InputException at the first that is not UTF-8
   */
  public LintSummary lint(String name, byte[] text, LintListener listener) {
    return lint(Source.of(name, text, Siblings.NONE), listener);
  }

  private LintSummary lint(Source source, LintListener listener) {
    LintRun run = new LintRun(validator, listener);
    run.keep(source);
    run.named(source);
    run.join();
    listener.done();
    return run.summary();
  }
}

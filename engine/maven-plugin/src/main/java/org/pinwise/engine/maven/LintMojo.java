package org.pinwise.engine.maven;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.RuleSetException;
import org.pinwise.engine.lint.ConfigLinter;
import org.pinwise.engine.lint.Diagnostic;
import org.pinwise.engine.lint.LintListener;
import org.pinwise.engine.lint.LintProblem;
import org.pinwise.engine.lint.LintSummary;
import org.pinwise.rules.spi.Severity;

/**
 * Lints configuration files: logs every finding, and fails once. Maven sets the fields by the
 * descriptor, {@code META-INF/maven/plugin.xml}.
 */
public final class LintMojo extends AbstractMojo {
  private static final String NEVER = "never";

  private File basedir = new File(".");
  private List<String> files = new ArrayList<>();
  private String failOn = "error";
  private @Nullable String profile;
  private List<String> rules = new ArrayList<>();
  private boolean requireMatch;
  private boolean skip;

  /** Makes a goal that Maven configures. */
  public LintMojo() {}

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    if (skip) {
      getLog().info("pinwise: skipped");
      return;
    }
    @Nullable Severity least = least();
    LintSummary summary;
    try {
      summary = ConfigLinter.create(MrValidator.create(ruleSet())).lint(paths(), new Logged());
    } catch (RuleSetException e) {
      e.problems().forEach(problem -> getLog().error(problem.toString()));
      throw new MojoExecutionException("pinwise: the rules cannot be used, see above", e);
    } catch (InputException e) {
      throw new MojoExecutionException("pinwise: " + e.getMessage(), e);
    }
    String sentence = summary.inWords();
    getLog().info("pinwise: " + sentence);
    if (summary.problems() > 0) {
      throw new MojoExecutionException("pinwise: " + sentence);
    }
    boolean nothing = requireMatch && summary.statements() == 0;
    if (nothing || (least != null && summary.hasAtLeast(least))) {
      throw new MojoFailureException("pinwise: " + sentence);
    }
  }

  private @Nullable Severity least() throws MojoExecutionException {
    String name = failOn.strip().toUpperCase(Locale.ROOT);
    for (Severity severity : Severity.values()) {
      if (severity.name().equals(name)) {
        return severity;
      }
    }
    if (!name.equalsIgnoreCase(NEVER)) {
      throw new MojoExecutionException(
          "pinwise.failOn is error, warning, info or never, not " + failOn);
    }
    return null;
  }

  private RuleSet ruleSet() {
    RuleSet all = RuleSet.builtIn();
    for (String directory : rules) {
      all = all.withFiles(resolved(directory));
    }
    if (profile == null || profile.isBlank()) {
      return all;
    }
    return all.with(
        Profile.builtInNames().contains(profile)
            ? Profile.builtIn(profile)
            : Profile.load(resolved(profile)));
  }

  private List<Path> paths() {
    List<Path> paths = new ArrayList<>();
    files.forEach(file -> paths.add(resolved(file.strip())));
    if (paths.isEmpty()) {
      paths.add(basedir.toPath());
    }
    return paths;
  }

  private Path resolved(String name) {
    return basedir.toPath().resolve(name);
  }

  /** Logs what is found, with files named from the project's directory. */
  private final class Logged implements LintListener {
    @Override
    public void found(Diagnostic diagnostic) {
      String text = shortened(diagnostic.toString());
      switch (diagnostic.severity()) {
        case ERROR -> getLog().error(text);
        case WARNING -> getLog().warn(text);
        case INFO -> getLog().info(text);
      }
    }

    @Override
    public void problem(LintProblem problem) {
      getLog().error(shortened(problem.toString()));
    }

    private String shortened(String text) {
      String directory = basedir.toPath() + File.separator;
      return text.startsWith(directory) && Files.isDirectory(basedir.toPath())
          ? text.substring(directory.length())
          : text;
    }
  }
}

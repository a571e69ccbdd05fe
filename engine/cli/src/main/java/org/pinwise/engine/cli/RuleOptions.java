package org.pinwise.engine.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.text.Nearest;
import picocli.CommandLine.Option;

/** Options that say which rules judge. */
public final class RuleOptions {

  @Option(
      names = "--profile",
      paramLabel = "PROFILE",
      description = {
        "kernel (if nothing is said): what the kernel does;",
        "strict: house rules, too; or a profile's FILE."
      })
  private @Nullable String profile;

  @Option(
      names = "--rules",
      paramLabel = "DIR",
      description = "A directory or a jar of a team's rules; may be given again.")
  private List<String> rules = new ArrayList<>();

  @Option(
      names = "--trusted-rules",
      paramLabel = "DIR",
      description = {
        "A directory or a jar of rules in full DRL, which run any code: name only",
        "what you trust. Needs drools-engine on the class path; may be given again."
      })
  private List<String> trusted = new ArrayList<>();

  private final Supplier<RuleSet> builtIn;

  /** Makes options that nobody gave. */
  public RuleOptions() {
    this(RuleSet::builtIn);
  }

  RuleOptions(Supplier<RuleSet> builtIn) {
    this.builtIn = builtIn;
  }

  /**
   * Returns the rules, also those that the class path brings, which may have problems.
   *
   * @throws UsageException if there is no such profile
   * @throws InputException if a file or a directory cannot be read, or a directory holds no rule
   */
  public RuleSet ruleSet() {
    RuleSet all = builtIn.get().withClassPath(RuleOptions.class.getClassLoader());
    for (String directory : rules) {
      all = notEmpty(directory, all, all.withFiles(Options.path("--rules", directory)));
    }
    for (String directory : trusted) {
      Path path = Options.path("--trusted-rules", directory);
      all = notEmpty(directory, all, all.withTrustedFiles(path));
    }
    return profile == null ? all : all.with(profile(profile));
  }

  private static RuleSet notEmpty(String directory, RuleSet before, RuleSet after) {
    if (after.rooms().size() == before.rooms().size()) {
      throw new InputException(
          directory, "holds no rule; a rule is a folder such as ACME001-name with a rule.drl");
    }
    return after;
  }

  /**
   * Returns what judges by these rules.
   *
   * @throws org.pinwise.engine.RuleSetException if the rules have problems
   */
  public MrValidator validator(Assumptions assumptions) {
    return MrValidator.forFew(ruleSet(), assumptions);
  }

  private static Profile profile(String name) {
    if (Profile.builtInNames().contains(name)) {
      return Profile.builtIn(name);
    }
    Path file = Options.path("--profile", name);
    if (name.matches(".*(/|\\.ya?ml$|\\.json$).*") || Files.exists(file)) {
      return Profile.load(file);
    }
    String hint = Nearest.hint(name, Profile.builtInNames());
    throw new UsageException(
        "--profile",
        "there is no profile %s%s"
            .formatted(
                name,
                hint.isEmpty()
                    ? "; there are %s, or name a file"
                        .formatted(String.join(" and ", Profile.builtInNames()))
                    : hint));
  }
}

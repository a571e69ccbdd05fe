package org.pinwise.engine.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.RuleSetException;
import org.pinwise.engine.text.Nearest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pinwise rules}. */
@Command(
    name = "rules",
    description = "Lists and shows rules, and helps to write them.",
    synopsisSubcommandLabel = "COMMAND")
final class RulesCommand implements Callable<Integer> {
  private final CliContext context;

  RulesCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    throw new UsageException("say what to do: list, show ID, new ID NAME, test DIR or impact DIR");
  }

  @Command(name = "list", description = "Lists the rules, a line each.")
  Integer list(@Mixin RuleOptions rules) {
    context.out().print(RuleText.list(usable(rules), context.style()));
    return ExitCode.OK;
  }

  @Command(name = "show", description = "Shows a rule in words, and its file.")
  Integer show(
      @Mixin RuleOptions rules,
      @Parameters(paramLabel = "ID", description = "Such as MR004, or MR004/before-6.2.")
          String id) {
    RuleSet all = usable(rules);
    List<RuleText.Shown> found = byId(all, id);
    if (found.isEmpty()) {
      throw new UsageException("there is no rule %s%s".formatted(id, Nearest.hint(id, ids(all))));
    }
    context.out().print(RuleText.show(all, found, context.style()));
    return ExitCode.OK;
  }

  @Command(
      name = "new",
      description = "Makes a rule's room: a rule that works, its prose and its examples, to edit.")
  Integer create(
      @Parameters(paramLabel = "ID", description = "Such as ACME101.") String id,
      @Parameters(paramLabel = "NAME", description = "Such as regions-are-small.") String name,
      @Option(
              names = "--in",
              paramLabel = "DIR",
              defaultValue = ".",
              description = "The directory of the team's rules; here if nothing is said.")
          String in) {
    return new TeamRules(context).create(id, name, in);
  }

  @Command(
      name = "test",
      description = "Checks a team's rules by their examples, and says what is missing.",
      footer = {"", "Exit codes: 0 all hold, 1 not, 2 wrong usage or rules that cannot be read."})
  Integer test(
      @Option(
              names = "--trusted",
              description = {
                "The rules of DIR are in full DRL, which runs any code: name only what you",
                "trust. Needs drools-engine on the class path."
              })
          boolean trusted,
      @Parameters(paramLabel = "DIR", description = "A directory of rooms, or a jar.")
          String directory) {
    return new TeamRules(context).test(directory, trusted);
  }

  @Command(
      name = "impact",
      description = {
        "Shows which verdicts a team's rules would change: on recorded requests, on the",
        "examples of Pinwise, and on every set of flags that is accepted on usual devices."
      },
      footer = {
        "",
        "Exit codes: 0 nothing more is refused, 1 something is, 2 wrong usage or input."
      })
  Integer impact(
      @Mixin RuleOptions rules,
      @Parameters(paramLabel = "DIR", description = "A directory of rooms, or a jar.")
          String directory,
      @Option(
              names = "--trusted",
              description = {
                "The rules of DIR are in full DRL, which runs any code: name only what you",
                "trust. Needs drools-engine on the class path."
              })
          boolean trusted,
      @Option(
              names = "--requests",
              paramLabel = "FILE|DIR",
              description = "Facts files of recorded requests; may be given again.")
          List<String> requests) {
    return new TeamRules(context)
        .impact(directory, trusted, rules, requests == null ? List.of() : requests);
  }

  /** Returns the rules, or names their problems. */
  static RuleSet usable(RuleOptions options) {
    RuleSet rules = options.ruleSet();
    List<RuleProblem> problems = rules.problems();
    if (!problems.isEmpty()) {
      throw new RuleSetException(problems);
    }
    return rules;
  }

  /** Returns the rule of an id, or the rules of a room's. */
  static List<RuleText.Shown> byId(RuleSet rules, String id) {
    return RuleText.Shown.all(rules).stream()
        .filter(rule ->
            rule.meta().id().equalsIgnoreCase(id) || rule.meta().room().equalsIgnoreCase(id))
        .toList();
  }

  static List<String> ids(RuleSet rules) {
    return RuleText.Shown.all(rules).stream().map(rule -> rule.meta().id()).toList();
  }
}

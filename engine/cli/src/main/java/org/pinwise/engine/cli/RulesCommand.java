package org.pinwise.engine.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.RuleSetException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.spi.Rule;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code pinwise rules}. */
@Command(
    name = "rules",
    description = "Lists and shows rules.",
    synopsisSubcommandLabel = "COMMAND")
final class RulesCommand implements Callable<Integer> {
  private final CliContext context;

  RulesCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    throw new UsageException("say what to do: list, or show ID");
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
    List<Rule> found = byId(all, id);
    if (found.isEmpty()) {
      throw new UsageException("there is no rule %s%s".formatted(id, Nearest.hint(id, ids(all))));
    }
    context.out().print(RuleText.show(all, found, context.style()));
    return ExitCode.OK;
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
  static List<Rule> byId(RuleSet rules, String id) {
    return rules.rules().stream()
        .filter(rule -> rule.id().equalsIgnoreCase(id) || rule.meta().room().equalsIgnoreCase(id))
        .toList();
  }

  static List<String> ids(RuleSet rules) {
    return rules.rules().stream().map(Rule::id).toList();
  }
}

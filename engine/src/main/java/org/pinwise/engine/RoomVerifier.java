package org.pinwise.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsFile;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.engine.facts.MrPlan;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;

/**
 * Checks rooms by their own examples: every {@code reject-*} reports just what it marks, on a line
 * that the rule reads, and does so because of the rule; no {@code accept-*} reports the room.
 * Immutable and thread-safe.
 */
public final class RoomVerifier {
  private static final Pattern EXPECTATION =
      Pattern.compile("([A-Z]+\\d+(?:/[a-z0-9.-]+)?)\\s+(error|warning|info|undecided)");
  private static final String MARK = "# expect:";
  private static final String UNDECIDED = "undecided";

  private final RuleSet rules;
  private final FactsReader reader;
  private final MrValidator validator;

  /**
   * Makes a verifier of rooms that are part of a rule set.
   *
   * @throws RuleSetException if the rule set has problems
   */
  public RoomVerifier(RuleSet rules, DeviceCatalog catalog) {
    this.rules = rules;
    this.reader = FactsReader.of(catalog);
    this.validator = MrValidator.create(rules);
  }

  /** Returns what is wrong with a room; empty where nothing is. */
  public List<RuleProblem> problems(Room room) {
    List<RuleProblem> problems = new ArrayList<>();
    for (String name : new TreeSet<>(room.files().keySet())) {
      if (!name.equals("rule.drl")
          && !name.equals("rule.md")
          && !name.matches("(accept|reject|undecided)-[a-z0-9-]+\\.yaml")) {
        problems.add(
            problem(
                room,
                name,
                0,
                "the file belongs to no room; a room has rule.drl, rule.md and examples"));
      }
    }
    if (room.prose().isBlank()) {
      problems.add(
          problem(room, "rule.md", 0, "the room has no prose; say why, and how to mend it"));
    }
    List<String> own =
        Stream.concat(
                rules.rules().stream().map(Rule::meta),
                rules.trustedRules().stream().map(TrustedRule::meta))
            .filter(rule -> rule.room().equals(room.id()))
            .map(RuleMeta::id)
            .toList();
    Set<String> shown = new HashSet<>();
    boolean accepts = false;
    MrValidator without = MrValidator.create(rules.without(room.id()));
    for (Map.Entry<String, String> file : new TreeMap<>(room.files()).entrySet()) {
      if (!file.getKey().endsWith(".yaml")) {
        continue;
      }
      accepts |= file.getKey().startsWith("accept-");
      try {
        example(room, file.getKey(), file.getValue(), without, shown, problems);
      } catch (InputException e) {
        problems.add(problem(room, file.getKey(), 0, String.valueOf(e.getMessage())));
      }
    }
    if (!accepts) {
      problems.add(problem(room, "rule.drl", 0, "the room has no accept-*.yaml"));
    }
    for (String rule : own) {
      if (!shown.contains(rule)) {
        problems.add(problem(room, "rule.drl", 0, "no example marks rule " + rule));
      }
    }
    return problems;
  }

  private void example(
      Room room,
      String name,
      String text,
      MrValidator without,
      Set<String> shown,
      List<RuleProblem> problems) {
    FactsFile file = reader.read(name, text);
    Map<String, String> expected = new TreeMap<>();
    Map<String, Integer> lines = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      int mark = line.indexOf(MARK);
      if (mark < 0) {
        continue;
      }
      for (String entry : line.substring(mark + MARK.length()).split(",", -1)) {
        Matcher matcher = EXPECTATION.matcher(entry.strip());
        if (matcher.matches()) {
          expected.put(matcher.group(1), matcher.group(2));
          lines.put(matcher.group(1), number);
        } else {
          problems.add(
              problem(
                  room, name, number, "an expectation is: # expect: MR001 error, MR023 warning"));
        }
      }
    }
    Verdict verdict = validator.validate(file.facts());
    Map<String, String> found = reported(verdict, expected.containsValue(UNDECIDED));
    if (name.startsWith("accept-")) {
      found.keySet().removeIf(rule -> !room(rule).equals(room.id()));
    }
    if (!found.equals(expected)) {
      problems.add(
          problem(
              room,
              name,
              0,
              "reports %s, and marks %s%s"
                  .formatted(found, expected, undecided(verdict, room, found))));
    }
    if (!name.startsWith("accept-") && expected.isEmpty()) {
      problems.add(problem(room, name, 0, "marks nothing; add a line's: # expect: ID severity"));
    }
    if (!expected.isEmpty()) {
      Set<String> rest = reported(without.validate(file.facts()), true).keySet();
      for (String rule : expected.keySet()) {
        if (!room(rule).equals(room.id())) {
          continue;
        }
        shown.add(rule);
        if (rest.contains(rule)) {
          problems.add(problem(room, name, 0, rule + " is reported without its room, too"));
        }
        if (!onItsLine(rule, lines.getOrDefault(rule, 0), file)) {
          problems.add(
              problem(
                  room, name, lines.getOrDefault(rule, 0), rule + " reads nothing of this line"));
        }
      }
    }
  }

  private static Map<String, String> reported(Verdict verdict, boolean undecidedToo) {
    Map<String, String> reported = new TreeMap<>();
    for (Finding finding : verdict.findings()) {
      reported.put(finding.rule(), finding.severity().name().toLowerCase(Locale.ROOT));
    }
    if (undecidedToo) {
      for (UndecidedRule rule : verdict.undecided()) {
        if (rule.severity() == Severity.ERROR) {
          reported.put(rule.rule(), UNDECIDED);
        }
      }
    }
    return reported;
  }

  /** Says which rules of a room only lack facts, and which: that is easily taken for silence. */
  private static String undecided(Verdict verdict, Room room, Map<String, String> found) {
    return verdict.undecided().stream()
        .filter(rule -> room(rule.rule()).equals(room.id()) && !found.containsKey(rule.rule()))
        .map(rule -> "; %s is undecided without %s".formatted(rule.rule(), rule.needs()))
        .collect(Collectors.joining());
  }

  private static String room(String rule) {
    int slash = rule.indexOf('/');
    return slash < 0 ? rule : rule.substring(0, slash);
  }

  /**
   * The marked line must give a fact that the rule reads, or that what it reads is derived of; of a
   * rule in full DRL, whose reads are not known, any fact.
   */
  private boolean onItsLine(String id, int line, FactsFile file) {
    Rule rule = rules.rules().stream().filter(r -> r.id().equals(id)).findFirst().orElse(null);
    if (rule == null) {
      return file.lines().containsValue(line)
          && rules.trustedRules().stream().anyMatch(trusted -> trusted.id().equals(id));
    }
    Set<String> reads = new HashSet<>();
    CompiledRule.of(rule, rule.meta().parameters())
        .atoms()
        .forEach(atom -> atom.reads().forEach(field -> reads(field, reads)));
    return file.lines().entrySet().stream()
        .anyMatch(entry ->
            entry.getValue() == line
                && reads.stream()
                    .anyMatch(read ->
                        read.equals(entry.getKey()) || read.startsWith(entry.getKey() + ".")));
  }

  private static void reads(Operand.FieldOf<?> field, Set<String> into) {
    if (field.type().key().equals("range")) {
      into.addAll(List.of("request.address", "request.length", "request.iova"));
      if (field.field().name().startsWith("beyondMemlock")) {
        into.addAll(List.of("host.memlock", "host.pinnedPages", "host.pageSize"));
      }
    } else if (field.type().equals(Plan.TYPE)) {
      // The sums are computed of what the plan lists, and of the request where it lists nothing.
      into.add(Plan.TYPE.key());
      into.add(field.toString());
      MrPlan.keys().forEach(key -> into.add(Plan.TYPE.key() + "." + key));
      into.add("request.length");
    } else if (field.field().name().startsWith("unknown")) {
      into.add("request.access");
    } else {
      into.add(field.toString());
    }
  }

  private static RuleProblem problem(Room room, String file, int line, @Nullable String message) {
    return new RuleProblem(
        room.location() + "/" + file, line, line > 0 ? 1 : 0, room.id(), String.valueOf(message));
  }
}

package org.pinwise.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.drools.FullDrl;
import org.pinwise.engine.rulefile.TeamRules;
import org.pinwise.rules.spi.RuleChecks;

/**
 * A pack whose rules are in full DRL.
 *
 * @param location where it is, as problems and verdicts name it
 * @param program the compiled rules; null where they have problems
 * @param rules the rules that may report, by id
 * @param problems what is wrong
 */
record TrustedPack(
    String location,
    @Nullable FullDrl program,
    List<TrustedRule> rules,
    List<RuleProblem> problems) {
  private static final String FILE = "/rule.drl";
  private static final Pattern RULE = Pattern.compile("^\\s*rule\\s+(?:\"([^\"]+)\"|(\\S+))");

  /** Where a rule stands. */
  private record Place(String file, int line, String room) {}

  /** Compiles the rule files of a pack; takes seconds. */
  static TrustedPack of(Pack pack) {
    List<RuleProblem> problems = new ArrayList<>(pack.problems());
    Map<String, String> files = new LinkedHashMap<>();
    Map<String, String> shown = new LinkedHashMap<>();
    Map<String, Place> places = new LinkedHashMap<>();
    for (Room room : pack.rooms()) {
      String file = room.location() + FILE;
      if (room.rule().isEmpty()) {
        problems.add(new RuleProblem(room.location(), 0, 0, room.id(), "the room has no rule.drl"));
        continue;
      }
      files.put(room.name() + FILE, room.rule());
      shown.put(room.name() + FILE, file);
      places(room, file, places, problems);
    }
    if (files.isEmpty()) {
      return new TrustedPack(pack.location(), null, List.of(), problems);
    }
    FullDrl program;
    try {
      program = FullDrl.compile(files);
    } catch (FullDrl.CompilationException e) {
      for (FullDrl.Problem problem : e.problems()) {
        problems.add(
            new RuleProblem(
                shown.getOrDefault(problem.file(), pack.location()),
                problem.line(),
                problem.line() > 0 ? 1 : 0,
                null,
                problem.message()));
      }
      return new TrustedPack(pack.location(), null, List.of(), problems);
    }
    if (!program.canReport()) {
      problems.add(
          new RuleProblem(
              pack.location(),
              0,
              0,
              null,
              "no rule can report; declare: global org.pinwise.rules.spi.Findings findings"));
    }
    List<TrustedRule> rules = new ArrayList<>();
    for (FullDrl.Declared declared : program.rules()) {
      // Rules of other names prepare what these need, and may not report.
      if (RuleChecks.isId(declared.id())) {
        Place place =
            places.getOrDefault(declared.id(), new Place(pack.location(), 0, declared.id()));
        TeamRules.metaOfTrusted(
                declared.id(), declared.annotations(), place.file(), place.line(), problems)
            .map(meta -> new TrustedRule(meta, place.file() + ":" + place.line()))
            .ifPresent(rules::add);
      }
    }
    rules.sort(java.util.Comparator.comparing(TrustedRule::id));
    return new TrustedPack(pack.location(), program, List.copyOf(rules), List.copyOf(problems));
  }

  /** Finds where the rules stand, for Drools does not say it of all. */
  private static void places(
      Room room, String file, Map<String, Place> into, List<RuleProblem> problems) {
    int line = 0;
    for (String text : room.rule().lines().toList()) {
      line++;
      Matcher matcher = RULE.matcher(text);
      if (!matcher.find()) {
        continue;
      }
      String id = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      if (!RuleChecks.isId(id)) {
        continue;
      }
      if (!id.equals(room.id()) && !id.startsWith(room.id() + "/")) {
        problems.add(
            new RuleProblem(
                file,
                line,
                1,
                id,
                "the rule's id does not start with its room's, %s".formatted(room.id())));
      }
      into.putIfAbsent(id, new Place(file, line, room.id()));
    }
  }
}

package org.pinwise.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pinwise.engine.rulefile.RuleFileParser;
import org.pinwise.engine.rulefile.TeamRules;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.RuleProvider;

/**
 * Rules, and the profile that grades them. Immutable; problems are kept and all named at once by
 * {@link #problems()} and by {@link MrValidator#create}.
 *
 * {@snippet :
 * RuleSet rules = RuleSet.builtIn().withFiles(Path.of("/etc/pinwise/rules.d"));
 * }
 */
public final class RuleSet {
  private final List<Entry> entries;
  private final List<Room> rooms;
  private final Profile profile;
  private final List<RuleProblem> loadProblems;
  private final List<TrustedPack> trusted;

  /**
   * A rule and where it comes from.
   *
   * @param rule the rule
   * @param builtIn whether it comes with Pinwise
   */
  record Entry(Rule rule, boolean builtIn) {}

  private RuleSet(
      List<Entry> entries,
      List<Room> rooms,
      Profile profile,
      List<RuleProblem> loadProblems,
      List<TrustedPack> trusted) {
    this.entries = List.copyOf(entries);
    this.rooms = List.copyOf(rooms);
    this.profile = profile;
    this.loadProblems = List.copyOf(loadProblems);
    this.trusted = List.copyOf(trusted);
  }

  /** Returns no rule and the profile {@code kernel}. */
  public static RuleSet empty() {
    return new RuleSet(List.of(), List.of(), Profile.KERNEL, List.of(), List.of());
  }

  /** Returns the rules that come with Pinwise and the profile {@code kernel}. */
  public static RuleSet builtIn() {
    return empty().withRooms(Rooms.builtIn(), true);
  }

  /** Returns the rooms that come with Pinwise, by name. */
  public static List<Room> builtInRooms() {
    return Rooms.builtIn();
  }

  /**
   * Returns these rules and those of a directory of rooms, or of a jar that holds one in {@code
   * META-INF/pinwise/rules}.
   *
   * @throws InputException if the directory or a file in it cannot be read
   */
  public RuleSet withFiles(Path directoryOrJar) {
    return with(Pack.load(directoryOrJar));
  }

  /** Returns these rules and those of a pack. */
  public RuleSet with(Pack pack) {
    RuleSet more = withRooms(pack.rooms(), false);
    List<RuleProblem> problems = new ArrayList<>(more.loadProblems);
    problems.addAll(pack.problems());
    return new RuleSet(more.entries, more.rooms, profile, problems, trusted);
  }

  /**
   * Returns these rules and those of a directory of rooms, or of a jar that holds one, whose rules
   * are in <em>full</em> DRL. Such a rule may run any code, in its conditions too: name only what
   * you trust as you trust a jar. It judges by two truth values, so what is not known is not so,
   * and each verdict names the packs that took part ({@link Verdict#trusted}). Takes seconds, and
   * needs Drools' compiler on the class path ({@code org.drools:drools-engine} and what {@link
   * #problems()} names where it is missing).
   *
   * @throws InputException if the directory or a file in it cannot be read
   */
  public RuleSet withTrustedFiles(Path directoryOrJar) {
    return withTrusted(Pack.load(directoryOrJar));
  }

  /** Returns these rules and those of a pack in full DRL, as {@link #withTrustedFiles} does. */
  public RuleSet withTrusted(Pack pack) {
    List<Room> allRooms = new ArrayList<>(rooms);
    allRooms.addAll(pack.rooms());
    List<TrustedPack> all = new ArrayList<>(trusted);
    all.add(TrustedPack.of(pack));
    return new RuleSet(entries, allRooms, profile, loadProblems, all);
  }

  /**
   * Returns these rules and all that a class path brings: the packs in {@code
   * META-INF/pinwise/rules}, then the providers that {@link ServiceLoader} finds, by class name.
   * What cannot be loaded is a problem.
   *
   * @throws InputException if a pack cannot be read
   */
  public RuleSet withClassPath(ClassLoader loader) {
    RuleSet all = this;
    for (Pack pack : Pack.onClassPath(loader)) {
      all = all.with(pack);
    }
    List<RuleProvider> providers = new ArrayList<>();
    List<RuleProblem> problems = new ArrayList<>();
    Iterator<RuleProvider> found = ServiceLoader.load(RuleProvider.class, loader).iterator();
    while (true) {
      try {
        if (!found.hasNext()) {
          break;
        }
        providers.add(found.next());
      } catch (ServiceConfigurationError e) {
        problems.add(
            new RuleProblem(
                "META-INF/services/" + RuleProvider.class.getName(), 0, 0, null, reason(e)));
      }
    }
    providers.sort(Comparator.comparing(provider -> provider.getClass().getName()));
    for (RuleProvider provider : providers) {
      all = all.with(provider);
    }
    problems.addAll(0, all.loadProblems);
    return new RuleSet(all.entries, all.rooms, profile, problems, trusted);
  }

  /** Returns what went wrong, and what it came of. */
  private static String reason(Throwable e) {
    String message = String.valueOf(e.getMessage());
    return e.getCause() == null ? message : message + ": " + reason(e.getCause());
  }

  /** Returns these rules and those of rooms. */
  public RuleSet withRooms(List<Room> more) {
    return withRooms(more, false);
  }

  private RuleSet withRooms(List<Room> more, boolean builtIn) {
    List<Entry> all = new ArrayList<>(entries);
    List<RuleProblem> problems = new ArrayList<>(loadProblems);
    for (Room room : more) {
      String file = room.location() + "/rule.drl";
      if (room.rule().isEmpty()) {
        problems.add(new RuleProblem(room.location(), 0, 0, room.id(), "the room has no rule.drl"));
        continue;
      }
      RuleFileParser.Result result =
          builtIn
              ? RuleFileParser.parse(file, room.rule())
              : RuleFileParser.parseOfTeam(file, room.rule());
      problems.addAll(result.problems());
      for (Rule rule : result.rules()) {
        if (!rule.meta().room().equals(room.id())) {
          problems.add(
              new RuleProblem(
                  file,
                  lineOf(rule),
                  1,
                  rule.id(),
                  "the rule's id does not start with its room's, %s".formatted(room.id())));
        }
        all.add(new Entry(rule, builtIn));
      }
    }
    List<Room> allRooms = new ArrayList<>(rooms);
    allRooms.addAll(more);
    return new RuleSet(all, allRooms, profile, problems, trusted);
  }

  private static int lineOf(Rule rule) {
    return Integer.parseInt(rule.source().substring(rule.source().lastIndexOf(':') + 1));
  }

  /**
   * Returns these rules and those that a team wrote in Java. A rule that is not as it must be, and
   * a provider that fails, is a problem.
   */
  public RuleSet with(RuleProvider provider) {
    List<Entry> all = new ArrayList<>(entries);
    List<RuleProblem> problems = new ArrayList<>(loadProblems);
    List<Rule> provided = List.of();
    try {
      provided = List.copyOf(provider.rules());
    } catch (RuntimeException | LinkageError e) {
      problems.add(
          new RuleProblem(
              provider.getClass().getName(), 0, 0, null, "gives no rules: " + reason(e)));
    }
    for (Rule rule : provided) {
      List<String> wrong = TeamRules.problems(rule);
      if (wrong.isEmpty()) {
        all.add(new Entry(rule, false));
      }
      wrong.forEach(
          message -> problems.add(new RuleProblem(rule.source(), 0, 0, rule.id(), message)));
    }
    return new RuleSet(all, rooms, profile, problems, trusted);
  }

  /** Returns these rules under another profile. */
  public RuleSet with(Profile newProfile) {
    return new RuleSet(entries, rooms, newProfile, loadProblems, trusted);
  }

  /**
   * Returns these rules without those of a room, or without one rule. A pack in full DRL is one
   * program, so it goes whole where the rule is one of its.
   */
  public RuleSet without(String id) {
    return new RuleSet(
        entries.stream().filter(entry -> !isOf(id, entry.rule().meta())).toList(),
        rooms.stream().filter(room -> !room.id().equals(id)).toList(),
        profile,
        loadProblems,
        trusted.stream()
            .filter(pack -> pack.rules().stream().noneMatch(rule -> isOf(id, rule.meta())))
            .toList());
  }

  private static boolean isOf(String id, RuleMeta rule) {
    return rule.id().equals(id) || rule.room().equals(id);
  }

  /** Returns all rules, also those that the profile switches off, in their order. */
  public List<Rule> rules() {
    return entries.stream().map(Entry::rule).toList();
  }

  /** Returns the rules in full DRL, by pack and id; they are not among {@link #rules()}. */
  public List<TrustedRule> trustedRules() {
    return trusted.stream().flatMap(pack -> pack.rules().stream()).toList();
  }

  List<TrustedPack> trusted() {
    return trusted;
  }

  /** Returns the rooms that the rules come from; a rule written in Java has none. */
  public List<Room> rooms() {
    return rooms;
  }

  /** Returns the profile. */
  public Profile profile() {
    return profile;
  }

  List<Entry> entries() {
    return entries;
  }

  /** Returns what is wrong with the rules and the profile; empty where nothing is. */
  public List<RuleProblem> problems() {
    List<RuleProblem> problems = new ArrayList<>(loadProblems);
    trusted.forEach(pack -> problems.addAll(pack.problems()));
    Map<String, String> sources = new HashMap<>();
    Map<String, List<RuleMeta>> known = new TreeMap<>();
    for (Entry entry : entries) {
      add(entry.rule().meta(), entry.rule().source(), sources, known, problems);
    }
    for (TrustedRule rule : trustedRules()) {
      add(rule.meta(), rule.source(), sources, known, problems);
    }
    problems.addAll(profileProblems(known));
    return problems;
  }

  private static void add(
      RuleMeta rule,
      String source,
      Map<String, String> sources,
      Map<String, List<RuleMeta>> known,
      List<RuleProblem> problems) {
    String before = sources.putIfAbsent(rule.id(), source);
    if (before != null) {
      problems.add(
          new RuleProblem(
              source,
              0,
              0,
              rule.id(),
              "the id is taken by %s; give one of them another".formatted(before)));
      return;
    }
    known.computeIfAbsent(rule.id(), i -> new ArrayList<>()).add(rule);
    if (!rule.room().equals(rule.id())) {
      known.computeIfAbsent(rule.room(), i -> new ArrayList<>()).add(rule);
    }
  }

  private List<RuleProblem> profileProblems(Map<String, List<RuleMeta>> known) {
    List<RuleProblem> problems = new ArrayList<>();
    profile
        .settings()
        .forEach((id, setting) -> {
          List<RuleMeta> graded = known.get(id);
          if (graded == null) {
            problems.add(
                new RuleProblem(
                    setting.where(),
                    0,
                    0,
                    id,
                    "profile %s names a rule that there is not%s"
                        .formatted(
                            profile.name(), Nearest.hint(id, new TreeSet<>(known.keySet())))));
            return;
          }
          for (String parameter : setting.parameters().keySet()) {
            if (graded.stream().noneMatch(r -> r.parameters().containsKey(parameter))) {
              problems.add(
                  new RuleProblem(
                      setting.where(),
                      0,
                      0,
                      id,
                      "the rule has no parameter %s; it has %s"
                          .formatted(
                              parameter,
                              graded.stream()
                                  .flatMap(r -> r.parameters().keySet().stream())
                                  .distinct()
                                  .sorted()
                                  .toList())));
            }
          }
        });
    return problems;
  }
}

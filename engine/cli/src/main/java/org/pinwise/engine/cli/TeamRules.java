package org.pinwise.engine.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.Impact;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Pack;
import org.pinwise.engine.Room;
import org.pinwise.engine.RoomTemplate;
import org.pinwise.engine.RoomVerifier;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.RuleSetException;
import org.pinwise.engine.TrustedRule;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.rules.spi.Rule;

/** What {@code pinwise rules} does for a team that writes rules: new, test, impact. */
final class TeamRules {
  private static final String REQUESTS = "--requests";

  private final CliContext context;

  TeamRules(CliContext context) {
    this.context = context;
  }

  /** Makes a room, and a pack around it where there is none. */
  int create(String id, String name, String in) {
    Room room;
    try {
      room = RoomTemplate.of(id, name);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    Path directory = Options.path("--in", in);
    Path folder = directory.resolve(room.name());
    if (Files.isDirectory(directory)) {
      Pack.load(directory).rooms().stream()
          .filter(other -> other.id().equals(room.id()))
          .findFirst()
          .ifPresent(other -> {
            throw new InputException(
                other.location(), "has the id %s already; take another".formatted(room.id()));
          });
    }
    List<Path> made = new ArrayList<>();
    try {
      Files.createDirectories(directory);
      Files.createDirectory(folder);
      for (Map.Entry<String, String> file : room.files().entrySet()) {
        Files.writeString(folder.resolve(file.getKey()), file.getValue());
      }
      Path manifest = directory.resolve(Pack.MANIFEST);
      if (!Files.exists(manifest)) {
        Path named = directory.toAbsolutePath().normalize().getFileName();
        Files.writeString(manifest, RoomTemplate.manifest(packName(named)));
        made.add(manifest);
      }
    } catch (FileAlreadyExistsException e) {
      throw new InputException(e.getFile(), "is there already; take another id or name");
    } catch (IOException e) {
      throw new InputException(folder.toString(), "cannot be made: " + e.getMessage());
    }
    new TreeMap<>(room.files()).keySet().forEach(file -> made.add(folder.resolve(file)));
    made.forEach(file -> line("made  " + file));
    line("next  edit them, then: pinwise rules test " + in);
    return ExitCode.OK;
  }

  private static String packName(@org.jspecify.annotations.Nullable Path directory) {
    String name = directory == null ? "" : directory.toString().replaceAll("[^A-Za-z0-9._-]", "-");
    return name.matches("[A-Za-z].*") ? name : "rules";
  }

  /** Checks rooms by their examples, and says what is missing. */
  int test(String directory, boolean trusted) {
    Pack pack = Pack.load(Options.path("DIR", directory));
    RuleSet rules = with(pack, directory, trusted, context.builtIn().get());
    RoomVerifier verifier = new RoomVerifier(rules, DeviceCatalog.load());
    List<RuleProblem> problems = new ArrayList<>();
    if (pack.manifest() == null) {
      problems.add(
          new RuleProblem(
              directory + "/" + Pack.MANIFEST,
              0,
              0,
              null,
              "the manifest is missing; add name: .. and version: .."));
    }
    int examples = 0;
    int count = 0;
    for (Room room : pack.rooms()) {
      List<RuleProblem> wrong = verifier.problems(room);
      long own = room.files().keySet().stream().filter(file -> file.endsWith(".yaml")).count();
      examples += (int) own;
      count +=
          (int)
              Stream.concat(
                      rules.rules().stream().map(Rule::meta),
                      rules.trustedRules().stream().map(TrustedRule::meta))
                  .filter(rule -> rule.room().equals(room.id()))
                  .count();
      line(
          "%s  %s"
              .formatted(
                  wrong.isEmpty() ? context.style().good("ok  ") : context.style().bad("FAIL"),
                  Printable.line(room.name())));
      problems.addAll(wrong);
    }
    problems.forEach(problem -> line(Printable.line(problem.toString())));
    line(
        "%s, %s, %s: %s"
            .formatted(
                counted(pack.rooms().size(), "room"),
                counted(count, "rule"),
                counted(examples, "example"),
                problems.isEmpty() ? "all hold" : counted(problems.size(), "problem")));
    return problems.isEmpty() ? ExitCode.OK : ExitCode.REJECTED;
  }

  /** Shows which verdicts rules would change. */
  int impact(String directory, boolean trusted, RuleOptions options, List<String> requests) {
    RuleSet before = RulesCommand.usable(options);
    RuleSet after = with(Pack.load(Options.path("DIR", directory)), directory, trusted, before);
    MrValidator judge = MrValidator.create(before, Assumptions.USUAL);
    List<Impact.Sample> samples = new ArrayList<>();
    for (String file : requests) {
      samples.addAll(recorded(Options.path(REQUESTS, file)));
    }
    samples.addAll(Impact.examples(RuleSet.builtInRooms()));
    samples.addAll(Impact.healthyFlagSets(judge));
    Impact impact = Impact.of(judge, MrValidator.create(after, Assumptions.USUAL), samples);
    print(impact, samples);
    return impact.changes().stream().anyMatch(Impact.Change::refuses)
        ? ExitCode.REJECTED
        : ExitCode.OK;
  }

  private static List<Impact.Sample> recorded(Path path) {
    FactsReader reader = FactsReader.of(DeviceCatalog.load());
    List<Path> files = new ArrayList<>();
    if (Files.isDirectory(path)) {
      try (var stream = Files.newDirectoryStream(path, "*.{yaml,yml,json}")) {
        stream.forEach(files::add);
      } catch (IOException e) {
        throw new InputException(path.toString(), "cannot be listed: " + e.getMessage());
      }
      files.sort(null);
    } else {
      files.add(path);
    }
    if (files.isEmpty()) {
      throw new InputException(path.toString(), "holds no facts file (*.yaml, *.yml, *.json)");
    }
    return files.stream()
        .map(file ->
            new Impact.Sample(file.toString(), REQUESTS + " " + path, reader.read(file).facts()))
        .toList();
  }

  private void print(Impact impact, List<Impact.Sample> samples) {
    Map<String, Integer> judged = new LinkedHashMap<>();
    samples.forEach(sample -> judged.merge(sample.group(), 1, Integer::sum));
    Map<String, List<Impact.Change>> grouped = new LinkedHashMap<>();
    for (Impact.Change change : impact.changes()) {
      String decision =
          change.before().equals(change.after())
              ? "stay " + change.after()
              : "%s -> %s".formatted(change.before(), change.after());
      String rules =
          String.join(", ", change.more())
              + (change.less().isEmpty() ? "" : " without " + String.join(", ", change.less()));
      grouped
          .computeIfAbsent(
              "%s\n  %%d of %d %s, now with %s"
                  .formatted(
                      change.group().replace("%", "%%"),
                      judged.getOrDefault(change.group(), 0),
                      decision,
                      rules.strip()),
              key -> new ArrayList<>())
          .add(change);
    }
    grouped.forEach((title, changes) -> {
      context.out().print(Printable.lines(title.formatted(changes.size())));
      line("    such as " + Printable.line(changes.get(0).request()));
    });
    long refused = impact.changes().stream().filter(Impact.Change::refuses).count();
    line(
        "%d requests judged: %d verdicts change, %d are refused that were not"
            .formatted(impact.judged(), impact.changes().size(), refused));
  }

  /** Returns rules and those of a pack. */
  private static RuleSet with(Pack pack, String directory, boolean trusted, RuleSet before) {
    RuleSet rules = trusted ? before.withTrusted(pack) : before.with(pack);
    List<RuleProblem> problems = rules.problems();
    if (!problems.isEmpty()) {
      throw new RuleSetException(problems);
    }
    if (pack.rooms().isEmpty()) {
      throw new InputException(
          directory,
          "holds no rule; a rule is a folder such as ACME001-name with a rule.drl, and"
              + " 'pinwise rules new' makes one");
    }
    return rules;
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private void line(String text) {
    context.out().print(text + "\n");
  }
}

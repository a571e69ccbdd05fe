package org.pinwise.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding.Origin;
import org.pinwise.engine.drools.FullDrl;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Template;

/**
 * Judges by rules in full DRL, as a profile grades them. They have two truth values: what is not
 * known is not so. What they say is not remembered, for what it depends on is not known. Immutable
 * and thread-safe.
 */
final class TrustedJudge {
  private final List<Program> programs = new ArrayList<>();
  private final List<String> disabled = new ArrayList<>();

  /** The rules of a pack that are not switched off, by id; and those that are. */
  private record Program(FullDrl drl, Map<String, Graded> rules, Set<String> off) {}

  private record Graded(RuleMeta meta, Severity severity, Origin origin) {}

  TrustedJudge(List<TrustedPack> packs, Profile profile) {
    for (TrustedPack pack : packs) {
      FullDrl drl = pack.program();
      if (drl == null) {
        throw new IllegalArgumentException(pack.location() + " has problems");
      }
      Map<String, Graded> rules = new LinkedHashMap<>();
      Set<String> off = new LinkedHashSet<>();
      for (TrustedRule rule : pack.rules()) {
        Profile.Setting setting = profile.setting(rule.meta());
        if (setting != null && setting.off() != null) {
          off.add(rule.id());
          disabled.add(rule.id() + ": " + setting.off());
          continue;
        }
        Severity own = rule.meta().severity();
        Severity severity =
            setting == null || setting.severity() == null ? own : setting.severity();
        rules.put(
            rule.id(),
            new Graded(rule.meta(), severity, severity == own ? Origin.TEAM : Origin.PROFILE));
      }
      programs.add(new Program(drl, rules, off));
    }
  }

  /** Returns whether there are no such rules. */
  boolean isEmpty() {
    return programs.isEmpty();
  }

  /** Returns the rules that the profile switches off, each with the reason. */
  List<String> disabled() {
    return List.copyOf(disabled);
  }

  /** Adds what the rules find, and those that fail: a rule that throws has decided nothing. */
  void judge(FactTuple facts, List<Finding> findings, List<UndecidedRule> undecided) {
    for (Program program : programs) {
      FullDrl.Judged judged = program.drl().judge(facts);
      String failure = judged.failure();
      Set<String> reported = new LinkedHashSet<>();
      for (FullDrl.Report report : judged.reports()) {
        Graded rule = program.rules().get(report.rule());
        if (rule != null) {
          reported.add(report.rule());
          findings.add(finding(rule, report, facts));
        } else if (!program.off().contains(report.rule()) && failure == null) {
          failure = "a rule reports for %s, which is no rule of its pack".formatted(report.rule());
        }
      }
      if (failure != null) {
        String reason = failure;
        program
            .rules()
            .forEach((id, rule) -> {
              if (!reported.contains(id)) {
                undecided.add(undecided(rule, reason));
              }
            });
      }
    }
  }

  /** Returns for every rule whether it reports; of its conditions nothing is known. */
  void why(FactTuple facts, List<Why> into) {
    List<Finding> findings = new ArrayList<>();
    List<UndecidedRule> undecided = new ArrayList<>();
    judge(facts, findings, undecided);
    Set<String> fired = new LinkedHashSet<>();
    findings.forEach(finding -> fired.add(finding.rule()));
    Set<String> open = new LinkedHashSet<>();
    undecided.forEach(rule -> open.add(rule.rule()));
    for (Program program : programs) {
      for (String id : program.rules().keySet()) {
        into.add(Why.ofTrusted(id, fired.contains(id), open.contains(id)));
      }
    }
  }

  private static UndecidedRule undecided(Graded rule, String failure) {
    return new UndecidedRule(
        rule.meta().id(),
        rule.severity(),
        null,
        0,
        null,
        "%s (the rules of its pack failed: %s)".formatted(rule.meta().summary(), failure),
        Set.of(),
        List.of());
  }

  private static Finding finding(Graded rule, FullDrl.Report report, FactTuple facts) {
    Map<String, String> arguments = new LinkedHashMap<>();
    String message = filled(report, facts, arguments);
    RuleMeta meta = rule.meta();
    return new Finding(
        meta.id(),
        rule.severity(),
        null,
        0,
        null,
        rule.origin(),
        message.isBlank() ? meta.summary() : message,
        arguments,
        meta.remediation(),
        meta.spec(),
        meta.later(),
        List.of(),
        false);
  }

  /** Fills the places of a text; one that names nothing stays as it is, for any code made it. */
  private static String filled(
      FullDrl.Report report, FactTuple facts, Map<String, String> arguments) {
    FactType<?> type = type(report.fact());
    if (type == null) {
      return report.text();
    }
    Template template;
    try {
      template = Template.parse(report.text(), type, Set.of());
    } catch (Template.PlaceException e) {
      return report.text();
    }
    StringBuilder message = new StringBuilder();
    for (Template.Part part : template.parts()) {
      if (part instanceof Template.Place place
          && place.operand() instanceof Operand.FieldOf<?> field) {
        String shown = MrValidator.show(field, facts);
        arguments.put(field.toString(), shown);
        message.append(shown);
      } else {
        message.append(part);
      }
    }
    return message.toString();
  }

  private static @Nullable FactType<?> type(@Nullable Object fact) {
    return FactType.all().stream()
        .filter(type -> type.type().isInstance(fact))
        .findFirst()
        .orElse(null);
  }
}

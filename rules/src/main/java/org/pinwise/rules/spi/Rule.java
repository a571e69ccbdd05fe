package org.pinwise.rules.spi;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pinwise.rules.model.FactType;

/**
 * A rule: if all its patterns match, it reports a finding. The same value comes of a rule file and
 * of the Java DSL.
 *
 * @param meta what is said about it
 * @param patterns what it demands, at least one
 * @param template the finding's text
 * @param source where it was written, such as {@code MR001-..../rule.drl:7}
 */
public record Rule(RuleMeta meta, List<Pattern> patterns, Template template, String source) {

  /** Keeps an immutable copy. */
  public Rule {
    patterns = List.copyOf(patterns);
  }

  /** Returns the rule's name. */
  public String id() {
    return meta.id();
  }

  /** Returns the rule in words: what must hold for it to report. */
  public String inWords() {
    return patterns.size() == 1
        ? patterns.get(0).toString()
        : patterns.stream().map(Rule::enclosed).collect(Collectors.joining(" and "));
  }

  private static String enclosed(Pattern pattern) {
    boolean alternatives =
        pattern.quantifier() == Pattern.Quantifier.EXISTS
            && pattern.condition() instanceof Condition.Any;
    return alternatives ? "(" + pattern + ")" : pattern.toString();
  }

  /** Returns the type of configuration that the rule judges; empty where it judges calls. */
  public Optional<FactType<?>> configuration() {
    return reads().stream()
        .<FactType<?>>map(Operand.FieldOf::type)
        .filter(FactType::isConfiguration)
        .findFirst();
  }

  /** Returns the fields that the rule's conditions read, in the order of reading. */
  public Set<Operand.FieldOf<?>> reads() {
    Set<Operand.FieldOf<?>> reads = new LinkedHashSet<>();
    patterns.forEach(pattern -> reads(pattern.condition(), reads));
    return reads;
  }

  /** Returns the fields that a condition reads, in the order of reading. */
  public static Set<Operand.FieldOf<?>> reads(Condition condition) {
    Set<Operand.FieldOf<?>> reads = new LinkedHashSet<>();
    reads(condition, reads);
    return reads;
  }

  private static void reads(Condition condition, Set<Operand.FieldOf<?>> into) {
    if (condition instanceof Condition.All all) {
      all.conditions().forEach(one -> reads(one, into));
    } else if (condition instanceof Condition.Any any) {
      any.conditions().forEach(one -> reads(one, into));
    } else if (condition instanceof Condition.Not not) {
      reads(not.condition(), into);
    } else if (condition instanceof Condition.Compare compare) {
      reads(compare.left(), into);
      reads(compare.right(), into);
    } else if (condition instanceof Condition.Contains contains) {
      reads(contains.set(), into);
      reads(contains.member(), into);
    } else if (condition instanceof Condition.OneOf oneOf) {
      reads(oneOf.left(), into);
    } else if (condition instanceof Condition.Holds holds) {
      reads(holds.field(), into);
    }
  }

  private static void reads(Operand operand, Set<Operand.FieldOf<?>> into) {
    if (operand instanceof Operand.FieldOf<?> field) {
      into.add(field);
    } else if (operand instanceof Operand.Arithmetic arithmetic) {
      reads(arithmetic.left(), into);
      reads(arithmetic.right(), into);
    }
  }
}

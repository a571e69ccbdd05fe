package org.pinwise.rules.spi;

import java.util.List;
import java.util.stream.Collectors;

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
    return patterns.stream().map(Pattern::toString).collect(Collectors.joining(" and "));
  }
}

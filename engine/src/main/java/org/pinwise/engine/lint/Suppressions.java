package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.rules.spi.RuleChecks;

/**
 * Comments of a file that suppress findings: {@code # pinwise: ignore RULE reason}. One at the end
 * of a line speaks of that line; one that stands alone, of the next line that is no comment.
 */
final class Suppressions {
  private static final String MARK = "pinwise: ignore";
  private static final Pattern COMMENT =
      Pattern.compile(
          "(?:#|//|/\\*|;)\\s*" + MARK + "(?:\\s+(\\S+))?[ \\t]*(.*?)\\s*(?:\\*/)?\\s*$");
  private static final Pattern COMMENT_ALONE = Pattern.compile("\\s*(?:#|//|/\\*|;).*");

  private final List<Suppression> all = new ArrayList<>();

  /** A suppression that has a reason. */
  private static final class Suppression {
    private final String rule;
    private final int line;
    private final Place place;
    private boolean used;

    Suppression(String rule, int line, Place place) {
      this.rule = rule;
      this.line = line;
      this.place = place;
    }

    /** Returns whether it speaks of a rule: by its id, or by that of its room. */
    boolean names(String id) {
      return id.equals(rule) || id.startsWith(rule + "/");
    }
  }

  /** What is wrong with a suppression. */
  record Complaint(Place place, String message) {}

  private final List<Complaint> complaints = new ArrayList<>();

  static Suppressions of(Source source) {
    Suppressions found = new Suppressions();
    if (source.text().contains(MARK)) {
      found.read(source);
    }
    return found;
  }

  private void read(Source source) {
    List<String> lines = source.lines();
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = COMMENT.matcher(lines.get(i));
      if (!lines.get(i).contains(MARK) || !matcher.find()) {
        continue;
      }
      Place place = new Place(i + 1, matcher.start() + 1);
      String rule = matcher.group(1);
      if (rule == null || !RuleChecks.isId(rule)) {
        complaints.add(
            new Complaint(
                place, "a suppression names a rule and a reason: " + MARK + " MR001 why"));
      } else if (matcher.group(2).isBlank()) {
        complaints.add(
            new Complaint(
                place, "the suppression of %s has no reason, so it has no effect".formatted(rule)));
      } else {
        int line = i;
        if (lines.get(i).substring(0, matcher.start()).isBlank()) {
          line++;
          while (line < lines.size() && COMMENT_ALONE.matcher(lines.get(line)).matches()) {
            line++;
          }
        }
        all.add(new Suppression(rule, line + 1, place));
      }
    }
  }

  /** Returns whether a finding is suppressed, and remembers that. */
  boolean suppress(String rule, int line) {
    boolean suppressed = false;
    for (Suppression one : all) {
      if (one.line == line && one.names(rule)) {
        one.used = true;
        suppressed = true;
      }
    }
    return suppressed;
  }

  /**
   * Returns what is wrong with them after all findings of the file were asked for.
   *
   * @param later rules that may report of this file when others have been read
   */
  List<Complaint> complaints(Set<String> later) {
    List<Complaint> found = new ArrayList<>(complaints);
    for (Suppression one : all) {
      if (!one.used && later.stream().noneMatch(one::names)) {
        found.add(
            new Complaint(
                one.place,
                "%s reports nothing here that it could suppress; remove it".formatted(one.rule)));
      }
    }
    return found;
  }
}

package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;

/**
 * The assignments of a unit file or drop-in, as systemd reads one (conf-parser.c): lines that start
 * with {@code #} or {@code ;} are comments, also between continued lines; a backslash at a line's
 * end continues it; white space around {@code =} does not count; names are of a case.
 *
 * @param sections the heads of its sections
 * @param assignments its assignments, in order
 * @param wrong the lines that are none of it
 */
record UnitFile(List<Section> sections, List<Assignment> assignments, List<Wrong> wrong) {

  /** The head of a section. */
  record Section(String name, int at) {}

  /** An assignment; the section is empty before the first head. */
  record Assignment(String section, String key, int keyAt, String value, int valueAt) {}

  /** A line that systemd skips with a word in its log. */
  record Wrong(int at, String message) {}

  UnitFile {
    sections = List.copyOf(sections);
    assignments = List.copyOf(assignments);
    wrong = List.copyOf(wrong);
  }

  static UnitFile parse(String text) {
    List<Section> sections = new ArrayList<>();
    List<Assignment> assignments = new ArrayList<>();
    List<Wrong> wrong = new ArrayList<>();
    String section = "";
    int start = 0;
    while (start < text.length()) {
      int first = skipBlanks(text, start);
      StringBuilder line = new StringBuilder();
      start = logicalLine(text, start, line);
      String content = line.toString().strip();
      if (content.isEmpty()) {
        continue;
      }
      int equals = content.indexOf('=');
      if (content.startsWith("[")) {
        if (content.endsWith("]")) {
          section = content.substring(1, content.length() - 1);
          sections.add(new Section(section, first));
        } else {
          wrong.add(new Wrong(first, "the section's head has no ], and systemd refuses the file"));
        }
      } else if (equals < 0) {
        wrong.add(new Wrong(first, "is neither [SECTION] nor NAME=VALUE, and systemd skips it"));
      } else if (!content.startsWith(".include ")) {
        String value = content.substring(equals + 1).strip();
        int valueAt = text.indexOf('=', first) + 1;
        while (valueAt < start && isBlank(text.charAt(valueAt)) && !value.isEmpty()) {
          valueAt++;
        }
        assignments.add(
            new Assignment(section, content.substring(0, equals).strip(), first, value, valueAt));
      }
    }
    return new UnitFile(sections, assignments, wrong);
  }

  /** Appends a line and what continues it; returns where the next one starts. */
  private static int logicalLine(String text, int from, StringBuilder line) {
    int start = from;
    boolean more = true;
    while (more && start < text.length()) {
      int end = text.indexOf('\n', start);
      int next = end < 0 ? text.length() : end + 1;
      String physical = text.substring(start, end < 0 ? text.length() : end).stripTrailing();
      String stripped = physical.stripLeading();
      start = next;
      if (stripped.startsWith("#") || stripped.startsWith(";")) {
        more = line.length() > 0; // a comment between continued lines is left out
        continue;
      }
      more = continues(physical);
      line.append(more ? physical.substring(0, physical.length() - 1) + ' ' : physical);
    }
    return start;
  }

  private static boolean continues(String line) {
    int backslashes = 0;
    while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  private static int skipBlanks(String text, int from) {
    int at = from;
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
    return at;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\\' || c == '\n' || c == '\r';
  }
}

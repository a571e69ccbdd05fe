package org.pinwise.engine.lint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * What a directory's {@code .gitignore} and those above it leave out, as gitignore(5) says.
 * Immutable.
 */
final class GitIgnore {
  private final Path base;
  private final List<Rule> rules;
  private final @Nullable GitIgnore above;

  private record Rule(Pattern pattern, boolean directoriesOnly, boolean keeps) {}

  private GitIgnore(Path base, List<Rule> rules, @Nullable GitIgnore above) {
    this.base = base;
    this.rules = rules;
    this.above = above;
  }

  /**
   * Reads the text of a {@code .gitignore}.
   *
   * @param base the directory that holds it
   * @param above what holds in the directory above; null where nothing does
   */
  static GitIgnore of(Path base, String text, @Nullable GitIgnore above) {
    List<Rule> rules = new ArrayList<>();
    text.lines().forEach(line -> rule(line, rules));
    return new GitIgnore(base, List.copyOf(rules), above);
  }

  private static void rule(String line, List<Rule> into) {
    String text = line.replaceAll("(?<!\\\\)[ \\t\\r]+$", "");
    if (text.isEmpty() || text.startsWith("#")) {
      return;
    }
    boolean keeps = text.startsWith("!");
    text = keeps ? text.substring(1) : text;
    boolean directoriesOnly = text.endsWith("/");
    text = directoriesOnly ? text.substring(0, text.length() - 1) : text;
    boolean anchored = text.indexOf('/') >= 0;
    text = text.startsWith("/") ? text.substring(1) : text;
    try {
      Pattern pattern = Pattern.compile((anchored ? "" : "(?:.*/)?") + regex(text));
      into.add(new Rule(pattern, directoriesOnly, keeps));
    } catch (PatternSyntaxException e) {
      // git matches nothing by a pattern that it cannot make sense of, either
      return;
    }
  }

  private static String regex(String glob) {
    StringBuilder regex = new StringBuilder();
    int i = 0;
    while (i < glob.length()) {
      char c = glob.charAt(i);
      if (glob.startsWith("**/", i) && (i == 0 || glob.charAt(i - 1) == '/')) {
        regex.append("(?:.*/)?");
        i += 3;
        continue;
      }
      if (glob.startsWith("**", i) && i + 2 == glob.length()) {
        regex.append(".*");
        i += 2;
        continue;
      }
      int close = c == '[' ? glob.indexOf(']', i + 2) : -1;
      if (close > 0) {
        String members = glob.substring(i + 1, close).replace("\\", "\\\\").replace("[", "\\[");
        regex
            .append("(?!/)[")
            .append(members.startsWith("!") ? "^" + members.substring(1) : members)
            .append(']');
        i = close + 1;
        continue;
      }
      if (c == '\\' && i + 1 < glob.length()) {
        i++;
        regex.append(Pattern.quote(glob.substring(i, i + 1)));
      } else {
        regex.append(c == '*' ? "[^/]*" : c == '?' ? "[^/]" : Pattern.quote(String.valueOf(c)));
      }
      i++;
    }
    return regex.toString();
  }

  /** Returns whether git leaves a file or directory out; the nearest file's last word counts. */
  boolean ignores(Path path, boolean directory) {
    for (GitIgnore one = this; one != null; one = one.above) {
      String name = one.base.relativize(path).toString().replace('\\', '/');
      for (int i = one.rules.size() - 1; i >= 0; i--) {
        Rule rule = one.rules.get(i);
        if ((directory || !rule.directoriesOnly()) && rule.pattern().matcher(name).matches()) {
          return !rule.keeps();
        }
      }
    }
    return false;
  }
}

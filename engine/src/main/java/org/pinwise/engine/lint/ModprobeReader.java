package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.text.Quantity;
import org.pinwise.rules.model.Setting;
import org.pinwise.rules.model.SettingSource;

/**
 * Reads modprobe.d(5): each parameter of an {@code options} line is a setting, whose scope is the
 * module. A backslash at a line's end continues it; {@code #} starts a comment only where a line
 * starts. kmod reads only files that end in {@code .conf}.
 */
final class ModprobeReader implements ConfigReader {
  private static final Set<String> COMMANDS =
      Set.of("alias", "blacklist", "config", "install", "options", "remove", "softdep", "weakdep");

  @Override
  public String format() {
    return "modprobe.d";
  }

  @Override
  public boolean reads(Source source) {
    if (source.isConfOf("modprobe.d") || source.fileName().equals("modprobe.conf")) {
      return true;
    }
    // A README beside the files is none; one that only lacks its suffix is known by what it says.
    boolean beside = source.directory().equals("modprobe.d") || source.hasSuffix(".conf");
    return beside && source.firstLine("#").startsWith("options ");
  }

  /**
   * A word without its continuations.
   *
   * @param text the word; empty where a continuation stands alone
   * @param start its first character in the text
   * @param value where its value starts, after the first {@code =}; the start where it has none
   */
  private record Token(String text, int start, int value) {}

  @Override
  public void read(Source source, Statements into) {
    String text = source.text();
    boolean fileRead = source.hasSuffix(".conf");
    int start = 0;
    while (start < text.length()) {
      int end = lineEnd(text, start);
      List<Token> words = words(text, start, end);
      start = end + 1;
      if (words.isEmpty() || words.get(0).text().startsWith("#")) {
        continue;
      }
      String command = words.get(0).text();
      if (!COMMANDS.contains(command)) {
        into.problem(
            source.at(words.get(0).start()),
            "modprobe has no command %s; there are %s"
                .formatted(command, COMMANDS.stream().sorted().toList()));
      } else if (command.equals("options")) {
        options(source, words, fileRead, into);
      }
    }
  }

  /** Returns where a line ends that is not continued. */
  private static int lineEnd(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) != '\n') {
      at += text.charAt(at) == '\\' ? Math.max(2, 1 + lineBreak(text, at + 1)) : 1;
    }
    return Math.min(at, text.length());
  }

  /** Returns how many characters of a line's break stand at a place. */
  private static int lineBreak(String text, int at) {
    if (text.startsWith("\r\n", at)) {
      return 2;
    }
    return text.startsWith("\n", at) ? 1 : 0;
  }

  /** Splits a line at white space outside of quotes; a quote that does not end is a character. */
  private static List<Token> words(String text, int from, int to) {
    List<Token> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int start = -1;
    int value = -1;
    int quoted = from; // up to where white space does not separate
    boolean open = true;
    for (int at = from; at <= to; at++) {
      char c = at < to ? text.charAt(at) : '\n';
      int skipped = c == '\\' && at < to ? lineBreak(text, at + 1) : 0;
      if (skipped > 0) {
        at += skipped;
      } else if (Character.isWhitespace(c) && at >= quoted) {
        if (start >= 0) {
          words.add(new Token(word.toString(), start, value < 0 ? start : value));
        }
        word.setLength(0);
        start = -1;
        value = -1;
      } else {
        start = start < 0 ? at : start;
        value = c == '=' && value < 0 ? at + 1 : value;
        word.append(c);
        if (c == '"' && at >= quoted && open) {
          int end = Source.find(text, '"', at + 1, to);
          open = end < to; // else no later one ends, either
          quoted = open ? end + 1 : quoted;
        }
      }
    }
    return words;
  }

  private static void options(Source source, List<Token> words, boolean fileRead, Statements into) {
    Place start = source.at(words.get(0).start());
    if (words.size() < 2) {
      into.problem(start, "options names no module; write options MODULE NAME=VALUE");
      return;
    }
    // modprobe(8): "-" and "_" are the same in a module's name.
    String module = words.get(1).text().replace('-', '_');
    Place moduleAt = source.at(words.get(1).start());
    for (Token word : words.subList(2, words.size())) {
      String parameter = word.text();
      int equals = parameter.indexOf('=');
      String key = equals < 0 ? parameter : parameter.substring(0, equals);
      String value = equals < 0 ? "" : parameter.substring(equals + 1).replace("\"", "");
      Place keyAt = source.at(word.start());
      Place valueAt = source.at(word.value());
      into.add(
          Statement.of(Setting.TYPE, start)
              .set("source", SettingSource.MODPROBE)
              .set("fileRead", fileRead, start)
              .set("scope", module, moduleAt)
              .set("key", key, keyAt)
              .set("value", value, valueAt)
              .set("number", number(value), valueAt)
              .build());
    }
  }

  /** Returns the value of a parameter as a number; null where it is none. */
  static @Nullable Long number(String value) {
    try {
      long number = Quantity.parse(value);
      return number < 0 ? Long.MAX_VALUE : number;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}

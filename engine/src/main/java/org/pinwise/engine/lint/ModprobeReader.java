package org.pinwise.engine.lint;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final Pattern WORD =
      Pattern.compile("(?:\\\\\\R|\"[^\"\\n]*\"|[^\\s\\\\\"]|\\\\(?!\\R))+");
  private static final Pattern LINE =
      Pattern.compile("(?:[^\\n\\\\]|\\\\\\R|\\\\.|\\\\$)*+(?:\\n|$)");
  private static final Set<String> COMMANDS =
      Set.of("alias", "blacklist", "config", "install", "options", "remove", "softdep", "weakdep");

  @Override
  public String format() {
    return "modprobe.d";
  }

  @Override
  public boolean reads(Source source) {
    return source.directory().equals("modprobe.d")
        || source.fileName().equals("modprobe.conf")
        || (source.hasSuffix(".conf") && source.text().startsWith("options "));
  }

  @Override
  public void read(Source source, Statements into) {
    String text = source.text();
    boolean fileRead = source.hasSuffix(".conf");
    Matcher line = LINE.matcher(text);
    while (line.find() && line.start() < text.length()) {
      Matcher word = WORD.matcher(text).region(line.start(), line.end());
      if (!word.find() || word.group().startsWith("#")) {
        continue;
      }
      String command = plain(word.group());
      if (!COMMANDS.contains(command)) {
        into.problem(
            source.at(word.start()),
            "modprobe has no command %s; there are %s"
                .formatted(command, COMMANDS.stream().sorted().toList()));
      } else if (command.equals("options")) {
        options(source, word, fileRead, into);
      }
    }
  }

  private static void options(Source source, Matcher word, boolean fileRead, Statements into) {
    Place start = source.at(word.start());
    if (!word.find()) {
      into.problem(start, "options names no module; write options MODULE NAME=VALUE");
      return;
    }
    // modprobe(8): "-" and "_" are the same in a module's name.
    String module = plain(word.group()).replace('-', '_');
    Place moduleAt = source.at(word.start());
    while (word.find()) {
      String parameter = plain(word.group());
      if (parameter.isEmpty()) {
        continue; // a continuation that stands alone
      }
      int equals = parameter.indexOf('=');
      String key = equals < 0 ? parameter : parameter.substring(0, equals);
      String value = equals < 0 ? "" : parameter.substring(equals + 1).replace("\"", "");
      Place keyAt = source.at(word.start());
      Place valueAt = source.at(word.start() + Math.max(0, word.group().indexOf('=') + 1));
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

  /** Returns a word without its continuations. */
  private static String plain(String word) {
    return word.replaceAll("\\\\\\R", "");
  }

  private static @Nullable Long number(String value) {
    try {
      long number = Quantity.parse(value);
      return number < 0 ? Long.MAX_VALUE : number;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}

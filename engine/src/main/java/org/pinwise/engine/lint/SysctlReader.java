package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.Setting;
import org.pinwise.rules.model.SettingSource;

/**
 * Reads sysctl.d(5) and sysctl.conf(5): the parameters of the kernel that decide how much can be
 * mapped and how many huge pages there are. A {@code -} before a name ignores errors; {@code #} and
 * {@code ;} start a comment where a line starts; where the first separator of a name is a slash,
 * slashes separate. Of a name that is set twice the last holds, also in a later file of the
 * directory.
 */
final class SysctlReader implements ConfigReader {
  private static final String MAX_MAP_COUNT = "vm.max_map_count";
  private static final Set<String> OURS =
      Set.of(MAX_MAP_COUNT, "vm.nr_hugepages", "vm.nr_overcommit_hugepages");
  private static final Pattern FIRST_LINE =
      Pattern.compile("-?(?:vm|net|kernel|fs|user)[./][\\w./*-]++\\s*+=");
  private static final Pattern LINE =
      Pattern.compile("[ \\t]*+(-?)[ \\t]*+([^\\s=#;][^=\\n]*+)(=?)[ \\t]*+([^\\n]*+)");
  private static final Pattern NUMBER =
      Pattern.compile("[1-9]\\d{0,9}|0[0-7]{0,11}|0[xX][0-9a-fA-F]{1,8}");

  /** What is near to ours and is a parameter itself; Documentation/admin-guide/sysctl/vm.rst. */
  private static final Set<String> OTHERS =
      Set.of("vm.nr_hugepages_mempolicy", "vm.nr_trim_pages", "vm.min_free_kbytes");

  /** A line that sets one of our parameters, or something near to one. */
  private record Line(String key, String value, int keyAt, int valueAt, String meant) {}

  @Override
  public String format() {
    return "sysctl.d";
  }

  @Override
  public boolean reads(Source source) {
    // A README beside the files is none; one that only lacks its suffix is known by what it says.
    return source.isConfOf("sysctl.d")
        || source.fileName().equals("sysctl.conf")
        || FIRST_LINE.matcher(source.firstLine("#;")).lookingAt();
  }

  @Override
  public void read(Source source, Statements into) {
    boolean inDirectory = source.directory().equals("sysctl.d");
    boolean fileRead = !inDirectory || source.hasSuffix(".conf");
    List<Line> lines = lines(source, source.text(), into);
    Map<String, Integer> last = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      last.put(lines.get(i).key(), i);
    }
    if (inDirectory && fileRead) {
      for (String name : source.siblings().names("")) {
        if (name.endsWith(".conf") && name.compareTo(source.fileName()) > 0) {
          source
              .siblings()
              .text(name)
              .ifPresent(
                  text -> lines(source, text, null).forEach(line -> last.remove(line.key())));
        }
      }
    }
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      if (Integer.valueOf(i).equals(last.get(line.key())) || !line.meant().isEmpty()) {
        into.add(statement(source, line, fileRead));
      }
    }
  }

  private static List<Line> lines(Source source, String text, @Nullable Statements problems) {
    List<Line> lines = new ArrayList<>();
    boolean told = false;
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      Matcher matcher = LINE.matcher(text).region(start, end);
      if (matcher.lookingAt()) {
        if (matcher.group(3).isEmpty()) {
          // A minus and a name alone excludes the name; systemd's sysctl.d(5).
          if (matcher.group(1).isEmpty() && problems != null && !told) {
            told = true;
            problems.problem(
                source.at(matcher.start(2)), "is no NAME = VALUE, and sysctl skips the line");
          }
        } else {
          line(matcher, lines);
        }
      }
      start = end + 1;
    }
    return lines;
  }

  private static void line(Matcher matcher, List<Line> into) {
    String key = dotted(matcher.group(2).strip());
    String meant = "";
    if (!OURS.contains(key) && !OTHERS.contains(key) && key.length() < 32 && key.length() > 3) {
      meant = near(key);
    }
    if (OURS.contains(key) || !meant.isEmpty()) {
      into.add(new Line(key, matcher.group(4).strip(), matcher.start(2), matcher.start(4), meant));
    }
  }

  /** Returns which of ours was meant; empty where none is near. */
  private static String near(String key) {
    if (!key.startsWith("vm.")) {
      return OURS.contains("vm." + key) ? "vm." + key : "";
    }
    String folded = fold(key);
    for (String ours : OURS) {
      if (folded.equals(fold(ours))) {
        return ours;
      }
    }
    List<String> near = Nearest.to(key, OURS);
    boolean byTheRest = !near.isEmpty() && Math.abs(near.get(0).length() - key.length()) < 3;
    return byTheRest && key.charAt(3) == near.get(0).charAt(3) ? near.get(0) : "";
  }

  private static String fold(String key) {
    return key.replace("_", "").replace("-", "");
  }

  private static String dotted(String key) {
    int slash = key.indexOf('/');
    int dot = key.indexOf('.');
    if (slash < 0 || (dot >= 0 && dot < slash)) {
      return key;
    }
    char[] swapped = key.toCharArray();
    for (int i = 0; i < swapped.length; i++) {
      swapped[i] = swapped[i] == '/' ? '.' : swapped[i] == '.' ? '/' : swapped[i];
    }
    return new String(swapped);
  }

  private static Statement statement(Source source, Line line, boolean fileRead) {
    Place keyAt = source.at(line.keyAt());
    Place valueAt = source.at(line.valueAt());
    boolean number = NUMBER.matcher(line.value()).matches();
    return Statement.of(Setting.TYPE, keyAt)
        .set("source", SettingSource.SYSCTL)
        .set("fileRead", fileRead, keyAt)
        .set("scope", "")
        .set("key", line.key(), keyAt)
        .set("keyKnown", line.meant().isEmpty(), keyAt)
        .set("value", line.value(), valueAt)
        .set("valueKnown", number, valueAt)
        .set("number", number ? Long.decode(line.value()) : null, valueAt)
        .set("meant", line.meant().isEmpty() ? "a whole number" : line.meant())
        .build();
  }
}

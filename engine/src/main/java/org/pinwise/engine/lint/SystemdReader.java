package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Setting;
import org.pinwise.rules.model.SettingSource;

/**
 * Reads systemd services and their drop-ins, merged as systemd.unit(5) says: of unit files of a
 * name that in /etc wins over /run and /usr; drop-ins of all directories follow in the order of
 * their names, and of one name again the first directory wins. A drop-in is judged as the unit is,
 * and what another file says wrong is reported there.
 */
final class SystemdReader implements ConfigReader {
  /** Where units of a system are, from the first to the last that counts; systemd.unit(5). */
  private static final List<String> DIRECTORIES =
      List.of(
          "etc/systemd/system",
          "run/systemd/system",
          "usr/local/lib/systemd/system",
          "usr/lib/systemd/system",
          "lib/systemd/system");

  private static final String SERVICE = "Service";
  private static final Pattern HAS_SERVICE = Pattern.compile("(?m)^[ \\t]*+\\[Service\\]");
  private static final Pattern DROP_IN = Pattern.compile("(.*\\.)?service\\.d");
  private static final Pattern INSTANCE = Pattern.compile("([^@]+@)[^@.]+(\\.service)");

  @Override
  public String format() {
    return "systemd unit";
  }

  @Override
  public boolean reads(Source source) {
    if (DROP_IN.matcher(source.directory()).matches()) {
      return source.hasSuffix(".conf") || HAS_SERVICE.matcher(source.text()).find();
    }
    if (isManager(source)) {
      return true;
    }
    // D-Bus and Avahi have services, too; and a text of no name is known by its section.
    boolean named = source.hasSuffix(".service") && !source.text().contains("[D-BUS Service]");
    return (named && !source.text().startsWith("<"))
        || (source.fileName().indexOf('.') < 0 && HAS_SERVICE.matcher(source.text()).find());
  }

  private static boolean isManager(Source source) {
    return (source.fileName().equals("system.conf") && source.directory().equals("systemd"))
        || source.directory().equals("system.conf.d");
  }

  @Override
  public void read(Source source, Statements into) {
    UnitFile file = UnitFile.parse(source.text());
    for (UnitFile.Wrong wrong : file.wrong()) {
      into.problem(source.at(wrong.at()), wrong.message());
    }
    boolean dropIn = DROP_IN.matcher(source.directory()).matches();
    boolean fileRead = !dropIn || source.hasSuffix(".conf");
    boolean manager = isManager(source);
    for (UnitFile.Assignment assignment : file.assignments()) {
      setting(source, assignment, fileRead, manager).ifPresent(into::add);
    }
    if (!manager && fileRead) {
      unit(source, file, dropIn).ifPresent(into::add);
    }
  }

  /** Returns what is to be said about an assignment by itself: whether systemd understands it. */
  private static Optional<Statement> setting(
      Source source, UnitFile.Assignment assignment, boolean fileRead, boolean manager) {
    String key = assignment.key();
    String meant = manager ? "" : meantKey(assignment);
    boolean ours = manager ? key.equals("DefaultLimitMEMLOCK") : UnitKeys.ALL.contains(key);
    if (!ours && meant.isEmpty()) {
      return Optional.empty();
    }
    Place keyAt = source.at(assignment.keyAt());
    Place valueAt = source.at(assignment.valueAt());
    boolean keyKnown = meant.isEmpty();
    String better = keyKnown ? UnitKeys.betterValue(key, assignment.value()) : null;
    return Optional.of(
        Statement.of(Setting.TYPE, keyAt)
            .set("source", SettingSource.SYSTEMD)
            .set("fileRead", fileRead, keyAt)
            .set("scope", assignment.section(), keyAt)
            .set("key", key, keyAt)
            .set("keyKnown", keyKnown, keyAt)
            .set("value", assignment.value(), valueAt)
            .set("valueKnown", better == null, valueAt)
            .set("meant", keyKnown && better != null ? better : meant)
            .build());
  }

  /** Returns what was meant by a name that systemd does not know where it stands; else nothing. */
  private static String meantKey(UnitFile.Assignment assignment) {
    String key = assignment.key();
    if (key.startsWith("X-") || assignment.section().startsWith("X-")) {
      return ""; // systemd.syntax(7) leaves these to others
    }
    if (UnitKeys.ALL.contains(key)) {
      return assignment.section().equals(SERVICE) ? "" : "%s in [Service]".formatted(key);
    }
    String folded = fold(key);
    if (folded.contains("memlock")) {
      return UnitKeys.MEMLOCK;
    }
    return UnitKeys.MISSPELT.getOrDefault(folded, "");
  }

  private static String fold(String key) {
    return key.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
  }

  private static Optional<Statement> unit(Source source, UnitFile own, boolean dropIn) {
    Siblings siblings = source.siblings();
    String directory = source.directory();
    String name =
        dropIn ? directory.substring(0, Math.max(0, directory.length() - 2)) : source.fileName();
    String up = dropIn ? "../" : "";
    List<String> roots = roots(source.name(), dropIn);
    String self = dropIn ? directory + "/" + source.fileName() : source.fileName();
    Set<String> parts = new LinkedHashSet<>();
    if (dropIn) {
      main(siblings, up, roots, name).ifPresent(parts::add);
    } else if (isFirst(siblings, roots, self)) {
      parts.add(self);
    } else {
      return Optional.empty(); // systemd takes the unit file of another directory
    }
    boolean whole = !parts.isEmpty();
    parts.addAll(dropIns(siblings, up, roots, name, dropIn ? self : null));
    if (!parts.contains(self)) {
      return Optional.empty(); // a drop-in of its name in another directory wins
    }
    UnitMerge merge = new UnitMerge(source, name, whole, defaults(siblings, up, roots));
    for (String part : parts) {
      if (part.equals(self)) {
        merge.add(own, null);
      } else {
        siblings.text(up + part).ifPresent(text -> merge.add(UnitFile.parse(text), part));
      }
    }
    return Optional.of(merge.statement());
  }

  /**
   * Returns the limits of a service that sets none: DefaultLimitMEMLOCK of system.conf and what is
   * in system.conf.d, or systemd's own, which before version 254 was the kernel's and never more.
   */
  private static UnitKeys.Limits defaults(Siblings siblings, String up, List<String> roots) {
    UnitKeys.Limits found = new UnitKeys.Limits(8L << 20, 8L << 20);
    if (roots.size() > 1) {
      String manager = up + roots.get(0) + "../";
      List<String> paths = new ArrayList<>(List.of(manager + "system.conf"));
      for (String name : siblings.names(manager + "system.conf.d")) {
        paths.add(manager + "system.conf.d/" + name);
      }
      for (String path : paths) {
        for (UnitFile.Assignment one :
            UnitFile.parse(siblings.text(path).orElse("")).assignments()) {
          if (one.key().equals("DefaultLimitMEMLOCK") && one.section().equals("Manager")) {
            found = UnitKeys.limits(one.value()).orElse(found);
          }
        }
      }
    }
    return found;
  }

  /** Returns the other directories of units, relative to that of this unit, and itself as empty. */
  private static List<String> roots(String name, boolean dropIn) {
    String directory = name.substring(0, Math.max(0, name.lastIndexOf('/')));
    if (dropIn) {
      directory = directory.substring(0, Math.max(0, directory.lastIndexOf('/')));
    }
    for (String own : DIRECTORIES) {
      if (directory.equals(own) || directory.endsWith("/" + own)) {
        String root = "../".repeat((int) own.chars().filter(c -> c == '/').count() + 1);
        return DIRECTORIES.stream().map(d -> d.equals(own) ? "" : root + d + "/").toList();
      }
    }
    return List.of("");
  }

  private static boolean isFirst(Siblings siblings, List<String> roots, String name) {
    for (String root : roots) {
      if (root.isEmpty()) {
        return true;
      }
      if (siblings.text(root + name).isPresent()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the unit file of a name; of an instance it may be the template's. */
  private static Optional<String> main(
      Siblings siblings, String up, List<String> roots, String name) {
    for (String candidate : names(name)) {
      for (String root : roots) {
        if (siblings.text(up + root + candidate).isPresent()) {
          return Optional.of(root + candidate);
        }
      }
    }
    return Optional.empty();
  }

  /** Returns a unit's name, and where it is an instance that of its template. */
  private static List<String> names(String name) {
    Matcher instance = INSTANCE.matcher(name);
    return instance.matches()
        ? List.of(name, instance.group(1) + instance.group(2))
        : List.of(name);
  }

  private static List<String> dropIns(
      Siblings siblings, String up, List<String> roots, String name, @Nullable String self) {
    Map<String, String> byName = new TreeMap<>();
    for (String directory : dropInDirectories(name)) {
      for (String root : roots) {
        for (String file : siblings.names(up + root + directory)) {
          if (file.endsWith(".conf")) {
            byName.putIfAbsent(file, root + directory + "/" + file);
          }
        }
      }
    }
    if (self != null) {
      byName.putIfAbsent(self.substring(self.lastIndexOf('/') + 1), self);
    }
    return List.copyOf(byName.values());
  }

  /** Returns the directories of drop-ins of a unit, the most special first; systemd.unit(5). */
  private static Set<String> dropInDirectories(String name) {
    Set<String> directories = new LinkedHashSet<>();
    for (String one : names(name)) {
      directories.add(one + ".d");
      String stem = one.replaceFirst("\\.service$", "");
      for (int dash = stem.lastIndexOf('-'); dash > 0; dash = stem.lastIndexOf('-', dash - 1)) {
        directories.add(stem.substring(0, dash + 1) + ".service.d");
      }
    }
    directories.add("service.d");
    return directories;
  }
}

package org.pinwise.engine.facts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one device in a text of {@code ibv_devinfo -v}: {@code name: value} lines, and
 * lines of names that belong to the attribute above them. Takes tabs or spaces; knows no attribute.
 */
final class DevinfoText {
  private static final String HCA_ID = "hca_id";

  /** What tells such a text from any other when its head was cut off. */
  private static final Set<String> MARKS =
      Set.of("vendor_part_id", "max_mr_size", "max_mr", "device_cap_flags", "general_odp_caps");

  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  /** An attribute: its value, the names under it, and whether another line came after them. */
  static final class Attribute {
    private final String value;
    private final List<String> names = new ArrayList<>();
    private boolean ended;

    private Attribute(String value) {
      this.value = value;
    }

    String value() {
      return value;
    }

    List<String> names() {
      return List.copyOf(names);
    }

    /** Returns whether the list of names is known to be whole: the text was not cut within it. */
    boolean whole() {
      return ended;
    }
  }

  private final @Nullable String name;
  private final Map<String, Attribute> first = new LinkedHashMap<>();
  private final Map<String, List<String>> all = new LinkedHashMap<>();
  private @Nullable Attribute last;

  private DevinfoText(@Nullable String name) {
    this.name = name;
  }

  /** Returns the devices of a text, in its order; a text without a head is one without a name. */
  static List<DevinfoText> devices(String text) {
    List<DevinfoText> devices = new ArrayList<>();
    DevinfoText current = new DevinfoText(null);
    for (String line : LINE_BREAK.split(text, -1)) {
      int colon = line.indexOf(':');
      String key = (colon < 0 ? line : line.substring(0, colon)).strip();
      if (key.equals(HCA_ID) && colon >= 0) {
        current.end();
        current = new DevinfoText(line.substring(colon + 1).strip());
        devices.add(current);
      } else if (colon >= 0 && key.matches("[a-z][\\w ()/]{1,60}")) {
        current.attribute(key, line.substring(colon + 1).strip());
      } else if (!key.isEmpty()) {
        current.nameOrOther(line.strip());
      }
    }
    if (devices.isEmpty() && MARKS.stream().anyMatch(current.first::containsKey)) {
      devices.add(current);
    }
    return devices;
  }

  /** Returns whether a text is of {@code ibv_devinfo}, whatever is wrong with it. */
  static boolean looksLike(String text) {
    return !devices(text).isEmpty();
  }

  private void end() {
    if (last != null) {
      last.ended = true;
    }
  }

  private void attribute(String key, String value) {
    end();
    Attribute attribute = new Attribute(value);
    last = attribute;
    first.putIfAbsent(key, attribute);
    all.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
  }

  private void nameOrOther(String line) {
    if (line.matches("\\.{2,}|\u2026")) {
      last = null; // something was cut out here, perhaps names of this very list
    } else if (last != null) {
      // A line such as "tag matching not supported" ends a list as an attribute does.
      if (line.matches("[A-Z][A-Z0-9_ ]*|Unknown flags: .*")) {
        last.names.add(line);
      } else {
        last.ended = true;
      }
    }
  }

  /** Returns the device's name on its host; null where the text has none. */
  @Nullable String name() {
    return name;
  }

  /** Returns the first attribute of a name. */
  Optional<Attribute> attribute(String key) {
    return Optional.ofNullable(first.get(key));
  }

  /** Returns the values of all attributes of a name, one per port. */
  List<String> values(String key) {
    return List.copyOf(all.getOrDefault(key, List.of()));
  }
}

package org.pinwise.engine.facts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.rules.model.Unsigned;

/**
 * The control groups of this process, as far up as it can see: in a container, the groups above its
 * own are hidden, so that their limits stay unknown.
 *
 * <p>Sources: {@code Documentation/admin-guide/cgroup-v1/memory.rst}, {@code rdma.rst} and {@code
 * cgroup-v2.rst}; {@code kernel/cgroup/rdma.c}, rdmacg_try_charge.
 */
final class ControlGroups {
  private static final String MEMBERSHIP = "/proc/self/cgroup";
  private static final String MOUNTS = "/proc/self/mountinfo";
  private static final String UNLIMITED = "max";

  /** v1 rounds "no limit" down to a page of up to 64 KiB: PAGE_COUNTER_MAX. */
  private static final long V1_UNLIMITED = Long.MAX_VALUE - 0xffff;

  private static final Pattern HIERARCHICAL =
      Pattern.compile("(?m)^hierarchical_memory_limit (\\d{1,20})$");
  private static final Pattern OBJECTS = Pattern.compile("\\bhca_object=(\\d{1,10}|max)\\b");

  private final SystemFiles files;

  ControlGroups(SystemFiles files) {
    this.files = files;
  }

  /**
   * A limit and the file that sets it.
   *
   * @param value the limit; {@link Long#MAX_VALUE} is none
   * @param file where it was read, or why there is none
   */
  record Limit(long value, String file) {}

  /**
   * How many RDMA objects a device may give to this process's groups.
   *
   * @param limit the limit of the group that is nearest to its own; {@link Long#MAX_VALUE} is none
   * @param inUse how many that group has
   * @param file where the limit was read
   */
  record Objects(long limit, long inUse, String file) {
    long left() {
      return limit == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, limit - inUse);
    }
  }

  /** A line of {@code /proc/self/cgroup}; version 2 has no controllers. */
  private record Membership(List<String> controllers, String path) {
    boolean isUnified() {
      return controllers.isEmpty();
    }
  }

  /** A hierarchy of version 1 or 2 that is mounted, and the groups of this process in it. */
  private record Hierarchy(boolean unified, List<String> groups) {}

  /** Returns the smallest memory limit of the groups. */
  Limit memory() throws IOException, UnknownException {
    Hierarchy hierarchy = hierarchy("memory");
    String name = hierarchy.unified() ? "memory.max" : "memory.limit_in_bytes";
    Limit smallest =
        new Limit(Long.MAX_VALUE, "no group up to " + last(hierarchy.groups()) + " has a limit");
    for (String group : hierarchy.groups()) {
      String file = group + "/" + name;
      if (files.exists(file)) { // the root group has none
        smallest = smaller(smallest, new Limit(memoryLimit(file, files.text(file).strip()), file));
      }
      if (!hierarchy.unified()) {
        // Of groups above that a container does not see.
        String stat = group + "/memory.stat";
        Matcher matcher = HIERARCHICAL.matcher(files.textIfAny(stat).orElse(""));
        if (matcher.find()) {
          smallest = smaller(smallest, new Limit(memoryLimit(stat, matcher.group(1)), stat));
        }
      }
    }
    return smallest;
  }

  private static Limit smaller(Limit one, Limit other) {
    return other.value() < one.value() ? other : one;
  }

  private static long memoryLimit(String file, String text) throws UnknownException {
    if (text.equals(UNLIMITED)) {
      return Long.MAX_VALUE;
    }
    try {
      long value = Unsigned.saturated(Long.parseUnsignedLong(text));
      return value >= V1_UNLIMITED ? Long.MAX_VALUE : value;
    } catch (NumberFormatException e) {
      throw new UnknownException("%s is no number: %s".formatted(file, Shown.of(text)));
    }
  }

  /** Returns the objects of a device in the group that has the fewest left. */
  Objects objects(String device) throws IOException, UnknownException {
    Hierarchy hierarchy = hierarchy("rdma");
    Objects fewest = null;
    for (String group : hierarchy.groups()) {
      String file = group + "/rdma.max";
      if (files.exists(file)) { // the root group has none
        Optional<Long> limit = objectsOf(device, files.text(file));
        if (limit.isPresent()) {
          long inUse = objectsOf(device, files.text(group + "/rdma.current")).orElse(0L);
          Objects here = new Objects(limit.get(), inUse, file);
          fewest = fewest == null || here.left() < fewest.left() ? here : fewest;
        }
      }
    }
    if (fewest == null) {
      throw new UnknownException(
          "no rdma.max up to %s tells of %s".formatted(last(hierarchy.groups()), device));
    }
    return fewest;
  }

  private static Optional<Long> objectsOf(String device, String text) {
    for (String line : text.split("\\R", -1)) {
      if (line.startsWith(device + " ")) {
        Matcher matcher = OBJECTS.matcher(line);
        if (matcher.find()) {
          String value = matcher.group(1);
          return Optional.of(value.equals(UNLIMITED) ? Long.MAX_VALUE : Long.parseLong(value));
        }
      }
    }
    return Optional.empty();
  }

  private static String last(List<String> groups) {
    return groups.get(groups.size() - 1);
  }

  private Hierarchy hierarchy(String controller) throws IOException, UnknownException {
    List<Membership> memberships = memberships(files.text(MEMBERSHIP));
    Membership membership =
        memberships.stream()
            .filter(m -> m.controllers().contains(controller))
            .findFirst()
            .or(() -> memberships.stream().filter(Membership::isUnified).findFirst())
            .orElseThrow(
                () -> new UnknownException(MEMBERSHIP + " names no group for " + controller));
    boolean unified = membership.isUnified();
    for (String line : files.text(MOUNTS).split("\\R", -1)) {
      Optional<List<String>> groups = groups(line, unified ? null : controller, membership.path());
      if (groups.isPresent()) {
        return new Hierarchy(unified, existing(groups.get()));
      }
    }
    throw new UnknownException(
        "this process's group %s is in nothing that %s mounts"
            .formatted(Shown.of(membership.path()), unified ? "cgroup2" : "cgroup"));
  }

  private List<String> existing(List<String> groups) throws UnknownException {
    if (!files.isDirectory(groups.get(0))) {
      throw new UnknownException("there is no " + groups.get(0));
    }
    return groups;
  }

  private static List<Membership> memberships(String text) {
    List<Membership> memberships = new ArrayList<>();
    for (String line : text.split("\\R", -1)) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3) {
        List<String> controllers = parts[1].isEmpty() ? List.of() : List.of(parts[1].split(","));
        memberships.add(new Membership(controllers, parts[2]));
      }
    }
    return memberships;
  }

  /**
   * Returns the folders of a group and of those above it, where this mount shows them.
   *
   * @param controller of version 1; null is version 2
   */
  private static Optional<List<String>> groups(
      String mount, @org.jspecify.annotations.Nullable String controller, String path) {
    int dash = mount.indexOf(" - ");
    String[] fields = mount.split(" ");
    if (dash < 0 || fields.length < 5) {
      return Optional.empty();
    }
    String[] type = mount.substring(dash + 3).split(" ");
    boolean fits =
        controller == null
            ? type[0].equals("cgroup2")
            : type[0].equals("cgroup")
                && Arrays.asList(type[type.length - 1].split(",")).contains(controller);
    String mountRoot = unescaped(fields[3]);
    String below = mountRoot.equals("/") ? path : below(mountRoot, path);
    if (!fits || below == null || Arrays.asList(path.split("/")).contains("..")) {
      return Optional.empty();
    }
    String top = unescaped(fields[4]);
    List<String> groups = new ArrayList<>();
    String group = below.equals("/") || below.isEmpty() ? top : top + below;
    while (group.length() > top.length()) {
      groups.add(group);
      group = group.substring(0, group.lastIndexOf('/'));
    }
    groups.add(top);
    return Optional.of(groups);
  }

  private static @org.jspecify.annotations.Nullable String below(String mountRoot, String path) {
    return path.equals(mountRoot)
        ? ""
        : path.startsWith(mountRoot + "/") ? path.substring(mountRoot.length()) : null;
  }

  /** mountinfo writes blanks, tabs, line breaks and backslashes in octal. */
  private static String unescaped(String text) {
    return text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }
}

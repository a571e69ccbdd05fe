package org.pinwise.engine.lint;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.LimitsSet;
import org.pinwise.rules.model.ServiceUnit;

/**
 * Merges the files of a service in their order, as systemd's load-fragment.c does: the last
 * assignment of a single value wins and one that systemd cannot read has no effect, so that an
 * empty LimitMEMLOCK resets nothing; lists add up, and an empty one resets them; a set of
 * capabilities is taken as it is the first time, then added to, or with {@code ~} taken from.
 */
final class UnitMerge {
  /** Daemons whose processes, or whose children, register memory. */
  private static final Set<String> RDMA =
      Set.of(
          "slurmd",
          "slurmstepd",
          "pbs_mom",
          "torque-mom",
          "orcmd",
          "ceph-osd",
          "containerd",
          "docker",
          "crio",
          "cri-o",
          "podman",
          "kubelet");

  /** Those of them that start the processes of others. */
  private static final Set<String> LAUNCHERS =
      Set.of(
          "slurmd",
          "slurmstepd",
          "pbs_mom",
          "torque-mom",
          "orcmd",
          "containerd",
          "docker",
          "crio",
          "cri-o",
          "podman",
          "kubelet");

  private static final Pattern EVIDENCE =
      Pattern.compile(
          "infiniband|\\brdma|_rdma\\b|\\bibv_|\\bmlx[45]|\\bUCX_|\\bFI_PROVIDER\\b|\\bNCCL_IB",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern OF_INFINIBAND =
      Pattern.compile("/dev/infiniband\\S*|char-infiniband\\S*|char-\\*|/dev/\\*\\S*");
  private static final String IPC_LOCK = "CAP_IPC_LOCK";

  private final Source source;
  private final String name;
  private final boolean whole;
  private final UnitKeys.Limits otherwise;
  private final Map<String, Spot> given = new HashMap<>();
  private @Nullable Spot section;
  private UnitKeys.@Nullable Limits memlock;
  private @Nullable Boolean privateDevices;
  private @Nullable Boolean privateUsers;
  private @Nullable Boolean dynamicUser;
  private @Nullable String user;
  private @Nullable Boolean bounding;
  private @Nullable Boolean ambient;
  private boolean devicesListed;
  private boolean infinibandListed;
  private boolean policyCloses;
  private boolean evidence;

  /** A place in a file of the unit; no file is the one that is linted. */
  private record Spot(int at, @Nullable String file) {}

  /**
   * Starts with nothing.
   *
   * @param source the file that is linted
   * @param name the unit
   * @param whole whether the unit file itself is among the files
   * @param otherwise the limits of locked memory of a service that sets none
   */
  UnitMerge(Source source, String name, boolean whole, UnitKeys.Limits otherwise) {
    this.source = source;
    this.name = name;
    this.whole = whole;
    this.otherwise = otherwise;
  }

  /** Adds the next file; null is the one that is linted. */
  void add(UnitFile file, @Nullable String path) {
    for (UnitFile.Section head : file.sections()) {
      if (section == null && head.name().equals("Service")) {
        section = new Spot(head.at(), path);
      }
    }
    for (UnitFile.Assignment assignment : file.assignments()) {
      if (assignment.section().equals("Service")) {
        add(assignment, new Spot(assignment.valueAt(), path));
      }
    }
  }

  private void add(UnitFile.Assignment assignment, Spot spot) {
    String key = assignment.key();
    String value = assignment.value();
    evidence |= EVIDENCE.matcher(value).find();
    boolean taken =
        switch (key) {
          case UnitKeys.MEMLOCK -> {
            Optional<UnitKeys.Limits> limits = UnitKeys.limits(value);
            limits.ifPresent(read -> memlock = read);
            yield limits.isPresent();
          }
          case UnitKeys.PRIVATE_DEVICES -> {
            Boolean truth = UnitKeys.truth(value);
            privateDevices = truth == null ? privateDevices : truth;
            yield truth != null;
          }
          case UnitKeys.PRIVATE_USERS -> {
            // Newer ones have words for ways of being private.
            privateUsers = value.isEmpty() ? null : !Boolean.FALSE.equals(UnitKeys.truth(value));
            yield true;
          }
          case UnitKeys.DYNAMIC_USER -> {
            Boolean truth = UnitKeys.truth(value);
            dynamicUser = truth == null ? dynamicUser : truth;
            yield truth != null;
          }
          case UnitKeys.USER -> {
            user = value;
            yield true;
          }
          case UnitKeys.DEVICE_POLICY -> {
            policyCloses = value.equals("closed") || value.equals("strict");
            yield true;
          }
          case UnitKeys.DEVICE_ALLOW -> {
            devicesListed = !value.isEmpty();
            infinibandListed =
                devicesListed
                    && (infinibandListed
                        || OF_INFINIBAND.matcher(value.split("\\s", 2)[0]).matches());
            yield true;
          }
          case UnitKeys.BOUNDING_SET -> {
            bounding = capabilities(value, bounding);
            yield true;
          }
          case UnitKeys.AMBIENT -> {
            ambient = capabilities(value, ambient);
            yield true;
          }
          default -> false;
        };
    if (taken) {
      given.put(key, spot);
    }
  }

  /** Returns whether CAP_IPC_LOCK is in a set after an assignment; null is a set of no value. */
  private static Boolean capabilities(String value, @Nullable Boolean before) {
    boolean inverted = value.startsWith("~");
    List<String> names =
        List.of(
            (inverted ? value.substring(1) : value)
                .toUpperCase(Locale.ROOT)
                .strip()
                .split("\\s+", -1));
    boolean named = names.contains(IPC_LOCK);
    boolean none = names.equals(List.of(""));
    if (before == null || none) {
      return inverted != named;
    }
    return inverted ? before && !named : before || named;
  }

  /** Returns what the files together say. */
  Statement statement() {
    Boolean bounded = bounding == null ? known(false) : Boolean.valueOf(!bounding);
    Boolean asked = ambient == null ? known(false) : ambient;
    Boolean root = root();
    Statement.Builder<ServiceUnit> unit =
        Statement.of(ServiceUnit.TYPE, Place.START)
            .set("name", name, Place.START)
            .set("rdma", (evidence || RDMA.contains(stem())) ? true : null)
            .set("launcher", LAUNCHERS.contains(stem()))
            .set("rootUser", root)
            .set("ipcLock", ipcLock(bounded, asked, root))
            .set("ipcLockAsked", asked)
            .set("ipcLockBounded", bounded)
            .set("memlockSet", memlock != null ? LimitsSet.BOTH : whole ? LimitsSet.NONE : null)
            .set("memlockSoft", memlock == null ? null : memlock.soft())
            .set("memlockHard", memlock == null ? null : memlock.hard())
            .set("privateDevices", privateDevices == null ? known(false) : privateDevices)
            .set("devicesRefused", devicesRefused());
    place(unit, "rootUser", UnitKeys.DYNAMIC_USER, UnitKeys.USER);
    place(unit, "ipcLockAsked", UnitKeys.AMBIENT);
    place(unit, "ipcLockBounded", UnitKeys.BOUNDING_SET);
    place(unit, "ipcLock", UnitKeys.BOUNDING_SET, UnitKeys.AMBIENT);
    place(unit, "memlockSoft", UnitKeys.MEMLOCK);
    place(unit, "memlockHard", UnitKeys.MEMLOCK);
    place(unit, "privateDevices", UnitKeys.PRIVATE_DEVICES);
    place(unit, "devicesRefused", UnitKeys.DEVICE_ALLOW, UnitKeys.DEVICE_POLICY);
    place(unit, "memlockSet", UnitKeys.MEMLOCK);
    if (!given.containsKey(UnitKeys.MEMLOCK) && section != null) {
      at(unit, "memlockSet", section);
    }
    host(unit);
    unit.host("ipcLock", ipcLock(bounded, asked, root), null);
    return unit.workload(new Workload(Workload.Kind.UNIT, name)).build();
  }

  /** Says what a plan learns that runs as the service. */
  private void host(Statement.Builder<ServiceUnit> unit) {
    UnitKeys.Limits limits = memlock != null ? memlock : whole ? otherwise : null;
    Spot spot = memlock != null ? given.get(UnitKeys.MEMLOCK) : section;
    if (limits != null) {
      Place place = spot == null || spot.file() != null ? null : source.at(spot.at());
      unit.host("memlock", limits.soft(), place).host("memlockHard", limits.hard(), place);
    }
  }

  private String stem() {
    String stem = name.replaceFirst("(@.*)?(\\.service)?$", "");
    // The services of a snap are snap.SNAP.DAEMON.
    return stem.startsWith("snap.") ? stem.substring(stem.lastIndexOf('.') + 1) : stem;
  }

  /** What systemd decides where no file says it; unknown where the unit file is not there. */
  private @Nullable Boolean known(boolean otherwise) {
    return whole ? otherwise : null;
  }

  private @Nullable Boolean root() {
    if (Boolean.TRUE.equals(dynamicUser)) {
      return false;
    }
    return user == null
        ? known(true)
        : Boolean.valueOf(user.isEmpty() || user.equals("root") || user.equals("0"));
  }

  private @Nullable Boolean ipcLock(
      @Nullable Boolean bounded, @Nullable Boolean asked, @Nullable Boolean root) {
    // The kernel asks for the capability in the first user namespace, which PrivateUsers leaves.
    if (Boolean.TRUE.equals(bounded) || Boolean.TRUE.equals(privateUsers)) {
      return false;
    }
    if (Boolean.FALSE.equals(asked) && Boolean.FALSE.equals(root)) {
      return false;
    }
    boolean has = Boolean.TRUE.equals(asked) || Boolean.TRUE.equals(root);
    return (has && Boolean.FALSE.equals(bounded)) ? true : null;
  }

  private @Nullable Boolean devicesRefused() {
    if (infinibandListed) {
      return false;
    }
    return (policyCloses || devicesListed) ? (whole ? true : null) : known(false);
  }

  private void place(Statement.Builder<ServiceUnit> unit, String field, String... keys) {
    for (String key : keys) {
      Spot one = given.get(key);
      if (one != null) {
        at(unit, field, one);
        return;
      }
    }
  }

  private void at(Statement.Builder<ServiceUnit> unit, String field, Spot spot) {
    if (spot.file() == null) {
      unit.at(field, source.at(spot.at()));
    } else {
      unit.elsewhere(field, spot.file());
    }
  }
}

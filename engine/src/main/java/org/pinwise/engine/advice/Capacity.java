package org.pinwise.engine.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.PinErrors;
import org.pinwise.rules.model.Size;

/**
 * How much memory a process can register, more than it has: the smallest of all bounds that are
 * real. Arithmetic is the kernel's: whole pages, of which those at both ends of a region count in
 * full, and a page counts as often as it is registered.
 *
 * {@snippet :
 * Capacity capacity = Capacity.of(device, host, null, RuleSet.builtIn());
 * capacity.bytes().ifPresent(bytes -> out.println(capacity.isExact() ? bytes : "at most " + bytes));
 * }
 *
 * @param bounds all bounds that apply: the smallest first, then those that do not bind, then those
 *     that are unknown
 */
public record Capacity(List<Bound> bounds) {
  /** The room that grades the share of RAM, and its parameter; a profile sets it. */
  private static final String SHARE_ROOM = "MR048";

  private static final String SHARE = "ratioPercent";
  private static final long UNLIMITED = Long.MAX_VALUE;

  /** Makes the value. */
  public Capacity {
    bounds = List.copyOf(bounds);
  }

  /**
   * What bounds the registered memory.
   *
   * @param name its name, such as {@code memlock}
   * @param bytes how many bytes more it allows; {@link Long#MAX_VALUE} where it does not bind; null
   *     where it is unknown
   * @param exact false where only a part of it is known, so that it may allow less
   * @param basis what it was computed of, in words
   * @param needs the facts that are unknown, such as {@code host.pinnedPages}
   * @param beyond the errno of a registration beyond it; null where the kernel gives none
   * @param change what to change, a sentence
   */
  public record Bound(
      String name,
      @Nullable Long bytes,
      boolean exact,
      String basis,
      List<String> needs,
      @Nullable Errno beyond,
      String change) {

    /** Makes the value. */
    public Bound {
      needs = List.copyOf(needs);
    }

    /** Returns whether it is known and bounds. */
    public boolean binds() {
      return bytes != null && bytes != UNLIMITED;
    }
  }

  /** Returns how many bytes more can be registered; empty where nothing known bounds them. */
  public Optional<Long> bytes() {
    return binding().map(Bound::bytes);
  }

  /** Returns the bound that binds; empty where none is known. */
  public Optional<Bound> binding() {
    return bounds.stream().filter(Bound::binds).findFirst();
  }

  /**
   * Returns whether just {@link #bytes} can be registered: no bound is unknown, and what the kernel
   * and the driver count is known in full. Else it is an upper limit.
   */
  public boolean isExact() {
    return unknown().isEmpty()
        && binding().map(Bound::exact).orElse(false)
        && bounds.stream().allMatch(bound -> bound.exact() || bound.beyond() == null);
  }

  /** Returns the bounds that are unknown. */
  public List<Bound> unknown() {
    return bounds.stream().filter(bound -> bound.bytes() == null).toList();
  }

  /**
   * Computes the capacity.
   *
   * @param device the device
   * @param host the host and the process
   * @param memoryPageSize the size of the memory's own pages, such as 2 MiB; null is the host's
   * @param rules the rules, whose profile may allow a share of RAM only
   */
  public static Capacity of(
      Device device, Host host, @Nullable Long memoryPageSize, RuleSet rules) {
    Computation computation = new Computation(device, host, memoryPageSize, share(rules));
    List<Bound> bounds = new ArrayList<>();
    bounds.add(computation.memlock());
    bounds.add(computation.ram());
    computation.ramShare().ifPresent(bounds::add);
    bounds.add(computation.group());
    bounds.add(computation.regions());
    computation.pageBudget().ifPresent(bounds::add);
    bounds.add(computation.objects());
    computation.translations().ifPresent(bounds::add);
    bounds.sort(
        Comparator.comparing(Bound::bytes, Comparator.nullsLast(Comparator.<Long>naturalOrder())));
    return new Capacity(bounds);
  }

  /** Returns the share of RAM that a profile allows, in percent; null where none sets it. */
  private static @Nullable Long share(RuleSet rules) {
    for (String id : List.of(SHARE_ROOM + "/ram", SHARE_ROOM)) {
      Profile.Setting setting = rules.profile().settings().get(id);
      if (setting != null && setting.parameters().get(SHARE) != null) {
        return setting.parameters().get(SHARE);
      }
    }
    return null;
  }

  /** Multiplies numbers that are not negative; {@link #UNLIMITED} stays so. */
  static long times(long left, long right) {
    if (left == 0 || right == 0) {
      return 0;
    }
    return left > UNLIMITED / right ? UNLIMITED : left * right;
  }

  /** Computes the bounds of one set of facts. */
  private record Computation(
      Device device, Host host, @Nullable Long memoryPageSize, @Nullable Long share) {

    /** {@code new_pinned > lock_limit && !capable(CAP_IPC_LOCK)}: ib_umem_get, core/umem.c. */
    Bound memlock() {
      String name = "memlock";
      String change =
          "Raise RLIMIT_MEMLOCK where the process is started (LimitMEMLOCK=infinity, limits.conf,"
              + " --ulimit memlock=-1), or give it CAP_IPC_LOCK.";
      Boolean exempt = host.ipcLock();
      if (asksPrivileged()) {
        exempt = false;
      }
      if (Boolean.TRUE.equals(exempt)) {
        return new Bound(
            name, UNLIMITED, true, "CAP_IPC_LOCK counts for the process", List.of(), null, change);
      }
      Long memlock = host.memlock();
      Long pageSize = host.pageSize();
      if (memlock != null && memlock == UNLIMITED) {
        return new Bound(name, UNLIMITED, true, "it is unlimited", List.of(), null, change);
      }
      if (memlock == null || pageSize == null) {
        return unknown(name, change, "host.memlock", memlock, "host.pageSize", pageSize);
      }
      if (memlock == 0) {
        return bound(name, 0, exempt, "it is 0: the process may lock nothing", Errno.EPERM, change);
      }
      long pages = memlock / pageSize;
      Long pinned = host.pinnedPages();
      long left = Math.max(0, pages - (pinned == null ? 0 : pinned));
      String basis =
          "%s are %d pages of %s, of which %s"
              .formatted(
                  Size.text(memlock),
                  pages,
                  Size.text(pageSize),
                  pinned == null
                      ? "the process may have pinned some"
                      : "the process has pinned " + pinned);
      List<String> needs = new ArrayList<>();
      if (pinned == null) {
        needs.add("host.pinnedPages");
      }
      if (exempt == null) {
        needs.add("host.ipcLock");
      }
      return new Bound(
          name, left * pageSize, needs.isEmpty(), basis, needs, pinErrno(Errno.ENOMEM), change);
    }

    private Bound bound(
        String name,
        long bytes,
        @Nullable Boolean exempt,
        String basis,
        Errno beyond,
        String change) {
      List<String> needs = exempt == null ? List.of("host.ipcLock") : List.of();
      return new Bound(name, bytes, needs.isEmpty(), basis, needs, pinErrno(beyond), change);
    }

    /** siw asked the limit of privileged processes, too, before 6.8: siw_umem_get, siw_mem.c. */
    private boolean asksPrivileged() {
      Integer kernel = host.kernel();
      return "siw".equals(device.driver()) && kernel != null && kernel < Kernel.V6_8;
    }

    private @Nullable Errno pinErrno(Errno kernels) {
      PinErrors pinErrors = device.pinErrors();
      if (pinErrors == null) {
        return kernels;
      }
      return switch (pinErrors) {
        case AS_THEY_ARE -> kernels;
        case EFAULT -> Errno.EFAULT;
        case ENOMEM -> Errno.ENOMEM;
      };
    }

    /** Pinned pages stay in memory. */
    Bound ram() {
      Long ram = host.ram();
      String change = "Register less, or use a host with more memory.";
      return ram == null
          ? unknown("ram", change, "host.ram", null)
          : new Bound(
              "ram",
              ram,
              false,
              "all of the host's memory, which other things need, too",
              List.of(),
              null,
              change);
    }

    Optional<Bound> ramShare() {
      Long percent = share;
      Long ram = host.ram();
      if (percent == null) {
        return Optional.empty();
      }
      String change = "Change ratioPercent of MR048 in the profile.";
      return Optional.of(
          ram == null
              ? unknown("ramShare", change, "host.ram", null)
              : new Bound(
                  "ramShare",
                  times(ram / 100, percent),
                  true,
                  "the profile allows %d %% of %s".formatted(percent, Size.text(ram)),
                  List.of(),
                  null,
                  change));
    }

    /** Pinning touches every page, and touching charges the group: mm/memcontrol.c. */
    Bound group() {
      Long limit = host.memoryLimit();
      String change =
          "Raise memory.max (v1: memory.limit_in_bytes; a pod's limits.memory, docker's --memory).";
      return limit == null
          ? unknown("group", change, "host.memoryLimit", null)
          : new Bound(
              "group",
              limit,
              limit == UNLIMITED,
              limit == UNLIMITED
                  ? "no control group that can be seen has a limit"
                  : "the control group's limit, which all of its memory counts against",
              List.of(),
              null,
              change);
    }

    Bound regions() {
      String change =
          "Register fewer and larger regions, and find those that are leaked: rdma resource show"
              + " mr.";
      Long most = device.maxMr();
      Long size = device.maxMrSize();
      if (most == null || size == null) {
        return unknown("regions", change, "device.maxMr", most, "device.maxMrSize", size);
      }
      // irdma reports what is left: irdma_query_device, hw/irdma/verbs.c.
      boolean isLeft = "irdma".equals(device.driver());
      Long inUse = isLeft ? (Long) 0L : device.mrInUse();
      long left = Math.max(0, most - (inUse == null ? 0 : inUse));
      return new Bound(
          "regions",
          times(left, size),
          inUse != null,
          "%s of %d regions of at most %s each"
              .formatted(
                  inUse == null
                      ? "an unknown number is in use"
                      : isLeft ? "all" : left + " are left",
                  most,
                  Size.text(size)),
          inUse == null ? List.of("device.mrInUse") : List.of(),
          pinErrno(Errno.ENOMEM),
          change);
    }

    /** A budget of pages that a device has for all processes, such as EFA's. */
    Optional<Bound> pageBudget() {
      Long budget = number(Device.TYPE, device, "pageBudget");
      if (budget == null) {
        return Optional.empty();
      }
      String change = "Use huge pages: a page of any size counts once.";
      Long pageSize = pageSize();
      return Optional.of(
          pageSize == null
              ? unknown("pageBudget", change, "host.pageSize", null)
              : new Bound(
                  "pageBudget",
                  times(budget, pageSize),
                  false,
                  "%d pages of %s, of all processes".formatted(budget, Size.text(pageSize)),
                  List.of(),
                  Errno.ENOMEM,
                  change));
    }

    private static <F> @Nullable Long number(FactType<F> type, F fact, String field) {
      Optional<Field<F>> known = type.field(field);
      return known.isPresent() && known.get().read(fact) instanceof Number number
          ? (Long) number.longValue()
          : null;
    }

    /** Every object counts, not only regions: rdmacg_try_charge, kernel/cgroup/rdma.c. */
    Bound objects() {
      String change = "Raise hca_object in rdma.max of the control group.";
      Long limit = device.objectLimit();
      if (limit == null) {
        return unknown("rdma.max", change, "device.objectLimit", null);
      }
      if (limit == UNLIMITED) {
        return new Bound("rdma.max", UNLIMITED, true, "hca_object is max", List.of(), null, change);
      }
      Long inUse = device.objectsInUse();
      long left = Math.max(0, limit - (inUse == null ? 0 : inUse));
      Long size = device.maxMrSize();
      return new Bound(
          "rdma.max",
          times(left, size == null ? UNLIMITED : size),
          inUse != null && size != null,
          "%s of %d objects; a protection domain, a queue and a region are one each"
              .formatted(inUse == null ? "an unknown number is in use" : left + " are left", limit),
          inUse == null ? List.of("device.objectsInUse") : List.of(),
          Errno.EAGAIN,
          change);
    }

    /** mlx4's formula; the driver as it comes with Linux has the second parameter only. */
    Optional<Bound> translations() {
      if (!"mlx4".equals(device.driver())) {
        return Optional.empty();
      }
      String change =
          "Set log_num_mtt or log_mtts_per_seg of mlx4_core, a vendor's driver, and load it again.";
      Long entries = host.translationEntries();
      Long pageSize = pageSize();
      if (entries == null || pageSize == null) {
        List<String> needs = new ArrayList<>();
        need(needs, "host.logNumMtt", host.logNumMtt());
        need(needs, "host.logMttsPerSeg", host.logMttsPerSeg());
        need(needs, "host.pageSize", pageSize);
        return Optional.of(unknown("mtt", change, needs));
      }
      return Optional.of(
          new Bound(
              "mtt",
              times(entries, pageSize),
              false,
              "2^%d x 2^%d entries of %s, of all processes"
                  .formatted(host.logNumMtt(), host.logMttsPerSeg(), Size.text(pageSize)),
              List.of(),
              Errno.ENOMEM,
              change));
    }

    private @Nullable Long pageSize() {
      return memoryPageSize == null ? host.pageSize() : memoryPageSize;
    }

    private static void need(List<String> needs, String field, @Nullable Object value) {
      if (value == null) {
        needs.add(field);
      }
    }

    private static Bound unknown(String name, String change, String field, @Nullable Object value) {
      return unknown(name, change, value == null ? List.of(field) : List.of());
    }

    private static Bound unknown(
        String name,
        String change,
        String field,
        @Nullable Object value,
        String otherField,
        @Nullable Object otherValue) {
      List<String> needs = new ArrayList<>();
      need(needs, field, value);
      need(needs, otherField, otherValue);
      return unknown(name, change, needs);
    }

    private static Bound unknown(String name, String change, List<String> needs) {
      return new Bound(name, null, false, "", needs, null, change);
    }
  }
}

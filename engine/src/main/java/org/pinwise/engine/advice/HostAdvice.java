package org.pinwise.engine.advice;

import static org.pinwise.rules.dsl.Fields.choice;
import static org.pinwise.rules.dsl.Fields.flag;
import static org.pinwise.rules.dsl.Fields.number;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.dsl.Rules;
import org.pinwise.rules.dsl.Trait;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.HugePagePolicy;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.SelinuxMode;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleProvider;
import org.pinwise.rules.spi.Severity;

/**
 * Advice on a host, as rules of host and devices alone: they need no request, so they are not among
 * those that judge one. The table below is all there is.
 */
public final class HostAdvice implements RuleProvider {
  private static final String SINCE = "0.1";

  private final MrValidator validator;

  /** Makes the advice ready; takes tenths of a second. */
  public HostAdvice() {
    this.validator = MrValidator.create(RuleSet.empty().with(this), Assumptions.NONE);
  }

  /**
   * What there is to say.
   *
   * @param findings what applies, each once
   * @param undecided what may apply, with the facts that would tell
   */
  public record Given(List<Finding> findings, List<UndecidedRule> undecided) {

    /** Keeps an immutable copy. */
    public Given {
      findings = List.copyOf(findings);
      undecided = List.copyOf(undecided);
    }
  }

  /** Returns the advice on a host with these devices. */
  public Given on(Host host, List<Device> devices) {
    List<Finding> findings = new ArrayList<>();
    List<UndecidedRule> undecided = new ArrayList<>();
    Set<String> said = new LinkedHashSet<>();
    for (Device device : devices.isEmpty() ? List.of(Device.UNKNOWN) : devices) {
      Facts facts = Facts.of(MrRequest.builder().build()).withHost(host).withDevice(device);
      Verdict verdict = validator.validate(facts);
      for (Finding finding : verdict.findings()) {
        if (said.add(finding.rule() + finding.message())) {
          findings.add(finding);
        }
      }
      for (UndecidedRule rule : verdict.undecided()) {
        boolean ofDevice = rule.needs().stream().anyMatch(need -> need.startsWith("device."));
        if (!(ofDevice && devices.isEmpty()) && said.add("undecided " + rule.rule())) {
          undecided.add(rule);
        }
      }
    }
    return new Given(findings, undecided);
  }

  @Override
  public List<Rule> rules() {
    return List.of(
        rule(
            "HOST001",
            Severity.WARNING,
            flag(Host.TYPE, "ipcLock").isFalse().and(number(Host.TYPE, "memlock").is(0)),
            "A process that may lock no memory may register none",
            "RLIMIT_MEMLOCK is 0 and CAP_IPC_LOCK does not count: every registration that pins"
                + " gives EPERM",
            "Raise RLIMIT_MEMLOCK (ulimit -l, LimitMEMLOCK=, limits.conf, --ulimit memlock=-1).",
            "can_do_mlock, mm/mlock.c"),
        rule(
            "HOST002",
            Severity.WARNING,
            flag(Host.TYPE, "ipcLock")
                .isFalse()
                .and(number(Host.TYPE, "memlock").isMoreThan(0))
                .and(number(Host.TYPE, "memlock").isNot(Size.UNLIMITED)),
            "RLIMIT_MEMLOCK bounds what a process can register",
            "RLIMIT_MEMLOCK is {host.memlock} and CAP_IPC_LOCK does not count: beyond it a"
                + " registration gives ENOMEM, and queues count, too",
            "Set LimitMEMLOCK=infinity (systemd), memlock unlimited (limits.conf) or --ulimit"
                + " memlock=-1 (docker) where the process is started.",
            "ib_umem_get, core/umem.c"),
        rule(
            "HOST003",
            Severity.INFO,
            flag(Host.TYPE, "ipcLock")
                .isFalse()
                .and(number(Host.TYPE, "memlock").isLessThan(number(Host.TYPE, "memlockHard"))),
            "A soft limit below the hard one can be raised without privilege",
            "the soft limit of locked memory is {host.memlock}, the hard one {host.memlockHard}",
            "Raise it in the shell that starts the program: ulimit -l hard.",
            "setrlimit(2)"),
        rule(
            "HOST004",
            Severity.INFO,
            number(Host.TYPE, "memoryLimit").isLessThan(number(Host.TYPE, "ram")),
            "Pinned pages count against a control group's memory limit",
            "the control group allows {host.memoryLimit} of {host.ram}: pinning touches every page,"
                + " and what passes the limit is killed or gives ENOMEM",
            "Keep the sum of all regions well below the limit, or raise memory.max.",
            "Documentation/admin-guide/cgroup-v2.rst, memory.max"),
        rule(
            "HOST005",
            Severity.WARNING,
            number(Host.TYPE, "kernel")
                .isLessThan(Kernel.V5_12)
                .and(flag(Host.TYPE, "forkProtection").isFalse()),
            "Before Linux 5.12, fork takes registered pages from the parent",
            "kernel {host.kernel} does not copy pinned pages on fork, and fork protection is off",
            "Set RDMAV_FORK_SAFE=1 (and RDMAV_HUGEPAGES_SAFE=1 with huge pages) before the program"
                + " starts, or do not fork.",
            "ibv_fork_init(3)"),
        rule(
            "HOST006",
            Severity.INFO,
            flag(Host.TYPE, "copyOnFork").isTrue().and(flag(Host.TYPE, "forkProtection").isTrue()),
            "Where the kernel copies on fork, fork protection is of no use",
            "RDMAV_FORK_SAFE or IBV_FORK_SAFE is set, and kernel {host.kernel} copies pinned pages"
                + " on fork",
            "Drop the variable; from rdma-core 35 on it has no effect here, before it costs.",
            "ibv_is_fork_initialized(3), IBV_FORK_UNNEEDED"),
        rule(
            "HOST007",
            Severity.WARNING,
            flag(Host.TYPE, "forkProtection")
                .isTrue()
                .and(flag(Host.TYPE, "copyOnFork").isFalse())
                .and(
                    number(Host.TYPE, "mappings")
                        .times(2)
                        .isMoreThan(number(Host.TYPE, "maxMapCount"))),
            "Fork protection splits mappings, of which there is a limited number",
            "the process has {host.mappings} of {host.maxMapCount} mappings, and each region may"
                + " add two",
            "Raise vm.max_map_count, or register fewer and larger regions.",
            "libibverbs/memory.c; Documentation/admin-guide/sysctl/vm.rst, max_map_count"),
        rule(
            "HOST008",
            Severity.INFO,
            choice(Host.TYPE, "selinux", SelinuxMode.class).is(SelinuxMode.ENFORCING),
            "SELinux is not asked when memory is registered",
            "SELinux is enforcing; it may forbid opening /dev/infiniband or using a partition key,"
                + " never a registration",
            "Look for other causes of a failed registration; ausearch -m avc shows what it"
                + " refused.",
            "core/security.c has hooks for pkeys and subnet management only"),
        rule(
            "HOST009",
            Severity.INFO,
            choice(Host.TYPE, "thp", HugePagePolicy.class).is(HugePagePolicy.NEVER),
            "Huge pages make large regions cheaper to register",
            "transparent huge pages are off: a large region takes an entry for each page",
            "Use madvise (the mode and MADV_HUGEPAGE), or hugetlb pages, for large buffers.",
            "Documentation/admin-guide/mm/transhuge.rst"),
        rule(
            "HOST010",
            Severity.INFO,
            choice(Host.TYPE, "stack", DriverStack.class).is(DriverStack.VENDOR),
            "A vendor's driver stack is another one than the kernel's",
            "the RDMA modules are a vendor's: rules that are known of inbox drivers only stay"
                + " undecided",
            "Ask the vendor's notes where it matters, or run pinwise probe on the device.",
            "sys/module/*/taint"),
        rule(
            "HOST011",
            Severity.WARNING,
            number(Device.TYPE, "objectLimit")
                .isNot(Size.UNLIMITED)
                .and(
                    number(Device.TYPE, "objectsInUse")
                        .plus(number(Device.TYPE, "objectLimit").dividedBy(10))
                        .isAtLeast(number(Device.TYPE, "objectLimit"))),
            "The rdma control group bounds the number of RDMA objects",
            "{device.name}: {device.objectsInUse} of {device.objectLimit} objects are in use; the"
                + " next beyond gives EAGAIN",
            "Raise hca_object in rdma.max, or destroy what is not in use.",
            "rdmacg_try_charge, kernel/cgroup/rdma.c"),
        rule(
            "HOST012",
            Severity.WARNING,
            number(Device.TYPE, "mrInUse")
                .plus(number(Device.TYPE, "maxMr").dividedBy(10))
                .isAtLeast(number(Device.TYPE, "maxMr")),
            "A device has a limited number of regions",
            "{device.name}: {device.mrInUse} of at most {device.maxMr} regions are in use",
            "Find who leaks them with: rdma resource show mr.",
            "ibv_query_device(3), max_mr"),
        rule(
            "HOST013",
            Severity.INFO,
            flag(Device.TYPE, "relaxedOrderingEnabled").isFalse(),
            "RELAXED_ORDERING needs the PCI function's consent",
            "{device.name}: relaxed ordering is off in the PCI function's Device Control, so"
                + " RELAXED_ORDERING has no effect",
            "Set it in the firmware setup or with setpci CAP_EXP+8.w=0010:0010, if writes may pass"
                + " each other.",
            "PCI Express Base Specification, Device Control, Enable Relaxed Ordering"));
  }

  private static Rule rule(
      String id,
      Severity severity,
      Trait when,
      String summary,
      String message,
      String remediation,
      String reference) {
    return Rules.requests()
        .shouldNot(when)
        .because(reference)
        .as(id)
        .severity(severity)
        .remediation(remediation)
        .summary(summary)
        .message(message)
        .since(SINCE)
        .stacks(DriverStack.INBOX, DriverStack.VENDOR)
        .build();
  }
}

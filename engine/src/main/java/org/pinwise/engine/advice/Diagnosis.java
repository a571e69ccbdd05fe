package org.pinwise.engine.advice;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.Why;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.PinErrors;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Stage;

/**
 * What may have made a registration fail with an errno, ranked, with the evidence for each cause
 * and the command that confirms it. Immutable.
 *
 * {@snippet :
 * Verdict verdict = validator.validate(facts);        // of what is known after the failure
 * Diagnosis.of(Errno.ENOMEM, verdict).causes().forEach(out::println);
 * }
 *
 * @param errno what the call gave
 * @param causes the causes, the likeliest first
 * @param ruledOut causes that would give the errno, and that the facts exclude
 * @param notes what to know of this driver's errnos
 */
public record Diagnosis(
    Errno errno, List<Ranked> causes, List<Ranked> ruledOut, List<String> notes) {

  /** Where the kernel pins pages, so that a driver may give an errno of its own. */
  private static final Set<Stage> PINNING =
      EnumSet.of(Stage.RANGE, Stage.MAY_LOCK, Stage.PAGE_COUNT, Stage.MEMLOCK, Stage.PIN);

  private static final String DRIVER = "device.driver is ";

  /** Which command shows a fact; of several facts of a rule the first here is shown. */
  private static final Map<String, String> SHOWS = shows();

  /** Makes the value. */
  public Diagnosis {
    causes = List.copyOf(causes);
    ruledOut = List.copyOf(ruledOut);
    notes = List.copyOf(notes);
  }

  /** How sure a cause is. */
  public enum Likelihood {
    /** The rules say that the call fails so. */
    CERTAIN,
    /** The facts speak for it. */
    LIKELY,
    /** No fact speaks against it. */
    POSSIBLE,
    /** The facts speak against it. */
    RULED_OUT
  }

  /**
   * A cause.
   *
   * @param id a rule's id, or the name of a cause that is no rule's
   * @param likelihood how sure it is
   * @param summary what is wrong, a sentence without a period
   * @param evidence the facts that speak for it, or against it where it is ruled out
   * @param needs the facts that would tell
   * @param confirm the command that confirms it
   * @param remedy what to do, a sentence; empty where the rule's own page says it
   * @param reference where it can be read
   */
  public record Ranked(
      String id,
      Likelihood likelihood,
      String summary,
      List<String> evidence,
      List<String> needs,
      String confirm,
      String remedy,
      String reference) {

    /** Makes the value. */
    public Ranked {
      evidence = List.copyOf(evidence);
      needs = List.copyOf(needs);
    }
  }

  private static Map<String, String> shows() {
    Map<String, String> shows = new LinkedHashMap<>();
    String limits = "grep -E 'Max locked|VmPin' /proc/PID/limits /proc/PID/status";
    shows.put("range.beyondMemlock", limits);
    shows.put("range.beyondMemlockLeft", limits);
    shows.put("host.memlock", limits);
    shows.put("plan.", limits);
    shows.put("memory.", "grep -A 25 ADDRESS /proc/PID/smaps");
    shows.put(
        "device.objects", "cat /sys/fs/cgroup/GROUP/rdma.max /sys/fs/cgroup/GROUP/rdma.current");
    shows.put("device.mrInUse", "rdma resource show dev DEV");
    shows.put("device.odp", "ibv_devinfo -v -d DEV | grep -i -A3 odp");
    shows.put("device.implicitOdp", "ibv_devinfo -v -d DEV | grep -i -A3 odp");
    shows.put("device.max", "ibv_devinfo -v -d DEV | grep max_mr");
    shows.put(
        "request.", "pinwise check --device live:DEV --host live --access FLAGS --length LENGTH");
    shows.put(
        "range.", "pinwise check --device live:DEV --host live --address ADDRESS --length LENGTH");
    shows.put("device.", "ibv_devinfo -v -d DEV");
    shows.put("host.", "pinwise doctor --pid PID");
    return shows;
  }

  /**
   * Ranks the causes of an errno.
   *
   * @param errno what the call gave
   * @param verdict the verdict on the request with all that is known after the call
   */
  public static Diagnosis of(Errno errno, Verdict verdict) {
    return new Ranking(errno, verdict).diagnosis();
  }

  /** Returns the causes that are certain or likely. */
  public List<Ranked> evident() {
    return causes.stream().filter(cause -> cause.likelihood() != Likelihood.POSSIBLE).toList();
  }

  /** Ranks. */
  private static final class Ranking {
    private final Errno errno;
    private final Verdict verdict;
    private final Facts facts;
    private final @Nullable Errno disguise;
    private final List<Ranked> causes = new ArrayList<>();
    private final List<Ranked> ruledOut = new ArrayList<>();
    private final Set<String> roomsSaid = new LinkedHashSet<>();

    Ranking(Errno errno, Verdict verdict) {
      this.errno = errno;
      this.verdict = verdict;
      this.facts = verdict.facts();
      this.disguise = disguise(facts.device());
    }

    /** Returns the errno that a driver gives for all that goes wrong while pinning. */
    private static @Nullable Errno disguise(Device device) {
      PinErrors pinErrors = device.pinErrors();
      return pinErrors == PinErrors.EFAULT
          ? Errno.EFAULT
          : pinErrors == PinErrors.ENOMEM ? Errno.ENOMEM : null;
    }

    Diagnosis diagnosis() {
      verdict.findings(Severity.ERROR).forEach(this::finding);
      Causes.ALL.forEach(this::cause);
      Map<String, List<UndecidedRule>> rooms = new LinkedHashMap<>();
      for (UndecidedRule rule : verdict.undecided()) {
        if (rule.severity() == Severity.ERROR
            && rule.errno() != null
            && gives(Set.of(rule.errno()), isPinning(rule.stage()))) {
          rooms.computeIfAbsent(room(rule.rule()), room -> new ArrayList<>()).add(rule);
        }
      }
      rooms.forEach(this::undecided);
      causes.sort(Comparator.comparing(Ranked::likelihood)); // stable: the tables' order is kept
      return new Diagnosis(errno, causes, ruledOut, notes());
    }

    private static boolean isPinning(@Nullable Stage stage) {
      return stage != null && PINNING.contains(stage);
    }

    /** Returns whether what the kernel calls so reaches the program as the errno that it got. */
    private boolean gives(Collection<Errno> kernels, boolean pinning) {
      return (pinning && disguise != null) ? disguise == errno : kernels.contains(errno);
    }

    private static String room(String rule) {
      int slash = rule.indexOf('/');
      return slash < 0 ? rule : rule.substring(0, slash);
    }

    private void finding(Finding finding) {
      Set<Errno> errnos = finding.errno() == null ? verdict.errno() : Set.of(finding.errno());
      if (finding.origin() != Finding.Origin.KERNEL || !gives(errnos, isPinning(finding.stage()))) {
        return;
      }
      roomsSaid.add(room(finding.rule()));
      causes.add(
          new Ranked(
              finding.rule(),
              Likelihood.CERTAIN,
              finding.message(),
              finding.arguments().entrySet().stream()
                  .map(argument -> argument.getKey() + " is " + argument.getValue())
                  .sorted()
                  .toList(),
              List.of(),
              confirm(finding.restsOn()),
              finding.remediation(),
              finding.reference()));
    }

    private void cause(Cause cause) {
      if (!gives(cause.errnos(), cause.pinning())
          || cause.rooms().stream().anyMatch(roomsSaid::contains)) {
        return;
      }
      if (cause.rule() == null) {
        add(cause, Likelihood.POSSIBLE, List.of(), List.of());
        return;
      }
      Why why = MrValidator.why(cause.rule(), facts);
      List<String> evidence =
          why.reasons().stream()
              .flatMap(reason -> reason.values().entrySet().stream())
              .map(value -> value.getKey() + " is " + value.getValue())
              .distinct()
              .toList();
      switch (why.truth()) {
        case TRUE -> {
          roomsSaid.addAll(cause.rooms());
          // Which driver it is makes a cause possible, and speaks for none.
          boolean speaks = evidence.stream().anyMatch(fact -> !fact.startsWith(DRIVER));
          add(cause, speaks ? Likelihood.LIKELY : Likelihood.POSSIBLE, evidence, List.of());
        }
        case UNKNOWN -> {
          roomsSaid.addAll(cause.rooms());
          add(
              cause,
              Likelihood.POSSIBLE,
              List.of(),
              why.reasons().stream()
                  .flatMap(reason -> reason.values().entrySet().stream())
                  .filter(value -> value.getValue().equals("unknown"))
                  .map(Map.Entry::getKey)
                  .distinct()
                  .toList());
        }
        case FALSE -> add(cause, Likelihood.RULED_OUT, evidence, List.of());
      }
    }

    private void add(
        Cause cause, Likelihood likelihood, List<String> evidence, List<String> needs) {
      (likelihood == Likelihood.RULED_OUT ? ruledOut : causes)
          .add(
              new Ranked(
                  cause.id(),
                  likelihood,
                  cause.summary(),
                  evidence,
                  needs,
                  here(cause.confirm()),
                  cause.remedy(),
                  cause.reference()));
    }

    private void undecided(String room, List<UndecidedRule> rules) {
      if (roomsSaid.contains(room)) {
        return;
      }
      List<String> needs =
          rules.stream().flatMap(rule -> rule.needs().stream()).distinct().sorted().toList();
      causes.add(
          new Ranked(
              room,
              Likelihood.POSSIBLE,
              rules.get(0).summary(),
              List.of(),
              needs,
              confirm(needs),
              "",
              "pinwise explain " + room));
    }

    /** Returns the command that shows the most telling of some facts. */
    private String confirm(Collection<String> reads) {
      for (Map.Entry<String, String> shown : SHOWS.entrySet()) {
        if (reads.stream().anyMatch(field -> field.startsWith(shown.getKey()))) {
          return here(shown.getValue());
        }
      }
      return here("pinwise check --device live:DEV --host live --access FLAGS --length LENGTH");
    }

    private String here(String command) {
      String name = facts.device().name();
      return name == null || !name.matches("[\\w.-]{1,64}")
          ? command
          : command.replace("DEV", name);
    }

    private List<String> notes() {
      List<String> notes = new ArrayList<>();
      String driver = facts.device().driver();
      if (disguise != null) {
        notes.add(
            "%s answers %s for whatever goes wrong while pages are pinned%s"
                .formatted(
                    driver,
                    disguise,
                    disguise == errno
                        ? ", so causes of other errnos are among these"
                        : ", so " + errno + " comes of something else"));
      } else if (driver == null) {
        String misleading =
            List.of("qedr", "ocrdma", "bnxt_re before 6.5").stream()
                .collect(Collectors.joining(", "));
        if (errno == Errno.EFAULT) {
          notes.add(misleading + " answer EFAULT for whatever goes wrong while pages are pinned");
        } else if (errno == Errno.ENOMEM) {
          notes.add("cxgb4, hns answer ENOMEM for whatever goes wrong while pages are pinned");
        }
      } else if (facts.device().pinErrors() == null) {
        notes.add(
            "whether %s gives the kernel's errno for what goes wrong while pages are pinned is"
                    .formatted(driver)
                + " unknown on this kernel");
      }
      return notes;
    }
  }
}

package org.pinwise.engine.advice;

import static org.pinwise.rules.model.AccessFlag.FLUSH_GLOBAL;
import static org.pinwise.rules.model.AccessFlag.FLUSH_PERSISTENT;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_ATOMIC;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Transport;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.spi.Severity;

/**
 * Access flags for what a program does with a region: those that its uses need and no more, without
 * those that device, driver or kernel refuse. Immutable.
 *
 * {@snippet :
 * Recommendation recommended = Recommendation.of(Set.of(Use.RECEIVE), facts, validator);
 * recommended.verdict().request().access();           // [LOCAL_WRITE, RELAXED_ORDERING]
 * }
 *
 * @param uses what the program does
 * @param flags the flags, in the order of their bits
 * @param leftOut flags that were thought of and are none of them
 * @param notes what to know beside, one line each
 * @param verdict what the rules say of the request with these flags; warnings say what is ignored
 */
public record Recommendation(
    Set<Use> uses, List<Flag> flags, List<LeftOut> leftOut, List<String> notes, Verdict verdict) {

  /** Makes the value. */
  public Recommendation {
    uses = Set.copyOf(uses);
    flags = List.copyOf(flags);
    leftOut = List.copyOf(leftOut);
    notes = List.copyOf(notes);
  }

  /**
   * A flag that is recommended.
   *
   * @param flag the flag
   * @param why why, a clause
   */
  public record Flag(AccessFlag flag, String why) {}

  /**
   * A flag that is not recommended.
   *
   * @param flag the flag
   * @param why why not, a clause
   * @param needed whether a use needs it, so that this use cannot be served here
   */
  public record LeftOut(AccessFlag flag, String why, boolean needed) {}

  /** A line of the table: a flag that a use needs, or that makes it faster. */
  private record Line(Use use, AccessFlag flag, boolean needed, String why) {}

  private static final String FASTER =
      "its writes may pass each other in PCIe, which is faster on some hosts; a completion still"
          + " says that the data is there";

  private static final List<Line> TABLE =
      List.of(
          new Line(Use.RECEIVE, LOCAL_WRITE, true, "the device writes received messages into it"),
          new Line(Use.RECEIVE, RELAXED_ORDERING, false, FASTER),
          new Line(Use.READ_SINK, LOCAL_WRITE, true, "the device writes what it has read into it"),
          new Line(Use.READ_SINK, RELAXED_ORDERING, false, FASTER),
          new Line(
              Use.WRITE_TARGET, LOCAL_WRITE, true, "the kernel demands it beside REMOTE_WRITE"),
          new Line(Use.WRITE_TARGET, REMOTE_WRITE, true, "peers write into it"),
          new Line(Use.WRITE_TARGET, RELAXED_ORDERING, false, FASTER),
          new Line(Use.READ_SOURCE, REMOTE_READ, true, "peers read it; no other flag is needed"),
          new Line(
              Use.ATOMIC_TARGET, LOCAL_WRITE, true, "the kernel demands it beside REMOTE_ATOMIC"),
          new Line(
              Use.ATOMIC_TARGET,
              REMOTE_ATOMIC,
              true,
              "peers change it by atomic operations, at addresses that are multiples of 8"),
          new Line(Use.ATOMIC_RESULT, LOCAL_WRITE, true, "the device writes the old value into it"),
          new Line(Use.FLUSH_TARGET, FLUSH_GLOBAL, true, "peers flush it to global visibility"),
          new Line(Use.FLUSH_TARGET, FLUSH_PERSISTENT, true, "peers flush it to persistence"));

  /** What helps where a flag that a use needs is refused. */
  private static final Map<AccessFlag, String> INSTEAD =
      Map.of(
          FLUSH_GLOBAL, "follow the writes by a small READ, with REMOTE_READ",
          FLUSH_PERSISTENT, "let the receiver flush, asked by a message",
          REMOTE_ATOMIC, "let the owner change it, asked by a message",
          REMOTE_WRITE, "send messages instead",
          REMOTE_READ, "send messages instead");

  /** Returns whether some use cannot be served with this device on this host. */
  public boolean isIncomplete() {
    return leftOut.stream().anyMatch(LeftOut::needed);
  }

  /**
   * Recommends flags.
   *
   * @param uses all that the program does with the region
   * @param facts what is known; the request's access is not looked at
   * @param validator the rules
   */
  public static Recommendation of(Set<Use> uses, Facts facts, MrValidator validator) {
    return new Search(uses, facts, validator).recommendation();
  }

  /** Looks for the most flags that are not refused. */
  private static final class Search {
    private final Set<Use> uses;
    private final Facts facts;
    private final MrValidator validator;
    private final List<Line> lines = new ArrayList<>();
    private final List<LeftOut> leftOut = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    Search(Set<Use> uses, Facts facts, MrValidator validator) {
      this.uses = uses;
      this.facts = facts;
      this.validator = validator;
    }

    Recommendation recommendation() {
      TABLE.stream().filter(line -> uses.contains(line.use())).forEach(lines::add);
      if (uses.contains(Use.SEND_SOURCE)) {
        notes.add("a source of sends and of writes needs no flag");
      }
      iwarp();
      polling();
      Set<AccessFlag> kept = ofServedUses(mostThatAreTaken());
      for (AccessFlag flag : wanted(lines)) {
        if (!kept.contains(flag)) {
          leftOut.add(new LeftOut(flag, refusal(kept, flag), isNeeded(flag)));
        }
      }
      List<Flag> flags = new ArrayList<>();
      for (AccessFlag flag : kept) {
        String why =
            lines.stream()
                .filter(line -> line.flag() == flag)
                .map(Line::why)
                .distinct()
                .collect(Collectors.joining("; "));
        flags.add(new Flag(flag, why));
      }
      return new Recommendation(uses, flags, leftOut, notes, verdict(kept));
    }

    private static Set<AccessFlag> wanted(List<Line> lines) {
      Set<AccessFlag> wanted = EnumSet.noneOf(AccessFlag.class);
      lines.forEach(line -> wanted.add(line.flag()));
      return wanted;
    }

    private boolean isNeeded(AccessFlag flag) {
      return lines.stream().anyMatch(line -> line.flag() == flag && line.needed());
    }

    /** rdma_rw_init_one_mr, drivers/infiniband/core/rw.c. */
    private void iwarp() {
      if (!uses.contains(Use.READ_SINK)) {
        return;
      }
      Transport transport = facts.device().transport();
      if (transport == Transport.IWARP) {
        lines.add(
            new Line(
                Use.READ_SINK,
                REMOTE_WRITE,
                true,
                "on iWARP the answer of a READ is a write from the peer"));
      } else if (transport == null) {
        notes.add("on an iWARP device the sink of a READ needs REMOTE_WRITE, too");
      }
    }

    private void polling() {
      if (uses.contains(Use.POLLS_MEMORY)
          && lines.removeIf(line -> line.flag() == RELAXED_ORDERING)) {
        leftOut.add(
            new LeftOut(
                RELAXED_ORDERING,
                "the program polls memory, and a later byte may arrive before an earlier one",
                false));
      }
    }

    /** There are few flags in the table, so all sets of them can be tried. */
    private Set<AccessFlag> mostThatAreTaken() {
      List<AccessFlag> flags = List.copyOf(wanted(lines));
      Set<AccessFlag> best = EnumSet.noneOf(AccessFlag.class);
      for (int bits = 1; bits < 1 << flags.size(); bits++) {
        Set<AccessFlag> some = EnumSet.noneOf(AccessFlag.class);
        for (int i = 0; i < flags.size(); i++) {
          if ((bits & (1 << i)) != 0) {
            some.add(flags.get(i));
          }
        }
        if (weight(some) > weight(best) && isTaken(some)) {
          best = some;
        }
      }
      return best;
    }

    private boolean isTaken(Set<AccessFlag> flags) {
      return verdict(flags).findings(Severity.ERROR).isEmpty();
    }

    /** A flag that a use needs counts more than all that make one faster. */
    private int weight(Set<AccessFlag> flags) {
      return flags.stream().mapToInt(flag -> isNeeded(flag) ? TABLE.size() : 1).sum();
    }

    /** Returns the flags of uses all of whose needs are there; others would serve nothing. */
    private Set<AccessFlag> ofServedUses(Set<AccessFlag> taken) {
      Set<AccessFlag> kept = EnumSet.noneOf(AccessFlag.class);
      for (Use use : uses) {
        List<Line> ofUse = lines.stream().filter(line -> line.use() == use).toList();
        if (ofUse.stream().filter(Line::needed).allMatch(line -> taken.contains(line.flag()))) {
          kept.addAll(wanted(ofUse));
        }
      }
      kept.retainAll(taken);
      return kept;
    }

    private String refusal(Set<AccessFlag> kept, AccessFlag flag) {
      // With what stands beside it, so that only the flag itself can be refused.
      Set<AccessFlag> more = EnumSet.copyOf(kept);
      more.add(LOCAL_WRITE);
      more.add(flag);
      String why =
          verdict(more).findings(Severity.ERROR).stream()
              .map(finding -> finding.rule() + ": " + finding.message())
              .findFirst()
              .orElse("it would only stand beside a flag that is left out");
      String instead = INSTEAD.get(flag);
      return instead == null ? why : why + "; " + instead;
    }

    private Verdict verdict(Set<AccessFlag> flags) {
      MrRequest request =
          facts.request().toBuilder().access(flags.toArray(AccessFlag[]::new)).uses(uses).build();
      return validator.validate(facts.withRequest(request));
    }
  }
}

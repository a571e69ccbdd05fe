package org.pinwise.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;

/**
 * What other rules would change: the verdicts on some requests, before and after.
 *
 * @param judged how many requests were judged
 * @param changes those whose verdict changes, in the order of the requests
 */
public record Impact(int judged, List<Change> changes) {
  private static final List<String> USUAL_DEVICES = List.of("connectx5", "rxe", "siw", "efa");
  private static final List<Long> LENGTHS = List.of(4 * Size.KIB, Size.GIB, 16 * Size.GIB);
  private static final int USUAL_KERNEL = Kernel.V6_12;

  /** Keeps an immutable copy. */
  public Impact {
    changes = List.copyOf(changes);
  }

  /**
   * A verdict that changes.
   *
   * @param request how the request was named
   * @param group what it has in common with others, such as its device
   * @param before the decision before
   * @param after the decision after
   * @param more rules that report or are undecided after, and were not before
   * @param less rules that reported or were undecided before, and are not after
   */
  public record Change(
      String request,
      String group,
      String before,
      String after,
      List<String> more,
      List<String> less) {

    /** Returns whether a request is refused that was not. */
    public boolean refuses() {
      return after.equals("rejected") && !before.equals("rejected");
    }
  }

  /**
   * A request to judge.
   *
   * @param name how it is named
   * @param group what it has in common with others
   * @param facts what is known of it
   */
  public record Sample(String name, String group, Facts facts) {}

  /** Judges the requests by both and keeps what differs. */
  public static Impact of(MrValidator before, MrValidator after, List<Sample> samples) {
    List<Change> changes = new ArrayList<>();
    for (Sample sample : samples) {
      Verdict was = before.validate(sample.facts());
      Verdict is = after.validate(sample.facts());
      TreeSet<String> more = reports(is);
      more.removeAll(reports(was));
      TreeSet<String> less = reports(was);
      less.removeAll(reports(is));
      if (!more.isEmpty() || !less.isEmpty() || !was.decision().equals(is.decision())) {
        changes.add(
            new Change(
                sample.name(),
                sample.group(),
                was.decision(),
                is.decision(),
                List.copyOf(more),
                List.copyOf(less)));
      }
    }
    return new Impact(samples.size(), changes);
  }

  private static TreeSet<String> reports(Verdict verdict) {
    TreeSet<String> reports = new TreeSet<>();
    verdict.findings().forEach(finding -> reports.add(finding.rule()));
    verdict.undecided().forEach(open -> reports.add(open.rule() + " (undecided)"));
    return reports;
  }

  /** Returns the requests that the examples of rooms make. */
  public static List<Sample> examples(List<Room> rooms) {
    FactsReader reader = FactsReader.of(DeviceCatalog.load());
    List<Sample> samples = new ArrayList<>();
    for (Room room : rooms) {
      for (Map.Entry<String, String> file : new java.util.TreeMap<>(room.files()).entrySet()) {
        if (file.getKey().endsWith(".yaml")) {
          String name = room.name() + "/" + file.getKey();
          Facts facts = reader.read(name, file.getValue()).facts();
          samples.add(new Sample(name, "the examples of Pinwise", facts));
        }
      }
    }
    return samples;
  }

  /**
   * Returns the healthy flag sets: on some usual devices, requests of 4 KiB, 1 GiB and 16 GiB with
   * every set of flags that the rules accept.
   */
  public static List<Sample> healthyFlagSets(MrValidator rules) {
    List<Sample> samples = new ArrayList<>();
    for (String name : USUAL_DEVICES) {
      Device device = DeviceCatalog.load().find(name).orElseThrow().facts(USUAL_KERNEL);
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("kernel", USUAL_KERNEL);
      values.put("stack", DriverStack.INBOX);
      values.put("pageSize", 4096L);
      Host host = Host.TYPE.of(values);
      String group = "flag sets on %s, kernel %s".formatted(name, Kernel.text(USUAL_KERNEL));
      for (Access access : flagSets()) {
        for (long length : LENGTHS) {
          Facts facts =
              Facts.of(MrRequest.ofLength(length).access(access).build())
                  .withDevice(device)
                  .withHost(host);
          if (!(rules.validate(facts) instanceof Accepted)) {
            break; // what is refused for its flags is refused at any length
          }
          samples.add(new Sample("%s, %s".formatted(access, Size.text(length)), group, facts));
        }
      }
    }
    return samples;
  }

  private static List<Access> flagSets() {
    AccessFlag[] flags = AccessFlag.values();
    List<Access> sets = new ArrayList<>();
    for (int set = 0; set < 1 << flags.length; set++) {
      int bits = 0;
      for (int i = 0; i < flags.length; i++) {
        bits |= (set >> i & 1) == 1 ? flags[i].bit() : 0;
      }
      sets.add(Access.ofBits(bits));
    }
    return sets;
  }
}

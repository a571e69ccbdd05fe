package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pinwise.rules.model.Container;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.ServiceUnit;

/**
 * Which files configure what plans run as. Files are joined by the workload that a plan names and
 * by nothing else; of a file that may be joined only its name and a hash of its key are kept, and
 * it is read again when a plan names it.
 */
final class Joins {
  private final JoinIndex files = new JoinIndex();
  private final Map<Workload, List<Planned>> plans = new LinkedHashMap<>();

  /** A region of a plan, or a plan without regions, and where it stands. */
  record Planned(String file, Statement statement) {}

  /** Remembers a statement that a plan may name, or that is of a plan which names something. */
  void note(Source source, Statement statement) {
    Workload workload = statement.workload().orElse(null);
    if (workload == null) {
      return;
    }
    if (statement.isOfPlan()) {
      plans
          .computeIfAbsent(workload, w -> new ArrayList<>())
          .add(new Planned(source.name(), statement));
    } else if (isOfWorkload(statement)) {
      files.add(workload, source.name());
    }
  }

  /** The containers beside the one that has the device know nothing of its plan. */
  static boolean isOfWorkload(Statement statement) {
    return !(statement.facts().configuration() instanceof Container container)
        || Boolean.TRUE.equals(container.rdma());
  }

  /** The field of a unit that a plan tells of by naming it. */
  static final String USES_RDMA = ServiceUnit.TYPE.key() + ".rdma";

  /** Returns the facts of a workload once a plan names it: it uses RDMA. */
  static Facts named(Facts facts) {
    return facts.configuration() instanceof ServiceUnit unit && unit.rdma() == null
        ? facts.withConfiguration(unit.usingRdma())
        : facts;
  }

  /** Returns what plans name, in the order in which they were read. */
  Set<Workload> planned() {
    return plans.keySet();
  }

  /** Returns the statements of the plans that name a workload. */
  List<Planned> plans(Workload workload) {
    return plans.getOrDefault(workload, List.of());
  }

  /** Returns the files that configure a workload, and maybe others that do not. */
  List<String> files(Workload workload) {
    return files.files(workload);
  }
}

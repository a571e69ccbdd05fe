package org.pinwise.engine.drools;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.drools.model.Model;
import org.drools.modelcompiler.KieBaseBuilder;
import org.kie.api.KieBase;
import org.kie.api.runtime.KieSession;
import org.kie.api.runtime.rule.FactHandle;
import org.pinwise.engine.eval.Comparisons;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;
import org.pinwise.rules.model.MrRequest;

/**
 * Lets Drools decide which rules fire and which are undecided. Immutable and thread-safe: sessions
 * are kept and reused, at most so many at a time, whatever the number of threads.
 */
public final class DroolsJudge implements Judge {
  private static final int MAX_SESSIONS = 2 * Runtime.getRuntime().availableProcessors();

  private final Comparisons comparisons;
  private final DroolsModel.Current current = new DroolsModel.Current();
  private final KieBase kieBase;
  private final Semaphore permits = new Semaphore(MAX_SESSIONS);
  private final ConcurrentLinkedQueue<Session> idle = new ConcurrentLinkedQueue<>();

  /** Builds Drools' rule base; takes tenths of a second for the first rule set of a JVM. */
  public DroolsJudge(List<CompiledRule> rules) {
    this(rules, new Comparisons(rules));
  }

  /** Builds the rule base of rules that make these comparisons. */
  DroolsJudge(List<CompiledRule> rules, Comparisons comparisons) {
    this(rules, comparisons, all(rules.size()));
  }

  /** Builds the rule base of some rules, by their places; the others say nothing. */
  DroolsJudge(List<CompiledRule> rules, Comparisons comparisons, BitSet places) {
    this.comparisons = comparisons;
    Model model = DroolsModel.of(rules, places, comparisons, current);
    this.kieBase = KieBaseBuilder.createKieBaseFromModel(model);
  }

  private static BitSet all(int size) {
    BitSet places = new BitSet();
    places.set(0, size);
    return places;
  }

  @Override
  public Comparisons comparisons() {
    return comparisons;
  }

  @Override
  public Outcome judge(Comparisons.Answers answers) {
    permits.acquireUninterruptibly();
    try {
      Session session = idle.poll();
      if (session == null) {
        session = new Session(kieBase.newKieSession(), current);
      }
      Outcome outcome = session.judge(answers);
      // A session that threw is not reused: what it holds is not known.
      idle.add(session);
      return outcome;
    } finally {
      permits.release();
    }
  }

  /**
   * A session that keeps its facts. Only those that are not equal to those before are replaced, and
   * the request always: every rule reads it, so all that match fire anew.
   */
  private static final class Session {
    private final KieSession session;
    private final DroolsModel.Current current;
    private final Map<Class<?>, FactHandle> handles = new LinkedHashMap<>();
    private FactTuple held = FactTuple.UNKNOWN;

    Session(KieSession session, DroolsModel.Current current) {
      this.session = session;
      this.current = current;
    }

    Outcome judge(Comparisons.Answers answers) {
      Outcome outcome = new Outcome();
      session.setGlobal(DroolsModel.OUTCOME, outcome);
      List<Object> changed = new ArrayList<>();
      for (Object fact : answers.facts().all()) {
        FactHandle handle = handles.get(fact.getClass());
        if (handle == null
            || fact instanceof MrRequest
            || !Objects.equals(fact, session.getObject(handle))) {
          changed.add(fact);
          held = held.with(fact);
        }
      }
      current.are(answers.about(held));
      for (Object fact : changed) {
        FactHandle handle = handles.get(fact.getClass());
        if (handle == null) {
          handles.put(fact.getClass(), session.insert(fact));
        } else {
          session.update(handle, fact);
        }
      }
      session.fireAllRules();
      return outcome;
    }
  }
}

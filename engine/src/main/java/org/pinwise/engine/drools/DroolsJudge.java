package org.pinwise.engine.drools;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.drools.model.Model;
import org.drools.modelcompiler.KieBaseBuilder;
import org.kie.api.KieBase;
import org.kie.api.runtime.KieSession;
import org.kie.api.runtime.rule.FactHandle;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.Outcome;

/**
 * Lets Drools decide which rules fire and which are undecided. Immutable and thread-safe: sessions
 * are kept and reused, at most so many at a time, whatever the number of threads.
 */
public final class DroolsJudge {
  private static final int MAX_SESSIONS = 2 * Runtime.getRuntime().availableProcessors();

  private final KieBase kieBase;
  private final Semaphore permits = new Semaphore(MAX_SESSIONS);
  private final ConcurrentLinkedQueue<KieSession> idle = new ConcurrentLinkedQueue<>();

  /** Builds Drools' rule base; takes tenths of a second for the first rule set of a JVM. */
  public DroolsJudge(List<CompiledRule> rules) {
    Model model = DroolsModel.of(rules);
    this.kieBase = KieBaseBuilder.createKieBaseFromModel(model);
  }

  /** Returns what the rules say of the facts. */
  public Outcome judge(FactTuple facts) {
    permits.acquireUninterruptibly();
    try {
      KieSession session = idle.poll();
      if (session == null) {
        session = kieBase.newKieSession();
      }
      Outcome outcome = new Outcome();
      judge(session, facts, outcome);
      // A session that threw is not reused: what it holds is not known.
      idle.add(session);
      return outcome;
    } finally {
      permits.release();
    }
  }

  private static void judge(KieSession session, FactTuple facts, Outcome outcome) {
    session.setGlobal(DroolsModel.OUTCOME, outcome);
    List<Object> all = facts.all();
    FactHandle[] handles = new FactHandle[all.size()];
    int count = 0;
    for (Object fact : all) {
      handles[count++] = session.insert(fact);
    }
    session.fireAllRules();
    for (int i = 0; i < count; i++) {
      session.delete(handles[i]);
    }
  }
}

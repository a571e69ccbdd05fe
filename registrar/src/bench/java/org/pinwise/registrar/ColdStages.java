package org.pinwise.registrar;

import java.util.Map;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

/** Does in a fresh process what the command check does, and prints the nanoseconds of each step. */
final class ColdStages {
  private ColdStages() {}

  /** Prints a number for each step, in the order of {@link Bench}'s names of them. */
  public static void main(String[] args) {
    long start = System.nanoTime();
    RuleSet rules = RuleSet.builtIn().withClassPath(ColdStages.class.getClassLoader());
    long parsed = System.nanoTime();
    MrValidator validator = MrValidator.forFew(rules, Assumptions.USUAL);
    long made = System.nanoTime();
    Facts facts =
        Facts.of(MrRequest.ofLength(4096).access(AccessFlag.REMOTE_WRITE).build())
            .withDevice(DeviceCatalog.load().find("rxe").orElseThrow().facts(Kernel.V6_12))
            .withHost(Host.TYPE.of(Map.of("kernel", Kernel.V6_12)));
    long given = System.nanoTime();
    Verdict verdict = validator.validate(facts);
    long judged = System.nanoTime();
    String text = verdict.toString();
    long shown = System.nanoTime();
    if (!text.startsWith("rejected")) {
      throw new IllegalStateException(text);
    }
    System.out.printf(
        "%d%n%d%n%d%n%d%n%d%n",
        parsed - start, made - parsed, judged - given, given - made, shown - judged);
  }
}

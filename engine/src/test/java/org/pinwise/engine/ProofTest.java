package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Verification.Means;

/** What rules claim of their proof is so, and the table of it is what they claim. */
@Tag("slow") // once is enough: the Java 17 run leaves it out
class ProofTest {
  private static final Path DESIGN = Path.of("../rules/DESIGN.md");
  private static final String BEGIN = "<!-- proofs: made by the build -->\n";
  private static final String END = "<!-- end of proofs -->\n";

  /** Error rules that a lab proves in another way than by an answer that is recorded here. */
  private static final Map<String, String> ELSEWHERE = Map.of();

  @Test
  void errorsThatALabProvesWereAnsweredByAKernel() throws IOException {
    Set<String> answered = new TreeSet<>();
    for (String[] kernel : new String[][] {{"rxe", "6.1"}, {"rxe", "6.12"}, {"siw", "6.12"}}) {
      RecordedAnswersTest flags = new RecordedAnswersTest();
      flags.allFlagSets(kernel[0], kernel[1]);
      flags.refusals.forEach(verdict -> decisive(verdict, answered));
      ProbesTest probes = new ProbesTest();
      probes.everyRegistration(kernel[0], kernel[1]);
      probes.refusals.forEach(verdict -> decisive(verdict, answered));
    }
    Set<String> claimed = new TreeSet<>();
    for (Rule rule : RuleSet.builtIn().rules()) {
      if (rule.meta().severity() == Severity.ERROR
          && rule.meta().verified().stream().anyMatch(v -> v.means() == Means.LAB)) {
        claimed.add(rule.id());
      }
    }
    claimed.removeAll(ELSEWHERE.keySet());
    assertThat(answered).as("rules that kernels' recorded answers prove").containsAll(claimed);
  }

  /** Adds the errors whose errno the kernel gave: those of the earliest stage and step. */
  private static void decisive(Verdict verdict, Set<String> into) {
    Finding first = verdict.findings(Severity.ERROR).get(0);
    verdict.findings(Severity.ERROR).stream()
        .filter(finding -> finding.stage() == first.stage() && finding.step() == first.step())
        .forEach(finding -> into.add(finding.rule()));
  }

  /** {@code mvn -pl rules,engine verify -Dcatalog.update} writes the table anew. */
  @Test
  void tableOfProofsIsUpToDate() throws IOException {
    String text = Files.readString(DESIGN);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    int end = text.indexOf(END);
    assertThat(begin).isGreaterThan(BEGIN.length());
    assertThat(end).isGreaterThanOrEqualTo(begin);
    String expected =
        text.substring(0, begin)
            + RuleCatalog.proofs(RuleSet.builtIn().rules())
            + text.substring(end);
    if (System.getProperty("catalog.update") != null) {
      Files.writeString(DESIGN, expected);
    }
    assertThat(Files.readString(DESIGN))
        .as("rules/DESIGN.md; -Dcatalog.update writes it anew")
        .isEqualTo(expected);
  }
}

package org.pinwise.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Room;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.json.VerdictJson;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Rule;

/** A rule in Java and the same rule in a file are one: equal values, verdicts and explanations. */
class RulesInFilesAndJavaTest {
  private static final List<Verb> VERBS =
      List.of(Verb.REG_MR, Verb.REG_MR_IOVA, Verb.REG_DMABUF_MR);
  private static final String HEADER =
      """
      package mr.rules.acme;
      import org.pinwise.rules.model.AccessFlag;
      import org.pinwise.rules.model.Device;
      import org.pinwise.rules.model.Host;
      import org.pinwise.rules.model.Kernel;
      import org.pinwise.rules.model.Memory;
      import org.pinwise.rules.model.MemoryKind;
      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.Parameters;
      import org.pinwise.rules.model.Size;
      import org.pinwise.rules.model.Verb;
      global org.pinwise.rules.spi.Findings findings;
      """;

  static List<Arguments> pairs() {
    return List.of(
        Arguments.of(
            AcmeRules.CUDA_NEEDS_DMABUF,
            """
            rule "ACME101"
              @severity(ERROR) @since(1) @spec("nvidia-peermem is not loaded on this fleet")
              @summary("requests that have memory CUDA should register via REG_DMABUF_MR")
              @remediation("Export the buffer as dma-buf and register the file descriptor.")
            when
              Memory( kind == MemoryKind.CUDA )
              $r : MrRequest( verb != Verb.REG_DMABUF_MR )
            then
              findings.report("ACME101", $r,
                "requests that have memory CUDA should register via REG_DMABUF_MR");
            end
            """),
        Arguments.of(
            AcmeRules.NO_HUGE_REGIONS,
            """
            rule "ACME102"
              @severity(WARNING) @since(0.1) @spec("the fleet's guide to RDMA, section 4")
              @summary("A region that peers reach takes at most a share of the largest region")
              @remediation("Register chunks.")
              @param("percent = 60")
            when
              Parameters( $percent : percent )
              $d : Device()
              $r : MrRequest( verb in (Verb.REG_MR, Verb.REG_MR_IOVA),
                access contains AccessFlag.REMOTE_READ || access contains AccessFlag.REMOTE_WRITE,
                length * 100 > $percent * $d.maxMrSize )
            then
              findings.report("ACME102", $r, "{length} is more than {percent} % of {device.maxMrSize}");
            end
            """),
        Arguments.of(
            AcmeRules.OLD_RXE,
            """
            rule "ACME103/soft"
              @severity(INFO) @since(0.1) @spec("a bug that bit us")
              @verified("6.1 source, 6.12 lab") @stack("inbox, vendor")
              @summary("Soft RDMA needs a new kernel")
              @remediation("Use a newer kernel.")
              @fix("add LOCAL_WRITE")
            when
              Device( driver in ("rxe", "siw"), odp == false )
              $r : MrRequest( access not contains AccessFlag.LOCAL_WRITE, length >= Size.GIB )
              Host( kernel < Kernel.V6_2 )
            then
              findings.report("ACME103/soft", $r, "{host.kernel} is old for {device.driver}");
            end
            """));
  }

  private static RuleSet ofFile(String rule) {
    Room room = new Room("ACME101-pair", "pair", Map.of("rule.drl", HEADER + rule));
    return RuleSet.empty().withRooms(List.of(room));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void areEqualValues(Rule inJava, String file) {
    Rule inFile = ofFile(file).rules().get(0);

    assertThat(inJava.meta()).isEqualTo(inFile.meta());
    assertThat(inJava.patterns()).isEqualTo(inFile.patterns());
    assertThat(inJava.template()).isEqualTo(inFile.template());
    assertThat(inJava.inWords()).isEqualTo(inFile.inWords());
    assertThat(inJava.source()).matches("org\\.pinwise.*AcmeRules\\(AcmeRules\\.java:\\d+\\)");
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void giveEqualVerdictsInEveryWord(Rule inJava, String file) {
    // The file's room has another id for two of the pairs, which the set names as a problem.
    Rule inFile = ofFile(file).rules().get(0);
    MrValidator java =
        MrValidator.create(RuleSet.empty().with(() -> List.of(inJava)), Assumptions.NONE);
    MrValidator drl =
        MrValidator.create(RuleSet.empty().with(() -> List.of(inFile)), Assumptions.NONE);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<String> decisions = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      Facts facts = facts(random);
      Verdict expected = drl.validate(facts);
      Verdict actual = java.validate(facts);

      assertThat(VerdictJson.indented(actual))
          .as("seed %d, %s", seed, facts)
          .isEqualTo(VerdictJson.indented(expected));
      decisions.add(
          actual.findings().isEmpty() ? actual.undecided().isEmpty() ? "silent" : "open" : "fires");
    }
    assertThat(decisions).as("seed %d", seed).contains("silent", "open", "fires");
  }

  @Test
  void aRuleFileOfOneTeamNeedsNoJava() {
    assertThat(ofFile(String.valueOf(pairs().get(0).get()[1])).problems()).isEmpty();
  }

  /** Draws that make each of the rules fire at least once in 60: never in 2,000 is a fault. */
  private static Facts facts(Random random) {
    MrRequest.Builder request =
        MrRequest.builder().verb(VERBS.get(random.nextInt(VERBS.size()))).length(anyLength(random));
    if (random.nextInt(4) > 0) {
      request.access(Access.ofBits(random.nextInt(8)));
    }
    Device device =
        Device.TYPE.of(
            random.nextInt(4) == 0
                ? Map.of()
                : Map.of(
                    "driver",
                    random.nextBoolean() ? "rxe" : "mlx5",
                    "odp",
                    random.nextInt(3) == 0,
                    "maxMrSize",
                    anyLength(random)));
    Memory memory =
        Memory.TYPE.of(
            random.nextInt(4) == 0
                ? Map.of()
                : Map.of("kind", random.nextBoolean() ? MemoryKind.CUDA : MemoryKind.ANONYMOUS));
    Host host =
        Host.TYPE.of(
            random.nextInt(4) == 0 ? Map.of() : Map.of("kernel", 5_998 + random.nextInt(8)));
    return new Facts(request.build(), memory, device, host);
  }

  /** As often above as below what the rules compare with, so that each fires often enough. */
  private static long anyLength(Random random) {
    return 1L << (20 + random.nextInt(20));
  }
}

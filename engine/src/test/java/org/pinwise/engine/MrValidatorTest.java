package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.pinwise.rules.model.AccessFlag.HUGETLB;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.MW_BIND;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;
import static org.pinwise.rules.model.AccessFlag.ZERO_BASED;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.drools.DroolsJudge;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;

class MrValidatorTest {
  private final RuleSet builtIn = RuleSet.builtIn();
  private final MrValidator validator = MrValidator.create(builtIn);
  private final MrValidator assumingNothing = MrValidator.create(builtIn, Assumptions.NONE);

  private static Facts facts(MrRequest request, Map<String, ?> device, Map<String, ?> host) {
    return Facts.of(request).withDevice(Device.TYPE.of(device)).withHost(Host.TYPE.of(host));
  }

  private static MrRequest request(AccessFlag... flags) {
    return MrRequest.ofLength(65_536).access(flags).build();
  }

  private static Map<String, Object> kernel(int version) {
    return Map.of("kernel", version, "pageSize", 4096L);
  }

  private static List<String> rules(Verdict verdict) {
    return verdict.findings().stream().map(Finding::rule).toList();
  }

  // ---- one call, one errno

  @Test
  void theErrnoIsThatOfTheEarliestCheck() {
    // The core's access check comes before rxe's own (EOPNOTSUPP).
    Verdict verdict =
        validator.validate(
            facts(request(REMOTE_WRITE, HUGETLB), Map.of("driver", "rxe"), kernel(6_012)));
    assertThat(rules(verdict)).contains("MR001", "MR006/rxe");
    assertThat(verdict.errno()).containsExactly(Errno.EINVAL);
  }

  @Test
  void theErrnoIsASetWhereAnUndecidedCheckComesBefore() {
    // Whether the device has ODP is not known: EOPNOTSUPP then, else the driver's own EINVAL.
    MrRequest request = request(LOCAL_WRITE, ON_DEMAND, HUGETLB);
    Verdict verdict = validator.validate(facts(request, Map.of("driver", "mana"), kernel(6_012)));
    assertThat(verdict).isInstanceOf(Rejected.class);
    assertThat(verdict.undecided()).extracting(UndecidedRule::rule).contains("MR004");
    assertThat(verdict.errno()).containsExactlyInAnyOrder(Errno.EINVAL, Errno.EOPNOTSUPP);
  }

  @Test
  void anUndecidedCheckThatComesAfterAddsNothing() {
    Verdict verdict =
        validator.validate(
            facts(
                request(REMOTE_WRITE),
                Map.of("driver", "mlx5"),
                Map.of("kernel", 6_012, "memlock", 65_536L, "ipcLock", false)));
    assertThat(verdict.undecided()).extracting(UndecidedRule::rule).contains("MR013/pinned");
    assertThat(verdict.errno()).containsExactly(Errno.EINVAL);
  }

  // ---- rooms whose rules differ by kernel or driver only

  @Test
  void aRoomThatFiresOnEveryKernelIsSettled() {
    Map<String, Object> device = Map.of("driver", "mlx5", "odp", false);
    MrRequest request = request(LOCAL_WRITE, ON_DEMAND);
    Verdict verdict = validator.validate(facts(request, device, Map.of()));
    assertThat(verdict).isInstanceOf(Rejected.class);
    assertThat(rules(verdict)).contains("MR004");
    assertThat(verdict.errno()).containsExactlyInAnyOrder(Errno.EINVAL, Errno.EOPNOTSUPP);
    Finding finding =
        verdict.findings().stream().filter(f -> f.rule().equals("MR004")).findFirst().orElseThrow();
    assertThat(finding.errno()).isNull();
    assertThat(finding.message()).contains(" or ").endsWith("by kernel and driver)");
    assertThat(validator.validate(facts(request, device, kernel(6_001))).errno())
        .containsExactly(Errno.EINVAL);
    assertThat(validator.validate(facts(request, device, kernel(6_012))).errno())
        .containsExactly(Errno.EOPNOTSUPP);
  }

  @Test
  void aRoomThatFiresOnEveryDriverIsSettled() {
    MrRequest wraps = MrRequest.range(0x7f00_0000_0000L, -4096).access(LOCAL_WRITE).build();
    Verdict verdict = validator.validate(facts(wraps, Map.of("odp", false), kernel(6_012)));
    assertThat(verdict).isInstanceOf(Rejected.class);
    assertThat(rules(verdict)).contains("MR016");
    assertThat(verdict.errno()).contains(Errno.EINVAL, Errno.EFAULT, Errno.ENOMEM);
  }

  @Test
  void aRoomThatIsSilentOnSomeKernelIsNotSettled() {
    MrRequest request = request(LOCAL_WRITE, ZERO_BASED);
    Verdict verdict = validator.validate(facts(request, Map.of("driver", "rxe"), Map.of()));
    assertThat(verdict).isInstanceOf(Undecided.class);
    assertThat(verdict.undecided())
        .extracting(UndecidedRule::rule)
        .contains("MR006/rxe", "MR024/rxe-old");
    assertThat(verdict.errno()).isEmpty();
  }

  // ---- profiles

  @Test
  void strictRefusesWhatTheKernelTakes() {
    MrValidator strict = MrValidator.create(builtIn.with(Profile.builtIn("strict")));
    Facts facts = facts(request(MW_BIND), Map.of("driver", "mlx5"), kernel(6_012));
    assertThat(validator.validate(facts)).isInstanceOf(Accepted.class);
    Verdict refused = strict.validate(facts);
    assertThat(refused).isInstanceOf(Rejected.class);
    Finding finding = refused.findings(Severity.ERROR).get(0);
    assertThat(finding.rule()).isEqualTo("MR023");
    assertThat(finding.origin()).isEqualTo(Finding.Origin.PROFILE);
    assertThat(finding.errno()).isNull();
    assertThat(refused.errno()).isEmpty();
  }

  private static Profile profile(Path folder, String text) throws IOException {
    return Profile.load(
        Files.writeString(folder.resolve("team.yaml"), "profile: team\nrules:\n" + text));
  }

  @Test
  void aRuleThatIsOffIsListed(@TempDir Path folder) throws IOException {
    Profile profile = profile(folder, "  MR001: {off: \"we know\"}\n");
    Verdict verdict =
        MrValidator.create(builtIn.with(profile))
            .validate(facts(request(REMOTE_WRITE), Map.of("driver", "mlx5"), kernel(6_012)));
    assertThat(rules(verdict)).doesNotContain("MR001");
    assertThat(verdict.disabled()).containsExactly("MR001: we know");
  }

  @Test
  void aRoomsSettingIsForAllItsRulesAndARulesOwnIsStronger(@TempDir Path folder)
      throws IOException {
    Profile profile =
        profile(folder, "  MR030: {severity: error}\n  MR030/polls-memory: {off: \"no\"}\n");
    Verdict verdict =
        MrValidator.create(builtIn.with(profile))
            .validate(
                facts(
                    request(LOCAL_WRITE, RELAXED_ORDERING),
                    Map.of("driver", "siw"),
                    kernel(6_012)));
    assertThat(verdict.findings(Severity.ERROR)).extracting(Finding::rule).contains("MR030");
    assertThat(verdict.disabled()).containsExactly("MR030/polls-memory: no");
  }

  @Test
  void parametersMoveTheBound(@TempDir Path folder) throws IOException {
    MrRequest unaligned = MrRequest.range(0x7f00_0000_0010L, 8192).access(LOCAL_WRITE).build();
    Facts facts = facts(unaligned, Map.of("driver", "mlx5"), kernel(6_012));
    assertThat(rules(validator.validate(facts))).doesNotContain("MR041");
    Profile profile = profile(folder, "  MR041: {minBytes: 4KiB}\n");
    assertThat(rules(MrValidator.create(builtIn.with(profile)).validate(facts))).contains("MR041");
  }

  @Test
  void aKernelsErrorThatIsLoweredStillFailsAndIsSaid(@TempDir Path folder) throws IOException {
    Profile profile = profile(folder, "  MR001: {severity: warning}\n");
    Verdict verdict =
        MrValidator.create(builtIn.with(profile))
            .validate(facts(request(REMOTE_WRITE), Map.of("driver", "mlx5"), kernel(6_012)));
    assertThat(verdict).isInstanceOf(Accepted.class);
    assertThat(verdict.disabled())
        .containsExactly(
            "MR001: lowered to warning by the profile team; the call still fails, with EINVAL");
  }

  @Test
  void theShareOfMemoryIsTheTeams(@TempDir Path folder) throws IOException {
    Facts facts =
        facts(request(LOCAL_WRITE), Map.of("driver", "mlx5"), Map.of("ram", 10L << 30))
            .withPlan(Plan.TYPE.with(Plan.NONE, Map.of("residentBytes", 7L << 30)));
    assertThat(rules(validator.validate(facts))).doesNotContain("MR048/ram");
    Profile profile = profile(folder, "  MR048: {ratioPercent: 60}\n");
    assertThat(rules(MrValidator.create(builtIn.with(profile)).validate(facts)))
        .contains("MR048/ram");
  }

  @Test
  void aProfileNamesWhatThereIs(@TempDir Path folder) throws IOException {
    Profile profile =
        profile(folder, "  MR999: {severity: error}\n  MR041: {minimum: 1}\n  MR1: {off: \"x\"}\n");
    RuleSet rules = builtIn.with(profile);
    assertThat(rules.problems())
        .extracting(RuleProblem::rule)
        .containsExactly("MR999", "MR041", "MR1");
    assertThatExceptionOfType(RuleSetException.class)
        .isThrownBy(() -> MrValidator.create(rules))
        .satisfies(e -> assertThat(e.problems()).hasSize(3));
    assertThat(rules.problems().get(1).message())
        .isEqualTo("the rule has no parameter minimum; it has [minBytes]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Profile.builtIn("strickt"))
        .withMessageContaining("strict");
  }

  // ---- what follows of a verdict

  @Test
  void aCorrectedRequestHasNoErrorAndGivesNoRight() {
    Set<AccessFlag> rights =
        EnumSet.of(
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.FLUSH_GLOBAL,
            AccessFlag.FLUSH_PERSISTENT);
    Random random = new Random(11);
    int corrected = 0;
    for (String driver : List.of("mlx5", "rxe", "efa", "mana", "siw")) {
      Map<String, Object> device =
          Map.of(
              "driver", driver,
              "odp", false,
              "flushGlobal", false,
              "flushPersistent", false,
              "rdmaRead", false,
              "rdmaWrite", false);
      for (int i = 0; i < 60; i++) {
        Access access = Access.ofBits(random.nextInt(1 << 12) | (1 << 20));
        MrRequest request = MrRequest.ofLength(4096).access(access).build();
        Verdict verdict = validator.validate(facts(request, device, kernel(6_012)));
        MrRequest better = verdict.corrected().orElse(null);
        if (better == null) {
          continue;
        }
        corrected++;
        assertThat(verdict).isInstanceOf(Rejected.class);
        assertThat(validator.validate(verdict.facts().withRequest(better)).findings(Severity.ERROR))
            .as("%s on %s", access, driver)
            .isEmpty();
        Set<AccessFlag> added = EnumSet.copyOf(rights);
        added.retainAll(java.util.Objects.requireNonNull(better.access()));
        assertThat(access.flags()).as("%s on %s", access, driver).containsAll(added);
      }
    }
    assertThat(corrected).isGreaterThan(100);
  }

  @Test
  void aCorrectedRequestIsTheNearest() {
    Verdict verdict =
        validator.validate(facts(request(REMOTE_WRITE), Map.of("driver", "mlx5"), kernel(6_012)));
    assertThat(verdict.corrected()).contains(request(LOCAL_WRITE, REMOTE_WRITE));
    Verdict accepted =
        validator.validate(facts(request(LOCAL_WRITE), Map.of("driver", "mlx5"), kernel(6_012)));
    assertThat(accepted.corrected()).isEmpty();
    Verdict hopeless =
        validator.validate(
            facts(
                MrRequest.ofLength(0).access(LOCAL_WRITE).build(),
                Map.of("driver", "mlx5"),
                kernel(6_012)));
    assertThat(hopeless).isInstanceOf(Rejected.class);
    assertThat(hopeless.corrected()).isEmpty();
  }

  @Test
  void siwCountsItsRegionsBeforeAllElse() {
    // num_mr, then the length, then (6.1) RLIMIT_MEMLOCK: siw_reg_user_mr, sw/siw/siw_verbs.c
    for (int kernel : new int[] {6_001, 6_012}) {
      Map<String, Object> host =
          Map.of("kernel", kernel, "memlock", 0L, "ipcLock", true, "pageSize", 4096L);
      MrRequest nothing = MrRequest.range(0x7f00_0000_0010L, 0).access(LOCAL_WRITE).build();
      Map<String, Object> room = Map.of("driver", "siw", "maxMr", 1_024_000L, "mrInUse", 7L);
      assertThat(validator.validate(facts(nothing, room, host)).errno())
          .containsExactly(Errno.EINVAL);
      Map<String, Object> full =
          Map.of("driver", "siw", "maxMr", 1_024_000L, "mrInUse", 1_024_000L);
      assertThat(validator.validate(facts(nothing, full, host)).errno())
          .containsExactly(Errno.ENOMEM);
    }
  }

  @Test
  void aCorrectedBindHasOnlyWhatAWindowTakes() {
    for (String driver : List.of("mlx5", "rxe")) {
      for (AccessFlag flag : AccessFlag.values()) {
        Access access = Access.of(REMOTE_WRITE, ZERO_BASED, flag);
        MrRequest bind = MrRequest.ofLength(4096).verb(Verb.BIND_MW).access(access).build();
        Verdict verdict = validator.validate(facts(bind, Map.of("driver", driver), kernel(6_012)));
        boolean right =
            flag.name().startsWith("REMOTE_")
                || (flag.name().startsWith("FLUSH_") && driver.equals("rxe"));
        assertThat(verdict.corrected().orElseThrow().access())
            .as("%s with %s on %s", verdict, flag, driver)
            .isEqualTo(right ? EnumSet.of(REMOTE_WRITE, flag) : EnumSet.of(REMOTE_WRITE));
      }
      Access bits = Access.ofBits(AccessFlag.REMOTE_READ.bit() | 32 | 1 << 15 | 1 << 25);
      MrRequest bind = MrRequest.ofLength(4096).verb(Verb.BIND_MW).access(bits).build();
      assertThat(
              validator
                  .validate(facts(bind, Map.of("driver", driver), kernel(6_012)))
                  .corrected()
                  .orElseThrow()
                  .accessArgument())
          .isEqualTo(Access.of(AccessFlag.REMOTE_READ));
    }
  }

  @Test
  void theEffectiveAccessIsWithoutWhatTheHostDrops() {
    MrRequest request = request(LOCAL_WRITE, RELAXED_ORDERING);
    Map<String, Object> device = Map.of("driver", "mlx5");
    assertThat(validator.validate(facts(request, device, kernel(6_012))).effectiveAccess())
        .contains(Access.of(LOCAL_WRITE, RELAXED_ORDERING));
    assertThat(validator.validate(facts(request, device, kernel(5_004))).effectiveAccess())
        .contains(Access.of(LOCAL_WRITE));
    assertThat(
            validator
                .validate(facts(request, device, Map.of("kernel", 6_012, "rdmaCore", 27)))
                .effectiveAccess())
        .contains(Access.of(LOCAL_WRITE));
    MrRequest unknown = MrRequest.ofLength(4096).build();
    assertThat(validator.validate(facts(unknown, device, kernel(6_012))).effectiveAccess())
        .isEmpty();
  }

  // ---- assumptions

  @Test
  void whatNobodySaidIsAssumedAndListed() {
    Facts facts = facts(request(LOCAL_WRITE), Map.of("driver", "mlx5"), kernel(6_012));
    Verdict verdict = validator.validate(facts);
    assertThat(verdict).isInstanceOf(Accepted.class);
    assertThat(verdict.assumed()).containsExactly("address", "memory", "limits", "room");
    assertThat(verdict.assumed()).allSatisfy(a -> assertThat(Assumptions.meaning(a)).contains(" "));
    Verdict open = assumingNothing.validate(facts);
    assertThat(open).isInstanceOf(Undecided.class);
    assertThat(open.assumed()).isEmpty();
    assertThat(open.undecided())
        .extracting(UndecidedRule::rule)
        .contains("MR008", "MR011", "MR013", "MR014", "MR016");
  }

  @Test
  void partOfTheLimitsIsUnknownInPart() {
    Facts facts =
        facts(
            request(LOCAL_WRITE),
            Map.of("driver", "mlx5"),
            Map.of("kernel", 6_012, "pageSize", 4096L, "memlock", 65_536L));
    Verdict verdict = validator.validate(facts);
    assertThat(verdict.assumed()).containsExactly("address", "memory", "room");
    assertThat(verdict.undecided())
        .filteredOn(u -> u.rule().equals("MR013/pinned"))
        .allSatisfy(u -> assertThat(u.needs()).containsExactly("host.ipcLock", "host.pinnedPages"));
  }

  @Test
  void thatTheHostIsNotConfidentialIsSaidWhereItMatters() {
    Map<String, Object> device = Map.of("driver", "mlx5");
    assertThat(validator.validate(facts(request(), device, kernel(7_003))).assumed())
        .containsExactly("address", "memory", "limits", "dma", "room");
    assertThat(validator.validate(facts(request(), device, Map.of("dmaBounce", false))).assumed())
        .containsExactly("address", "memory", "limits", "room");
  }

  // ---- the memo

  @Test
  void theMemoAnswersLikeDrools() {
    List<Rule> rules = builtIn.rules();
    List<CompiledRule> compiled =
        rules.stream().map(rule -> CompiledRule.of(rule, rule.meta().parameters())).toList();
    DroolsJudge judge = new DroolsJudge(compiled);
    OutcomeMemo memo = new OutcomeMemo(new DroolsJudge(compiled), 50);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    FactSampler sampler = new FactSampler(rules, seed);
    for (int i = 0; i < 400; i++) {
      FactSampler.Draft draft = sampler.known();
      if (random.nextBoolean()) {
        draft = sampler.hide(draft);
      }
      List<FactTuple> alike = new ArrayList<>();
      for (int j = 0; j < 4; j++) {
        // They differ in address and length only, and mostly in nothing that a rule asks.
        FactSampler.Draft other = draft.copy();
        sampler.fill(other, "request.address");
        sampler.fill(other, "request.length");
        alike.add(other.tuple());
      }
      alike.add(draft.tuple());
      alike.addAll(List.copyOf(alike)); // each is asked twice
      for (FactTuple facts : alike) {
        assertThat(memo.outcome(facts))
            .as("seed %d, %s", seed, facts)
            .isEqualTo(judge.judge(facts));
      }
    }
  }

  @Test
  void aVerdictIsAFunctionOfItsFacts() {
    Map<String, Object> device = new LinkedHashMap<>(Map.of("driver", "rxe", "odp", false));
    for (int length = 0; length < 200; length += 40) {
      MrRequest request =
          MrRequest.range(0x7f00_0000_0000L, length).access(LOCAL_WRITE, ON_DEMAND).build();
      Facts facts = facts(request, device, kernel(6_001));
      assertThat(validator.validate(facts)).hasToString(validator.validate(facts).toString());
      assertThat(validator.validate(facts).request()).isEqualTo(request);
    }
  }
}

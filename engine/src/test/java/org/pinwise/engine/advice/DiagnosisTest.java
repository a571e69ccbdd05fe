package org.pinwise.engine.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.advice.Diagnosis.Likelihood;
import org.pinwise.engine.advice.Diagnosis.Ranked;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;

class DiagnosisTest {
  private static final MrValidator VALIDATOR =
      MrValidator.create(RuleSet.builtIn(), Assumptions.NONE);
  private static final String USER =
      "host: {kernel: \"6.12\", stack: inbox, pageSize: 4096, memlock: 8MiB, ipcLock: false,"
          + " pinnedPages: 768, memoryLimit: unlimited, forkProtection: false}";
  private static final String REQUEST =
      "register: {address: 0x7f0000000000, length: %s, access: [%s]}";
  private static final String MEMORY =
      "memory: {kind: anonymous, mapped: true, protection: read_write, shared: false,"
          + " persistent: false}";

  private static Diagnosis diagnose(Errno errno, String... sections) {
    String text = Arrays.stream(sections).collect(Collectors.joining("\n"));
    Facts facts =
        text.isEmpty()
            ? Facts.of(MrRequest.builder().build())
            : FactsReader.of(DeviceCatalog.load()).read("facts", text).facts();
    return Diagnosis.of(errno, VALIDATOR.validate(facts));
  }

  private static List<String> ids(Diagnosis diagnosis, Likelihood likelihood) {
    return diagnosis.causes().stream()
        .filter(cause -> cause.likelihood() == likelihood)
        .map(Ranked::id)
        .toList();
  }

  @Test
  void memlockIsLikelyWithoutTheRequestAndCertainWithIt() {
    Diagnosis hostOnly = diagnose(Errno.ENOMEM, "device: mlx5", USER);
    Ranked first = hostOnly.causes().get(0);
    assertThat(first.id()).isEqualTo("memlock");
    assertThat(first.likelihood()).isEqualTo(Likelihood.LIKELY);
    assertThat(first.evidence()).contains("host.memlock is 8MiB", "host.ipcLock is false");
    assertThat(first.confirm())
        .isEqualTo("grep -E 'Max locked|VmPin' /proc/PID/limits /proc/PID/status");

    Diagnosis whole =
        diagnose(
            Errno.ENOMEM, REQUEST.formatted("6MiB", "LOCAL_WRITE"), MEMORY, "device: mlx5", USER);
    assertThat(whole.causes().get(0).id()).isEqualTo("MR013/pinned");
    assertThat(whole.causes().get(0).likelihood()).isEqualTo(Likelihood.CERTAIN);
    assertThat(whole.causes().get(0).summary()).contains("6MiB", "768 pages", "8MiB");
    assertThat(whole.causes()).extracting(Ranked::id).doesNotContain("memlock"); // said already
  }

  @Test
  void whatTheFactsExcludeIsRuledOutWithTheFact() {
    Diagnosis root =
        diagnose(Errno.ENOMEM, "device: mlx5", USER.replace("ipcLock: false", "ipcLock: true"));
    assertThat(root.causes()).extracting(Ranked::id).doesNotContain("memlock");
    assertThat(root.ruledOut())
        .filteredOn(cause -> cause.id().equals("memlock"))
        .singleElement()
        .satisfies(cause -> assertThat(cause.evidence()).contains("host.ipcLock is true"));
    assertThat(root.ruledOut()).extracting(Ranked::id).contains("mtt", "pages-efa");
    assertThat(ids(root, Likelihood.LIKELY)).isEmpty();
    assertThat(ids(root, Likelihood.POSSIBLE)).startsWith("regions", "firmware-mkeys");
  }

  @ParameterizedTest
  @CsvSource({"qedr,EFAULT", "ocrdma,EFAULT", "cxgb4,ENOMEM", "hns,ENOMEM"})
  void driversThatMisleadAreSeenThrough(String driver, Errno said) {
    String device = "device: {catalog: " + driver + "}";
    Diagnosis misled = diagnose(said, device, USER);
    assertThat(misled.causes().get(0).id()).isEqualTo("memlock");
    assertThat(misled.notes()).singleElement().asString().startsWith(driver + " answers " + said);
    String none = USER.replace("8MiB", "0");
    assertThat(ids(diagnose(said, device, none), Likelihood.LIKELY)).contains("memlock-zero");

    Errno other = said == Errno.EFAULT ? Errno.ENOMEM : Errno.EFAULT;
    Diagnosis honest = diagnose(other, device, USER);
    assertThat(honest.causes()).extracting(Ranked::id).doesNotContain("memlock", "memory");
    assertThat(honest.notes().get(0)).endsWith("so " + other + " comes of something else");
  }

  @Test
  void bnxtMisledBefore65() {
    String old = USER.replace("6.12", "6.1");
    assertThat(diagnose(Errno.EFAULT, "device: {catalog: bnxt_re}", old).causes().get(0).id())
        .isEqualTo("memlock");
    assertThat(diagnose(Errno.EFAULT, "device: {catalog: bnxt_re}", USER).causes())
        .extracting(Ranked::id)
        .doesNotContain("memlock");
  }

  @Test
  void controlGroupsAndTablesAreFound() {
    String used = "device: {catalog: connectx5, name: mlx5_3, objectLimit: 8, objectsInUse: 8}";
    assertThat(diagnose(Errno.EAGAIN, used, USER).causes().get(0).id()).isEqualTo("MR021");
    String free = used.replace("objectsInUse: 8", "objectsInUse: 7");
    assertThat(diagnose(Errno.EAGAIN, free, USER).ruledOut())
        .extracting(Ranked::id)
        .contains("objects");
    String full = "device: {catalog: rxe, name: rxe0, maxMr: 100, mrInUse: 100}";
    Ranked regions = diagnose(Errno.EINVAL, full, USER).causes().get(0);
    assertThat(regions.id()).isEqualTo("MR049/rxe");
    assertThat(regions.likelihood()).isEqualTo(Likelihood.CERTAIN);
    assertThat(regions.confirm()).isEqualTo("rdma resource show dev rxe0");
    String almostFull = full.replace("mrInUse: 100", "mrInUse: 96");
    Ranked almost = diagnose(Errno.EINVAL, almostFull, USER).causes().get(0);
    assertThat(almost.id()).isEqualTo("regions-einval");
    assertThat(almost.evidence()).contains("device.mrInUse is 96", "device.maxMr is 100");
    assertThat(diagnose(Errno.ENOMEM, full, USER).causes())
        .extracting(Ranked::id)
        .doesNotContain("regions");
  }

  @Test
  void undecidedRulesArePossibleWithWhatTheyNeed() {
    Diagnosis bad =
        diagnose(Errno.EFAULT, REQUEST.formatted("1MiB", "LOCAL_WRITE"), "device: mlx5", USER);
    assertThat(bad.causes())
        .filteredOn(cause -> cause.id().equals("MR008"))
        .singleElement()
        .satisfies(cause -> {
          assertThat(cause.likelihood()).isEqualTo(Likelihood.POSSIBLE);
          assertThat(cause.needs()).contains("memory.protection");
          assertThat(cause.confirm()).isEqualTo("grep -A 25 ADDRESS /proc/PID/smaps");
        });
    assertThat(bad.causes()).extracting(Ranked::id).doesNotHaveDuplicates();
  }

  @Test
  void theOrderIsByLikelihood() {
    for (Errno errno : Errno.values()) {
      assertThat(diagnose(errno, "device: mlx5", USER).causes())
          .extracting(Ranked::likelihood)
          .isSorted();
    }
  }

  @ParameterizedTest
  @EnumSource(Errno.class)
  void everyErrnoHasACauseAndEveryCauseACommand(Errno errno) {
    Diagnosis nothingKnown = diagnose(errno);
    assertThat(nothingKnown.causes()).isNotEmpty();
    assertThat(nothingKnown.causes())
        .allSatisfy(cause -> {
          assertThat(cause.confirm()).isNotBlank();
          assertThat(cause.summary()).doesNotEndWith(".");
          assertThat(cause.reference()).isNotBlank();
        });
  }

  @Test
  void theTableIsWhole() {
    Set<Errno> named = EnumSet.noneOf(Errno.class);
    for (Cause cause : Causes.ALL) {
      named.addAll(cause.errnos());
      assertThat(cause.remedy()).as(cause.id()).endsWith(".");
      assertThat(cause.rooms()).as(cause.id()).allMatch(room -> room.matches("MR\\d{3}"));
    }
    assertThat(Causes.ALL).extracting(Cause::id).doesNotHaveDuplicates();
    assertThat(named).hasSize(Errno.values().length);
  }
}

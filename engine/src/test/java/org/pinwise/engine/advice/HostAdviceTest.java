package org.pinwise.engine.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.Finding;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.spi.Rule;

class HostAdviceTest {
  private static final HostAdvice ADVICE = new HostAdvice();

  private static List<String> ids(String facts) {
    Facts read = FactsReader.of(DeviceCatalog.load()).read("facts", "{" + facts + "}").facts();
    return ADVICE.on(read.host(), List.of(read.device())).findings().stream()
        .map(Finding::rule)
        .toList();
  }

  /**
   * Each line: a rule, facts on which it speaks, the same with one changed on which it does not.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "HOST001; host: {ipcLock: false, memlock: 0}; host: {ipcLock: true, memlock: 0}",
        "HOST002; host: {ipcLock: false, memlock: 8MiB}; host: {ipcLock: false, memlock:"
            + " unlimited}",
        "HOST003; host: {ipcLock: false, memlock: 1, memlockHard: 2};"
            + " host: {ipcLock: false, memlock: 2, memlockHard: 2}",
        "HOST004; host: {memoryLimit: 1GiB, ram: 2GiB}; host: {memoryLimit: unlimited, ram: 2GiB}",
        "HOST005; host: {kernel: 5.11, forkProtection: false};"
            + " host: {kernel: 5.12, forkProtection: false}",
        "HOST006; host: {copyOnFork: true, forkProtection: true};"
            + " host: {copyOnFork: true, forkProtection: false}",
        "HOST007; host: {copyOnFork: false, forkProtection: true, mappings: 6, maxMapCount: 11};"
            + " host: {copyOnFork: false, forkProtection: true, mappings: 5, maxMapCount: 11}",
        "HOST008; host: {selinux: enforcing}; host: {selinux: permissive}",
        "HOST009; host: {thp: never}; host: {thp: madvise}",
        "HOST010; host: {stack: vendor}; host: {stack: inbox}",
        "HOST011; device: {name: a, objectLimit: 10, objectsInUse: 9};"
            + " device: {name: a, objectLimit: 10, objectsInUse: 8}",
        "HOST012; device: {name: a, maxMr: 100, mrInUse: 90};"
            + " device: {name: a, maxMr: 100, mrInUse: 89}",
        "HOST013; device: {name: a, relaxedOrderingEnabled: false};"
            + " device: {name: a, relaxedOrderingEnabled: true}",
      })
  void speaksWhereItAppliesAndOnlyThere(String rule, String facts, String otherFacts) {
    assertThat(ids(facts)).contains(rule);
    assertThat(ids(otherFacts)).doesNotContain(rule);
  }

  @Test
  void everyLineOfTheTableIsTestedAbove() throws Exception {
    CsvSource lines =
        HostAdviceTest.class
            .getDeclaredMethod(
                "speaksWhereItAppliesAndOnlyThere", String.class, String.class, String.class)
            .getAnnotation(CsvSource.class);
    assertThat(lines.value())
        .extracting(line -> line.substring(0, line.indexOf(';')))
        .containsExactlyElementsOf(ADVICE.rules().stream().map(Rule::id).toList());
  }

  @Test
  void ofUnknownFactsItSaysWhatItNeeds() {
    HostAdvice.Given given = ADVICE.on(Host.UNKNOWN, List.of());
    assertThat(given.findings()).isEmpty();
    assertThat(given.undecided())
        .extracting(UndecidedRule::rule)
        .contains("HOST002")
        .doesNotContain("HOST011"); // there is no device
    assertThat(given.undecided().get(0).needs()).isNotEmpty();
  }

  @Test
  void whatHoldsOfTheHostIsSaidOnceForAllDevices() {
    Host host = Host.TYPE.of(Map.of("ipcLock", false, "memlock", 4096L, "memlockHard", 4096L));
    Map<String, Object> one = new HashMap<>(Map.of("name", "a", "maxMr", 10L, "mrInUse", 10L));
    Device first = Device.TYPE.of(one);
    one.put("name", "b");
    List<Finding> findings = ADVICE.on(host, List.of(first, Device.TYPE.of(one))).findings();
    assertThat(findings).extracting(Finding::rule).containsExactly("HOST002", "HOST012", "HOST012");
    assertThat(findings.get(2).message()).startsWith("b: 10 of at most 10 regions");
  }
}

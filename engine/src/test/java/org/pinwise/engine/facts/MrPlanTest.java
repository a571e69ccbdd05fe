package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.CacheKey;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Plan;

/** What is summed up of a plan, and what a plan may say. */
class MrPlanTest {
  private static final long GIB = 1L << 30;

  private final FactsReader reader = FactsReader.of(DeviceCatalog.load());

  private FactsFile read(String text) {
    return reader.read("plan.yaml", text);
  }

  @Test
  void regionsAreSummedOverCountsDevicesAndProcesses() {
    Plan plan =
        read("""
        host: {pageSize: 4096}
        plan:
          processes: 4
          devices: 2
          queueBytes: 1MiB
          regions:
            - {name: pool, length: 1GiB, count: 3, access: LOCAL_WRITE,
               memory: {pageSize: 2MiB}}
            - {length: 4097, access: 0}
            - {length: 1TiB, access: ON_DEMAND}
        """)
            .facts()
            .plan();
    assertThat(plan.regionsPerProcess()).isEqualTo(5);
    assertThat(plan.regions()).isEqualTo(20);
    // 4097 bytes are two pages; what is paged on demand is not pinned.
    assertThat(plan.pinnedBytes()).isEqualTo(2 * (3 * GIB + 8192 + (1 << 20)));
    assertThat(plan.residentBytes()).isEqualTo(4 * (3 * GIB + 8192 + (2 << 20)));
    assertThat(plan.largestRegion()).isEqualTo(1L << 40);
    assertThat(plan.deviceEntries()).isEqualTo(4 * (3 * 512 + 2 + (1L << 28)));
    assertThat(plan.samePagesTwice()).isTrue();
    assertThat(plan.cached()).isFalse();
  }

  @Test
  void sumsOfUnknownPartsAreUnknown() {
    Plan plan = read("plan: {regions: [{access: LOCAL_WRITE}, {length: 4096}]}").facts().plan();
    assertThat(plan.pinnedBytes()).isNull();
    assertThat(plan.largestRegion()).isNull();
    assertThat(plan.regions()).isEqualTo(2);
    assertThat(plan.forks()).isNull();
  }

  @Test
  void pageSizesThatAgreeAreNotAskedFor() {
    Plan whole = read("plan: {regions: [{length: 1MiB, access: 1}]}").facts().plan();
    assertThat(whole.pinnedBytes()).isEqualTo(1 << 20);
    Plan small = read("plan: {regions: [{length: 100, access: 1}]}").facts().plan();
    assertThat(small.pinnedBytes()).as("4 KiB or 64 KiB").isNull();
    assertThat(small.residentBytes()).isNull();
  }

  @Test
  void hugeSumsSaturate() {
    Plan plan =
        read("plan: {regions: [{length: 0xffffffffffffffff, count: 9, access: 1}], devices: 9}")
            .facts()
            .plan();
    assertThat(plan.pinnedBytes()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void neighboursShareCacheLinesAndPages() {
    String regions =
        "plan: {regions: [{address: 0x7f0000000000, length: 96, access: LOCAL_WRITE},"
            + " {address: 0x%s, length: 64, access: %s}]}";
    Plan sameLine = read(regions.formatted("7f0000000060", "LOCAL_WRITE")).facts().plan();
    assertThat(sameLine.sharedCacheLine()).isTrue();
    assertThat(sameLine.samePagesTwice()).isTrue();
    Plan sameLineRead = read(regions.formatted("7f0000000060", "REMOTE_READ")).facts().plan();
    assertThat(sameLineRead.sharedCacheLine()).isFalse();
    Plan samePage = read(regions.formatted("7f0000000080", "LOCAL_WRITE")).facts().plan();
    assertThat(samePage.sharedCacheLine()).isFalse();
    assertThat(samePage.samePagesTwice()).isTrue();
    Plan nextPage = read(regions.formatted("7f0000001000", "LOCAL_WRITE")).facts().plan();
    assertThat(nextPage.samePagesTwice()).isFalse();
  }

  @Test
  void withoutRegionsTheRequestIsTheOneRegion() {
    FactsFile file = read("{request: {length: 2GiB, access: LOCAL_WRITE}, plan: {devices: 2}}");
    assertThat(file.facts().plan().pinnedBytes()).isEqualTo(4 * GIB);
    assertThat(file.plan()).isNotNull();
  }

  @Test
  void sumsFollowTheHostThatTheyAreAskedFor() {
    FactsFile file = read("plan: {regions: [{length: 1, access: LOCAL_WRITE}]}");
    MrPlan plan = file.plan();
    assertThat(plan).isNotNull();
    assertThat(plan.fact(Host.UNKNOWN).pinnedBytes()).isNull();
    Host large = Host.TYPE.of(java.util.Map.of("pageSize", 65536L));
    assertThat(plan.fact(large).pinnedBytes()).isEqualTo(65536);
  }

  @Test
  void whatIsSaidGoesBeforeTheSumsAndACacheIsNested() {
    Plan plan =
        read("plan: {pinnedBytes: 7MiB, devices: 3, cache: {key: [address], owners: 2}}")
            .facts()
            .plan();
    assertThat(plan.pinnedBytes()).isEqualTo(7 << 20);
    assertThat(plan.cached()).isTrue();
    assertThat(plan.cacheKey()).isEqualTo(Set.of(CacheKey.ADDRESS));
    assertThat(plan.cacheOwners()).isEqualTo(2);
  }

  @Test
  void mistakesAreNamedWithTheirPlace() {
    assertThatThrownBy(() -> read("plan:\n  processes: 0"))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("plan.yaml:2:14")
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> read("plan:\n  regions:\n  - {lenght: 1}"))
        .hasMessageStartingWith("plan.yaml:3:")
        .hasMessageContaining("length");
    assertThatThrownBy(() -> read("plan:\n  cache: {kye: [address]}"))
        .hasMessageStartingWith("plan.yaml:2:")
        .hasMessageContaining("cacheKey");
  }
}

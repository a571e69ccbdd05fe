package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.engine.eval.CompiledRule;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Volatility;
import org.pinwise.rules.spi.Truth;

/** What is remembered is what would be decided anew. */
class BoundValidatorTest {
  private static final int HOSTS = 12;
  private static final int REQUESTS = 40;

  /** Compares what the built-in rules do not: joins of live facts, sums, texts. */
  private static final String TEAM =
      """
      package mr.rules.team001;
      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.AddressRange;
      import org.pinwise.rules.model.Memory;
      import org.pinwise.rules.model.Device;
      import org.pinwise.rules.model.Host;
      import org.pinwise.rules.spi.Findings;
      global org.pinwise.rules.spi.Findings findings;
      rule "TEAM001"
        @severity(ERROR) @since(1.0) @spec("-") @summary("Budget") @remediation("Less.")
      when
        $h : Host( $limit : memlock, $pinned : pinnedPages )
        $r : MrRequest()
        AddressRange( pages + $pinned > $limit / 4096 )
      then
        findings.report("TEAM001", $r, "{length} with {host.pinnedPages} pinned");
      end
      rule "TEAM001/size"
        @severity(WARNING) @since(1.0) @spec("-") @summary("Size") @remediation("Less.")
      when
        Device( $max : maxMrSize )
        $r : MrRequest( length > $max )
      then
        findings.report("TEAM001/size", $r, "{length} is more than {device.maxMrSize}");
      end
      rule "TEAM001/text"
        @severity(INFO) @since(1.0) @spec("-") @summary("Text") @remediation("Move.")
      when
        $r : MrRequest( length % 4096 != 0 )
        Memory( fileSystem == "nfs", numaNode in (0, 2) )
        AddressRange( alignment < 64, pagesLow32 >= 3 )
      then
        findings.report("TEAM001/text", $r, "{length} on {memory.fileSystem}");
      end
      """;

  private static Host host(long memlock, long pinned) {
    return Host.TYPE.of(
        Map.of(
            "kernel",
            Kernel.V6_12,
            "stack",
            DriverStack.INBOX,
            "pageSize",
            4096L,
            "memlock",
            memlock,
            "ipcLock",
            false,
            "pinnedPages",
            pinned));
  }

  private static RuleSet rules() {
    RuleSet rules =
        RuleSet.builtIn()
            .withRooms(List.of(new Room("TEAM001-x", "TEAM001-x", Map.of("rule.drl", TEAM))));
    assertThat(rules.problems()).isEmpty();
    return rules;
  }

  @ParameterizedTest
  @EnumSource(Assumptions.class)
  void saysWhatWouldBeDecidedAnew(Assumptions assumptions) {
    long seed = new Random().nextLong();
    RuleSet rules = rules();
    FactSampler sampler = new FactSampler(rules.rules(), seed);
    MrValidator validator = MrValidator.create(rules, assumptions);
    for (int i = 0; i < HOSTS; i++) {
      FactTuple place = sampler.hide(sampler.known()).tuple();
      BoundValidator bound = validator.forHost(place.device(), place.host());
      for (int j = 0; j < REQUESTS; j++) {
        FactTuple call = (j % 3 == 0 ? sampler.known() : sampler.hide(sampler.known())).tuple();
        Memory memory = j % 4 == 0 ? null : call.memory();
        Facts facts = new Facts(call.request(), memory, place.device(), place.host());

        Verdict verdict = bound.validate(call.request(), memory);

        String what = "seed %d, on %s".formatted(seed, facts);
        assertSame(what, verdict, validator.validate(facts));
        assertThat(fired(verdict)).as(what).isEqualTo(firedByFormulas(validator, facts));
        Facts later = live(facts, sampler.hide(sampler.known()).tuple());
        assertSame(what + " later", bound.validate(later), validator.validate(later));
      }
    }
  }

  private static void assertSame(String what, Verdict verdict, Verdict anew) {
    assertThat(verdict.toString()).as(what).isEqualTo(anew.toString());
    assertThat(verdict.undecided()).as(what).isEqualTo(anew.undecided());
    assertThat(verdict.assumed()).as(what).isEqualTo(anew.assumed());
  }

  /** The facts with what is live of device and host as other facts have it. */
  private static Facts live(Facts facts, FactTuple other) {
    return facts
        .withDevice(live(Device.TYPE, facts.device(), other.device()))
        .withHost(live(Host.TYPE, facts.host(), other.host()));
  }

  private static <F> F live(FactType<F> type, F fact, F other) {
    Map<String, Object> values = new LinkedHashMap<>(type.values(fact));
    type.fields().stream()
        .filter(field -> field.volatility() == Volatility.LIVE)
        .forEach(field -> values.put(field.name(), field.read(other)));
    return type.of(values);
  }

  private static Set<String> fired(Verdict verdict) {
    Set<String> fired = new TreeSet<>();
    verdict.findings().forEach(finding -> fired.add(finding.rule()));
    return fired;
  }

  /** A settled room is named by the room's id, so those of one room count as one. */
  private static Set<String> firedByFormulas(MrValidator validator, Facts facts) {
    FactTuple tuple = validator.assumptions().complete(facts).facts();
    Set<String> fired = new TreeSet<>();
    for (CompiledRule rule : validator.compiled()) {
      if (rule.of(tuple) == Truth.TRUE) {
        fired.add(rule.rule().id());
      }
    }
    for (Decision.Settled room : validator.decide(facts).settled()) {
      fired.add(room.first().rule().meta().room());
    }
    return fired;
  }

  @Test
  void tellsRequestsApartThatDifferOnlyInTheirNumbers() {
    Random random = new Random(3);
    MrValidator validator = MrValidator.create(rules());
    Device device = new FactSampler(rules().rules(), 5).known().tuple().device();
    Host host = host(1L << 40, 0);
    BoundValidator bound = validator.forHost(device, host);
    List<Long> numbers = new ArrayList<>(List.of(0L, 1L, 4095L, 4096L, 1L << 20, 1L << 44, -1L));
    for (int i = 0; i < 30; i++) {
      numbers.add(random.nextLong() >>> random.nextInt(64));
    }
    for (long address : numbers) {
      for (long length : numbers) {
        MrRequest request = MrRequest.range(address, length).access(AccessFlag.REMOTE_READ).build();
        Facts facts = new Facts(request, null, device, host);
        assertThat(bound.validate(request).toString())
            .isEqualTo(validator.validate(facts).toString());
      }
    }
  }

  @Test
  void followsLiveFactsWithoutBeingBoundAnew() {
    MrValidator validator = MrValidator.create(rules());
    BoundValidator bound = validator.forHost(Device.UNKNOWN, host(4096L * 32, 0));
    MrRequest request = MrRequest.range(4096, 4096 * 16).access(AccessFlag.REMOTE_READ).build();
    for (long pinned = 0; pinned < 40; pinned++) {
      Facts facts = new Facts(request, null, Device.UNKNOWN, host(4096L * 32, pinned));
      Verdict verdict = bound.validate(facts);
      assertThat(verdict.findings().stream().anyMatch(f -> f.rule().equals("TEAM001")))
          .as("%d pages pinned", pinned)
          .isEqualTo(pinned > 16);
    }
    assertThat(bound.decided()).isLessThan(4);
  }

  @Test
  void judgesAnotherHostByItsOwnFacts() {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    BoundValidator bound = validator.forHost(Device.UNKNOWN, host(1L << 30, 0));
    MrRequest request = MrRequest.range(0, 1 << 20).access(AccessFlag.LOCAL_WRITE).build();
    Facts elsewhere = new Facts(request, null, Device.UNKNOWN, host(4096, 0));

    assertThat(bound.validate(request).errno()).isEmpty();
    assertThat(bound.validate(elsewhere).errno()).contains(Errno.ENOMEM);
    assertSame("elsewhere", bound.validate(elsewhere), validator.validate(elsewhere));
  }

  @Test
  void forgetsAndStillKnows() {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    BoundValidator small = new BoundValidator(validator, Device.UNKNOWN, host(1L << 30, 0), 3);
    for (int round = 0; round < 2; round++) {
      for (int bits = 0; bits < 64; bits++) {
        MrRequest request = MrRequest.ofLength(4096).access(Access.ofBits(bits)).build();
        Facts facts = new Facts(request, null, small.device(), small.host());
        assertSame("bits " + bits, small.validate(request), validator.validate(facts));
      }
    }
    assertThat(small.decided()).as("it has to start anew").isEqualTo(128);
  }

  @Test
  void isSharedByThreads() throws Exception {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    BoundValidator bound = validator.forHost(Device.UNKNOWN, host(1L << 30, 0));
    List<String> expected = new ArrayList<>();
    List<MrRequest> requests = new ArrayList<>();
    for (int bits = 0; bits < 512; bits++) {
      MrRequest request = MrRequest.ofLength(4096).access(Access.ofBits(bits)).build();
      requests.add(request);
      expected.add(
          validator.validate(new Facts(request, null, bound.device(), bound.host())).toString());
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<List<String>>> said = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        said.add(
            threads.submit(
                () -> requests.stream().map(r -> bound.validate(r).toString()).toList()));
      }
      for (Future<List<String>> one : said) {
        assertThat(one.get()).isEqualTo(expected);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}

package org.pinwise.engine.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.FLUSH_GLOBAL;
import static org.pinwise.rules.model.AccessFlag.FLUSH_PERSISTENT;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_ATOMIC;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.advice.Recommendation.Flag;
import org.pinwise.engine.advice.Recommendation.LeftOut;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Transport;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.spi.Severity;

class RecommendationTest {
  private static final MrValidator VALIDATOR = MrValidator.create(RuleSet.builtIn());
  private static final Host HOST =
      Host.TYPE.of(Map.of("kernel", Kernel.V6_12, "stack", DriverStack.INBOX, "pageSize", 4096L));

  private static Recommendation recommend(String device, Use first, Use... more) {
    return recommend(
        DeviceCatalog.load().find(device).orElseThrow().facts(Kernel.V6_12), first, more);
  }

  private static Recommendation recommend(Device device, Use first, Use... more) {
    Facts facts = Facts.of(MrRequest.ofLength(1 << 20).build()).withDevice(device).withHost(HOST);
    return Recommendation.of(EnumSet.of(first, more), facts, VALIDATOR);
  }

  private static List<AccessFlag> flags(Recommendation recommendation) {
    return recommendation.flags().stream().map(Flag::flag).toList();
  }

  @Test
  void eachUseHasWhatItNeedsAndNoMore() {
    assertThat(flags(recommend("connectx5", Use.RECEIVE)))
        .containsExactly(LOCAL_WRITE, RELAXED_ORDERING);
    assertThat(flags(recommend("connectx5", Use.SEND_SOURCE))).isEmpty();
    assertThat(flags(recommend("connectx5", Use.READ_SOURCE))).containsExactly(REMOTE_READ);
    assertThat(flags(recommend("connectx5", Use.WRITE_TARGET)))
        .containsExactly(LOCAL_WRITE, REMOTE_WRITE, RELAXED_ORDERING);
    assertThat(flags(recommend("connectx5", Use.ATOMIC_TARGET)))
        .containsExactly(LOCAL_WRITE, REMOTE_ATOMIC);
  }

  @Test
  void flushingToPersistenceNeedsPersistentMemory() {
    Set<Use> uses = EnumSet.of(Use.FLUSH_TARGET, Use.WRITE_TARGET);
    Facts facts =
        Facts.of(MrRequest.ofLength(1 << 20).build())
            .withDevice(DeviceCatalog.load().find("rxe").orElseThrow().facts(Kernel.V6_12))
            .withHost(HOST);
    Memory persistent = Memory.TYPE.with(Memory.ORDINARY, Map.of("persistent", true));
    assertThat(flags(Recommendation.of(uses, facts.withMemory(persistent), VALIDATOR)))
        .contains(FLUSH_GLOBAL, FLUSH_PERSISTENT, REMOTE_WRITE);
    Recommendation ordinary = Recommendation.of(uses, facts, VALIDATOR);
    assertThat(flags(ordinary)).contains(REMOTE_WRITE).doesNotContain(FLUSH_PERSISTENT);
    assertThat(ordinary.leftOut())
        .filteredOn(left -> left.flag() == FLUSH_PERSISTENT)
        .singleElement()
        .satisfies(left -> assertThat(left.why()).startsWith("MR046"));
  }

  @Test
  void pollingForbidsRelaxedOrdering() {
    Recommendation polled = recommend("connectx5", Use.WRITE_TARGET, Use.POLLS_MEMORY);
    assertThat(flags(polled)).containsExactly(LOCAL_WRITE, REMOTE_WRITE);
    assertThat(polled.leftOut())
        .singleElement()
        .satisfies(left -> {
          assertThat(left.flag()).isEqualTo(RELAXED_ORDERING);
          assertThat(left.needed()).isFalse();
        });
    assertThat(polled.isIncomplete()).isFalse();
  }

  @Test
  void whatTheDeviceRefusesIsLeftOutWithItsRule() {
    Recommendation efa = recommend("efa", Use.ATOMIC_TARGET, Use.RECEIVE);
    assertThat(flags(efa)).contains(LOCAL_WRITE).doesNotContain(REMOTE_ATOMIC);
    assertThat(efa.isIncomplete()).isTrue();
    assertThat(efa.leftOut())
        .filteredOn(LeftOut::needed)
        .singleElement()
        .satisfies(left -> {
          assertThat(left.flag()).isEqualTo(REMOTE_ATOMIC);
          assertThat(left.why()).startsWith("MR006").contains("let the owner change it");
        });
    Recommendation nothing = recommend("efa", Use.ATOMIC_TARGET);
    assertThat(flags(nothing)).isEmpty(); // LOCAL_WRITE alone would serve nothing
    Recommendation mlx5 = recommend("connectx5", Use.FLUSH_TARGET);
    assertThat(flags(mlx5)).isEmpty();
    assertThat(mlx5.leftOut()).hasSize(2).allMatch(left -> left.why().startsWith("MR005"));
  }

  @Test
  void iwarpNeedsMoreOfTheSinkOfARead() {
    Recommendation siw = recommend("siw", Use.READ_SINK);
    assertThat(flags(siw)).contains(LOCAL_WRITE, REMOTE_WRITE);
    Device roce = Device.TYPE.of(Map.of("driver", "mlx5", "transport", Transport.ROCE));
    assertThat(flags(recommend(roce, Use.READ_SINK))).doesNotContain(REMOTE_WRITE);
    assertThat(recommend(Device.UNKNOWN, Use.READ_SINK).notes())
        .contains("on an iWARP device the sink of a READ needs REMOTE_WRITE, too");
  }

  /** On no device of the catalogue is a set recommended that is refused, or that gives too much. */
  @ParameterizedTest
  @EnumSource(Use.class)
  void isNeverRefused(Use use) {
    for (String device : DeviceCatalog.load().names()) {
      Recommendation recommended = recommend(device, use);
      assertThat(recommended.verdict().findings(Severity.ERROR)).as(device).isEmpty();
      assertThat(recommended.verdict().request().access())
          .as(device)
          .containsExactlyInAnyOrderElementsOf(flags(recommended));
      Set<AccessFlag> remote = EnumSet.of(REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
      remote.retainAll(flags(recommended));
      boolean ofPeers =
          EnumSet.of(Use.WRITE_TARGET, Use.READ_SOURCE, Use.ATOMIC_TARGET).contains(use)
              || use == Use.READ_SINK;
      assertThat(ofPeers || remote.isEmpty()).as(device).isTrue();
      recommended.flags().forEach(flag -> assertThat(flag.why()).isNotBlank());
    }
  }
}

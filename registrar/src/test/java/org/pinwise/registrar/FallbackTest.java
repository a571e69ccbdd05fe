package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.HUGETLB;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.FallbackStep.Result;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

class FallbackTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(65536, 4096);
  private final SimulatedDevice device = Simulations.device("connectx5");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(device));
  private final MemoryRegistrar registrar = Simulations.open(verbs, device);
  private final List<String> told = new ArrayList<>();

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    arena.close();
  }

  private FallbackOutcome register(Registration registration, Rung... ladder) {
    registrar.listen(
        new RegistrarListener() {
          @Override
          public void fellBack(MemoryRegistrar by, FallbackStep step) {
            told.add(step.rung() + " " + step.result());
          }
        });
    return registrar.register(memory, registration, List.of(ladder));
  }

  @Test
  void nothingFallsWhereNothingFails() {
    FallbackOutcome outcome = register(Registration.of(WRITE), Rung.onDemand());

    assertThat(outcome.fellBack()).isFalse();
    assertThat(outcome.steps()).singleElement().hasToString("as asked: registered");
    assertThat(outcome.orElseThrow()).isInstanceOf(RegisteredRegion.class);
    assertThat(told).isEmpty();
  }

  @Test
  void eachRungStartsFromWhatWasAsked() {
    verbs.fail(Operation.REG_MR, 1, Errno.EINVAL).fail(Operation.REG_MR, 2, Errno.EINVAL);
    FallbackOutcome outcome =
        register(
            Registration.of(LOCAL_WRITE, RELAXED_ORDERING),
            Rung.withoutOptionalFlags(),
            Rung.onDemand());

    assertThat(outcome.fellBack()).isTrue();
    assertThat(outcome.steps())
        .extracting(FallbackStep::result)
        .containsExactly(Result.FAILED, Result.FAILED, Result.REGISTERED);
    assertThat(outcome.orElseThrow().access())
        .isEqualTo(Access.of(LOCAL_WRITE, RELAXED_ORDERING, ON_DEMAND));
    assertThat(outcome.steps().getFirst().error().orElseThrow().errnoName()).isEqualTo("EINVAL");
    assertThat(outcome.steps()).allMatch(step -> step.verdict().isPresent());
    assertThat(told)
        .containsExactly(
            "as asked FAILED", "without optional flags FAILED", "on demand REGISTERED");
  }

  @Test
  void rungsCanBeJoined() {
    verbs.fail(Operation.REG_MR, 1, Errno.EINVAL);
    FallbackOutcome outcome =
        register(
            Registration.of(LOCAL_WRITE, RELAXED_ORDERING),
            Rung.withoutOptionalFlags().and(Rung.chunks(Chunks.of(16384))));

    assertThat(outcome.steps().getLast())
        .hasToString("without optional flags, chunks of 16384 bytes: registered, 4 regions");
    assertThat(outcome.orElseThrow())
        .isInstanceOfSatisfying(
            ChunkedRegion.class,
            region -> {
              assertThat(region.access()).isEqualTo(WRITE);
              region.close();
            });
  }

  @Test
  void theRulesRefuseARungWithoutACall() {
    SimulatedDevice rxe = Simulations.device("rxe");
    FaultInjectingVerbs rxeVerbs = new FaultInjectingVerbs(Verbs.simulated(rxe));
    try (MemoryRegistrar plain = Simulations.open(rxeVerbs, rxe)) {
      rxeVerbs.failNext(Operation.REG_MR, Errno.ENOMEM);
      FallbackOutcome outcome =
          plain.register(memory, Registration.of(WRITE), List.of(Rung.onDemand()));

      assertThat(outcome.memory()).isEmpty();
      assertThat(outcome.fellBack()).isFalse();
      assertThat(outcome.steps().get(1).result()).isEqualTo(Result.REFUSED);
      assertThat(rxeVerbs.calls(Operation.REG_MR)).isEqualTo(1);
      assertThatThrownBy(outcome::orElseThrow)
          .isInstanceOfSatisfying(
              VerbsException.class,
              e ->
                  assertThat(e.getSuppressed())
                      .singleElement()
                      .isInstanceOf(RegistrationRejectedException.class));
    }
  }

  @Test
  void aRungThatChangesNothingIsPassedOver() {
    verbs.failAlways(Operation.REG_MR, Errno.EINVAL);
    FallbackOutcome outcome =
        register(
            Registration.of(WRITE),
            Rung.withoutOptionalFlags(),
            Rung.basePages(),
            Rung.chunks(Chunks.of(1 << 20)));
    verbs.heal();

    assertThat(outcome.memory()).isEmpty();
    assertThat(outcome.steps())
        .extracting(FallbackStep::result)
        .containsExactly(
            Result.FAILED, Result.NOT_APPLICABLE, Result.NOT_APPLICABLE, Result.NOT_APPLICABLE);
    assertThat(outcome.steps().getLast().detail()).contains("65536 bytes are one chunk");
    assertThat(verbs.calls(Operation.REG_MR)).isEqualTo(1);
  }

  @Test
  void basePagesDropThePromiseOfHugeOnes() {
    verbs.failNext(Operation.REG_MR, Errno.EINVAL);
    FallbackOutcome outcome =
        register(Registration.of(LOCAL_WRITE, ON_DEMAND, HUGETLB), Rung.basePages());
    assertThat(outcome.orElseThrow().access()).isEqualTo(Access.of(LOCAL_WRITE, ON_DEMAND));
  }

  @Test
  void noRungGivesPeersARight() {
    for (Rung rung :
        List.of(
            Rung.withoutOptionalFlags(),
            Rung.onDemand(),
            Rung.basePages(),
            Rung.chunks(Chunks.of(4096)))) {
      int before = Access.of(LOCAL_WRITE, RELAXED_ORDERING, HUGETLB).bits();
      int after = rung.accessFor(Access.ofBits(before)).bits();
      assertThat(after & ~before & ~ON_DEMAND.bit()).isZero();
    }
  }

  @Test
  void aBounceBufferStandsIn() {
    try (RegionPool pool = registrar.openPool(WRITE, PoolOptions.DEFAULT.withSizes(65536, 65536))) {
      memory.fill((byte) 7);
      verbs.failNext(Operation.REG_MR, Errno.ENOMEM);
      FallbackOutcome outcome = register(Registration.of(WRITE), Rung.bounce(pool));

      assertThat(outcome.orElseThrow())
          .isInstanceOfSatisfying(
              BounceBuffer.class,
              bounce -> {
                assertThat(bounce.origin()).isSameAs(memory);
                assertThat(bounce.at(100).address()).isEqualTo(bounce.segment().address() + 100);
                bounce.copyIn();
                assertThat(bounce.segment().mismatch(memory)).isEqualTo(-1);
                bounce.segment().fill((byte) 9);
                bounce.copyOut();
                assertThat(memory.get(ValueLayout.JAVA_BYTE, 65535)).isEqualTo((byte) 9);
                bounce.close();
                assertThat(bounce.isClosed()).isTrue();
                assertThatThrownBy(bounce::copyIn).isInstanceOf(IllegalStateException.class);
              });
    }
  }

  @Test
  void aPoolWithOtherRightsOrTooSmallDoesNotStandIn() {
    try (RegionPool remote =
            registrar.openPool(
                Access.of(LOCAL_WRITE, REMOTE_WRITE), PoolOptions.DEFAULT.withSizes(65536, 65536));
        RegionPool small = registrar.openPool(WRITE, PoolOptions.DEFAULT.withSizes(256, 256));
        RegionPool full =
            registrar.openPool(
                WRITE,
                PoolOptions.DEFAULT
                    .withSizes(65536, 65536)
                    .withSlabBytes(65536)
                    .withMaxBytes(65536));
        PooledBuffer all = full.acquire(1)) {
      verbs.failAlways(Operation.REG_MR, Errno.ENOMEM);
      FallbackOutcome outcome =
          register(
              Registration.of(WRITE), Rung.bounce(remote), Rung.bounce(small), Rung.bounce(full));
      assertThat(all.isClosed()).isFalse();
      assertThat(outcome.memory()).isEmpty();
      assertThat(outcome.steps().stream().skip(1))
          .extracting(FallbackStep::detail)
          .satisfiesExactly(
              one -> assertThat(one).contains("the pool's access is LOCAL_WRITE|REMOTE_WRITE"),
              two -> assertThat(two).contains("more than the pool's largest buffer of 256"),
              three -> assertThat(three).contains("no free buffer"));
      FallbackOutcome read = register(Registration.of(REMOTE_READ), Rung.bounce(remote));
      assertThat(read.memory()).isEmpty();
    }
  }
}

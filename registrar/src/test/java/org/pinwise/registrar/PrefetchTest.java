package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.registrar.RegisteredMemory.Part;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.ScatterGather;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

@SuppressWarnings("restricted") // memory that no arena has
class PrefetchTest {

  private static final long PAGE = 4096;
  private static final Access PAGED = Access.of(LOCAL_WRITE, ON_DEMAND);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(16 * PAGE, PAGE);
  private final SimulatedDevice connectx5 =
      Simulations.with(Simulations.device("connectx5"), "odpLargeRegions", true);
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(connectx5));
  private final MemoryRegistrar registrar = Simulations.open(verbs, connectx5);

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    arena.close();
  }

  private RegisteredRegion register(Access access) {
    return registrar.register(memory, access).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void partsOfRegions(Prefetch what) {
    RegisteredRegion region = register(PAGED);
    RegisteredRegion moved =
        registrar.register(memory, Registration.of(PAGED).iova(0x10_0000)).orElseThrow();
    List<Part> parts = new ArrayList<>(region.split(1, 2 * PAGE));
    parts.addAll(moved.split(PAGE, 15 * PAGE));

    registrar.prefetch(what, parts);
    registrar.prefetchAndWait(what, parts);

    assertThat(verbs.calls(Operation.ADVISE_MR)).isEqualTo(2);
    assertThat(region.leases()).isZero();
  }

  @Test
  void onDemandAlone() {
    failsWith(Errno.ENOENT, "not registered with ON_DEMAND", register(Access.of(LOCAL_WRITE)));
  }

  @Test
  void writingWhereOnlyReadingIsAllowed() {
    RegisteredRegion region = register(Access.of(ON_DEMAND));

    registrar.prefetch(Prefetch.READ, region.split(0, PAGE));
    failsWith(Errno.EPERM, "not registered for writing", region);
  }

  @Test
  void pagesThatAreNotMappedFailWhereOneWaits() {
    MemorySegment hole = MemorySegment.ofAddress(0x10000).reinterpret(PAGE);
    RegisteredRegion region = registrar.register(hole, PAGED).orElseThrow();

    registrar.prefetch(Prefetch.READ, region.split(0, PAGE));
    failsWith(Errno.EFAULT, "not mapped", region);
  }

  private void failsWith(Errno errno, String cause, RegisteredRegion region) {
    assertThatThrownBy(
            () -> registrar.prefetchAndWait(Prefetch.WRITE, region.split(0, region.length())))
        .isInstanceOfSatisfying(
            VerbsException.class,
            e -> {
              assertThat(e.operation()).isEqualTo("ibv_advise_mr");
              assertThat(e.errno()).isEqualTo(errno.number());
            })
        .hasMessageContaining(
            "connectx5, prefetch WRITE and wait, 1 part(s), the first at 0x%x, length %d, lkey 0x%x"
                + "; simulated",
            region.address(), region.length(), region.lkey())
        .hasMessageContaining(cause);
    assertThat(region.leases()).isZero();
  }

  @Test
  void aDeviceThatKnowsNoAdvice() {
    try (MemoryRegistrar rxe = MemoryRegistrar.simulated("rxe")) {
      RegisteredRegion region = rxe.register(memory, Access.of(LOCAL_WRITE)).orElseThrow();

      assertThatThrownBy(() -> rxe.prefetch(Prefetch.READ, region.split(0, PAGE)))
          .isInstanceOf(VerbsException.class)
          .hasMessageContaining("EOPNOTSUPP")
          .hasMessageContaining("knows no such advice");
    }
  }

  /** A length of 32 bits ends at 4 GiB, a list at 4,095 parts; the rest goes in more of both. */
  @Test
  void longPartsAreSplit() {
    MemorySegment reserved = MemorySegment.ofAddress(1L << 40).reinterpret(9L << 30);
    RegisteredRegion region = registrar.register(reserved, PAGED).orElseThrow();

    registrar.prefetch(Prefetch.READ, region.split(0, region.length()));
    assertThat(verbs.calls(Operation.ADVISE_MR)).isEqualTo(1);
    int lkey = region.lkey();
    assertThat(verbs.advised())
        .containsExactly(
            new ScatterGather(1L << 40, 0xffff_f000, lkey),
            new ScatterGather((1L << 40) + 0xffff_f000L, 0xffff_f000, lkey),
            new ScatterGather((1L << 40) + 2 * 0xffff_f000L, 0x4000_2000, lkey));
    List<Part> many = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      many.addAll(region.split(i * PAGE, PAGE));
    }
    registrar.prefetch(Prefetch.READ, many);
    assertThat(verbs.calls(Operation.ADVISE_MR)).isEqualTo(3);
    assertThat(region.leases()).isZero();
  }

  /** While it runs, the region is not given back under it. */
  @Test
  void leasesTheRegion() {
    RegisteredRegion region = register(PAGED);
    verbs.duringNext(
        Operation.ADVISE_MR, () -> assertThat(region.closeWith(WhenLeased.defer())).isFalse());

    registrar.prefetch(Prefetch.READ, region.split(0, PAGE));
    assertThat(region.isClosed()).isTrue();
  }

  @Test
  void bugsOfTheCaller() {
    RegisteredRegion region = register(PAGED);
    bug(() -> registrar.prefetch(Prefetch.READ, List.of()), "no part");
    bug(
        () -> registrar.prefetch(Prefetch.READ, List.of(new Part(region, 0, -1))),
        "part of 18446744073709551615 bytes");
    try (MemoryRegistrar other = MemoryRegistrar.simulated("connectx5")) {
      bug(() -> other.prefetch(Prefetch.READ, region.split(0, PAGE)), "is not of");
    }
    List<Part> parts = region.split(0, PAGE);
    region.close();
    assertThatThrownBy(() -> registrar.prefetch(Prefetch.READ, parts))
        .isInstanceOf(IllegalStateException.class);
    assertThat(verbs.calls(Operation.ADVISE_MR)).isZero();
  }

  private static void bug(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("\nMaybe ");
  }
}

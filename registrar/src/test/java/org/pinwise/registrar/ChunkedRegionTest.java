package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

class ChunkedRegionTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final long MIB = 1 << 20;
  private static final long HUGE = 2 * MIB;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(16 * MIB, HUGE);
  private final SimulatedDevice device =
      Simulations.with(Simulations.device("erdma"), "maxMrSize", 5 * MIB);
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(device));
  private final MemoryRegistrar registrar = Simulations.open(verbs, device);

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    arena.close();
  }

  private ChunkedRegion chunked(MemorySegment segment, Registration registration, Chunks chunks) {
    return registrar.registerChunked(segment, registration, chunks).orElseThrow();
  }

  @Test
  void whatTheDeviceRefusesAsAWholeItTakesInChunks() {
    assertThat(registrar.register(memory, WRITE)).isInstanceOf(RegistrationOutcome.Refused.class);
    try (ChunkedRegion region =
        chunked(memory, Registration.of(WRITE), Chunks.asTheDeviceAllows())) {
      assertThat(region.chunks())
          .extracting(RegisteredRegion::length)
          .containsExactly(4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB);
      assertThat(region.length()).isEqualTo(16 * MIB);
      assertThat(region.access()).isEqualTo(WRITE);
      assertThat(region.chunks()).allMatch(chunk -> chunk.label().equals("chunk"));
    }
  }

  /** All but the first start on the border of a huge page; together they are the memory. */
  @Test
  void chunksStartOnBorders() {
    Random random = new Random(20260731);
    for (int i = 0; i < 10_000; i++) {
      long address = 0x7f00_0000_0000L + random.nextLong(1L << 30);
      long length = 1 + random.nextLong(1L << 28);
      long longest = 4096 + random.nextLong(random.nextBoolean() ? 1L << 20 : 1L << 26);
      List<Long> lengths = Chunks.lengths(address, length, longest, HUGE);
      long border = longest >= HUGE ? HUGE : 4096;
      long at = address;
      for (int k = 0; k < lengths.size(); k++) {
        assertThat(lengths.get(k)).isBetween(1L, longest);
        assertThat(k == 0 || at % border == 0).isTrue();
        at += lengths.get(k);
      }
      assertThat(at).isEqualTo(address + length);
    }
  }

  @Test
  void offsetsFindTheirKeys() {
    MemorySegment odd = memory.asSlice(100, 9 * MIB);
    try (ChunkedRegion region = chunked(odd, Registration.of(WRITE), Chunks.of(4 * MIB))) {
      Random random = new Random(20260731);
      for (int i = 0; i < 2000; i++) {
        long offset = random.nextLong(odd.byteSize());
        RegisteredMemory.Part part = region.at(offset);
        assertThat(part.address()).isEqualTo(odd.address() + offset);
        assertThat(part.remoteAddress()).isEqualTo(odd.address() + offset);
        assertThat(part.lkey()).isEqualTo(part.region().lkey());
        assertThat(part.rkey()).isEqualTo(part.region().rkey());
        assertThat(part.offset() + part.length()).isEqualTo(part.region().length());

        long length = random.nextLong(odd.byteSize() - offset + 1);
        List<RegisteredMemory.Part> parts = region.split(offset, length);
        long at = odd.address() + offset;
        for (RegisteredMemory.Part one : parts) {
          assertThat(one.address()).isEqualTo(at);
          at += one.length();
        }
        assertThat(at).isEqualTo(odd.address() + offset + length);
      }
      assertThat(region.split(0, 0)).isEmpty();
      assertThatThrownBy(() -> region.at(odd.byteSize()))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.split(1, odd.byteSize()))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void peersSeeOneRangeUnderAnIova() {
    Registration registration = Registration.of(LOCAL_WRITE, REMOTE_WRITE).iova(HUGE);
    try (ChunkedRegion region = chunked(memory, registration, Chunks.of(4 * MIB))) {
      assertThat(region.at(9 * MIB).remoteAddress()).isEqualTo(HUGE + 9 * MIB);
    }
  }

  @Test
  void aFailureHalfWayLeavesNothing() {
    verbs.fail(Operation.REG_MR, 3, Errno.ENOMEM);
    ChunkedOutcome outcome =
        registrar.registerChunked(memory, Registration.of(WRITE), Chunks.of(4 * MIB));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ChunkedOutcome.NotRegistered.class,
            not -> {
              assertThat(not.chunk()).isEqualTo(2);
              assertThat(not.of()).isEqualTo(4);
              assertThat(not.outcome()).isInstanceOf(RegistrationOutcome.Failed.class);
              assertThat(not.notGivenBack()).isEmpty();
            });
    assertThatThrownBy(outcome::orElseThrow)
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("ENOMEM");
    assertThat(registrar.regionCount()).isZero();
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(2);
  }

  @Test
  void aRollbackThatFailsIsSaidAndTriedAgain() {
    verbs.fail(Operation.REG_MR, 3, Errno.ENOMEM).fail(Operation.DEREG_MR, 1, Errno.EIO);
    ChunkedOutcome outcome =
        registrar.registerChunked(memory, Registration.of(WRITE), Chunks.of(4 * MIB));

    assertThatThrownBy(outcome::orElseThrow)
        .isInstanceOfSatisfying(
            VerbsException.class,
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .isInstanceOf(VerbsException.class)
                    .asString()
                    .contains("ibv_dereg_mr"));
    assertThat(registrar.regionCount()).isEqualTo(1);
  }

  @Test
  void leasesOnARangeHoldItsChunks() {
    ChunkedRegion region = chunked(memory, Registration.of(WRITE), Chunks.of(4 * MIB));
    List<RegionLease> leases = region.lease(3 * MIB, 2 * MIB);
    assertThat(leases).hasSize(2);
    assertThatThrownBy(region::close).isInstanceOf(RegionInUseException.class);
    assertThat(region.chunks()).filteredOn(RegisteredRegion::isClosed).hasSize(2);
    assertThatThrownBy(() -> region.lease(3 * MIB, 12 * MIB))
        .isInstanceOf(IllegalStateException.class);
    assertThat(region.chunks().get(1).leases()).isEqualTo(1);
    assertThat(region.closeWith(WhenLeased.defer())).isFalse();
    leases.forEach(RegionLease::close);
    assertThat(region.isClosed()).isTrue();
    region.close();
  }

  @Test
  void chunksShorterThanAPageAreRefused() {
    assertThatThrownBy(() -> Chunks.of(4095))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4095");
  }
}

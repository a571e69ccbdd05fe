package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

class RegionPoolTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);
  private static final PoolOptions SMALL =
      PoolOptions.DEFAULT.withSizes(256, 1024).withSlabBytes(1024).withMaxBytes(4096);

  private final SimulatedDevice device = Simulations.device("connectx5");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(device));
  private final MemoryRegistrar registrar = Simulations.open(verbs, device);

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  @Test
  void buffersAreSlicesOfRegisteredSlabs() {
    try (RegionPool pool = registrar.openPool(WRITE, SMALL)) {
      assertThat(registrar.regionCount()).isEqualTo(3);
      assertThat(pool.stock())
          .containsExactly(
              new RegionPool.Stock(256, 4, 4),
              new RegionPool.Stock(512, 2, 2),
              new RegionPool.Stock(1024, 1, 1));
      PooledBuffer buffer = pool.acquire(300);
      assertThat(buffer.segment().byteSize()).isEqualTo(300);
      assertThat(buffer.segment().address()).isEqualTo(buffer.address());
      assertThat(buffer.address() % 512).isZero();
      RegisteredMemory.Part part = buffer.at(299);
      assertThat(part.address()).isEqualTo(buffer.address() + 299);
      assertThat(part.length()).isEqualTo(1);
      assertThat(part.lkey()).isEqualTo(buffer.lkey());
      assertThat(part.rkey()).isEqualTo(buffer.rkey());
      assertThat(buffer.remoteAddress()).isEqualTo(buffer.address());
      assertThat(part.region().label()).isEqualTo("pool slab");
      assertThatThrownBy(() -> buffer.at(300)).isInstanceOf(IndexOutOfBoundsException.class);
      buffer.close();
      assertThat(pool.stock().get(1).free()).isEqualTo(2);
    }
  }

  @Test
  void noTwoBuffersOverlapAndAClosedOneIsUsedAgain() {
    try (RegionPool pool = registrar.openPool(WRITE, SMALL)) {
      List<PooledBuffer> all = new ArrayList<>();
      Set<Long> addresses = new HashSet<>();
      for (int i = 0; i < 4; i++) {
        all.add(pool.acquire(256));
        assertThat(addresses.add(all.getLast().address())).isTrue();
      }
      long freed = all.getLast().address();
      all.getLast().close();
      assertThat(pool.acquire(256))
          .satisfies(again -> {
            assertThat(again.address()).isEqualTo(freed);
            again.close();
          });
      all.forEach(PooledBuffer::close);
    }
  }

  /** 4 KiB: 1 KiB of each size, and one slab more. Then larger buffers, then none. */
  @Test
  void growsToItsBoundThenGivesLargerOnesThenSaysSo() {
    try (RegionPool pool = registrar.openPool(WRITE, SMALL)) {
      List<PooledBuffer> all = new ArrayList<>();
      for (int i = 0; i < 8 + 2 + 1; i++) {
        all.add(pool.acquire(100));
      }
      assertThat(pool.tryAcquire(100)).isEmpty();
      assertThatThrownBy(() -> pool.acquire(100))
          .isInstanceOf(PoolExhaustedException.class)
          .hasMessageContaining("4096");
      assertThat(registrar.regionCount()).isEqualTo(4);
      all.forEach(PooledBuffer::close);
    }
  }

  @Test
  void misuseHasATypedError() {
    RegionPool pool = registrar.openPool(WRITE, SMALL);
    assertThatThrownBy(() -> pool.acquire(1025))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256 to 1024");
    assertThatThrownBy(() -> pool.acquire(-1)).isInstanceOf(IllegalArgumentException.class);
    PooledBuffer buffer = pool.acquire(1);
    assertThatThrownBy(pool::close).isInstanceOf(RegionInUseException.class);
    assertThatThrownBy(() -> pool.acquire(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is closed");
    MemorySegment segment = buffer.segment();
    buffer.close();
    buffer.close();
    assertThat(pool.stock().getFirst().free()).isEqualTo(4);
    assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> buffer.at(0)).isInstanceOf(IllegalStateException.class);
    pool.close();
    pool.close();
    assertThat(segment.scope().isAlive()).isFalse();
    assertThatThrownBy(() -> PoolOptions.DEFAULT.withSizes(100, 200))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PoolOptions.DEFAULT.withSlabBytes(1024))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> registrar.openPool(WRITE, SMALL.withMaxBytes(2048)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2048");
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void aDeferredCloseFreesTheMemoryWithTheLastBuffer() {
    RegionPool pool = registrar.openPool(WRITE, SMALL);
    PooledBuffer buffer = pool.acquire(1);
    MemorySegment segment = buffer.segment();
    assertThat(pool.closeWith(WhenLeased.defer())).isFalse();
    segment.fill((byte) 1);
    buffer.close();
    assertThat(segment.scope().isAlive()).isFalse();
  }

  @Test
  void whatCannotBeOpenedLeavesNothing() {
    assertThatThrownBy(() -> registrar.openPool(Access.of(REMOTE_WRITE), SMALL))
        .isInstanceOf(RegistrationRejectedException.class);
    verbs.fail(Operation.REG_MR, 2, Errno.ENOMEM);
    assertThatThrownBy(() -> registrar.openPool(WRITE, SMALL)).isInstanceOf(VerbsException.class);
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void aSlabThatCannotBeMadeIsNotMissedWhileALargerBufferIsFree() {
    try (RegionPool pool = registrar.openPool(WRITE, SMALL)) {
      List<PooledBuffer> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(pool.acquire(256));
      }
      verbs.failAlways(Operation.REG_MR, Errno.ENOMEM);
      for (int i = 0; i < 3; i++) {
        all.add(pool.acquire(256));
      }
      assertThatThrownBy(() -> pool.acquire(256)).isInstanceOf(VerbsException.class);
      verbs.heal();
      all.add(pool.acquire(256));
      all.forEach(PooledBuffer::close);
    }
  }

  @Test
  void threadsNeverShareABuffer() throws Exception {
    try (RegionPool pool = registrar.openPool(WRITE, SMALL)) {
      AtomicReference<Throwable> failure = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 1; t <= 2; t++) {
        byte mine = (byte) t;
        threads.add(
            Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> failure.set(e))
                .start(() -> {
                  for (int i = 0; i < 20_000; i++) {
                    try (PooledBuffer buffer = pool.acquire(256)) {
                      buffer.segment().fill(mine);
                      assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 255)).isEqualTo(mine);
                    }
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failure.get()).isNull();
      assertThat(pool.stock()).allMatch(stock -> stock.free() == stock.buffers());
    }
  }
}

package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.registrar.verbs.VerbsContractTest.errno;
import static org.pinwise.registrar.verbs.VerbsContractTest.ok;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.verbs.Unavailability.Reason;
import org.pinwise.rules.model.Errno;

/** How the library is found, and the return conventions of C that the contract does not reach. */
class LibibverbsVerbsTest {

  // ---- finding the library ----

  @Test
  void anUnknownLibraryIsUnavailable() {
    Verbs verbs = LibibverbsVerbs.load(List.of("libno-such-verbs.so.1", "/no/such/file.so"));

    assertThat(verbs.unavailability())
        .get()
        .satisfies(why -> {
          assertThat(why.reason()).isEqualTo(Reason.LIBRARY_MISSING);
          assertThat(why.message())
              .contains("libno-such-verbs.so.1, /no/such/file.so", "rdma-core")
              .doesNotContain("\n");
        });
  }

  @Test
  void aLibraryWithoutTheFunctionsIsUnavailable() {
    Verbs verbs = LibibverbsVerbs.load(List.of("libno-such-verbs.so.1", "libc.so.6"));

    assertThat(verbs.unavailability())
        .get()
        .satisfies(why -> {
          assertThat(why.reason()).isEqualTo(Reason.SYMBOL_MISSING);
          assertThat(why.message())
              .startsWith("libc.so.6 lacks ibv_get_device_list, ")
              .contains("ibv_dereg_mr")
              .doesNotContain("\n");
        });
  }

  @Test
  void theFirstLibraryThatIsThereIsTaken() {
    String file = FakeLibrary.file().toString();
    Verbs verbs = LibibverbsVerbs.load(List.of("libno-such-verbs.so.1", file));

    assertThat(verbs.unavailability()).isEmpty();
    assertThat(verbs).hasToString("verbs of " + file);
  }

  // ---- conventions ----

  @Test
  void anOldLibraryHasNoIova2() {
    Verbs verbs = FakeLibrary.loadWithoutIova2();
    assertThat(verbs.hasRegMrIova2()).isFalse();
    assertThat(FakeLibrary.load().hasRegMrIova2()).isTrue();

    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      assertThat(errno(verbs.regMrIova2(pd, memory, memory.address(), 1)))
          .isEqualTo(Errno.EOPNOTSUPP);
      assertThat(verbs.deregMr(ok(verbs.regMr(pd, memory, 1)))).isZero();
    }
    close(verbs, context, pd);
  }

  @Test
  void anOldLibraryHasNoDmabuf() {
    Verbs verbs = FakeLibrary.loadWithoutIova2();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));

    assertThat(errno(verbs.regDmabufMr(pd, 7, 0, 4096, 0, 1))).isEqualTo(Errno.EOPNOTSUPP);
    close(verbs, context, pd);
  }

  /** The stand-in answers 0 only if each argument arrives where it belongs. */
  @Test
  void adviceArrivesAsItIs() {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    ScatterGather first = new ScatterGather(1000, 2000, 77);
    int sum = 2 + 10 + 200 + 1000 + 2000 + 10_000 + 20_000;

    assertThat(verbs.adviseMr(pd, 2, 1, List.of(first, new ScatterGather(10_000, 20_000, sum))))
        .isZero();
    assertThat(verbs.adviseMr(pd, 1, 1, List.of(first, new ScatterGather(10_000, 20_000, sum))))
        .isEqualTo(Errno.EFAULT.number());
    close(verbs, context, pd);
  }

  @Test
  void adviceNeedsAContextThatKnowsIt() {
    for (String name : List.of("plain0", "short0", "null0", "early0")) {
      Verbs verbs = FakeLibrary.load();
      DeviceContext context = ok(verbs.openDevice(name));
      ProtectionDomain pd = ok(verbs.allocPd(context));

      assertThat(verbs.adviseMr(pd, 0, 0, List.of(new ScatterGather(1, 1, 102))))
          .as(name)
          .isEqualTo(Errno.EOPNOTSUPP.number());
      assertThat(verbs.queryDeviceEx(context) instanceof DeviceAttributesEx)
          .as(name)
          .isEqualTo(name.equals("early0"));
      close(verbs, context, pd);
    }
  }

  @Test
  void aDmabufRegionSaysWhatTheStructSays() {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    MemoryRegion region = ok(verbs.regDmabufMr(pd, 7, 4096, 8192, 0x7000_0000_0000L, 5));

    assertThat(region.address()).isEqualTo(4096);
    assertThat(region.length()).isEqualTo(8192);
    assertThat(region.memory()).isEqualTo(MemorySegment.NULL);
    assertThat(errno(verbs.regDmabufMr(pd, 8, 4096, 8192, 0, 5))).isEqualTo(Errno.EBADF);
    assertThat(errno(verbs.regDmabufMr(pd, 7, 4096, 8192, 1, 5))).isEqualTo(Errno.EINVAL);
    assertThat(verbs.deregMr(region)).isZero();
    close(verbs, context, pd);
  }

  @Test
  void aDeviceThatCannotBeOpenedGivesItsErrno() {
    assertThat(errno(FakeLibrary.load().openDevice("shut0"))).isEqualTo(Errno.EACCES);
  }

  @Test
  void minusOneMeansLookAtErrno() {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("old0"));

    assertThat(errno(verbs.queryDevice(context))).isEqualTo(Errno.ENODEV);
    assertThat(errno(verbs.allocPd(context))).isEqualTo(Errno.EAGAIN);
    assertThat(verbs.closeDevice(context)).isEqualTo(Errno.EIO.number());
    assertThat(context.isClosed()).isFalse();
    assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 0, 0));
    assertThat(verbs.closeDevice(context)).isZero();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  @Test
  void aRegionThatCouldNotBeDeregisteredIsStillLive() {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    try (Arena arena = Arena.ofConfined()) {
      MemoryRegion region = ok(verbs.regMr(pd, arena.allocate(4101), 1));

      assertThat(verbs.deregMr(region)).isEqualTo(Errno.EBUSY.number());
      assertThat(region.isClosed()).isFalse();
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 1));
      assertThat(verbs.deregMr(region)).isZero();
    }
    close(verbs, context, pd);
  }

  @Test
  void theRegionSaysWhatTheStructSays() {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    try (Arena arena = Arena.ofConfined()) {
      MemoryRegion region = ok(verbs.regMr(pd, arena.allocate(64), 1));

      assertThat(region.lkey()).isEqualTo(region.handle() | 0x80000000);
      assertThat(region.rkey()).isEqualTo(region.handle() | 0xc0000000);
      assertThat(region).asString().contains("fake0", "length 64", "lkey 0x8");
      assertThat(verbs.deregMr(region)).isZero();
    }
    close(verbs, context, pd);
  }

  @Test
  void readsEveryAttribute() {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    DeviceAttributes plain =
        new DeviceAttributes(
            "f".repeat(64),
            0x0102030405060708L,
            0x1112131415161718L,
            -1L,
            0xfffff000L,
            -1,
            0x80000001,
            3,
            4,
            5,
            0x80000006,
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            1,
            15,
            16,
            200);

    assertThat(ok(verbs.queryDevice(context))).isEqualTo(plain);
    assertThat(ok(verbs.queryDeviceEx(context)))
        .isEqualTo(
            new DeviceAttributesEx(
                plain, 3, 0x3f, 0x0f, 0x01, 0x1f, 0xc0_8000_0006L, 1L << 63, 0xffff, 8, 12, 200));
    assertThat(verbs.closeDevice(context)).isZero();
  }

  @Test
  void theExtendedQueryIsOnlyCalledWhereItIsThere() {
    Verbs verbs = FakeLibrary.load();
    for (String name : List.of("plain0", "short0", "null0")) {
      DeviceContext context = ok(verbs.openDevice(name));
      assertThat(errno(verbs.queryDeviceEx(context))).as(name).isEqualTo(Errno.EOPNOTSUPP);
      assertThat(verbs.queryDevice(context)).isInstanceOf(DeviceAttributes.class);
      assertThat(verbs.closeDevice(context)).isZero();
    }
  }

  @Test
  void aDeviceOfANewKindIsUnknown() {
    assertThat(ok(FakeLibrary.load().listDevices()).devices())
        .filteredOn(device -> device.name().equals("old0"))
        .singleElement()
        .satisfies(device -> {
          assertThat(device.nodeType()).isEqualTo(NodeType.UNKNOWN);
          assertThat(device.transportType()).isEqualTo(TransportType.UNKNOWN);
        });
  }

  // ---- ownership ----

  @Test
  void anObjectOfAnotherPortIsRefused() {
    Verbs ours = FakeLibrary.load();
    Verbs theirs = FakeLibrary.load();
    DeviceContext context = ok(theirs.openDevice("fake0"));

    assertThatThrownBy(() -> ours.closeDevice(context))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("context of fake0 was issued by");
    assertThatThrownBy(() -> ours.queryDevice(context))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(theirs.closeDevice(context)).isZero();
  }

  @Test
  void theArenaCannotBeClosedDuringTheCall() throws Exception {
    Verbs verbs = FakeLibrary.load();
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    try (ExecutorService executor = Executors.newSingleThreadExecutor();
        Arena arena = Arena.ofShared()) {
      MemorySegment slow = arena.allocate(4100);
      CountDownLatch started = new CountDownLatch(1);
      Future<Result<MemoryRegion>> call =
          executor.submit(() -> {
            started.countDown();
            return verbs.regMr(pd, slow, 1);
          });
      started.await();
      Thread.sleep(100);

      assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class);
      assertThat(verbs.deallocPd(pd)).isEqualTo(Errno.EBUSY.number());
      assertThat(verbs.deregMr(ok(call.get()))).isZero();
    }
    close(verbs, context, pd);
  }

  private static void close(Verbs verbs, DeviceContext context, ProtectionDomain pd) {
    assertThat(verbs.deallocPd(pd)).isZero();
    assertThat(verbs.closeDevice(context)).isZero();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }
}

package org.pinwise.registrar.verbs;

import static java.lang.foreign.MemorySegment.ofAddress;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.Errno;

/**
 * What every implementation of {@link Verbs} does with a device that works.
 *
 * <p>Subclasses say which implementation and which device, and skip with a reason where there is
 * none. Every test ends with nothing live.
 */
abstract class VerbsContractTest {

  static final int LOCAL_WRITE = 1;
  static final int REMOTE_WRITE = 2;
  static final int REMOTE_READ = 4;

  /** mlx5 says ENOENT; the stand-in library checks its arguments only, and says EFAULT. */
  private static final List<Errno> NO_ADVICE_ON_PINNED = List.of(Errno.ENOENT, Errno.EFAULT);

  private static final long PAGE = 4096;

  private Verbs verbs;
  private String device;
  private MemorySegment memory;

  /** The implementation under test; skips the test if there is none. */
  abstract Verbs verbs();

  /** A device that it can open. */
  abstract String device();

  /** Whether the device's driver imports dma-buf: mlx5 does; rxe and siw do not. */
  boolean importsDmabuf() {
    return false;
  }

  /** Whether the device's driver takes advice: mlx5 does, the others up to Linux 6.12 do not. */
  boolean takesAdvice() {
    return false;
  }

  @BeforeEach
  void setUp() {
    verbs = verbs();
    device = device();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    memory = Arena.ofAuto().allocate(16 * PAGE, PAGE).fill((byte) 1);
  }

  @AfterEach
  void nothingIsLive() {
    if (verbs != null) {
      assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    }
  }

  // ---- devices ----

  @Test
  void listsTheDevice() {
    DeviceList list = ok(verbs.listDevices());

    assertThat(list.devices())
        .filteredOn(info -> info.name().equals(device))
        .singleElement()
        .satisfies(info -> {
          assertThat(info.transportType()).isNotEqualTo(TransportType.UNKNOWN);
          assertThat(info.nodeType()).isNotEqualTo(NodeType.UNKNOWN);
          assertThat(info.devName()).startsWith("uverbs");
          assertThat(info.ibdevPath()).endsWith(device);
        });
  }

  @Test
  void isAvailable() {
    assertThat(verbs.unavailability()).isEmpty();
  }

  @Test
  void anUnknownDeviceIsNotOpened() {
    assertThat(errno(verbs.openDevice("no-such-device"))).isEqualTo(Errno.ENODEV);
    assertThat(errno(verbs.openDevice(""))).isEqualTo(Errno.ENODEV);
  }

  @Test
  void opensAndCloses() {
    DeviceContext context = ok(verbs.openDevice(device));

    assertThat(context.device().name()).isEqualTo(device);
    assertThat(context.isClosed()).isFalse();
    assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 0, 0));
    assertThat(verbs.closeDevice(context)).isZero();
    assertThat(context.isClosed()).isTrue();
  }

  @Test
  void aSecondCloseIsRefused() {
    DeviceContext context = ok(verbs.openDevice(device));
    assertThat(verbs.closeDevice(context)).isZero();

    assertThatThrownBy(() -> verbs.closeDevice(context))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("context of " + device + " is closed");
    assertThatThrownBy(() -> verbs.queryDevice(context)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> verbs.queryDeviceEx(context))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> verbs.allocPd(context)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theDeviceCanBeOpenedTwice() {
    DeviceContext first = ok(verbs.openDevice(device));
    DeviceContext second = ok(verbs.openDevice(device));

    assertThat(verbs.closeDevice(first)).isZero();
    assertThat(verbs.queryDevice(second)).isInstanceOf(DeviceAttributes.class);
    assertThat(verbs.closeDevice(second)).isZero();
  }

  @Test
  void queriesTheDevice() {
    DeviceContext context = ok(verbs.openDevice(device));
    DeviceAttributes attributes = ok(verbs.queryDevice(context));

    assertThat(attributes.maxMr()).isPositive();
    assertThat(attributes.maxPd()).isPositive();
    assertThat(attributes.maxMrSize()).isNotZero();
    assertThat(attributes.pageSizeCap() & PAGE).isEqualTo(PAGE);
    assertThat(attributes.physPortCnt()).isPositive();
    assertThat(attributes.atomicCap()).isBetween(0, 2);
    assertThat(verbs.closeDevice(context)).isZero();
  }

  @Test
  void theExtendedQueryAgreesWithThePlainOneOrIsNotThere() {
    DeviceContext context = ok(verbs.openDevice(device));
    Result<DeviceAttributesEx> result = verbs.queryDeviceEx(context);
    DeviceAttributes plain = ok(verbs.queryDevice(context));

    switch (result) {
      case DeviceAttributesEx extended -> {
        // Attributes that count what is left may change between two calls; none of these does.
        assertThat(extended.attributes().maxMrSize()).isEqualTo(plain.maxMrSize());
        assertThat(extended.attributes().fwVer()).isEqualTo(plain.fwVer());
        assertThat(extended.attributes().nodeGuid()).isEqualTo(plain.nodeGuid());
        assertThat(extended.attributes().physPortCnt()).isEqualTo(plain.physPortCnt());
        assertThat((int) extended.deviceCapFlagsEx()).isEqualTo(plain.deviceCapFlags());
      }
      case Result.Failed<DeviceAttributesEx> failed ->
          assertThat(errno(failed)).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
    }
    assertThat(verbs.closeDevice(context)).isZero();
  }

  // ---- protection domains ----

  @Test
  void allocatesAndDeallocates() {
    DeviceContext context = ok(verbs.openDevice(device));
    ProtectionDomain pd = ok(verbs.allocPd(context));

    assertThat(pd.context()).isSameAs(context);
    assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    assertThat(verbs.deallocPd(pd)).isZero();
    assertThatThrownBy(() -> verbs.deallocPd(pd)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> verbs.regMr(pd, memory, LOCAL_WRITE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("protection domain of " + device + " is closed");
    assertThat(verbs.closeDevice(context)).isZero();
  }

  @Test
  void aDeviceWithAProtectionDomainIsNotClosed() {
    DeviceContext context = ok(verbs.openDevice(device));
    ProtectionDomain pd = ok(verbs.allocPd(context));

    assertThat(verbs.closeDevice(context)).isEqualTo(Errno.EBUSY.number());
    assertThat(context.isClosed()).isFalse();
    assertThat(verbs.queryDevice(context)).isInstanceOf(DeviceAttributes.class);
    assertThat(verbs.deallocPd(pd)).isZero();
    assertThat(verbs.closeDevice(context)).isZero();
  }

  @Test
  void aProtectionDomainWithARegionIsNotDeallocated() {
    withPd(pd -> {
      MemoryRegion region = ok(verbs.regMr(pd, memory, LOCAL_WRITE));
      assertThat(verbs.deallocPd(pd)).isEqualTo(Errno.EBUSY.number());
      assertThat(verbs.deregMr(region)).isZero();
    });
  }

  // ---- regions ----

  @Test
  void registersASegment() {
    withPd(pd -> {
      MemoryRegion region = ok(verbs.regMr(pd, memory, LOCAL_WRITE | REMOTE_READ));

      assertThat(region.pd()).isSameAs(pd);
      assertThat(region.memory()).isSameAs(memory);
      assertThat(region.address()).isEqualTo(memory.address());
      assertThat(region.length()).isEqualTo(memory.byteSize());
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 1));
      assertThat(verbs.deregMr(region)).isZero();
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    });
  }

  @Test
  void registersAnyAlignmentAndPartsOfASegment() {
    withPd(pd -> {
      MemorySegment odd = memory.asSlice(1, 1);
      for (Result<MemoryRegion> result :
          List.of(
              verbs.regMr(pd, odd, LOCAL_WRITE),
              verbs.regMr(pd, memory.asSlice(4095, 4098), LOCAL_WRITE),
              verbs.regMr(pd, memory.asReadOnly(), 0),
              verbs.regMrRange(pd, odd, PAGE, REMOTE_READ))) {
        assertThat(verbs.deregMr(ok(result))).isZero();
      }
    });
  }

  @Test
  void registersUnderAnotherAddress() {
    withPd(pd -> {
      long iova = 0x10_0000_0000L;
      MemoryRegion region = ok(verbs.regMrIova2(pd, memory, iova, LOCAL_WRITE));

      assertThat(region.length()).isEqualTo(memory.byteSize());
      assertThat(verbs.deregMr(region)).isZero();
    });
  }

  /** A device takes a dma-buf, or has no way to; what is none no device takes. */
  @Test
  void aDescriptorThatIsNoDmabufIsRefused() throws IOException {
    Path file = Files.createTempFile("no-dmabuf", "");
    withPd(pd -> {
      try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
        open.setLength(PAGE);
        assertThat(errno(verbs.regDmabufMr(pd, descriptorOf(file), 0, PAGE, 0, LOCAL_WRITE)))
            .isIn(Errno.EOPNOTSUPP, Errno.EINVAL, Errno.EBADF);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Errno closed = errno(verbs.regDmabufMr(pd, 1 << 20, 0, PAGE, 0, LOCAL_WRITE));
      assertThat(closed).isIn(Errno.EOPNOTSUPP, Errno.EBADF);
      assertThat(closed == Errno.EOPNOTSUPP).isEqualTo(!importsDmabuf());
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    });
    Files.delete(file);
  }

  private static int descriptorOf(Path file) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : all) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).equals(file.toRealPath())) {
          return Integer.parseInt(descriptor.getFileName().toString());
        }
      }
    }
    throw new IllegalStateException(file + " is not open");
  }

  @Test
  void adviceIsTakenOrIsNotSupported() {
    withPd(pd -> {
      MemoryRegion region = ok(verbs.regMr(pd, memory, LOCAL_WRITE));
      ScatterGather part = new ScatterGather(memory.address(), (int) PAGE, region.lkey());
      for (int advice = 0; advice <= 2; advice++) {
        for (int flags = 0; flags <= 1; flags++) {
          // This region's pages are pinned, so there is nothing to advise.
          assertThat(Errno.of(verbs.adviseMr(pd, advice, flags, List.of(part))).orElseThrow())
              .isIn(takesAdvice() ? NO_ADVICE_ON_PINNED : List.of(Errno.EOPNOTSUPP));
        }
      }
      assertThat(verbs.deregMr(region)).isZero();
    });
  }

  @Test
  void aClosedProtectionDomainTakesNeither() {
    DeviceContext context = ok(verbs.openDevice(device));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    assertThat(verbs.deallocPd(pd)).isZero();

    assertThatThrownBy(() -> verbs.regDmabufMr(pd, 0, 0, PAGE, 0, LOCAL_WRITE))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> verbs.adviseMr(pd, 0, 0, List.of(new ScatterGather(0, 1, 1))))
        .isInstanceOf(IllegalStateException.class);
    assertThat(verbs.closeDevice(context)).isZero();
  }

  @Test
  void theSameMemoryCanBeRegisteredTwice() {
    withPd(pd -> {
      MemoryRegion first = ok(verbs.regMr(pd, memory, LOCAL_WRITE));
      MemoryRegion second = ok(verbs.regMr(pd, memory, LOCAL_WRITE));

      assertThat(first.lkey()).isNotEqualTo(second.lkey());
      assertThat(verbs.deregMr(first)).isZero();
      assertThat(verbs.deregMr(second)).isZero();
    });
  }

  @Test
  void aSecondDeregistrationIsRefused() {
    withPd(pd -> {
      MemoryRegion region = ok(verbs.regMr(pd, memory, LOCAL_WRITE));
      assertThat(verbs.deregMr(region)).isZero();

      assertThat(region.isClosed()).isTrue();
      assertThatThrownBy(() -> verbs.deregMr(region))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is closed");
    });
  }

  /** Requests that every kernel refuses, by either verb; nothing stays behind. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "remote write alone,           65536, 0x2,        EINVAL",
    "remote atomic alone,          65536, 0x8,        EINVAL",
    "an unknown flag,              65536, 0x401,      EINVAL",
    "an unknown flag at the top,   65536, 0x80000001, EINVAL",
    "length 0,                     0,     0x1,        EINVAL",
    "half the address space,       0x8000000000000000, 0x1, EINVAL",
    "a range that wraps,           0xffffffffffffffff, 0x1, EINVAL",
  })
  void aRequestThatTheKernelRefuses(String what, String length, String access, Errno expected) {
    long bytes = unsigned(length);
    int flags = (int) unsigned(access);
    withPd(pd -> {
      assertThat(errno(verbs.regMrRange(pd, memory, bytes, flags))).isEqualTo(expected);
      assertThat(errno(verbs.regMrIova2Range(pd, memory, bytes, memory.address(), flags)))
          .isEqualTo(expected);
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    });
  }

  @Test
  void addressesThatNoSegmentDescribes() {
    withPd(pd -> {
      MemorySegment top = ofAddress(-PAGE);
      assertThat(errno(verbs.regMrRange(pd, MemorySegment.NULL, PAGE, LOCAL_WRITE)))
          .isEqualTo(Errno.EFAULT);
      assertThat(errno(verbs.regMrRange(pd, MemorySegment.NULL, -1, LOCAL_WRITE)))
          .isEqualTo(Errno.EINVAL);
      assertThat(errno(verbs.regMrRange(pd, top, 2 * PAGE, LOCAL_WRITE))).isEqualTo(Errno.EINVAL);
      assertThat(errno(verbs.regMr(pd, memory.asSlice(0, 0), LOCAL_WRITE))).isEqualTo(Errno.EINVAL);
    });
  }

  @Test
  void anAddressOfTheDeviceNeedsTheSamePageOffset() {
    withPd(pd ->
        assertThat(errno(verbs.regMrIova2(pd, memory, memory.address() + 1, LOCAL_WRITE)))
            .isEqualTo(Errno.EINVAL));
  }

  @Test
  void aHeapSegmentIsRefused() {
    withPd(pd -> {
      MemorySegment heap = MemorySegment.ofArray(new byte[64]);
      assertThatThrownBy(() -> verbs.regMr(pd, heap, LOCAL_WRITE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("64 bytes is on the Java heap")
          .hasMessageContaining("\nMaybe ");
      assertThatThrownBy(() -> verbs.regMrIova2(pd, heap, 0, LOCAL_WRITE))
          .isInstanceOf(IllegalArgumentException.class);
    });
  }

  @Test
  void aClosedSegmentIsRefused() {
    withPd(pd -> {
      MemorySegment closed;
      try (Arena shortLived = Arena.ofConfined()) {
        closed = shortLived.allocate(64);
      }
      assertThatThrownBy(() -> verbs.regMr(pd, closed, LOCAL_WRITE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("64 bytes is closed")
          .hasMessageContaining("\nMaybe ");
      assertThatThrownBy(() -> verbs.regMrIova2(pd, closed, 0, LOCAL_WRITE))
          .isInstanceOf(IllegalStateException.class);
    });
  }

  @Test
  void aConfinedSegmentOfAnotherThreadIsRefused() throws Exception {
    try (ExecutorService other = Executors.newSingleThreadExecutor();
        Arena confined = Arena.ofConfined()) {
      MemorySegment ours = confined.allocate(64);
      withPd(pd -> {
        Future<?> future = other.submit(() -> verbs.regMr(pd, ours, LOCAL_WRITE));
        assertThatThrownBy(future::get)
            .hasCauseInstanceOf(WrongThreadException.class)
            .hasMessageContaining("belongs to another thread");
      });
    }
  }

  // ---- threads ----

  @Test
  void everyThreadReadsItsOwnErrno() throws Exception {
    int threads = 8;
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Callable<Boolean>> tasks = new ArrayList<>();
    withPd(pd -> {
      for (int i = 0; i < threads; i++) {
        boolean fault = i % 2 == 0;
        tasks.add(() -> {
          start.await();
          for (int call = 0; call < 200; call++) {
            Errno seen =
                fault
                    ? errno(verbs.regMrRange(pd, MemorySegment.NULL, PAGE, LOCAL_WRITE))
                    : errno(verbs.regMr(pd, memory, REMOTE_WRITE));
            assertThat(seen).isEqualTo(fault ? Errno.EFAULT : Errno.EINVAL);
          }
          return true;
        });
      }
      try (ExecutorService platform = Executors.newFixedThreadPool(threads)) {
        assertThat(all(platform, tasks)).containsOnly(true);
      }
      try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
        assertThat(all(virtual, tasks)).containsOnly(true);
      }
    });
  }

  @Test
  void ofManyThreadsOneDeregisters() {
    int threads = 4;
    withPd(pd -> {
      try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
        for (int round = 0; round < 50; round++) {
          MemoryRegion region = ok(verbs.regMr(pd, memory, LOCAL_WRITE));
          CyclicBarrier start = new CyclicBarrier(threads);
          Callable<Boolean> dereg =
              () -> {
                start.await();
                try {
                  return verbs.deregMr(region) == 0;
                } catch (IllegalStateException e) {
                  return false;
                }
              };
          assertThat(all(executor, List.of(dereg, dereg, dereg, dereg))).containsOnlyOnce(true);
        }
      }
    });
  }

  @Test
  void aProtectionDomainDoesNotGoWhileAnotherThreadRegistersInIt() {
    DeviceContext context = ok(verbs.openDevice(device));
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < 50; round++) {
        ProtectionDomain pd = ok(verbs.allocPd(context));
        CyclicBarrier start = new CyclicBarrier(2);
        Callable<Boolean> register =
            () -> {
              start.await();
              while (true) {
                try {
                  assertThat(verbs.deregMr(ok(verbs.regMr(pd, memory, LOCAL_WRITE)))).isZero();
                } catch (IllegalStateException e) {
                  return pd.isClosed() || e.getMessage().contains("being closed");
                }
              }
            };
        Callable<Boolean> dealloc =
            () -> {
              start.await();
              while (true) {
                int errno = verbs.deallocPd(pd);
                if (errno == 0) {
                  return true;
                }
                assertThat(errno).isEqualTo(Errno.EBUSY.number());
              }
            };
        assertThat(all(executor, List.of(register, dealloc))).containsOnly(true);
      }
    }
    assertThat(verbs.closeDevice(context)).isZero();
  }

  // ---- helpers ----

  /** A test body that needs a protection domain. */
  interface PdTest {
    void run(ProtectionDomain pd);
  }

  void withPd(PdTest test) {
    DeviceContext context = ok(verbs.openDevice(device));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    test.run(pd);
    assertThat(verbs.deallocPd(pd)).isZero();
    assertThat(verbs.closeDevice(context)).isZero();
  }

  MemorySegment memory() {
    return memory;
  }

  static <T> T ok(Result<T> result) {
    return result.orElseThrow(
        errno -> new IllegalStateException("failed with " + Errno.nameOf(errno)));
  }

  static Errno errno(Result<?> result) {
    assertThat(result).isInstanceOf(Result.Failed.class);
    return Errno.of(((Result.Failed<?>) result).errno()).orElseThrow();
  }

  private static List<Boolean> all(ExecutorService executor, List<Callable<Boolean>> tasks) {
    try {
      List<Boolean> results = new ArrayList<>();
      for (Future<Boolean> future : executor.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static long unsigned(String number) {
    return number.startsWith("0x")
        ? Long.parseUnsignedLong(number.substring(2), 16)
        : Long.parseUnsignedLong(number);
  }
}

package org.pinwise.registrar.verbs;

import static java.lang.foreign.MemorySegment.ofAddress;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.ADVISE_MR;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.CLOSE_DEVICE;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.DEALLOC_PD;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.LIST_DEVICES;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.OPEN_DEVICE;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.QUERY_DEVICE;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.QUERY_DEVICE_EX;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.REG_DMABUF_MR;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.REG_MR;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.REG_MR_IOVA2;

import java.io.IOException;
import java.io.RandomAccessFile;
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
import java.util.concurrent.atomic.AtomicBoolean;
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
 * none. Every test ends with nothing live. {@link ContractFaultsTest} runs all of them once more
 * for each native call that they make, with that call failing: so a test makes its calls through
 * {@link CheckedVerbs}.
 */
abstract class VerbsContractTest {

  static final int LOCAL_WRITE = 1;
  static final int REMOTE_WRITE = 2;
  static final int REMOTE_READ = 4;

  /** mlx5 says ENOENT; the stand-in library checks its arguments only, and says EFAULT. */
  private static final Errno[] NO_ADVICE_ON_PINNED = {Errno.ENOENT, Errno.EFAULT};

  private static final long PAGE = 4096;

  private Verbs verbs;
  private CheckedVerbs calls;
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

  /** How often something is tried that depends on how threads run; the usual number, or fewer. */
  int rounds(int usual) {
    return usual;
  }

  @BeforeEach
  void setUp() {
    verbs = verbs();
    calls = new CheckedVerbs(verbs);
    device = device();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    memory = Arena.ofAuto().allocate(16 * PAGE, PAGE).fill((byte) 1);
  }

  /** What a test that failed left open. */
  final void giveBackAll() {
    calls.giveBackAll();
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
    DeviceList list = calls.ok(LIST_DEVICES, verbs.listDevices());

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
    calls.refused(OPEN_DEVICE, verbs.openDevice("no-such-device"), Errno.ENODEV);
    calls.refused(OPEN_DEVICE, verbs.openDevice(""), Errno.ENODEV);
  }

  @Test
  void opensAndCloses() {
    DeviceContext context = calls.open(device);

    assertThat(context.device().name()).isEqualTo(device);
    assertThat(context.isClosed()).isFalse();
    assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 0, 0));
    calls.giveBack(context);
    assertThat(context.isClosed()).isTrue();
  }

  @Test
  void aSecondCloseIsRefused() {
    DeviceContext context = calls.open(device);
    calls.giveBack(context);

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
    DeviceContext first = calls.open(device);
    DeviceContext second = calls.open(device);

    calls.giveBack(first);
    calls.ok(QUERY_DEVICE, verbs.queryDevice(second));
    calls.giveBack(second);
  }

  @Test
  void queriesTheDevice() {
    DeviceContext context = calls.open(device);
    DeviceAttributes attributes = calls.ok(QUERY_DEVICE, verbs.queryDevice(context));

    assertThat(attributes.maxMr()).isPositive();
    assertThat(attributes.maxPd()).isPositive();
    assertThat(attributes.maxMrSize()).isNotZero();
    assertThat(attributes.pageSizeCap() & PAGE).isEqualTo(PAGE);
    assertThat(attributes.physPortCnt()).isPositive();
    assertThat(attributes.atomicCap()).isBetween(0, 2);
    calls.giveBack(context);
  }

  @Test
  void theExtendedQueryAgreesWithThePlainOneOrIsNotThere() {
    DeviceContext context = calls.open(device);
    Result<DeviceAttributesEx> result = verbs.queryDeviceEx(context);
    DeviceAttributes plain = calls.ok(QUERY_DEVICE, verbs.queryDevice(context));

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
          calls.refused(QUERY_DEVICE_EX, failed, Errno.EOPNOTSUPP, Errno.ENOSYS);
    }
    calls.giveBack(context);
  }

  // ---- protection domains ----

  @Test
  void allocatesAndDeallocates() {
    DeviceContext context = calls.open(device);
    ProtectionDomain pd = calls.allocate(context);

    assertThat(pd.context()).isSameAs(context);
    assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    calls.giveBack(pd);
    assertThatThrownBy(() -> verbs.deallocPd(pd)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> verbs.regMr(pd, memory, LOCAL_WRITE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("protection domain of " + device + " is closed");
    calls.giveBack(context);
  }

  @Test
  void aDeviceWithAProtectionDomainIsNotClosed() {
    DeviceContext context = calls.open(device);
    ProtectionDomain pd = calls.allocate(context);

    calls.refused(CLOSE_DEVICE, verbs.closeDevice(context), Errno.EBUSY);
    assertThat(context.isClosed()).isFalse();
    calls.ok(QUERY_DEVICE, verbs.queryDevice(context));
    calls.giveBack(pd);
    calls.giveBack(context);
  }

  @Test
  void aProtectionDomainWithARegionIsNotDeallocated() {
    withPd(pd -> {
      MemoryRegion region = calls.register(pd, memory, LOCAL_WRITE);
      calls.refused(DEALLOC_PD, verbs.deallocPd(pd), Errno.EBUSY);
      calls.giveBack(region);
    });
  }

  // ---- regions ----

  @Test
  void registersASegment() {
    withPd(pd -> {
      MemoryRegion region = calls.register(pd, memory, LOCAL_WRITE | REMOTE_READ);

      assertThat(region.pd()).isSameAs(pd);
      assertThat(region.memory()).isSameAs(memory);
      assertThat(region.address()).isEqualTo(memory.address());
      assertThat(region.length()).isEqualTo(memory.byteSize());
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 1));
      calls.giveBack(region);
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    });
  }

  @Test
  void registersAnyAlignmentAndPartsOfASegment() {
    withPd(pd -> {
      MemorySegment odd = memory.asSlice(1, 1);
      for (MemoryRegion region :
          List.of(
              calls.register(pd, odd, LOCAL_WRITE),
              calls.register(pd, memory.asSlice(4095, 4098), LOCAL_WRITE),
              calls.register(pd, memory.asReadOnly(), 0),
              calls.ok(REG_MR, verbs.regMrRange(pd, odd, PAGE, REMOTE_READ)))) {
        calls.giveBack(region);
      }
    });
  }

  @Test
  void registersUnderAnotherAddress() {
    withPd(pd -> {
      long iova = 0x10_0000_0000L;
      MemoryRegion region = calls.ok(REG_MR_IOVA2, verbs.regMrIova2(pd, memory, iova, LOCAL_WRITE));

      assertThat(region.length()).isEqualTo(memory.byteSize());
      calls.giveBack(region);
    });
  }

  /** A device takes a dma-buf, or has no way to; what is none no device takes. */
  @Test
  void aDescriptorThatIsNoDmabufIsRefused() throws IOException {
    Path file = Files.createTempFile("no-dmabuf", "");
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(PAGE);
      int descriptor = descriptorOf(file);
      withPd(pd -> {
        calls.refused(
            REG_DMABUF_MR,
            verbs.regDmabufMr(pd, descriptor, 0, PAGE, 0, LOCAL_WRITE),
            Errno.EOPNOTSUPP,
            Errno.EINVAL,
            Errno.EBADF);
        calls.refused(
            REG_DMABUF_MR,
            verbs.regDmabufMr(pd, 1 << 20, 0, PAGE, 0, LOCAL_WRITE),
            importsDmabuf() ? Errno.EBADF : Errno.EOPNOTSUPP);
        assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
      });
    } finally {
      Files.delete(file);
    }
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
      MemoryRegion region = calls.register(pd, memory, LOCAL_WRITE);
      ScatterGather part = new ScatterGather(memory.address(), (int) PAGE, region.lkey());
      for (int advice = 0; advice <= 2; advice++) {
        for (int flags = 0; flags <= 1; flags++) {
          // This region's pages are pinned, so there is nothing to advise.
          calls.refused(
              ADVISE_MR,
              verbs.adviseMr(pd, advice, flags, List.of(part)),
              takesAdvice() ? NO_ADVICE_ON_PINNED : new Errno[] {Errno.EOPNOTSUPP});
        }
      }
      calls.giveBack(region);
    });
  }

  @Test
  void aClosedProtectionDomainTakesNeither() {
    DeviceContext context = calls.open(device);
    ProtectionDomain pd = calls.allocate(context);
    calls.giveBack(pd);

    assertThatThrownBy(() -> verbs.regDmabufMr(pd, 0, 0, PAGE, 0, LOCAL_WRITE))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> verbs.adviseMr(pd, 0, 0, List.of(new ScatterGather(0, 1, 1))))
        .isInstanceOf(IllegalStateException.class);
    calls.giveBack(context);
  }

  @Test
  void theSameMemoryCanBeRegisteredTwice() {
    withPd(pd -> {
      MemoryRegion first = calls.register(pd, memory, LOCAL_WRITE);
      MemoryRegion second = calls.register(pd, memory, LOCAL_WRITE);

      assertThat(first.lkey()).isNotEqualTo(second.lkey());
      calls.giveBack(first);
      calls.giveBack(second);
    });
  }

  @Test
  void aSecondDeregistrationIsRefused() {
    withPd(pd -> {
      MemoryRegion region = calls.register(pd, memory, LOCAL_WRITE);
      calls.giveBack(region);

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
      calls.refused(REG_MR, verbs.regMrRange(pd, memory, bytes, flags), expected);
      calls.refused(
          REG_MR_IOVA2,
          verbs.regMrIova2Range(pd, memory, bytes, memory.address(), flags),
          expected);
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    });
  }

  @Test
  void addressesThatNoSegmentDescribes() {
    withPd(pd -> {
      MemorySegment top = ofAddress(-PAGE);
      MemorySegment nowhere = MemorySegment.NULL;
      calls.refused(REG_MR, verbs.regMrRange(pd, nowhere, PAGE, LOCAL_WRITE), Errno.EFAULT);
      calls.refused(REG_MR, verbs.regMrRange(pd, nowhere, -1, LOCAL_WRITE), Errno.EINVAL);
      calls.refused(REG_MR, verbs.regMrRange(pd, top, 2 * PAGE, LOCAL_WRITE), Errno.EINVAL);
      calls.refused(REG_MR, verbs.regMr(pd, memory.asSlice(0, 0), LOCAL_WRITE), Errno.EINVAL);
    });
  }

  @Test
  void anAddressOfTheDeviceNeedsTheSamePageOffset() {
    withPd(pd ->
        calls.refused(
            REG_MR_IOVA2,
            verbs.regMrIova2(pd, memory, memory.address() + 1, LOCAL_WRITE),
            Errno.EINVAL));
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
          for (int call = 0; call < rounds(200); call++) {
            calls.refused(
                REG_MR,
                fault
                    ? verbs.regMrRange(pd, MemorySegment.NULL, PAGE, LOCAL_WRITE)
                    : verbs.regMr(pd, memory, REMOTE_WRITE),
                fault ? Errno.EFAULT : Errno.EINVAL);
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
        for (int round = 0; round < rounds(50); round++) {
          MemoryRegion region = calls.register(pd, memory, LOCAL_WRITE);
          CyclicBarrier start = new CyclicBarrier(threads);
          Callable<Boolean> dereg =
              () -> {
                start.await();
                try {
                  calls.giveBack(region);
                  return true;
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
    DeviceContext context = calls.open(device);
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < rounds(50); round++) {
        ProtectionDomain pd = calls.allocate(context);
        calls.giveBack(calls.register(pd, memory, LOCAL_WRITE)); // the race may have none
        CyclicBarrier start = new CyclicBarrier(2);
        AtomicBoolean ended = new AtomicBoolean();
        Callable<Boolean> register =
            () -> {
              start.await();
              try {
                for (int i = 0; i < rounds(1_000_000); i++) {
                  calls.giveBack(calls.register(pd, memory, LOCAL_WRITE));
                }
                return true;
              } catch (IllegalStateException e) {
                return pd.isClosed() || e.getMessage().contains("being closed");
              } finally {
                ended.set(true);
              }
            };
        Callable<Boolean> dealloc =
            () -> {
              start.await();
              boolean last;
              do {
                last = ended.get();
                int errno = verbs.deallocPd(pd);
                if (errno == 0) {
                  return true;
                }
                calls.refused(DEALLOC_PD, errno, Errno.EBUSY);
              } while (!last);
              return false;
            };
        assertThat(all(executor, List.of(register, dealloc))).containsOnly(true);
      }
    }
    calls.giveBack(context);
  }

  // ---- helpers ----

  /** A test body that needs a protection domain. */
  interface PdTest {
    void run(ProtectionDomain pd);
  }

  void withPd(PdTest test) {
    DeviceContext context = calls.open(device);
    ProtectionDomain pd = calls.allocate(context);
    test.run(pd);
    calls.giveBack(pd);
    calls.giveBack(context);
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

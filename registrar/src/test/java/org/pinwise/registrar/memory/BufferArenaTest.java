package org.pinwise.registrar.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.facts.LiveMemory;
import org.pinwise.registrar.memory.BufferException.Reason;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;

class BufferArenaTest {

  private static final long MIB = 1 << 20;
  private static final long HUGE = 2 * MIB;
  private static final Path POOL = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");

  @Test
  void memoryIsMappedUntilTheArenaCloses() {
    BufferArena arena = BufferArena.open(Pages.ordinary());
    MemorySegment segment = arena.allocate(10_000, 1);
    long address = segment.address();
    segment.fill((byte) 7);

    assertThat(address % 4096).isZero();
    assertThat(segment.byteSize()).isEqualTo(10_000);
    assertThat(mapped(address, 12_288)).isTrue();
    arena.close();

    assertThat(mapped(address, 12_288)).isFalse();
    assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> arena.allocate(1, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  /** Nothing is left mapped around an aligned buffer, and nothing of it is missing. */
  @ParameterizedTest
  @CsvSource({
    "0, 1, 4096",
    "1, 1, 4096",
    "4096, 64, 4096",
    "2097151, 1, 4096",
    "2097152, 1, 2097152",
    "5000000, 1, 2097152",
    "4096, 16777216, 16777216"
  })
  void startsWhereTheRulesAdvise(long size, long alignment, long border) {
    try (BufferArena arena = BufferArena.open(Pages.ordinary())) {
      Buffer buffer = arena.allocateBuffer(size, alignment);

      assertThat(buffer.segment().address() % border).isZero();
      assertThat(buffer.segment().byteSize()).isEqualTo(size);
      assertThat(buffer.mappedBytes()).isEqualTo(Math.max(4096, (size + 4095) / 4096 * 4096));
      assertThat(mapped(buffer.segment().address(), buffer.mappedBytes())).isTrue();
      assertThat(buffer.passedOver()).isEmpty();
    }
  }

  @Test
  void theFactsAreThoseOfTheKernel() {
    for (Pages pages :
        List.of(Pages.ordinary().populated(), Pages.memfd("facts"), Pages.transparentHuge())) {
      try (BufferArena arena = BufferArena.open(pages)) {
        Buffer buffer = arena.allocateBuffer(4 * MIB, 1);
        Memory told = buffer.memory();
        Memory read =
            LiveMemory.ofThisProcess()
                .rangeInDetail(buffer.segment().address(), buffer.segment().byteSize())
                .orElseThrow();

        assertThat(told.kind()).as(pages.toString()).isEqualTo(read.kind());
        assertThat(told.shared()).isEqualTo(read.shared());
        assertThat(told.protection()).isEqualTo(read.protection());
        assertThat(told.mapped()).isTrue().isEqualTo(read.mapped());
      }
    }
  }

  @Test
  void transparentHugePages() {
    assumeTrue(
        !read(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")).contains("[never]"),
        "transparent huge pages are off");
    try (BufferArena arena = BufferArena.open(Pages.transparentHuge().populated())) {
      Buffer buffer = arena.allocateBuffer(5 * MIB, 1);

      assertThat(buffer.segment().address() % HUGE).isZero();
      assertThat(buffer.mappedBytes()).isEqualTo(6 * MIB);
      assertThat(buffer.transparentHugeBytes()).isPresent();
      assertThat(buffer.transparentHugeBytes().getAsLong() % HUGE).isZero();
      assertThat(vmFlags(buffer.segment().address())).contains("hg");
    }
  }

  @Test
  void transparentHugePagesThatAreOffAreAnError(@TempDir Path sys) throws IOException {
    Path folder = Files.createDirectories(sys.resolve("kernel/mm/transparent_hugepage"));
    Files.writeString(folder.resolve("enabled"), "always madvise [never]\n");
    try (BufferArena arena = BufferArena.open(Pages.transparentHuge(), sys)) {
      assertThatThrownBy(() -> arena.allocate(HUGE))
          .isInstanceOf(BufferException.class)
          .hasMessageContaining("says always madvise [never]")
          .extracting("reason")
          .isEqualTo(Reason.UNSUPPORTED);
    }
  }

  /** One page more than there are can never be had, so this needs no empty pool. */
  @Test
  void anEmptyPoolIsAnErrorThatSaysHowMuchThereIs() {
    assumeTrue(Files.isDirectory(POOL), "the kernel has no huge pages of 2 MiB");
    assumeTrue(read(POOL.resolve("nr_overcommit_hugepages")).equals("0"), "the pool may grow");
    long free = Long.parseLong(read(POOL.resolve("free_hugepages")));
    try (BufferArena arena = BufferArena.open(Pages.hugetlb(HUGE))) {
      BufferException e =
          catchThrowableOfType(
              BufferException.class, () -> arena.allocateBuffer((free + 1) * HUGE, 1));

      assertThat(e.reason()).isEqualTo(Reason.POOL_EMPTY);
      assertThat(e.errno()).isEqualTo(12);
      assertThat(e)
          .hasMessageContaining("mmap(MAP_HUGETLB) failed with ENOMEM (12, ")
          .hasMessageContaining("needs %d, and of the pool of".formatted(free + 1))
          .hasMessageContaining("pages %d are free".formatted(free))
          .hasMessageContaining("hugepages-2048kB/nr_hugepages");
    }
  }

  @Test
  void aDeclaredFallbackIsTakenAndSaid() {
    assumeTrue(Files.isDirectory(POOL), "the kernel has no huge pages of 2 MiB");
    assumeTrue(read(POOL.resolve("nr_overcommit_hugepages")).equals("0"), "the pool may grow");
    long free = Long.parseLong(read(POOL.resolve("free_hugepages")));
    Pages pages =
        Pages.hugetlb(HUGE).orElse(Pages.hugetlb(1L << 40)).orElse(Pages.memfd("fallback"));
    try (BufferArena arena = BufferArena.open(pages)) {
      Buffer buffer = arena.allocateBuffer((free + 1) * HUGE, 1);

      assertThat(buffer.pages()).hasToString("memfd \"fallback\"");
      assertThat(buffer.memory().kind()).isEqualTo(MemoryKind.SHMEM);
      assertThat(buffer.passedOver())
          .extracting(BufferException::reason)
          .containsExactly(Reason.POOL_EMPTY, Reason.UNSUPPORTED);
      assertThat(buffer.passedOver().getLast())
          .hasMessageContaining("the kernel has no huge pages of 1073741824 KiB, only ");
    }
  }

  @Test
  void whereNothingCanBeHadTheLastErrorHasTheOthers() {
    Pages pages = Pages.hugetlb(1L << 41).orElse(Pages.hugetlb(1L << 40));
    try (BufferArena arena = BufferArena.open(pages)) {
      assertThatThrownBy(() -> arena.allocate(1))
          .isInstanceOf(BufferException.class)
          .hasMessageContaining("1073741824 KiB")
          .satisfies(e ->
              assertThat(e.getSuppressed())
                  .singleElement()
                  .asInstanceOf(
                      org.assertj.core.api.InstanceOfAssertFactories.type(BufferException.class))
                  .extracting(BufferException::reason)
                  .isEqualTo(Reason.UNSUPPORTED));
    }
  }

  @Test
  void hugePagesOfThePool() {
    assumeTrue(
        Files.isDirectory(POOL) && Long.parseLong(read(POOL.resolve("free_hugepages"))) > 1,
        "two free huge pages of 2 MiB are needed; the lab has them");
    try (BufferArena arena = BufferArena.open(Pages.hugetlb(HUGE))) {
      Buffer buffer = arena.allocateBuffer(3 * MIB, 1);
      buffer.segment().fill((byte) 1);

      assertThat(buffer.mappedBytes()).isEqualTo(2 * HUGE);
      assertThat(
              LiveMemory.ofThisProcess()
                  .rangeInDetail(buffer.segment().address(), 3 * MIB)
                  .orElseThrow()
                  .pageSize())
          .isEqualTo(HUGE)
          .isEqualTo(buffer.memory().pageSize());
    }
  }

  @Test
  void memfdCanBeMappedByWhoeverHasTheDescriptor() throws IOException {
    BufferArena arena = BufferArena.open(Pages.memfd("shared bytes"));
    Buffer buffer = arena.allocateBuffer(5000, 1);
    Path link = Path.of("/proc/self/fd/" + buffer.fileDescriptor().getAsInt());
    buffer.segment().set(ValueLayout.JAVA_BYTE, 4999, (byte) 42);

    assertThat(Files.readSymbolicLink(link).toString()).startsWith("/memfd:shared bytes");
    assertThat(Files.readAllBytes(link)).hasSize(8192).endsWith(new byte[3192]).contains(42);
    arena.close();
    assertThat(link).doesNotExist();
  }

  /** A large one starts on the border of a huge page, and its file still begins at its start. */
  @Test
  void memfdEndsWithItsFile() throws IOException {
    try (BufferArena arena = BufferArena.open(Pages.memfd("large").populated())) {
      Buffer buffer = arena.allocateBuffer(5_000_000, 1);
      buffer.segment().fill((byte) 3);
      buffer.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
      buffer.segment().set(ValueLayout.JAVA_BYTE, 4_999_999, (byte) 2);

      byte[] file =
          Files.readAllBytes(Path.of("/proc/self/fd/" + buffer.fileDescriptor().getAsInt()));
      assertThat(buffer.segment().address() % HUGE).isZero();
      assertThat(file).hasSize(5_001_216);
      assertThat(file[0]).isEqualTo((byte) 1);
      assertThat(file[4_999_999]).isEqualTo((byte) 2);
    }
  }

  @Test
  void boundToANode() {
    assumeTrue(Files.isDirectory(Path.of("/sys/devices/system/node/node0")), "no NUMA in sysfs");
    Pages pages = Pages.ordinary().populated().onNode(0);
    try (BufferArena arena = BufferArena.open(pages)) {
      Buffer buffer;
      try {
        buffer = arena.allocateBuffer(MIB, 1);
      } catch (BufferException e) {
        // The kernel has no NUMA, or a container's filter forbids the call: said, not ignored.
        assertThat(e.operation()).isEqualTo("mbind");
        assertThat(e.reason()).isEqualTo(Reason.UNSUPPORTED);
        return;
      }
      assertThat(buffer.memory().numaNode()).isZero();
      assertThat(numaPolicy(buffer.segment().address())).isEqualTo("bind:0");
    }
  }

  @Test
  void aNodeThatIsNotThereIsAnError() {
    try (BufferArena arena = BufferArena.open(Pages.ordinary().onNode(1023))) {
      assertThatThrownBy(() -> arena.allocate(1))
          .isInstanceOf(BufferException.class)
          .hasMessageContaining("NUMA node 1023 is not among those online")
          .extracting("reason")
          .isEqualTo(Reason.NO_SUCH_NODE);
    }
    assertThatThrownBy(() -> Pages.ordinary().onNode(-1)).hasMessageContaining("sysfs says -1");
  }

  @ParameterizedTest
  @CsvSource({"-1, 1", "1, 0", "1, 3", "1, -4096"})
  void badSizes(long size, long alignment) {
    try (BufferArena arena = BufferArena.open(Pages.ordinary())) {
      assertThatThrownBy(() -> arena.allocate(size, alignment))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(size + " bytes aligned to " + alignment);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036854775807, 1",
    "9223372036854775807, 4611686018427387904",
    "1125899906842624, 1",
    "1, 4611686018427387904"
  })
  void moreThanThereIs(long size, long alignment) {
    for (Pages pages : List.of(Pages.ordinary(), Pages.memfd("large"), Pages.transparentHuge())) {
      try (BufferArena arena = BufferArena.open(pages)) {
        assertThatThrownBy(() -> arena.allocate(size, alignment))
            .isInstanceOf(BufferException.class);
      }
    }
  }

  @Test
  void badPages() {
    assertThatThrownBy(() -> Pages.hugetlb(4096)).hasMessageContaining("4096 bytes");
    assertThatThrownBy(() -> Pages.hugetlb(3 << 20)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Pages.memfd("a\0b")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Pages.memfd("a".repeat(84)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(
            Pages.hugetlb(HUGE)
                .orElse(Pages.transparentHuge())
                .onNode(1)
                .orElse(Pages.memfd("m"))
                .toString())
        .isEqualTo(
            "huge pages of 2048 KiB on NUMA node 1, else transparent huge pages on NUMA node 1,"
                + " else memfd \"m\"");
  }

  /** Closing while others allocate unmaps all or refuses; nothing stays mapped. */
  @Test
  void closedByAnotherThread() throws Exception {
    int before = descriptors();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < 50; round++) {
        BufferArena arena = BufferArena.open(Pages.memfd("race"));
        Future<?> allocating =
            threads.submit(() -> {
              try {
                while (true) {
                  assertThat(arena.allocate(4096).address()).isNotZero();
                }
              } catch (IllegalStateException closed) {
                return;
              }
            });
        Thread.onSpinWait();
        arena.close();
        allocating.get();
      }
    }
    assertThat(descriptors()).isEqualTo(before);
  }

  @Test
  void anotherArenaMayBeClosedFirst() {
    try (BufferArena outer = BufferArena.open(Pages.ordinary());
        Arena inner = BufferArena.open(Pages.ordinary())) {
      assertThat(outer.allocate(1).address()).isNotEqualTo(inner.allocate(1).address());
    }
  }

  private static boolean mapped(long address, long length) {
    return Boolean.TRUE.equals(
        LiveMemory.ofThisProcess().range(address, length).orElseThrow().mapped());
  }

  private static int descriptors() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return (int)
          files
              .filter(fd -> {
                try {
                  return Files.readSymbolicLink(fd).toString().startsWith("/memfd:race");
                } catch (IOException e) {
                  return false;
                }
              })
              .count();
    }
  }

  private static String vmFlags(long address) {
    boolean inside = false;
    for (String line : read(Path.of("/proc/self/smaps")).split("\n", -1)) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        String[] range = line.split(" ", 2)[0].split("-", 2);
        inside =
            Long.compareUnsigned(Long.parseUnsignedLong(range[0], 16), address) <= 0
                && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0;
      } else if (inside && line.startsWith("VmFlags:")) {
        return line;
      }
    }
    return "";
  }

  private static String numaPolicy(long address) {
    return read(Path.of("/proc/self/numa_maps"))
        .lines()
        .filter(line -> line.startsWith("%012x ".formatted(address)))
        .map(line -> line.split(" ", 3)[1])
        .findFirst()
        .orElse("not in numa_maps");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }
}

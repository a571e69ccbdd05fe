package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Protection;

class LiveMemoryTest {
  private static final String SMAPS =
      """
      10000-20000 rw-p 00000000 00:00 0                          [heap]
      KernelPageSize:        4 kB
      VmFlags: rd wr mr mw me ac sd
      20000-30000 r--p 00000000 00:00 0
      30000-40000 ---p 00000000 00:00 0
      50000-60000 rw-s 00000000 00:05 77                         /dev/zero (deleted)
      60000-70000 rw-s 00000000 00:01 88                         /memfd:pool (deleted)
      70000-80000 rw-p 00000000 00:01 99                         /anon_hugepage (deleted)
      80000-90000 rw-s 00000000 08:01 11                         /data/my file
      90000-a0000 rw-s 00000000 08:02 12                         /pmem/log
      a0000-b0000 rw-s 00000000 08:03 13                         /dev/dax0.0
      b0000-c0000 rw-s 00000000 08:03 14                         /sys/devices/pci0000:00/resource0
      KernelPageSize:        4 kB
      VmFlags: rd wr sh mr mw me ms pf io de dd sd
      c0000-d0000 rw-s 00000000 00:03 15                         /secretmem (deleted)
      d0000-e0000 rw-s 00000000 00:04 16                         /dev/shm/segment
      e0000-f0000 rw-p 00000000 00:00 0
      KernelPageSize:     2048 kB
      VmFlags: rd wr mr mw me ac ht sd
      f0000-100000 -w-p 00000000 00:00 0
      ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]
      """;
  private static final String MOUNTINFO =
      """
      21 1 08:01 / / rw,relatime - ext4 /dev/root rw
      22 21 08:02 / /pmem rw,relatime shared:3 - xfs /dev/pmem0 rw,dax=always
      23 21 00:04 / /dev/shm rw,nosuid - tmpfs tmpfs rw
      24 21 00:05 / /sys rw,nosuid - sysfs sysfs rw
      """;

  @TempDir private Path process;
  private LiveMemory memory;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(process.resolve("maps"), SMAPS);
    Files.writeString(process.resolve("smaps"), SMAPS);
    Files.writeString(process.resolve("mountinfo"), MOUNTINFO);
    memory = LiveMemory.of(process);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "0x10000, ANONYMOUS, READ_WRITE, false, false,",
    "0x20000, ANONYMOUS, READ,       false, false,",
    "0x30000, ANONYMOUS, NONE,       false, false,",
    "0x50000, SHMEM,     READ_WRITE, true,  false,",
    "0x60000, SHMEM,     READ_WRITE, true,  false,",
    "0x70000, HUGETLB,   READ_WRITE, false, false,",
    "0x80000, FILE,      READ_WRITE, true,  false, ext4",
    "0x90000, FSDAX,     READ_WRITE, true,  true,  xfs",
    "0xa0000, DEVDAX,    READ_WRITE, true,  true,",
    "0xb0000, DEVICE_IO, READ_WRITE, true,  false,",
    "0xc0000, SECRET,    READ_WRITE, true,  false,",
    "0xd0000, SHMEM,     READ_WRITE, true,  false,",
    "0xe0000, HUGETLB,   READ_WRITE, false, false,",
    "0xf0000, ANONYMOUS, WRITE,      false, false,",
  })
  void everyKindOfMapping(
      String address,
      MemoryKind kind,
      Protection protection,
      boolean shared,
      boolean persistent,
      String fileSystem) {
    Memory fact = memory.rangeInDetail(Long.decode(address), 0x1000).orElseThrow();

    assertThat(fact.mapped()).isTrue();
    assertThat(fact.kind()).isEqualTo(kind);
    assertThat(fact.protection()).isEqualTo(protection);
    assertThat(fact.shared()).isEqualTo(shared);
    assertThat(fact.persistent()).isEqualTo(persistent);
    assertThat(fact.fileSystem()).isEqualTo(fileSystem);
  }

  @Test
  void aRangeOverSeveralMappingsIsWhatAllOfThemAre() {
    Memory fact = memory.range(0x1f000, 0x2000).orElseThrow();

    assertThat(fact.mapped()).isTrue();
    assertThat(fact.kind()).isEqualTo(MemoryKind.ANONYMOUS);
    assertThat(fact.protection()).isEqualTo(Protection.READ);
    assertThat(memory.range(0x5f000, 0x2000).orElseThrow().shared()).isTrue();
    // The kind that is hardest to pin counts, with what is said of it.
    assertThat(memory.range(0x6f000, 0x2000).orElseThrow().kind()).isEqualTo(MemoryKind.SHMEM);
    Memory file = memory.range(0x7f000, 0x2000).orElseThrow();
    assertThat(file.kind()).isEqualTo(MemoryKind.FILE);
    assertThat(file.shared()).isTrue();
    assertThat(file.fileSystem()).isEqualTo("ext4");
    assertThat(memory.range(0x8f000, 0x2000).orElseThrow().kind()).isEqualTo(MemoryKind.FSDAX);
    assertThat(memory.range(0x50000, 0x70000).orElseThrow().kind()).isEqualTo(MemoryKind.DEVICE_IO);
    assertThat(memory.range(0xeffff, 2).orElseThrow().protection()).isEqualTo(Protection.WRITE);
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "0x0,     0x1000",
    "0xf000,  0x2000", // begins before
    "0x3f000, 0x2000", // ends in a hole
    "0x3f000, 0x12000", // spans a hole
    "0x1000000, 0x1000",
    "0x10000, 0xffffffffffffffff", // wraps
    "0xffffffffffffe000, 0x1000",
  })
  void aHoleIsNotMapped(String address, String length) {
    assertThat(
            memory.range(
                Long.parseUnsignedLong(address.substring(2), 16),
                Long.parseUnsignedLong(length.substring(2), 16)))
        .hasValueSatisfying(fact -> assertThat(fact.mapped()).isFalse());
  }

  @Test
  void whatLiesBehindAHoleDoesNotCount() {
    Memory before = memory.range(0x2f000, 0x22000).orElseThrow();
    assertThat(before.mapped()).isFalse();
    assertThat(before.kind()).isEqualTo(MemoryKind.ANONYMOUS);
    assertThat(before.protection()).isEqualTo(Protection.NONE);
    assertThat(before.mappings()).isEqualTo(2);
    // Where nothing is mapped, that is all that is wrong with it.
    assertThat(memory.range(0x4f000, 0x2000).orElseThrow())
        .isEqualTo(
            Memory.TYPE.with(
                Memory.ordinary(Protection.READ_WRITE), java.util.Map.of("mapped", false)));
  }

  @Test
  void behindTheEndOfAFileThereIsNoPage() throws IOException {
    Path file = process.resolve("root/data/short");
    Files.createDirectories(file.getParent());
    Files.write(file, new byte[0x1801]);
    Object inode = Files.getAttribute(file, "unix:ino");
    String line = "10000-20000 rw-s 00001000 08:01 %s   /data/short\n";
    Files.writeString(process.resolve("maps"), line.formatted(inode));

    assertThat(memory.range(0x10000, 0x1000).orElseThrow().mapped()).isTrue();
    Memory over = memory.range(0x10fff, 2).orElseThrow();
    assertThat(over.mapped()).isFalse();
    assertThat(over.kind()).isEqualTo(MemoryKind.FILE);
    assertThat(memory.range(0x11000, 1).orElseThrow().mapped()).isFalse();
    // Another file of this name is not the one that is mapped.
    Files.writeString(process.resolve("maps"), line.formatted("1"));
    assertThat(memory.range(0x10fff, 2).orElseThrow().mapped()).isTrue();
  }

  @Test
  void pageSizes() {
    assertThat(memory.rangeInDetail(0x10000, 16).orElseThrow().pageSize()).isEqualTo(4096);
    assertThat(memory.rangeInDetail(0xe0000, 16).orElseThrow().pageSize()).isEqualTo(2 << 20);
    assertThat(memory.rangeInDetail(0x20000, 16).orElseThrow().pageSize()).isNull();
  }

  @Test
  void whatCannotBeReadIsUnknown() {
    assertThat(LiveMemory.of(process.resolve("nobody")).range(0x10000, 1)).isEmpty();
  }
}

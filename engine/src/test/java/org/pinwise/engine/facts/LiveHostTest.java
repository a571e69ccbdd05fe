package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.Cpu;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.HugePagePolicy;
import org.pinwise.rules.model.SelinuxMode;

class LiveHostTest {
  private static final String WITH_IPC_LOCK = "000001ffffffffff";
  private static final String WITHOUT_IPC_LOCK = "00000000a80425fb";
  private static final String INITIAL = "user:[4026531837]";

  private static final String CPUINFO =
      "vendor_id\t: %s\ncpu family\t: %s\nmodel\t\t: %s\nmodel name\t: %s\n";

  @TempDir private Path root = Path.of("");

  /** Makes a host: bare metal, kernel 6.12, a user without capabilities, the inbox stack. */
  @BeforeEach
  void host() throws IOException {
    write("proc/sys/kernel/osrelease", "6.12.117+deb13-amd64\n");
    ByteBuffer auxv = ByteBuffer.allocate(48).order(ByteOrder.nativeOrder());
    auxv.putLong(16).putLong(0x178bfbff).putLong(6).putLong(16384).putLong(0).putLong(0);
    Files.createDirectories(root.resolve("proc/self"));
    Files.write(root.resolve("proc/self/auxv"), auxv.array());
    write(
        "proc/self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max processes             63448                63448                processes
        Max locked memory         8388608              unlimited            bytes
        """);
    status(WITHOUT_IPC_LOCK, "     3072 kB");
    namespace(INITIAL);
    write(
        "proc/meminfo",
        """
        MemTotal:       16000000 kB
        HugePages_Total:       9
        HugePages_Free:        7
        Hugepagesize:       2048 kB
        """);
    write("proc/cpuinfo", CPUINFO.formatted("GenuineIntel", 6, 63, "Xeon E5-2680 v3"));
    write("proc/self/cgroup", "0::/app\n");
    write("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cgroup/app/memory.max", "2147483648\n");
    write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    write("proc/filesystems", "nodev\tsysfs\n\text4\n");
    write("proc/sys/vm/max_map_count", "65530\n");
    write("proc/self/maps", "1000-2000 r--p\n3000-4000 rw-p\n");
    write("sys/module/ib_core/taint", "\n");
    Path libraries = Files.createDirectories(root.resolve("usr/lib/x86_64-linux-gnu"));
    write("usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0", "");
    Files.createSymbolicLink(
        libraries.resolve("libibverbs.so.1"), Path.of("libibverbs.so.1.14.44.0"));
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void status(String capabilities, String pinned) throws IOException {
    write(
        "proc/self/status",
        "Name:\tjava\nCapEff:\t%s\nVmLck:\t 0 kB\nVmPin:\t%s\n".formatted(capabilities, pinned));
  }

  private void namespace(String target) throws IOException {
    Path link = root.resolve("proc/self/ns/user");
    Files.createDirectories(link.getParent());
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, Path.of(target));
  }

  private Host read() {
    return LiveHost.read(root).host();
  }

  private String reason(String field) {
    return String.valueOf(LiveHost.read(root).reasons().get(field));
  }

  @Test
  void readsAHost() {
    LiveHost live = LiveHost.read(root);
    Map<String, Object> expected = new HashMap<>();
    expected.put("kernel", 6012);
    expected.put("stack", DriverStack.INBOX);
    expected.put("rdmaCore", 44);
    expected.put("pageSize", 16384L);
    expected.put("memlock", 8388608L);
    expected.put("memlockHard", Long.MAX_VALUE);
    expected.put("ipcLock", false);
    expected.put("pinnedPages", 192L);
    expected.put("ram", 16_000_000L * 1024);
    expected.put("memoryLimit", 2L << 30);
    expected.put("hugePageSize", 2L << 20);
    expected.put("hugePagesFree", 7L);
    expected.put("thp", HugePagePolicy.MADVISE);
    expected.put("selinux", SelinuxMode.DISABLED);
    expected.put("copyOnFork", true);
    expected.put("forkProtection", false);
    expected.put("maxMapCount", 65530L);
    expected.put("mappings", 2L);
    expected.put("hugePagesSafe", false);
    expected.put("peerMemory", false);
    expected.put("cpu", Cpu.INTEL_HASWELL_BROADWELL);
    assertThat(live.host()).isEqualTo(Host.TYPE.of(expected));
    assertThat(live.sources()).containsOnlyKeys(expected.keySet());
    assertThat(live.sources())
        .containsEntry("memlockHard", "/proc/self/limits, Max locked memory, hard")
        .containsEntry("memoryLimit", "/sys/fs/cgroup/app/memory.max");
    assertThat(live.reasons())
        .containsOnlyKeys("dmaBounce", "logNumMtt", "logMttsPerSeg", "hugetlbLimit", "gpuBarSize");
    assertThat(live.reasons()).containsEntry("logNumMtt", "mlx4_core is not loaded");
  }

  @ParameterizedTest
  @CsvSource({
    "AuthenticAMD, 25, 1, AMD EPYC 7763 64-Core Processor, AMD_EPYC",
    "AuthenticAMD, 25, 33, AMD Ryzen 9 5950X 16-Core Processor, OTHER",
    "GenuineIntel, 6, 63, Intel(R) Xeon(R) CPU E5-2680 v3, INTEL_HASWELL_BROADWELL",
    "GenuineIntel, 6, 79, Intel(R) Xeon(R) CPU E5-2680 v4, INTEL_HASWELL_BROADWELL",
    "GenuineIntel, 6, 85, Intel(R) Xeon(R) Gold 6130 CPU, OTHER",
    "GenuineIntel, 15, 63, an old one, OTHER"
  })
  void tellsProcessorsApart(String vendor, String family, String model, String name, Cpu cpu)
      throws IOException {
    write("proc/cpuinfo", CPUINFO.formatted(vendor, family, model, name));
    assertThat(read().cpu()).isEqualTo(cpu);
  }

  @Test
  void peerMemoryIsAModule() throws IOException {
    write("sys/module/nvidia_peermem/initstate", "live\n");
    assertThat(read().peerMemory()).isTrue();
  }

  @Test
  void anUnlimitedMemlockIsNoLimit() throws IOException {
    write("proc/self/limits", "Max locked memory         unlimited            unlimited   bytes\n");
    assertThat(read().memlock()).isEqualTo(Long.MAX_VALUE);
    write("proc/self/limits", "Max locked memory         18446744073709551615 1 bytes\n");
    assertThat(read().memlock()).isEqualTo(Long.MAX_VALUE);
    write("proc/self/limits", "Max locked memory         some 1 bytes\n");
    assertThat(read().memlock()).isNull();
    assertThat(reason("memlock")).isEqualTo("Max locked memory is no number: some");
    write("proc/self/limits", "Max processes 1 1 processes\n");
    assertThat(reason("memlock")).contains("no Max locked memory");
  }

  @Test
  void ipcLockCountsInTheInitialUserNamespaceOnly() throws IOException {
    status(WITH_IPC_LOCK, "0 kB");
    assertThat(read().ipcLock()).isTrue();
    namespace("user:[4026532201]");
    assertThat(read().ipcLock()).isFalse();
    Files.delete(root.resolve("proc/self/ns/user"));
    assertThat(read().ipcLock()).isNull();
    assertThat(reason("ipcLock")).contains("uid_map");
    write("proc/self/uid_map", "         0          0 4294967295\n");
    assertThat(read().ipcLock()).isTrue();
    write("proc/self/uid_map", "         0     100000      65536\n");
    assertThat(read().ipcLock()).isFalse();
    status("all of them", "0 kB");
    assertThat(reason("ipcLock")).isEqualTo("CapEff is no number: all of them");
  }

  @Test
  void aPageSizeThatIsNoneEndsNoReading() throws IOException {
    Path meminfo = root.resolve("proc/meminfo");
    Files.writeString(meminfo, Files.readString(meminfo).replace("2048 kB", "3000 kB"));
    assertThat(read().hugePageSize()).isNull();
    assertThat(read().ram()).isNotNull();
    assertThat(reason("hugePageSize"))
        .isEqualTo("hugePageSize is a power of two of at least 4KiB, not 3000KiB");
  }

  @Test
  void pinnedPagesNeedThePageSize() throws IOException {
    Files.write(root.resolve("proc/self/auxv"), new byte[7]);
    assertThat(read().pageSize()).isNull();
    assertThat(read().pinnedPages()).isNull();
    assertThat(reason("pageSize")).contains("no AT_PAGESZ");
    assertThat(reason("pinnedPages")).isEqualTo("the page size is unknown");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "ib_core/taint, '', INBOX",
        "ib_core/taint, OE, VENDOR",
        "mlx5_core/taint, OE, VENDOR",
        "mlx5_core/version, 24.10-1.1.4, VENDOR",
        "mlx5_core/version, 5.0-0, INBOX",
        "mlx_compat/taint, '', VENDOR",
        "efa/taint, OE, -",
        "vmw_pvrdma/taint, '', INBOX",
      })
  void tellsTheStack(String file, String text, @Nullable DriverStack expected) throws IOException {
    write("sys/module/" + file, text + "\n");
    assertThat(read().stack()).isEqualTo(expected);
  }

  @Test
  void withoutModulesTheStackIsUnknown() throws IOException {
    Files.delete(root.resolve("sys/module/ib_core/taint"));
    Files.delete(root.resolve("sys/module/ib_core"));
    assertThat(read().stack()).isNull();
    assertThat(reason("stack")).isEqualTo("no RDMA module is loaded");
  }

  @Test
  void tellsWhatSelinuxDoes() throws IOException {
    write("proc/filesystems", "nodev\tselinuxfs\n");
    assertThat(reason("selinux")).contains("/sys/fs/selinux/enforce is not to be seen");
    write("sys/fs/selinux/enforce", "1");
    assertThat(read().selinux()).isEqualTo(SelinuxMode.ENFORCING);
    write("sys/fs/selinux/enforce", "0");
    assertThat(read().selinux()).isEqualTo(SelinuxMode.PERMISSIVE);
    write("sys/fs/selinux/enforce", "maybe");
    assertThat(reason("selinux")).isEqualTo("/sys/fs/selinux/enforce holds maybe");
  }

  @Test
  void readsParametersOfMlx4AndTakesNoDefaultForThem() throws IOException {
    write("sys/module/mlx4_core/parameters/log_mtts_per_seg", "3\n");
    assertThat(read().logMttsPerSeg()).isEqualTo(3);
    assertThat(read().logNumMtt()).isNull();
    assertThat(reason("logNumMtt")).contains("this mlx4_core has no parameter log_num_mtt");
    write("sys/module/mlx4_core/parameters/log_num_mtt", "24\n");
    assertThat(read().logNumMtt()).isEqualTo(24);
    write("sys/module/mlx4_core/parameters/log_num_mtt", "0\n");
    assertThat(reason("logNumMtt")).contains("is 0, so the driver chooses by itself");
    write("sys/module/mlx4_core/parameters/log_num_mtt", "many\n");
    assertThat(reason("logNumMtt")).contains("is no number: many");
  }

  @Test
  void forkProtectionComesOfTheEnvironmentAndCopyOnForkOfTheKernel() throws IOException {
    Host asked = LiveHost.read(new SystemFiles(root), Map.of("IBV_FORK_SAFE", "0")).host();
    assertThat(asked.forkProtection()).isTrue(); // any value: libibverbs looks no further
    write("proc/sys/kernel/osrelease", "5.10.0-8\n");
    assertThat(read().copyOnFork()).isNull();
    assertThat(reason("copyOnFork")).contains("rdma system show");
  }

  @Test
  void aFileThatMayNotBeReadIsNamed() {
    SystemFiles denied =
        new SystemFiles(root) {
          @Override
          byte[] bytes(String file) throws IOException {
            if (file.equals("/proc/self/limits")) {
              throw new AccessDeniedException(root + file);
            }
            return super.bytes(file);
          }
        };
    LiveHost live = LiveHost.read(denied, Map.of());
    assertThat(live.host().memlock()).isNull();
    assertThat(live.host().pageSize()).isEqualTo(16384);
    assertThat(live.reasons())
        .containsEntry("memlock", "/proc/self/limits may not be read by this user");
  }

  @Test
  void severalLibrariesLeaveTheirVersionUnknown() throws IOException {
    write("usr/lib64/libibverbs.so.1.14.57.0", "");
    assertThat(read().rdmaCore()).isNull();
    assertThat(reason("rdmaCore"))
        .isEqualTo("several libibverbs.so.1 are installed, of rdma-core [44, 57]");
    write("usr/lib64/libibverbs.so.1.14.57.0.bak", "");
    Files.delete(root.resolve("usr/lib64/libibverbs.so.1.14.57.0"));
    assertThat(read().rdmaCore()).isEqualTo(44);
  }

  @Test
  void nothingThereIsNoFailure(@TempDir Path empty) {
    LiveHost live = LiveHost.read(empty);
    assertThat(live.host())
        .isEqualTo(Host.TYPE.of(Map.of("forkProtection", false, "hugePagesSafe", false)));
    assertThat(live.reasons().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Host.TYPE.fields().stream()
                .map(field -> field.name())
                // the environment is always there
                .filter(name -> !name.equals("forkProtection") && !name.equals("hugePagesSafe"))
                .toList());
    live.reasons().values().forEach(why -> assertThat(why).doesNotContain(empty.toString()));
  }

  @Test
  void nonsenseIsNoFailure() throws IOException {
    for (String file :
        new String[] {"limits", "status", "auxv", "uid_map", "cgroup", "mountinfo"}) {
      write("proc/self/" + file, "\0\uffff nonsense: \n:\n");
    }
    write("proc/sys/kernel/osrelease", "");
    assertThat(read().kernel()).isNull();
    assertThat(read().memlock()).isNull();
    assertThat(read().pageSize()).isNull();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void readsThisHost() {
    LiveHost live = LiveHost.read();
    assertThat(live.host().kernel()).isNotNull();
    assertThat(live.host().pageSize()).isIn(4096L, 16384L, 65536L);
    assertThat(live.host().memlock()).isNotNull();
    assertThat(live.host().ipcLock()).isNotNull();
    assertThat(live.host().maxMapCount()).isGreaterThan(1000); // not its first digit
    live.reasons().values().forEach(reason -> assertThat(reason).doesNotContain("\n"));
  }
}

package org.pinwise.engine.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.advice.Capacity.Bound;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;

class CapacityTest {
  private static final long PAGE = 4096;

  private final Map<String, @Nullable Object> host = new HashMap<>();
  private final Map<String, @Nullable Object> device = new HashMap<>();
  private Profile profile = Profile.KERNEL;
  private @Nullable Long memoryPageSize;

  CapacityTest() {
    host.put("kernel", Kernel.V6_12);
    host.put("pageSize", PAGE);
    host.put("memlock", 8 * Size.MIB);
    host.put("ipcLock", false);
    host.put("pinnedPages", 768L);
    host.put("ram", 16 * Size.GIB);
    host.put("memoryLimit", Size.UNLIMITED);
    device.put("driver", "mlx5");
    device.put("maxMr", 1000L);
    device.put("maxMrSize", Size.UNLIMITED);
    device.put("mrInUse", 10L);
    device.put("objectLimit", Size.UNLIMITED);
  }

  private Device device() {
    return Device.TYPE.of(device);
  }

  private Host host() {
    return Host.TYPE.of(host);
  }

  private Capacity capacity() {
    return Capacity.of(device(), host(), memoryPageSize, RuleSet.builtIn().with(profile));
  }

  private void assertBinds(String name, long bytes) {
    assertThat(capacity().binding()).map(Bound::name).contains(name);
    assertThat(capacity().bytes()).contains(bytes);
  }

  private Bound bound(String name) {
    return capacity().bounds().stream()
        .filter(bound -> bound.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void memlockCountsWholePagesAndWhatIsPinned() {
    assertBinds("memlock", 5 * Size.MIB);
    assertThat(capacity().isExact()).isTrue();
    assertThat(bound("memlock").basis())
        .isEqualTo("8MiB are 2048 pages of 4KiB, of which the process has pinned 768");
    assertThat(bound("memlock").beyond()).isEqualTo(Errno.ENOMEM);
    host.put("memlock", 8 * Size.MIB + PAGE - 1);
    assertBinds("memlock", 5 * Size.MIB);
    host.put("pageSize", 65536L); // the pinned pages are larger, too
    assertBinds("memlock", 0);
    host.put("pinnedPages", 3_000L);
    assertBinds("memlock", 0);
  }

  /** What is printed is accepted by the rules, and a page more is refused with what is printed. */
  @ParameterizedTest
  @CsvSource({"mlx5,768", "mlx5,0", "qedr,17", "siw,768", "hns,768"})
  void rulesAgreeToThePage(String driver, long pinned) {
    device.put("driver", driver);
    device.put("pinErrors", catalogue(driver).pinErrors());
    host.put("pinnedPages", pinned);
    host.put("stack", org.pinwise.rules.model.DriverStack.INBOX);
    long bytes = capacity().bytes().orElseThrow();
    assertThat(verdict(bytes)).isInstanceOf(Accepted.class);
    assertThat(verdict(bytes + PAGE).errno()).contains(capacity().binding().orElseThrow().beyond());
  }

  private static Device catalogue(String driver) {
    return DeviceCatalog.load().byDriver(driver).orElseThrow().facts(Kernel.V6_12);
  }

  private Verdict verdict(long bytes) {
    MrRequest request =
        MrRequest.range(0x7f00_0000_0000L, bytes).access(AccessFlag.LOCAL_WRITE).build();
    return MrValidator.create(RuleSet.builtIn())
        .validate(Facts.of(request).withDevice(device()).withHost(host()));
  }

  @Test
  void aCapabilityThatCountsLiftsMemlock() {
    host.put("ipcLock", true);
    assertBinds("ram", 16 * Size.GIB);
    assertThat(capacity().isExact()).isFalse(); // other things need memory, too
    assertThat(bound("memlock").bytes()).isEqualTo(Size.UNLIMITED);
    host.put("memoryLimit", Size.GIB);
    assertBinds("group", Size.GIB);
  }

  @Test
  void siwAsksPrivilegedProcessesToo() {
    host.put("ipcLock", true);
    device.put("driver", "siw");
    host.put("kernel", Kernel.V6_1);
    assertBinds("memlock", 5 * Size.MIB);
    host.put("kernel", Kernel.V6_8);
    assertBinds("ram", 16 * Size.GIB);
  }

  @Test
  void nothingMayBeLockedAtAll() {
    host.put("memlock", 0L);
    assertBinds("memlock", 0);
    assertThat(bound("memlock").beyond()).isEqualTo(Errno.EPERM);
  }

  @Test
  void whatIsUnknownIsListedAndTheAnswerIsAtMost() {
    host.put("pinnedPages", null);
    assertBinds("memlock", 8 * Size.MIB);
    assertThat(capacity().isExact()).isFalse();
    assertThat(bound("memlock").needs()).containsExactly("host.pinnedPages");
    host.put("pinnedPages", 768L);
    device.put("maxMr", null);
    assertBinds("memlock", 5 * Size.MIB);
    assertThat(capacity().isExact()).isFalse();
    assertThat(capacity().unknown()).extracting(Bound::name).containsExactly("regions");
    assertThat(bound("regions").needs()).containsExactly("device.maxMr");
    Capacity nothing = Capacity.of(Device.UNKNOWN, Host.UNKNOWN, null, RuleSet.builtIn());
    assertThat(nothing.binding()).isEmpty();
    assertThat(nothing.unknown()).hasSameSizeAs(nothing.bounds());
  }

  @Test
  void regionsThatAreLeftAreCounted() {
    host.put("ipcLock", true);
    device.put("maxMrSize", Size.MIB);
    assertBinds("regions", 990 * Size.MIB);
    device.put("mrInUse", 1000L);
    assertBinds("regions", 0);
    device.put("mrInUse", 2000L);
    assertBinds("regions", 0);
    device.put("driver", "irdma"); // it reports what is left
    assertBinds("regions", 1000 * Size.MIB);
    device.put("mrInUse", null);
    assertThat(bound("regions").exact()).isTrue();
  }

  @Test
  void objectsOfTheControlGroupAreCounted() {
    device.put("maxMrSize", Size.MIB);
    device.put("objectLimit", 7L);
    device.put("objectsInUse", 3L);
    assertBinds("rdma.max", 4 * Size.MIB);
    assertThat(bound("rdma.max").beyond()).isEqualTo(Errno.EAGAIN);
    device.put("maxMrSize", Size.UNLIMITED);
    assertBinds("memlock", 5 * Size.MIB);
    device.put("objectsInUse", 7L);
    assertBinds("rdma.max", 0);
  }

  @Test
  void mlx4sFormulaTakesNoDefaultForAParameterThatIsAbsent() {
    host.put("ipcLock", true);
    host.put("ram", Size.TIB);
    device.put("driver", "mlx4");
    assertThat(bound("mtt").bytes()).isNull();
    assertThat(bound("mtt").needs()).containsExactly("host.logNumMtt", "host.logMttsPerSeg");
    host.put("logMttsPerSeg", 3);
    assertThat(bound("mtt").needs()).containsExactly("host.logNumMtt");
    host.put("logNumMtt", 20);
    assertBinds("mtt", 32 * Size.GIB);
    memoryPageSize = 2 * Size.MIB;
    assertThat(bound("mtt").bytes()).isEqualTo(16 * Size.TIB);
    host.put("logNumMtt", 60);
    assertThat(bound("mtt").bytes()).isEqualTo(Size.UNLIMITED);
    device.put("driver", "mlx5");
    assertThat(capacity().bounds()).extracting(Bound::name).doesNotContain("mtt");
  }

  @Test
  void aTeamMayAllowAShareOfRam() {
    host.put("ipcLock", true);
    assertThat(capacity().bounds()).extracting(Bound::name).doesNotContain("ramShare");
    profile =
        new Profile(
            "team",
            Map.of("MR048", new Profile.Setting(null, null, Map.of("ratioPercent", 50L), "t")));
    host.put("ram", 1000L * PAGE);
    assertBinds("ramShare", 500 * PAGE);
  }

  @Test
  void tuningStepsTellTheirTrueCost() {
    assertThat(MttTuning.steps(3, PAGE))
        .extracting(MttTuning::toString)
        .containsExactly(
            "log_num_mtt=20 (as it comes): 32GiB can be registered; 1 times the entries, 64MiB of"
                + " host memory",
            "log_num_mtt=22 (many small messages): 128GiB can be registered; 4 times the entries,"
                + " 256MiB of host memory",
            "log_num_mtt=24 (bulk transfer): 512GiB can be registered; 16 times the entries, 1GiB"
                + " of host memory",
            "log_num_mtt=26 (persistent memory): 2TiB can be registered; 64 times the entries, 4GiB"
                + " of host memory");
  }
}

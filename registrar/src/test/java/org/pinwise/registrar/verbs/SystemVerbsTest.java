package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.lang.foreign.MemorySegment;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.verbs.Unavailability.Reason;
import org.pinwise.rules.model.Errno;

/** What {@link Verbs#system()} says in each state of a machine; in a JVM of its own if need be. */
class SystemVerbsTest {

  /** Prints what a program sees. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      Verbs verbs = Verbs.system();
      String first = line(verbs);
      System.out.println(first);
      System.out.println(line(Verbs.system()).equals(first) ? "same" : "different");
    }

    private static String line(Verbs verbs) {
      return verbs
          .unavailability()
          .map(why -> why.reason() + "|" + why.errno() + "|" + why.message())
          .orElse("AVAILABLE|0|" + verbs);
    }
  }

  @Test
  void onThisMachineItIsTheLibraryOrATypedReason() {
    Verbs verbs = Verbs.system();

    if (verbs.unavailability().isEmpty()) {
      assertThat(verbs).isInstanceOf(LibibverbsVerbs.class);
    } else {
      Unavailability why = verbs.unavailability().get();
      assertThat(why.reason()).isIn(Reason.LIBRARY_MISSING, Reason.NO_DEVICES);
      assertThat(why.message()).isNotBlank().doesNotContain("\n");
      assertThat(verbs.listDevices()).isInstanceOf(Result.Failed.class);
      assertThat(verbs.openDevice("mlx5_0")).isInstanceOf(Result.Failed.class);
    }
    assertThat(verbs.isSimulated()).isFalse();
  }

  @Test
  void theSystemsLibraryWithoutADevice() {
    Verbs library = LibibverbsVerbs.load(List.of("libibverbs.so.1"));
    assumeTrue(library.unavailability().isEmpty(), "skipped: libibverbs is not installed");
    assumeTrue(
        !new File("/sys/class/infiniband").exists(), "skipped: this machine has RDMA support");

    assertThat(Verbs.system().unavailability())
        .get()
        .satisfies(why -> {
          assertThat(why.reason()).isEqualTo(Reason.NO_DEVICES);
          assertThat(why.errno()).isEqualTo(Errno.ENOSYS.number());
          assertThat(why.message())
              .isEqualTo(
                  "this machine has no RDMA device: ibv_get_device_list failed with ENOSYS."
                      + " The kernel has no RDMA driver loaded (ib_uverbs and one for the"
                      + " device).");
        });
  }

  @Test
  void aLibraryWithDevices() throws Exception {
    Path library = FakeLibrary.file();

    assertThat(probe(Map.of(), "--enable-native-access=ALL-UNNAMED", property(library)))
        .containsExactly("AVAILABLE|0|verbs of " + library, "same");
  }

  @Test
  void aLibraryWithAnEmptyList() throws Exception {
    Path library = FakeLibrary.file();

    assertThat(
            probe(
                Map.of("FAKE_IBVERBS_EMPTY", "1"),
                "--enable-native-access=ALL-UNNAMED",
                property(library)))
        .containsExactly(
            "NO_DEVICES|19|this machine has no RDMA device: " + library + " lists none.", "same");
  }

  @Test
  void aLibraryThatMayNotList() throws Exception {
    assertThat(
            probe(
                Map.of("FAKE_IBVERBS_ERRNO", "1"),
                "--enable-native-access=ALL-UNNAMED",
                property(FakeLibrary.file())))
        .containsExactly(
            "NO_DEVICES|1|this machine has no RDMA device: ibv_get_device_list failed with EPERM.",
            "same");
  }

  @Test
  void noLibrary() throws Exception {
    assertThat(
            probe(
                Map.of(),
                "--enable-native-access=ALL-UNNAMED",
                property(Path.of("/no/such/libibverbs.so.1"))))
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("LIBRARY_MISSING|0|libibverbs is not installed")
                    .contains("/no/such/libibverbs.so.1"),
            line -> assertThat(line).isEqualTo("same"));
  }

  @Test
  void noNativeAccess() throws Exception {
    String expected =
        "NATIVE_ACCESS_DENIED|0|native access is not enabled for the class path."
            + " Start java with --enable-native-access=ALL-UNNAMED.";

    // One line, and not the four lines of the JVM's own warning, in each of its modes.
    assertThat(probe(Map.of())).containsExactly(expected, "same");
    assertThat(probe(Map.of(), "--illegal-native-access=deny")).containsExactly(expected, "same");
    assertThat(probe(Map.of(), "--enable-native-access=java.base"))
        .containsExactly(expected, "same");
  }

  @Test
  void unavailableVerbsListAndOpenNothing() {
    Verbs verbs =
        new UnavailableVerbs(new Unavailability(Reason.LIBRARY_MISSING, 0, "no library here"));

    assertThat(verbs.listDevices()).isEqualTo(new Result.Failed<>(Errno.ENOSYS.number()));
    assertThat(verbs.openDevice("mlx5_0")).isEqualTo(new Result.Failed<>(Errno.ENOSYS.number()));
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    assertThat(verbs.hasRegMrIova2()).isFalse();

    DeviceContext stray =
        new DeviceContext(
            verbs,
            new DeviceInfo("stray0", NodeType.CA, TransportType.IB, "", "", ""),
            MemorySegment.NULL);
    assertThatThrownBy(() -> verbs.closeDevice(stray))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("context of stray0");
    assertThatThrownBy(() -> verbs.allocPd(stray)).isInstanceOf(IllegalArgumentException.class);
  }

  private static String property(Path library) {
    return "-D" + LibibverbsVerbs.LIBRARY_PROPERTY + "=" + library;
  }

  /** Runs {@link Probe} and returns what it printed, on either stream. */
  private static List<String> probe(Map<String, String> environment, String... options)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "-cp",
            String.join(
                File.pathSeparator, home(Probe.class), home(Verbs.class), home(Errno.class)),
            Probe.class.getName()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }

  private static String home(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }
}

package org.pinwise.registrar.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTargetsTest {
  private static final Path ANOTHER_LIBRARY =
      Path.of(System.getProperty("java.home"), "lib", "libjimage.so");

  @TempDir private Path root;

  @BeforeEach
  void recordedKernel() throws IOException {
    write("proc/sys/kernel/osrelease", "6.12.117+deb12-amd64\n");
    write("proc/kallsyms", Recorded.text("kallsyms.txt"));
  }

  private Path write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  @Test
  void functionsOfTheRunningKernel() {
    TraceTargets targets = TraceTargets.read(root, null);

    assertThat(targets.kernelRelease()).isEqualTo("6.12.117+deb12-amd64");
    assertThat(targets.kernelFunctions())
        .isEqualTo(
            Map.of(
                "ib_uverbs_reg_mr", "ib_uverbs",
                "ib_umem_get", "ib_uverbs",
                "ib_umem_release", "ib_uverbs",
                "ib_dereg_mr_user", "ib_core",
                "rxe_reg_user_mr", "rdma_rxe",
                "siw_reg_user_mr", "siw"));
    assertThat(targets.drivers()).containsExactly("rxe_reg_user_mr", "siw_reg_user_mr");
  }

  @Test
  void theLibraryIsFollowedToItsFile() throws IOException {
    Path folder = Files.createDirectories(root.resolve("usr/lib/x86_64-linux-gnu"));
    Files.copy(ANOTHER_LIBRARY, folder.resolve("libibverbs.so.1.14.44.0"));
    Files.createSymbolicLink(folder.resolve("libibverbs.so.1"), Path.of("libibverbs.so.1.14.44.0"));
    TraceTargets targets = TraceTargets.read(root, null);

    assertThat(targets.library().orElseThrow().getFileName())
        .hasToString("libibverbs.so.1.14.44.0");
    assertThat(targets.rdmaCore()).hasValue(44);
    assertThat(targets.libraryFunctions()).as("it is another library, after all").isEmpty();
  }

  @Test
  void theLibraryOfAProcessIsFoundByItsMappings() throws IOException {
    write(
        "proc/77/maps",
        """
        7f00-7f01 r-xp 00000000 fe:00 1 /usr/lib/libc.so.6
        7f02-7f03 r-xp 00000000 fe:00 2 /opt/rdma/lib/libibverbs.so.1.14.44.0
        """);
    TraceTargets targets = TraceTargets.read(root, 77L);

    assertThat(targets.library())
        .contains(root.resolve("proc/77/root/opt/rdma/lib/libibverbs.so.1.14.44.0"));
    assertThat(targets.problems()).anyMatch(problem -> problem.contains("cannot be read as"));
    assertThat(TraceTargets.read(root, 78L).problems())
        .anyMatch(problem -> problem.contains("proc/78/maps cannot be read"));
  }

  @Test
  void whatIsNotKnownIsSaid() throws IOException {
    write("proc/kallsyms", "0000000000000000 T schedule\n");
    TraceTargets targets = TraceTargets.read(root, null);

    assertThat(targets.kernelFunctions()).isEmpty();
    assertThat(targets.problems())
        .anyMatch(problem -> problem.contains("the module ib_uverbs is not loaded"))
        .anyMatch(problem -> problem.contains("no driver of an RDMA device is loaded"))
        .anyMatch(problem -> problem.startsWith("libibverbs.so.1 is in none of the usual folders"));
  }
}

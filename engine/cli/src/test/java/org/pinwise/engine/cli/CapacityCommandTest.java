package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CapacityCommandTest {
  private static final String HOST =
      "host: {kernel: \"6.12\", pageSize: 4096, memlock: 8MiB, ipcLock: false, pinnedPages: 768,"
          + " ram: 16GiB, memoryLimit: unlimited}\n";

  @TempDir Path folder;

  private Run capacity(String facts, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("facts.yaml"), facts);
    List<String> args = new ArrayList<>(List.of("capacity", "--host", file.toString()));
    args.addAll(List.of(options));
    return Run.of(args.toArray(String[]::new));
  }

  @Test
  void namesTheBoundThatBindsAndWhatIsUnknown() throws IOException {
    Run run = capacity(HOST, "--device", "connectx5");

    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .startsWith("at most 5MiB more: memlock binds; beyond it ENOMEM\n  change  Raise RLIMIT")
        .contains("8MiB are 2048 pages of 4KiB, of which the process has pinned 768")
        .containsPattern("rdma.max +unknown +without --device \\(objectLimit\\)")
        .doesNotContain("mlx4");
  }

  @Test
  void isExactWhereAllIsKnown() throws IOException {
    Path device =
        Files.writeString(
            folder.resolve("device.yaml"),
            "device: {catalog: rxe, maxMr: 100, mrInUse: 3, objectLimit: unlimited}\n");
    Run run = capacity(HOST, "--device", device.toString());

    assertThat(run.out()).startsWith("5MiB more: memlock binds; beyond it ENOMEM\n");
  }

  @Test
  void tellsTheTrueCostOfMlx4sTable() throws IOException {
    String mlx4 = HOST.replace("memlock: 8MiB", "memlock: unlimited, logMttsPerSeg: 3");
    Run run = capacity(mlx4, "--device", "connectx3");

    assertThat(run.out())
        .containsPattern("mtt +unknown +without --host \\(logNumMtt\\)")
        .contains("log_num_mtt=26 (persistent memory): 2TiB can be registered; 64 times");
    String set = mlx4.replace("logMttsPerSeg: 3", "logMttsPerSeg: 3, logNumMtt: 18");
    assertThat(capacity(set, "--device", "connectx3").out())
        .startsWith("at most 8GiB more: mtt binds; beyond it ENOMEM");
    assertThat(
            capacity(set, "--device", "connectx3", "--memory", "kind=hugetlb,pageSize=2MiB").out())
        .containsPattern("mtt +4TiB +2\\^18 x 2\\^3 entries of 2MiB");
  }

  @Test
  void jsonFollowsItsSchema() throws IOException {
    Run known = capacity(HOST, "--device", "connectx3", "--format", "json");
    Run unknown = capacity("host: {kernel: \"6.12\"}\n", "--format", "json");

    Schemas.assertFits("pinwise-capacity-1", known.out());
    Schemas.assertFits("pinwise-capacity-1", unknown.out());
    assertThat(known.out()).contains("\"bytes\": \"5242880\"", "\"binding\": \"memlock\"");
    assertThat(unknown.out()).contains("\"bytes\": null", "\"exact\": false");
  }

  @Test
  void takesThisHostAndAnyOfItsProcesses() {
    String pid = String.valueOf(ProcessHandle.current().pid());
    Run here = Run.of("capacity");
    Run process = Run.of("capacity", "--pid", pid);

    assertThat(here.exit()).isZero();
    assertThat(here.out()).contains("note: the host is this one\n").containsPattern("  ram +\\d+");
    assertThat(process.out()).contains("note: the host is this one, its process " + pid);
    assertThat(Run.of("capacity", "--pid", pid, "--host", "x.yaml").err())
        .contains("--pid: is of this host");
  }
}

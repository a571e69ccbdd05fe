package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.facts.HostReport;

class DoctorTest {
  @TempDir Path root;

  private static Run doctor(HostReport report, String... options) {
    return Run.command("doctor", context -> new DoctorCommand(context, () -> report), options);
  }

  @Test
  void tellsEachValueWithItsSourceAndEachUnknownWithItsReason() throws Exception {
    Run run = doctor(FakeHost.plain(root).report());

    assertThat(run.exit()).isZero();
    assertThat(run.out().lines())
        .anyMatch(line -> line.matches("  memlock +8MiB +/proc/self/limits, .*soft"))
        .anyMatch(line -> line.matches("  pinnedPages +768 +/proc/self/status, VmPin"))
        .anyMatch(line -> line.matches("  memoryLimit +1GiB +/sys/fs/cgroup/app/memory.max"))
        .anyMatch(line -> line.matches("  stack +unknown +no RDMA module is loaded"))
        .anyMatch(line -> line.matches("  CAP_IPC_LOCK +not effective +/proc/self/status.*"))
        .anyMatch(line -> line.matches("  /dev/infiniband +unknown +there is no /dev/infiniband"))
        .contains("  none: the kernel lists none in /sys/class/infiniband")
        .anyMatch(line -> line.contains("HOST002: RLIMIT_MEMLOCK is 8MiB"))
        .anyMatch(line -> line.contains("HOST004: the control group allows 1GiB of 16GiB"))
        .noneMatch(line -> line.contains("HOST003"));
    assertThat(run.out()).doesNotContain(root.toString());
  }

  @Test
  void tellsOfADevice() throws Exception {
    Run run = doctor(FakeHost.plain(root).mlx5().report());

    assertThat(run.out().lines())
        .contains("device mlx5_0")
        .anyMatch(line -> line.matches("  driver +mlx5 +/sys/class/infiniband/mlx5_0/device/.*"))
        .anyMatch(line -> line.matches("  transport +infiniband .*"))
        .anyMatch(line -> line.matches("  numaNode +1 .*"))
        .anyMatch(line -> line.matches("  objectLimit +10 +/sys/fs/cgroup/app/rdma.max, hca.*"))
        .anyMatch(line -> line.matches("  mrInUse +unknown .*"))
        .anyMatch(line -> line.matches("  maxMr +unknown +the device was not asked"))
        .anyMatch(line -> line.matches("  mlx5_core.prof_sel +2 .*"))
        .anyMatch(line -> line.contains("HOST011: mlx5_0: 9 of 10 objects are in use"))
        .anyMatch(line -> line.contains("HOST013: mlx5_0: relaxed ordering is off"));
  }

  @Test
  void jsonFollowsItsSchema() throws Exception {
    FakeHost host = FakeHost.plain(root);
    Run plain = doctor(host.report(), "--format", "json");
    Run device = doctor(host.mlx5().report(), "--format", "json");

    Schemas.assertFits("pinwise-doctor-1", plain.out());
    Schemas.assertFits("pinwise-doctor-1", device.out());
    assertThat(plain.out().replaceAll("\\s+", ""))
        .contains("\"memlock\":{\"value\":\"8388608\",\"source\"")
        .contains("\"dmaBounce\":{\"value\":null,\"reason\"");
    assertThat(device.out()).contains("HOST011");
  }

  @Test
  void whatIsSavedIsTakenByCheck() throws Exception {
    Path file = root.resolve("host.yaml");
    Run saved = doctor(FakeHost.plain(root).mlx5().report(), "--save", file.toString());
    Run check =
        Run.of(
            "check",
            "--host",
            file.toString(),
            "--device",
            file.toString(),
            "--access",
            "LOCAL_WRITE",
            "--length",
            "6MiB",
            "--format",
            "json");

    assertThat(saved.exit()).isZero();
    assertThat(saved.err()).isEqualTo("facts are in " + file + System.lineSeparator());
    assertThat(Files.readString(file))
        .contains("# host.dmaBounce is unknown: ")
        .contains("pinnedPages: 768");
    // 3 MiB are pinned of 8.
    assertThat(check.out()).contains("\"decision\": \"rejected\"", "MR013/pinned");
  }

  @Test
  void whatIsSavedIsTakenByLintAsTheHostOfAPlan() throws Exception {
    Path file = root.resolve("saved.yaml");
    doctor(FakeHost.plain(root).mlx5().report(), "--save", file.toString());
    Path plan = root.resolve("job.pinwise.yaml");
    String text =
        """
        schema: pinwise-plan/1
        host: saved.yaml
        device: saved.yaml
        plan:
          regions:
            - {length: 6MiB, access: [LOCAL_WRITE]}
        """;
    Files.writeString(plan, text);

    Run lint = Run.of("lint", plan.toString());
    assertThat(lint.exit()).isEqualTo(1);
    assertThat(lint.out()).contains(":6:16: error MR013/pinned: 6MiB and the 768 pages pinned");
    assertThat(Run.of("check", "--plan", plan.toString()).out()).contains("MR013/pinned");

    Files.writeString(plan, text.replace("6MiB", "4MiB"));
    assertThat(Run.of("lint", plan.toString()).exit()).isZero();
  }

  @Test
  void refusesInOneLine() throws Exception {
    HostReport report = FakeHost.plain(root).report();

    assertThat(doctor(report, "--save", root.resolve("no/such").toString()).err())
        .endsWith("no/such: cannot be written: there is no such folder\n");
    assertThat(doctor(report, "--save", "").err()).contains("--save: the value is empty");
    assertThat(doctor(report, "--format", "xml").exit()).isEqualTo(2);
    assertThat(Run.of("doctor", "--pid", "me").err()).contains("--pid: me is no process id");
    assertThat(Run.of("doctor", "--pid", "4194305").err())
        .isEqualTo("pinwise doctor: --pid: there is no process 4194305\n");
  }

  @Test
  void readsThisHostAndAnyProcess() {
    Run own = Run.of("doctor");
    Run other = Run.of("doctor", "--pid", String.valueOf(ProcessHandle.current().pid()));

    assertThat(own.exit()).isZero();
    assertThat(own.out()).contains("host and process\n  kernel ").contains("\nadvice\n");
    assertThat(other.exit()).isZero();
    assertThat(other.out())
        .contains("/proc/%d/limits".formatted(ProcessHandle.current().pid()))
        .doesNotContain("/proc/self/limits");
  }
}

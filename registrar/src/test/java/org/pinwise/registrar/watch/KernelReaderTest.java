package org.pinwise.registrar.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelReaderTest {

  @TempDir private Path root;

  @Test
  void readsWhatWasRecorded() throws IOException {
    KernelView view = new Recorded().reader(root).read();

    assertThat(view.regions()).isEqualTo(Recorded.REGIONS);
    assertThat(view.counts()).isEqualTo(Map.of("rxe0", 1L, "siw0", 1L));
    assertThat(view.paging()).isEmpty();
    assertThat(view.counters()).isEqualTo(Map.of("rxe0/1/rcvd_seq_err", 7L));
    assertThat(view.problems()).isEmpty();
    assertThat(view.hasKeys()).isTrue();
    assertThat(view.isEmpty()).isFalse();
  }

  @Test
  void withoutPrivilegesThereAreNoKeys() throws IOException {
    KernelView view =
        new Recorded()
            .with("-j resource show mr", Recorded.text("resource-show-mr-unprivileged.json"))
            .reader(root)
            .read();

    assertThat(view.regions()).hasSize(2).allMatch(region -> region.lkey() == null);
    assertThat(view.hasKeys()).isFalse();
    assertThat(view.problems()).isEmpty();
  }

  @Test
  void figuresOfPagingAreSummedByDevice() throws IOException {
    KernelView view =
        new Recorded()
            .with("-j statistic show mr", Recorded.text("statistic-show-mr-odp.json"))
            .reader(root)
            .read();

    assertThat(view.paging())
        .isEqualTo(
            Map.of(
                "mlx5_0",
                Map.of("page_faults", 42L, "page_invalidations", 4L, "page_prefetch", 7L)));
  }

  @Test
  void withoutTheToolTheCountersAreThere() throws IOException {
    Path sysfs = Recorded.sysfs(root, Map.of("sent_pkts", "18446744073709551615"));
    KernelView view =
        new KernelReader(Tool.program("no-such-rdma", "install iproute2"), sysfs).read();

    assertThat(view.problems())
        .containsExactly("there is no program no-such-rdma; install iproute2");
    assertThat(view.counters()).isEqualTo(Map.of("rxe0/1/sent_pkts", -1L));
  }

  @Test
  void withoutDevicesNothingIsRun() {
    KernelView view =
        new KernelReader(new Recorded().rdma(), root.resolve("sys/class/infiniband")).read();

    assertThat(view.isEmpty()).isTrue();
    assertThat(view.problems())
        .singleElement()
        .asString()
        .startsWith("there is no " + root)
        .contains("no RDMA device");
  }

  @Test
  void whatTheToolPrintsMayBeWrong() throws IOException {
    assertThat(problem("not json"))
        .startsWith("what rdma -j resource show mr prints is no JSON from character 1 on");
    assertThat(problem("[{\"ifname\":\"rxe0\"}]")).startsWith("rdma prints a line without mrn");
    assertThat(problem("[{\"ifname\":7}]")).startsWith("rdma prints a line without ifname");
  }

  private String problem(String printed) throws IOException {
    return new Recorded()
        .with("-j resource show mr", printed)
        .reader(root)
        .read()
        .problems()
        .getFirst();
  }

  @Test
  void aProgramThatFailsSaysSo() throws IOException {
    Path script = root.resolve("fails");
    Files.writeString(script, "#!/bin/sh\necho 'Wrong device name' >&2\nexit 1\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    KernelView view =
        new KernelReader(
                Tool.program(script.toString(), "it is in the test"),
                Recorded.sysfs(root, Map.of()))
            .read();

    assertThat(view.problems())
        .containsExactly(
            "%s -j resource failed with exit status 1: Wrong device name".formatted(script));
  }
}

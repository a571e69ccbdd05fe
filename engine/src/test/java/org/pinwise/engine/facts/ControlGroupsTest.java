package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.facts.ControlGroups.Limit;
import org.pinwise.engine.facts.ControlGroups.Objects;

class ControlGroupsTest {
  private static final long NONE = Long.MAX_VALUE;

  @TempDir private Path root = Path.of("");

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
  }

  private void process(String membership, String mounts) throws IOException {
    write("proc/self/cgroup", membership);
    write("proc/self/mountinfo", mounts);
  }

  private void unified(String group) throws IOException {
    process("0::" + group, "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 none rw");
  }

  private Limit memory() throws Exception {
    return new ControlGroups(new SystemFiles(root)).memory();
  }

  private Objects objects(String device) throws Exception {
    return new ControlGroups(new SystemFiles(root)).objects(device);
  }

  @Test
  void theTightestGroupOnTheWayUpBinds() throws Exception {
    unified("/a/b/c");
    write("sys/fs/cgroup/a/memory.max", "1073741824");
    write("sys/fs/cgroup/a/b/memory.max", "max");
    write("sys/fs/cgroup/a/b/c/memory.max", "4294967296");
    write("sys/fs/cgroup/other/memory.max", "4096");
    assertThat(memory()).isEqualTo(new Limit(1L << 30, "/sys/fs/cgroup/a/memory.max"));
  }

  @Test
  void noGroupWithALimitIsNoLimit() throws Exception {
    unified("/a");
    write("sys/fs/cgroup/a/memory.max", "max");
    assertThat(memory()).isEqualTo(new Limit(NONE, "no group up to /sys/fs/cgroup has a limit"));
    unified("/");
    assertThat(memory().value()).isEqualTo(NONE);
  }

  @Test
  void aContainersOwnGroupIsTheRootThatItSees() throws Exception {
    unified("/");
    write("sys/fs/cgroup/memory.max", "536870912");
    assertThat(memory()).isEqualTo(new Limit(512L << 20, "/sys/fs/cgroup/memory.max"));
  }

  @Test
  void versionOneIsMountedPerController() throws Exception {
    process(
        "11:cpu,cpuacct:/docker/f00\n5:memory:/docker/f00\n0::/docker/f00",
        """
        29 24 0:25 /docker/f00 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct
        31 24 0:27 /docker/f00 /sys/fs/cgroup/memory ro master:11 - cgroup cgroup rw,memory
        32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\
        """);
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    assertThat(memory().value()).isEqualTo(NONE);
    // A group above, which the container does not see, shows in the statistics.
    write(
        "sys/fs/cgroup/memory/memory.stat",
        "cache 0\nhierarchical_memory_limit 268435456\nhierarchical_memsw_limit 1");
    assertThat(memory()).isEqualTo(new Limit(256L << 20, "/sys/fs/cgroup/memory/memory.stat"));
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728");
    assertThat(memory())
        .isEqualTo(new Limit(128L << 20, "/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  }

  @Test
  void aGroupThatIsNotMountedLeavesTheLimitUnknown() throws Exception {
    unified("/../sibling");
    assertThatThrownBy(this::memory)
        .isInstanceOf(UnknownException.class)
        .hasMessage("this process's group /../sibling is in nothing that cgroup2 mounts");
    process("0::/elsewhere", "30 24 0:26 /docker/f00 /sys/fs/cgroup rw - cgroup2 none rw");
    assertThatThrownBy(this::memory).hasMessageContaining("/elsewhere");
    process("0::/docker/f001", "30 24 0:26 /docker/f00 /sys/fs/cgroup rw - cgroup2 none rw");
    assertThatThrownBy(this::memory).hasMessageContaining("/docker/f001");
    process("0::/a", "30 24 0:26 / /proc rw - proc proc rw");
    assertThatThrownBy(this::memory).isInstanceOf(UnknownException.class);
    unified("/gone");
    assertThatThrownBy(this::memory).hasMessage("there is no /sys/fs/cgroup/gone");
    process("", "");
    assertThatThrownBy(this::memory).hasMessageContaining("names no group for memory");
  }

  @Test
  void nonsenseLeavesTheLimitUnknown() throws Exception {
    unified("/a");
    write("sys/fs/cgroup/a/memory.max", "lots");
    assertThatThrownBy(this::memory)
        .isInstanceOf(UnknownException.class)
        .hasMessage("/sys/fs/cgroup/a/memory.max is no number: lots");
  }

  @Test
  void namesWithBlanksAreRead() throws Exception {
    process("0::/my app", "30 24 0:26 / /sys/fs/c\\040group rw - cgroup2 none rw");
    write("sys/fs/c group/my app/memory.max", "4096");
    assertThat(memory().value()).isEqualTo(4096);
  }

  @Test
  void theGroupWithTheFewestObjectsLeftBinds() throws Exception {
    unified("/a/b");
    write("sys/fs/cgroup/a/rdma.max", "mlx5_0 hca_handle=max hca_object=100\nmlx5_1 hca_object=1");
    write("sys/fs/cgroup/a/rdma.current", "mlx5_0 hca_handle=1 hca_object=95");
    write("sys/fs/cgroup/a/b/rdma.max", "mlx5_0 hca_handle=2 hca_object=20");
    write("sys/fs/cgroup/a/b/rdma.current", "mlx5_0 hca_handle=1 hca_object=7");
    assertThat(objects("mlx5_0")).isEqualTo(new Objects(100, 95, "/sys/fs/cgroup/a/rdma.max"));
    assertThat(objects("mlx5_0").left()).isEqualTo(5);
    assertThat(objects("mlx5_1")).isEqualTo(new Objects(1, 0, "/sys/fs/cgroup/a/rdma.max"));
    assertThatThrownBy(() -> objects("mlx5"))
        .hasMessage("no rdma.max up to /sys/fs/cgroup tells of mlx5");
  }

  @Test
  void objectsWithoutLimitAreUnlimited() throws Exception {
    process("12:rdma:/", "40 24 0:30 / /sys/fs/cgroup/rdma rw - cgroup cgroup rw,rdma");
    write("sys/fs/cgroup/rdma/rdma.max", "rxe0 hca_handle=max hca_object=max");
    write("sys/fs/cgroup/rdma/rdma.current", "rxe0 hca_handle=1 hca_object=3");
    assertThat(objects("rxe0").left()).isEqualTo(NONE);
  }
}

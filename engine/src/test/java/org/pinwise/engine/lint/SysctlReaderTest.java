package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.rules.model.Setting;

class SysctlReaderTest {

  private static Recorded read(String text) {
    return Recorded.of(new SysctlReader(), "sysctl.conf", text);
  }

  @ParameterizedTest
  @CsvSource({
    "vm.max_map_count=65530,vm.max_map_count,65530",
    "-vm/max_map_count = 0x10,vm.max_map_count,16",
    "  vm.nr_hugepages =010,vm.nr_hugepages,8",
  })
  void namesAndNumbers(String line, String key, long number) {
    Setting setting = read(line + "\n").only(Setting.class);
    assertThat(setting.key()).isEqualTo(key);
    assertThat(setting.number()).isEqualTo(number);
    assertThat(setting.valueKnown()).isTrue();
    assertThat(setting.keyKnown()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2G", "unlimited", "09", "", "-1", "1 2"})
  void valuesThatTheKernelRefuses(String value) {
    assertThat(read("vm.nr_hugepages=" + value + "\n").only(Setting.class).valueKnown()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "vm.max_map_counts,vm.max_map_count",
    "vm.maxmapcount,vm.max_map_count",
    "vm.nr_hugepage,vm.nr_hugepages",
    "max_map_count,vm.max_map_count",
  })
  void namesThatAreNear(String key, String meant) {
    Setting setting = read(key + "=1\n").only(Setting.class);
    assertThat(setting.keyKnown()).isFalse();
    assertThat(setting.meant()).isEqualTo(meant);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vm.swappiness=1", "vm.mmap_min_addr=1", "vm.nr_hugepages_mempolicy=1", "vm.panic_on_oom=1",
        "net.core.rmem_max=1", "# vm.max_map_count=1", "; vm.max_map_count=1", "-vm.max_map_count"
      })
  void othersAreLeft(String line) {
    Recorded recorded = read(line + "\n");
    assertThat(recorded.statements).isEmpty();
    assertThat(recorded.problems).isEmpty();
  }

  @Test
  void theLastOfAFileHolds() {
    assertThat(read("vm.max_map_count=1\nvm.max_map_count=2\n").only(Setting.class).number())
        .isEqualTo(2);
  }

  @Test
  void aLineWithoutValueIsAProblem() {
    assertThat(read("vm.max_map_count 1\nx y\n").problems)
        .containsExactly("1:1: is no NAME = VALUE, and sysctl skips the line");
  }
}

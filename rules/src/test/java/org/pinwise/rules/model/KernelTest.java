package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelTest {

  @ParameterizedTest
  @CsvSource({
    "6.12, 6012, 6.12",
    "6.12.117, 6012, 6.12",
    "6.1.0-49-amd64, 6001, 6.1",
    "' 5.6 ', 5006, 5.6",
    "6.12-rc3, 6012, 6.12",
    "7.3+, 7003, 7.3",
    "4.18.0-553.el8_10.x86_64, 4018, 4.18",
    "6.100, 6100, 6.100",
    "5.15.167.4-microsoft-standard-WSL2, 5015, 5.15",
    "6.12.117+deb13-amd64, 6012, 6.12",
    "6.8.0-45-generic, 6008, 6.8",
    "5.10.0-rc7+, 5010, 5.10"
  })
  void readsVersions(String text, int version, String shown) {
    assertThat(Kernel.parse(text)).hasValue(version);
    assertThat(Kernel.text(version)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "6",
        "6.",
        ".12",
        "v6.12",
        "linux",
        "6.1234",
        "1234.5",
        "-6.1",
        "6 .1",
        "6.12foo",
        "6.12.",
        "6.12 and more",
        "06.1",
        "6.01",
        "0.1",
        "100.1",
        "6.12!",
        "6.12-",
        "6.12,5"
      })
  void refusesOtherTexts(String text) {
    assertThat(Kernel.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0B",
    "1, 1B",
    "1023, 1023B",
    "1024, 1KiB",
    "1025, 1025B",
    "65536, 64KiB",
    "1048576, 1MiB",
    "1073741824, 1GiB",
    "1099511627776, 1TiB",
    "1100585369600, 1025GiB",
    "9223372036854775806, 9223372036854775806B",
    "9223372036854775807, unlimited"
  })
  void sizesAreExact(long bytes, String text) {
    assertThat(Size.text(bytes)).isEqualTo(text);
  }
}

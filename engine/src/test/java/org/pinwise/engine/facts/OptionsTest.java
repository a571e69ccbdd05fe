package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Use;

class OptionsTest {
  @Test
  void readsMemory() {
    Memory memory =
        MemoryOption.parse(
            "kind=device-io, protection=RW, pageSize=2MiB,fileSystem=ext4,numaNode=1");
    assertThat(memory.kind()).isEqualTo(MemoryKind.DEVICE_IO);
    assertThat(memory.protection()).isEqualTo(Protection.READ_WRITE);
    assertThat(memory.pageSize()).isEqualTo(2L << 20);
    assertThat(memory.fileSystem()).isEqualTo("ext4");
    assertThat(memory.numaNode()).isEqualTo(1);
    assertThat(memory.mapped()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"none, NONE", "r, READ", "w, WRITE", "rw, READ_WRITE", "read-write, READ_WRITE"})
  void readsProtections(String written, Protection expected) {
    assertThat(MemoryOption.parse("protection=" + written).protection()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; --memory: is empty",
        "kind; --memory: kind has no =",
        "kind=file,; \"\" has no =",
        "kin=file; memory has no field kin, did you mean kind?",
        "kind=fil; fil is none of",
        "kind=file,kind=file; kind is given twice",
        "shared=yes; true or false is expected here, not yes",
        "pageSize=4k; has the unit k",
        "pageSize=3; pageSize is a power of two of at least 4KiB, not 3B",
        "numaNode=99999999999; numaNode is at most 2147483647",
      })
  void refusesOtherMemory(String text, String message) {
    assertThatThrownBy(() -> MemoryOption.parse(text))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(message);
  }

  @Test
  void readsUses() {
    assertThat(UseOption.parse("receive, read-sink|POLLS_MEMORY"))
        .containsExactly(Use.RECEIVE, Use.READ_SINK, Use.POLLS_MEMORY);
    assertThatThrownBy(() -> UseOption.parse("recieve"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("did you mean receive?");
    assertThatThrownBy(() -> UseOption.parse(""))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("a use is missing");
  }

  @ParameterizedTest
  @EnumSource(AccessFlag.class)
  void readsEveryFlagInEveryWay(AccessFlag flag) {
    for (String written :
        new String[] {
          flag.name(),
          flag.nativeName(),
          flag.name().toLowerCase(java.util.Locale.ROOT),
          flag.name().replace('_', '-'),
          "0x%x".formatted(flag.bit()),
          String.valueOf(flag.bit())
        }) {
      assertThat(AccessParser.parse(written)).as(written).isEqualTo(Access.of(flag));
    }
  }

  @Test
  void readsWhatAccessPrints() {
    for (int bits : new int[] {0, 1, 0x100403, -1, Integer.MIN_VALUE}) {
      Access access = Access.ofBits(bits);
      assertThat(AccessParser.parse(access.toString())).isEqualTo(access);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; the access is empty",
        "LOCALWRITE; LOCALWRITE is no access flag, did you mean LOCAL_WRITE?",
        "localWrite|REMOTE_READ; did you mean LOCAL_WRITE?",
        "IBV_ACCESS_REMOTE_WRIT; did you mean REMOTE_WRITE",
        "xyzzy; is no access flag",
        "LOCAL_WRITE||REMOTE_READ; a flag is missing",
        "LOCAL_WRITE REMOTE_READ; separate flags by | or ,",
        "0x1ffffffff; more than the 32 bits",
        "0x; is no access",
        "12abc; is no access",
        "-1; is no access",
      })
  void refusesOtherAccess(String text, String message) {
    assertThatThrownBy(() -> AccessParser.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}

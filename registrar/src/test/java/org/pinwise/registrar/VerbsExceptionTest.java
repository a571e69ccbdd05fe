package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.rules.model.Errno;

class VerbsExceptionTest {

  private static final String LIMITS =
      """
      Limit                     Soft Limit           Hard Limit           Units
      Max cpu time              unlimited            unlimited            seconds
      Max locked memory         65536                unlimited            bytes
      Max address space         unlimited            unlimited            bytes
      """;

  @TempDir private Path folder;

  @Test
  void saysWhatFailedAndWhyItMayHave() {
    VerbsException e = new VerbsException("ibv_reg_mr", "rxe0, length 4096, access 0x2", 22);

    assertThat(e.operation()).isEqualTo("ibv_reg_mr");
    assertThat(e.arguments()).isEqualTo("rxe0, length 4096, access 0x2");
    assertThat(e.errno()).isEqualTo(22);
    assertThat(e.errnoName()).isEqualTo("EINVAL");
    assertThat(e)
        .hasMessage(
            "ibv_reg_mr failed with EINVAL (22, Invalid argument): rxe0, length 4096, access 0x2\n"
                + "Maybe a flag needs LOCAL_WRITE or is unknown, or the length is 0 or too large.");
  }

  @Test
  void outOfMemoryReportsTheLimitsOfLockedMemory() throws IOException {
    Path limits = Files.writeString(folder.resolve("limits"), LIMITS);

    assertThat(new VerbsException("ibv_reg_mr", "rxe0", 12, limits))
        .hasMessageContaining("ENOMEM (12, Cannot allocate memory)")
        .hasMessageContaining(
            "\nMaybe RLIMIT_MEMLOCK binds: it is soft 65536 bytes, hard unlimited. Raise it");
    assertThat(new VerbsException("ibv_reg_mr_iova2", "rxe0", 1, limits))
        .hasMessageContaining("soft 65536 bytes, hard unlimited");
    assertThat(new VerbsException("ibv_alloc_pd", "rxe0", 12, limits).getMessage())
        .doesNotContain("MEMLOCK");
  }

  @Test
  void limitsThatCannotBeReadAreUnknown() throws IOException {
    Path strange = Files.writeString(folder.resolve("limits"), "nothing\n");

    assertThat(new VerbsException("ibv_reg_mr", "rxe0", 12, strange))
        .hasMessageContaining("it is unknown (");
    assertThat(new VerbsException("ibv_reg_mr", "rxe0", 12, folder.resolve("none")))
        .hasMessageContaining("it is unknown (");
  }

  @Test
  void theLimitsOfThisProcessAreFound() {
    assertThat(new VerbsException("ibv_reg_mr", "rxe0", 12))
        .hasMessageMatching(
            "(?s).*it is soft (\\d+ bytes|unlimited), hard (\\d+ bytes|unlimited).*");
  }

  @Test
  void anErrnoWithoutNameKeepsItsNumber() {
    assertThat(new VerbsException("ibv_reg_mr", "rxe0", 4242))
        .hasMessageStartingWith("ibv_reg_mr failed with errno 4242: rxe0\nMaybe ");
    assertThat(new VerbsException("ibv_reg_mr", "rxe0", 0))
        .hasMessageStartingWith("ibv_reg_mr failed without an errno: rxe0\nMaybe ");
  }

  @ParameterizedTest
  @EnumSource(Errno.class)
  void everyMessageHasTwoLines(Errno errno) {
    for (String operation :
        List.of("ibv_reg_mr", "ibv_open_device", "ibv_dereg_mr", "ibv_close_device")) {
      assertThat(new VerbsException(operation, "rxe0", errno.number()).getMessage().lines())
          .satisfiesExactly(
              line -> assertThat(line).contains(operation, errno.name(), "rxe0"),
              line -> assertThat(line).startsWith("Maybe ").endsWith("."));
    }
  }
}

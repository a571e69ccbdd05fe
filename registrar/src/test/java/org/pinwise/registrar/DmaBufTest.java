package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.Finding;
import org.pinwise.registrar.verbs.DmaBufs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;

class DmaBufTest {

  private static final int FD = 1000;
  private static final Registration WRITE = Registration.of(LOCAL_WRITE, REMOTE_READ);

  @TempDir private Path descriptors;
  private final SimulatedDevice connectx5 = Simulations.device("connectx5");
  private FaultInjectingVerbs verbs;
  private MemoryRegistrar registrar;

  @BeforeEach
  void open() {
    verbs = new FaultInjectingVerbs(DmaBufs.simulated(connectx5, descriptors, FD, 1 << 20));
    registrar = Simulations.open(verbs, connectx5);
  }

  @AfterEach
  void nothingIsLive() {
    registrar.close();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  @Test
  void registersAPartUnderAnAddress() {
    DmaBuf part = new DmaBuf(FD, 4096, 65536);
    RegistrationOutcome outcome =
        registrar.registerDmaBuf(part, WRITE.iova(0x7f00_0000_0000L).label("gpu"));

    assertThat(outcome.verdict()).isInstanceOf(Accepted.class);
    assertThat(outcome.verdict().assumed()).containsExactly("room"); // nothing of the memory
    RegisteredRegion region = outcome.orElseThrow();
    assertThat(region.address()).isEqualTo(4096);
    assertThat(region.remoteAddress()).isEqualTo(0x7f00_0000_0000L);
    assertThat(region.length()).isEqualTo(65536);
    assertThat(region.segment()).isEqualTo(MemorySegment.NULL);
    assertThat(region.isMemoryAlive()).isTrue();
    assertThat(region.isSimulated()).isTrue();
    assertThat(region.toString()).startsWith("simulated region of connectx5");
    assertThat(region.label()).isEqualTo("gpu");
    region.close();
    assertThat(region.isClosed()).isTrue();
  }

  @Test
  void withoutAnAddressItIsTheOffset() {
    RegisteredRegion region =
        registrar.registerDmaBuf(new DmaBuf(FD, 8192, 4096), WRITE).orElseThrow();

    assertThat(region.remoteAddress()).isEqualTo(8192);
  }

  @Test
  void theRulesAreAskedFirst() {
    DmaBuf part = new DmaBuf(FD, 0, 4096);

    assertThat(registrar.registerDmaBuf(part, WRITE.iova(1)).verdict().findings())
        .extracting(Finding::rule)
        .contains("MR017");
    assertThat(
            registrar
                .registerDmaBuf(part, Registration.of(LOCAL_WRITE, ON_DEMAND))
                .verdict()
                .findings())
        .extracting(Finding::rule)
        .contains("MR020/flags");
    assertThat(registrar.checkDmaBuf(part, WRITE)).isInstanceOf(Accepted.class);
    assertThat(verbs.calls(Operation.REG_DMABUF_MR)).isZero();
  }

  @Test
  void aDriverThatImportsNoneIsRefused() {
    try (MemoryRegistrar rxe = MemoryRegistrar.simulated("rxe")) {
      RegistrationOutcome outcome = rxe.registerDmaBuf(new DmaBuf(FD, 0, 4096), WRITE);

      assertThat(outcome).isInstanceOf(RegistrationOutcome.Refused.class);
      assertThat(outcome.verdict().findings()).extracting(Finding::rule).contains("MR020/driver");
    }
  }

  /** What only the kernel knows, it says; the error has what was passed. */
  @ParameterizedTest
  @CsvSource({
    "1000, 0,       1048577, EINVAL, does not fit",
    "1000, 1048576, 1,       EINVAL, does not fit",
    "1000, 0,       0,       EINVAL, is empty",
    "1000, 9223372036854771712, 9223372036854771712, EINVAL, does not fit",
    "1001, 0,       4096,    EINVAL, is no dma-buf",
    "1002, 0,       4096,    EBADF,  the descriptor is closed",
  })
  void whatTheKernelRefuses(int fd, long offset, long length, String errno, String cause) {
    RegistrationOutcome outcome = registrar.registerDmaBuf(new DmaBuf(fd, offset, length), WRITE);

    assertThat(outcome)
        .isInstanceOfSatisfying(
            RegistrationOutcome.Failed.class,
            failed -> {
              assertThat(failed.error().operation()).isEqualTo("ibv_reg_dmabuf_mr");
              assertThat(failed.error().errnoName()).isEqualTo(errno);
              assertThat(failed.error())
                  .hasMessageContaining(cause)
                  .hasMessageContaining(
                      "connectx5, descriptor %d, offset %d, length %d, iova 0x%x",
                      fd, offset, length, offset)
                  .hasMessageContaining("; simulated");
            });
    assertThat(registrar.regionCount()).isZero();
  }

  @Test
  void aNegativeNumberIsABug() {
    assertThatThrownBy(() -> new DmaBuf(-1, 0, 4096))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("descriptor -1");
  }

  /** A real dma-buf takes no limit of locked memory, and pins nothing here either. */
  @Test
  void theSimulatedKeysAreMarked() {
    RegisteredRegion region =
        registrar
            .registerDmaBuf(
                new DmaBuf(FD, 0, 4096), Registration.of(Access.of(AccessFlag.LOCAL_WRITE)))
            .orElseThrow();

    assertThat(region.lkey() >>> 28).isEqualTo(5);
    assertThat(region.rkey() >>> 28).isEqualTo(5);
  }
}

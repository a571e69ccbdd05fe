package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.MW_BIND;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.UnavailableException.Reason;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.spi.Severity;

class MemoryRegistrarTest {

  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(65536, 4096);
  private final SimulatedDevice rxe = Simulations.device("rxe");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(rxe));

  @AfterEach
  void nothingIsLive() {
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private MemoryRegistrar open() {
    return Simulations.open(verbs, rxe);
  }

  // ---- outcomes ----

  @Test
  void registers() {
    try (MemoryRegistrar registrar = open()) {
      RegistrationOutcome outcome = registrar.register(memory, Access.of(LOCAL_WRITE, REMOTE_READ));

      assertThat(outcome).isInstanceOf(RegistrationOutcome.Registered.class);
      assertThat(outcome.verdict()).isInstanceOf(Accepted.class);
      assertThat(outcome.verdict().assumed()).containsExactly("memory", "room");
      try (RegisteredRegion region = outcome.orElseThrow()) {
        assertThat(region.address()).isEqualTo(memory.address());
        assertThat(region.remoteAddress()).isEqualTo(memory.address());
        assertThat(region.length()).isEqualTo(65536);
        assertThat(region.access()).isEqualTo(Access.of(LOCAL_WRITE, REMOTE_READ));
        assertThat(region.segment()).isSameAs(memory);
        assertThat(region.lkey()).isNotZero();
        assertThat(region.rkey()).isNotZero();
        assertThat(region.isSimulated()).isTrue();
        assertThat(region.toString()).startsWith("simulated region of rxe: address 0x");
        assertThat(registrar.regionCount()).isEqualTo(1);
      }
      assertThat(registrar.regionCount()).isZero();
    }
  }

  @Test
  void registersUnderAnotherAddress() {
    try (MemoryRegistrar registrar = open();
        RegisteredRegion region =
            registrar
                .register(memory, Registration.of(LOCAL_WRITE, REMOTE_WRITE).iova(0))
                .orElseThrow()) {
      assertThat(region.remoteAddress()).isZero();
      assertThat(region.remoteAddressAt(100)).hasValue(100);
      assertThat(region.remoteAddressAt(65536)).isEmpty();
      assertThat(region.address()).isEqualTo(memory.address());
      assertThat(verbs.calls(Operation.REG_MR_IOVA2)).isEqualTo(1);
      assertThat(verbs.calls(Operation.REG_MR)).isZero();
    }
  }

  @Test
  void onSiwTheRegionKeepsItsAddress() {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("siw");
        RegisteredRegion region =
            registrar.register(memory, Registration.of(LOCAL_WRITE).iova(0)).orElseThrow()) {
      assertThat(region.remoteAddress()).isEqualTo(memory.address());
    }
  }

  @Test
  void refusesWithoutACall() {
    try (MemoryRegistrar registrar = open()) {
      RegistrationOutcome outcome = registrar.register(memory, Access.of(REMOTE_WRITE));

      assertThat(outcome).isInstanceOf(RegistrationOutcome.Refused.class);
      assertThat(outcome.verdict().errno()).containsExactly(Errno.EINVAL);
      assertThat(outcome.verdict().corrected()).isPresent();
      assertThat(verbs.calls(Operation.REG_MR)).isZero();
      assertThatThrownBy(outcome::orElseThrow)
          .isInstanceOfSatisfying(
              RegistrationRejectedException.class,
              e -> assertThat(e.verdict()).isSameAs(outcome.verdict()))
          .hasMessageStartingWith("refused before the call\nMR001 error: ");
    }
  }

  @Test
  void aProfileRefusesWhatTheKernelAccepts() {
    MrValidator strict = MrValidator.create(RuleSet.builtIn().with(Profile.builtIn("strict")));
    try (MemoryRegistrar registrar =
        MemoryRegistrar.open(
            verbs, "rxe", strict, RegistrarOptions.DEFAULT, Surroundings.simulated(rxe))) {
      RegistrationOutcome outcome = registrar.register(memory, Access.of(MW_BIND));

      assertThat(outcome).isInstanceOf(RegistrationOutcome.Refused.class);
      assertThat(outcome.verdict().errno()).isEmpty();
    }
  }

  @Test
  void otherRulesJudgeFromNowOn() {
    try (MemoryRegistrar registrar = open();
        RegisteredRegion before = registrar.register(memory, Access.of(MW_BIND)).orElseThrow()) {
      MrValidator strict = MrValidator.create(RuleSet.builtIn().with(Profile.builtIn("strict")));

      registrar.judgeBy(strict);

      assertThat(registrar.validator()).isSameAs(strict);
      assertThat(registrar.register(memory, Access.of(MW_BIND)))
          .isInstanceOf(RegistrationOutcome.Refused.class);
      assertThat(before.isClosed()).isFalse();
      assertThat(verbs.calls(Operation.REG_MR)).isEqualTo(1);
    }
  }

  @Test
  void explainsAFailure(@TempDir Path directory) throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[8192]);
    try (MemoryRegistrar registrar = open();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 8192, arena);
      RegistrationOutcome outcome = registrar.register(mapped, WRITE);

      assertThat(outcome)
          .isInstanceOfSatisfying(
              RegistrationOutcome.Failed.class,
              failed -> {
                assertThat(failed.error().errno()).isEqualTo(Errno.EFAULT.number());
                assertThat(failed.error().operation()).isEqualTo("ibv_reg_mr");
                assertThat(failed.error()).hasMessageContaining("; simulated");
                assertThat(failed.diagnosis().findings(Severity.ERROR))
                    .anyMatch(finding -> finding.rule().equals("MR008"));
                assertThat(failed.diagnosis().assumed()).containsExactly("room");
                assertThat(failed.isExplained()).isTrue();
              });
      assertThatThrownBy(outcome::orElseThrow).isInstanceOf(VerbsException.class);
      // Nothing is assumed of a mapped file before the call, either.
      assertThat(registrar.check(mapped, Registration.of(WRITE))).isInstanceOf(Undecided.class);
    }
  }

  @Test
  void refusesOnLiveFactsIfAskedTo(@TempDir Path directory) throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[8192]);
    try (MemoryRegistrar registrar =
            Simulations.open(verbs, rxe, RegistrarOptions.DEFAULT.withRefuseOnLiveFacts(true));
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 8192, arena);

      assertThat(registrar.register(mapped, WRITE)).isInstanceOf(RegistrationOutcome.Refused.class);
      assertThat(verbs.calls(Operation.REG_MR)).isZero();
      try (RegisteredRegion region = registrar.register(memory, WRITE).orElseThrow()) {
        assertThat(region.isClosed()).isFalse();
      }
    }
  }

  @Test
  void aFailureThatTheRulesCannotExplainSaysSo() {
    verbs.failNext(Operation.REG_MR, Errno.ENOSPC);
    try (MemoryRegistrar registrar = open()) {
      assertThat(registrar.register(memory, WRITE))
          .isInstanceOfSatisfying(
              RegistrationOutcome.Failed.class,
              failed -> {
                assertThat(failed.isExplained()).isFalse();
                assertThat(failed.diagnosis()).isInstanceOf(Accepted.class);
                assertThat(failed.error().errnoName()).isEqualTo("ENOSPC");
              });
    }
  }

  @Test
  void whatTheSimulatorDoesNotKnowIsMarked() {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("mlx5")) {
      assertThat(registrar.register(memory, Access.of(ON_DEMAND)))
          .isInstanceOfSatisfying(
              RegistrationOutcome.Failed.class,
              failed -> {
                assertThat(failed.diagnosis()).isInstanceOf(Undecided.class);
                assertThat(failed.error())
                    .hasMessageContaining("simulated, and the rules do not know");
              });
    }
  }

  @Test
  void usesAreJudged() {
    try (MemoryRegistrar registrar = open()) {
      Verdict verdict =
          registrar.check(
              memory, Registration.of(LOCAL_WRITE, RELAXED_ORDERING).uses(Use.POLLS_MEMORY));

      assertThat(verdict.findings(Severity.WARNING))
          .anyMatch(finding -> finding.rule().equals("MR030/polls-memory"));
    }
  }

  @Test
  void lengthZeroGetsAVerdict() {
    try (MemoryRegistrar registrar = open()) {
      assertThat(registrar.register(memory.asSlice(0, 0), WRITE))
          .isInstanceOf(RegistrationOutcome.Refused.class);
    }
  }

  // ---- ownership ----

  @Test
  void aSecondCloseDoesNothing() {
    MemoryRegistrar registrar = open();
    RegisteredRegion region = registrar.register(memory, WRITE).orElseThrow();

    region.close();
    region.close();

    assertThat(region.isClosed()).isTrue();
    assertThat(verbs.calls(Operation.DEREG_MR)).isEqualTo(1);
    registrar.close();
    registrar.close();
    assertThat(registrar.isClosed()).isTrue();
    assertThat(verbs.calls(Operation.CLOSE_DEVICE)).isEqualTo(1);
  }

  @Test
  void closingTheRegistrarClosesItsRegions() {
    MemoryRegistrar registrar = open();
    RegisteredRegion first = registrar.register(memory, WRITE).orElseThrow();
    RegisteredRegion second = registrar.register(memory, WRITE).orElseThrow();

    registrar.close();

    assertThat(first.isClosed()).isTrue();
    assertThat(second.isClosed()).isTrue();
    first.close();
    assertThatThrownBy(() -> registrar.register(memory, WRITE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("simulated registrar of rxe is closed");
  }

  @Test
  void aRegionThatIsNotTakenBackStaysOpen() {
    MemoryRegistrar registrar = open();
    RegisteredRegion region = registrar.register(memory, WRITE).orElseThrow();
    verbs.failNext(Operation.DEREG_MR, Errno.EBUSY);

    assertThatThrownBy(region::close)
        .isInstanceOfSatisfying(
            VerbsException.class, e -> assertThat(e.operation()).isEqualTo("ibv_dereg_mr"));
    assertThat(region.isClosed()).isFalse();
    region.close();
    assertThat(region.isClosed()).isTrue();
    registrar.close();
  }

  @Test
  void aRegionOutlivesItsMemoryWithoutHarmToTheJvm() {
    try (MemoryRegistrar registrar = open()) {
      RegisteredRegion region;
      try (Arena shortLived = Arena.ofShared()) {
        region = registrar.register(shortLived.allocate(64), WRITE).orElseThrow();
      }

      assertThat(region.isMemoryAlive()).isFalse();
      assertThat(region.toString()).contains("lkey");
      region.close();
      assertThat(region.isClosed()).isTrue();
    }
  }

  // ---- misuse ----

  @Test
  void heapMemory() {
    try (MemoryRegistrar registrar = open()) {
      assertThatThrownBy(() -> registrar.register(MemorySegment.ofArray(new byte[8]), WRITE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("8 bytes is on the Java heap");
    }
  }

  @Test
  void closedMemory() {
    arena.close();
    try (MemoryRegistrar registrar = open()) {
      assertThatThrownBy(() -> registrar.register(memory, WRITE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("65536 bytes is closed");
      // Even where the rules would refuse it: the caller's bug comes first.
      assertThatThrownBy(() -> registrar.register(memory, Access.of(REMOTE_WRITE)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void memoryOfAnotherThread() throws Exception {
    try (MemoryRegistrar registrar = open();
        ExecutorService other = Executors.newSingleThreadExecutor();
        Arena confined = Arena.ofConfined()) {
      MemorySegment ours = confined.allocate(64);
      assertThatThrownBy(() -> other.submit(() -> registrar.register(ours, WRITE)).get())
          .hasCauseInstanceOf(WrongThreadException.class);
      RegisteredRegion region = registrar.register(ours, WRITE).orElseThrow();
      other.submit(region::close).get();
      assertThat(region.isClosed()).isTrue();
    }
  }

  // ---- nothing pretends ----

  @Test
  void aDeviceThatIsNotThereIsNotOpened() {
    assertThatThrownBy(() -> MemoryRegistrar.open("no-such-device", Simulations.VALIDATOR))
        .isInstanceOf(UnavailableException.class)
        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
  }

  @Test
  void thisMachinesLackOfDevicesIsTyped() {
    assumeTrue(Verbs.system().unavailability().isPresent(), "this machine has an RDMA device");

    assertThatThrownBy(() -> MemoryRegistrar.open("mlx5_0", Simulations.VALIDATOR))
        .isInstanceOfSatisfying(
            UnavailableException.class,
            e -> assertThat(e.reason()).isIn(Reason.LIBRARY_MISSING, Reason.NO_DEVICES));
  }

  @Test
  void anotherNameOnTheSameMachine() {
    assertThatThrownBy(() ->
            MemoryRegistrar.open(
                verbs,
                "rxe0",
                Simulations.VALIDATOR,
                RegistrarOptions.DEFAULT,
                Surroundings.simulated(rxe)))
        .isInstanceOfSatisfying(
            UnavailableException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.NO_SUCH_DEVICE))
        .hasMessageContaining("no RDMA device rxe0")
        .hasMessageContaining("it has rxe");
  }

  @Test
  void anotherNameInTheCatalogue() {
    assertThatThrownBy(() -> MemoryRegistrar.simulated("conectx5"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("no device conectx5")
        .hasMessageContaining("connectx5");
  }

  @Test
  void simulatesTheNewestKernelThatWasTried() {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("connectx5")) {
      assertThat(registrar.host().kernel()).isEqualTo(Kernel.V6_12);
      assertThat(registrar.isSimulated()).isTrue();
      assertThat(registrar.deviceName()).isEqualTo("connectx5");
      assertThat(registrar.device().driver()).isEqualTo("mlx5");
    }
  }

  // ---- words ----

  @Test
  void aFullSimulatedTableIsNotBlamedOnThisProcessesLimits() {
    SimulatedDevice two = Simulations.with(Simulations.device("connectx5"), "maxMr", 2);
    try (MemoryRegistrar registrar = Simulations.open(Verbs.simulated(two), two)) {
      registrar.register(memory, WRITE).orElseThrow();
      registrar.register(memory, WRITE).orElseThrow();
      assertThatThrownBy(() -> registrar.register(memory, WRITE).orElseThrow())
          .isInstanceOf(VerbsException.class)
          .hasMessageContaining("ENOMEM")
          .hasMessageContaining("this registrar has 2, and max_mr is 2")
          .hasMessageNotContaining("RLIMIT_MEMLOCK");
    }
  }

  @Test
  void theWholeAddressSpaceIsNotMinusOne() {
    SimulatedDevice paging = Simulations.device("connectx6");
    try (MemoryRegistrar registrar = Simulations.open(Verbs.simulated(paging), paging)) {
      RegisteredRegion region =
          registrar
              .registerRange(MemorySegment.NULL, -1, Registration.of(LOCAL_WRITE, ON_DEMAND))
              .orElseThrow();
      assertThat(region.toString()).contains("length 18446744073709551615");
    }
  }

  @Test
  void aSimulationWithoutANameSaysWhatIsMissing() {
    assertThatThrownBy(() -> MemoryRegistrar.simulated(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("catalogueName");
  }
}

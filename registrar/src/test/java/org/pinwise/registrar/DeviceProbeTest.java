package org.pinwise.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Test;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.DeviceProbe.Function;
import org.pinwise.registrar.DeviceProbe.Report;
import org.pinwise.registrar.DeviceProbe.Row;
import org.pinwise.registrar.verbs.FaultInjectingVerbs;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.registrar.verbs.LiveObjects;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;

class DeviceProbeTest {

  private final SimulatedDevice rxe = Simulations.device("rxe");
  private final FaultInjectingVerbs verbs = new FaultInjectingVerbs(Verbs.simulated(rxe));

  @Test
  void aDeviceThatDoesWhatTheRulesSay() {
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe)) {
      Report report = DeviceProbe.run(registrar);

      assertThat(report.rows()).hasSize(4096);
      assertThat(report.wrong()).isEmpty();
      assertThat(report.undecided()).isEmpty();
      assertThat(report.simulated()).isTrue();
      assertThat(verbs.liveObjects()).isEqualTo(new LiveObjects(1, 1, 0));
    }
  }

  @Test
  void oneThatDoesNot() {
    verbs.fail(Operation.REG_MR, 1, Errno.EIO); // no flag at all
    verbs.fail(Operation.REG_MR_IOVA2, 3, Errno.EIO); // REMOTE_WRITE alone, refused anyway
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe)) {
      Report report = DeviceProbe.run(registrar);

      assertThat(report.wrong())
          .extracting(Row::access, Row::function, Row::errno)
          .containsExactly(
              tuple(Access.NONE, Function.IBV_REG_MR, Errno.EIO.number()),
              tuple(Access.ofBits(2), Function.IBV_REG_MR_IOVA2, Errno.EIO.number()));
    }
  }

  @Test
  void rulesThatLackOne() {
    MrValidator without = MrValidator.create(RuleSet.builtIn().without("MR001"));
    try (MemoryRegistrar registrar =
        MemoryRegistrar.open(
            verbs, "rxe", without, RegistrarOptions.DEFAULT, Surroundings.simulated(rxe))) {
      assertThat(DeviceProbe.run(registrar).wrong()).isNotEmpty();
    }
  }

  @Test
  void aRegionThatIsNotTakenBackEndsIt() {
    verbs.fail(Operation.DEREG_MR, 10, Errno.EBUSY);
    try (MemoryRegistrar registrar = Simulations.open(verbs, rxe)) {
      assertThatThrownBy(() -> DeviceProbe.run(registrar)).isInstanceOf(VerbsException.class);
    }
  }
}

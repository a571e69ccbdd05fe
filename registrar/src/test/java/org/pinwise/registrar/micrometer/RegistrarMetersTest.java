package org.pinwise.registrar.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Simulations;
import org.pinwise.rules.model.Access;

class RegistrarMetersTest {

  @Test
  void measuresWhatTheRegistrarDoes() {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe", Simulations.VALIDATOR);
        Arena arena = Arena.ofShared()) {
      RegistrarMeters meters = RegistrarMeters.bind(registrar, registry);
      MemorySegment memory = arena.allocate(8192, 4096);
      RegisteredRegion kept = registrar.register(memory, Access.of(LOCAL_WRITE)).orElseThrow();
      registrar.register(memory.asSlice(0, 100), Access.of(LOCAL_WRITE)).orElseThrow().close();
      registrar.register(memory, Access.of(REMOTE_WRITE));

      assertThat(registry.get("pinwise.register").timer().count()).isEqualTo(2);
      assertThat(registry.get("pinwise.register").timer().totalTime(TimeUnit.NANOSECONDS))
          .isPositive();
      assertThat(registry.get("pinwise.deregister").timer().count()).isEqualTo(1);
      assertThat(
              registry
                  .get("pinwise.refusals")
                  .tags("device", "rxe", "simulated", "true", "rule", "MR001")
                  .counter()
                  .count())
          .isEqualTo(1);
      assertThat(registry.get("pinwise.regions").gauge().value()).isEqualTo(1);
      assertThat(registry.get("pinwise.bytes").gauge().value()).isEqualTo(8192);
      assertThat(registry.find("pinwise.failures").counter()).isNull();

      meters.close();
      kept.close();
      assertThat(registry.get("pinwise.deregister").timer().count()).isEqualTo(1);
      assertThat(registry.find("pinwise.regions").gauge()).isNull();
    }
  }
}

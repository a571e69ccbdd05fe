package org.pinwise.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;

@OnDevice(value = "siw", kernel = "6.1.0-49-amd64")
class OnDeviceTest {

  @Test
  void theClassSaysTheDevice(Device device, Host host, Facts facts) {
    assertThat(device.driver()).isEqualTo("siw");
    assertThat(host.kernel()).isEqualTo(Kernel.V6_1);
    assertThat(host.stack()).isEqualTo(DriverStack.INBOX);
    assertThat(facts.device()).isEqualTo(device);
    assertThat(facts.host()).isEqualTo(host);
    assertThat(facts.memory()).isNull();
  }

  @Test
  @OnDevice("connectx5")
  void theMethodKnowsBetterAndTheParameterBest(
      Device device, Host host, @OnDevice(value = "rxe", kernel = "6.12") Facts other) {
    assertThat(device.driver()).isEqualTo("mlx5");
    assertThat(host.kernel()).isNull();
    assertThat(other.device().driver()).isEqualTo("rxe");
    assertThat(other.host().kernel()).isEqualTo(Kernel.V6_12);
  }

  @Nested
  class Inner {
    @Test
    void theOuterClassIsAskedLast(Device device) {
      assertThat(device.driver()).isEqualTo("siw");
    }
  }
}

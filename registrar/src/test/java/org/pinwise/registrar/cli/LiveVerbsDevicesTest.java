package org.pinwise.registrar.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.InputException;
import org.pinwise.engine.facts.LiveDevices;

class LiveVerbsDevicesTest {

  @Test
  void isFound() {
    assertThat(ServiceLoader.load(LiveDevices.class))
        .singleElement()
        .isInstanceOf(LiveVerbsDevices.class);
  }

  @Test
  void aDeviceThatIsNotThereIsSaidInOneLine() {
    assertThatThrownBy(() -> new LiveVerbsDevices().read("no-such-device"))
        .isInstanceOf(InputException.class)
        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1))
        .hasMessageStartingWith("live:no-such-device: ");
  }
}

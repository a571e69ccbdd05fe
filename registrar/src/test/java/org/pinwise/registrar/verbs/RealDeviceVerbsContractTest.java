package org.pinwise.registrar.verbs;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;

/**
 * The contract on this machine's own device: the one named by {@code -Dpinwise.device}, else the
 * first. In the lab that is a real kernel.
 */
class RealDeviceVerbsContractTest extends VerbsContractTest {

  @Override
  Verbs verbs() {
    Verbs verbs = Verbs.system();
    verbs.unavailability().ifPresent(why -> abort("skipped: " + why.message()));
    return verbs;
  }

  @Override
  String device() {
    String named = System.getProperty("pinwise.device");
    if (named != null) {
      return named;
    }
    List<DeviceInfo> devices = ok(Verbs.system().listDevices()).devices();
    return devices.getFirst().name();
  }
}

package org.pinwise.registrar;

import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Kernel;

/** Simulated devices for tests. */
public final class Simulations {

  /** The built-in rules, loaded once. */
  public static final MrValidator VALIDATOR = MrValidator.create(RuleSet.builtIn());

  private Simulations() {}

  /** A device of the catalogue under kernel 6.12. */
  public static SimulatedDevice device(String name) {
    return device(name, Kernel.V6_12);
  }

  /** A device of the catalogue under a kernel. */
  public static SimulatedDevice device(String name, int kernel) {
    return MemoryRegistrar.simulatedDevice(name, kernel);
  }

  /**
   * The same device with another limit or capability. The catalogue leaves unknown what firmware
   * sets, and the simulator does not guess.
   */
  public static SimulatedDevice with(SimulatedDevice from, String field, Object value) {
    var values = Device.TYPE.values(from.device());
    values.put(field, value);
    return new SimulatedDevice(from.name(), Device.TYPE.of(values), from.host(), from.kernel());
  }

  /** A registrar on a port that simulates the device, or decorates one that does. */
  public static MemoryRegistrar open(Verbs verbs, SimulatedDevice device) {
    return open(verbs, device, RegistrarOptions.DEFAULT);
  }

  public static MemoryRegistrar open(
      Verbs verbs, SimulatedDevice device, RegistrarOptions options) {
    return MemoryRegistrar.open(
        verbs, device.name(), VALIDATOR, options, Surroundings.simulated(device));
  }

  /** A registrar on a port to this machine's own devices. */
  public static MemoryRegistrar openReal(Verbs verbs, String device) {
    return MemoryRegistrar.open(
        verbs, device, VALIDATOR, RegistrarOptions.DEFAULT, Surroundings.real());
  }

  /** Probes a simulated device with these rules. */
  public static DeviceProbe.Report probe(String name, MrValidator rules) {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated(name, rules)) {
      return DeviceProbe.run(registrar);
    }
  }
}

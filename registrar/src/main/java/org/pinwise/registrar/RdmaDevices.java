package org.pinwise.registrar;

import java.util.List;
import org.pinwise.engine.facts.LiveHost;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.DeviceInfo;
import org.pinwise.registrar.verbs.DeviceList;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Device;

/**
 * The RDMA devices of this machine.
 *
 * {@snippet :
 * for (String name : RdmaDevices.names()) {
 *   Device device = RdmaDevices.read(name);
 * }
 * }
 */
public final class RdmaDevices {

  private RdmaDevices() {}

  /**
   * Lists the devices by name.
   *
   * @throws UnavailableException if there are none, or no way to reach any
   * @throws VerbsException if the library cannot list them
   */
  public static List<String> names() {
    Verbs verbs = Verbs.system();
    Devices.requireAvailable(verbs);
    DeviceList list =
        verbs
            .listDevices()
            .orElseThrow(errno -> new VerbsException("ibv_get_device_list", "no argument", errno));
    return list.devices().stream().map(DeviceInfo::name).toList();
  }

  /**
   * Reads what a device is; what cannot be read is unknown.
   *
   * @param name such as {@code mlx5_0}
   * @throws UnavailableException if there is no such device, or no way to reach any
   * @throws VerbsException if it is there and cannot be opened or queried
   */
  public static Device read(String name) {
    return read(Verbs.system(), name);
  }

  static Device read(Verbs verbs, String name) {
    DeviceContext context = Devices.open(verbs, name);
    Device device;
    try {
      device = DeviceReader.read(verbs, context, LiveHost.read().host().kernel());
    } catch (RuntimeException | Error e) {
      Failures failures = new Failures();
      failures.run(() -> Devices.close(verbs, context));
      failures.addTo(e);
      throw e;
    }
    Devices.close(verbs, context);
    return device;
  }
}

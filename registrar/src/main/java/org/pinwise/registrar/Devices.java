package org.pinwise.registrar;

import java.util.List;
import org.pinwise.engine.text.Nearest;
import org.pinwise.registrar.UnavailableException.Reason;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.DeviceInfo;
import org.pinwise.registrar.verbs.DeviceList;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Unavailability;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Errno;

/** Opens and closes devices, with words for what can be in the way. */
final class Devices {

  private Devices() {}

  static DeviceContext open(Verbs verbs, String name) {
    requireAvailable(verbs);
    return switch (verbs.openDevice(name)) {
      case DeviceContext context -> context;
      case Result.Failed<DeviceContext>(int errno) -> {
        List<String> names = names(verbs);
        if (errno == Errno.ENODEV.number() && !names.contains(name)) {
          throw new UnavailableException(
              Reason.NO_SUCH_DEVICE,
              "this machine has no RDMA device %s%s; it has %s"
                  .formatted(name, Nearest.hint(name, names), String.join(", ", names)));
        }
        throw new VerbsException("ibv_open_device", name, errno);
      }
    };
  }

  /**
   * Asks why nothing can be opened here.
   *
   * @throws UnavailableException if nothing can
   */
  static void requireAvailable(Verbs verbs) {
    verbs
        .unavailability()
        .ifPresent(why -> {
          throw new UnavailableException(reason(why), why.message());
        });
  }

  private static Reason reason(Unavailability why) {
    return switch (why.reason()) {
      case NATIVE_ACCESS_DENIED -> Reason.NATIVE_ACCESS_DENIED;
      case LIBRARY_MISSING -> Reason.LIBRARY_MISSING;
      case SYMBOL_MISSING -> Reason.SYMBOL_MISSING;
      case NO_DEVICES -> Reason.NO_DEVICES;
    };
  }

  private static List<String> names(Verbs verbs) {
    return verbs.listDevices() instanceof DeviceList(List<DeviceInfo> devices)
        ? devices.stream().map(DeviceInfo::name).toList()
        : List.of();
  }

  static void close(Verbs verbs, DeviceContext context) {
    int errno = verbs.closeDevice(context);
    if (errno != 0) {
      throw new VerbsException("ibv_close_device", context.device().name(), errno);
    }
  }
}

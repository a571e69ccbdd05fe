package org.pinwise.registrar;

import java.util.Map;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.text.Nearest;
import org.pinwise.registrar.UnavailableException.Reason;
import org.pinwise.rules.model.Device;

/** The device catalogue, as the registrar needs it. */
final class Catalog {

  private Catalog() {}

  /** What is known of a device under a kernel; it carries the name by which it is opened. */
  static Device device(String name, int kernel) {
    DeviceCatalog catalog = DeviceCatalog.load();
    Device known =
        catalog
            .find(name)
            .orElseThrow(() ->
                new UnavailableException(
                    Reason.NO_SUCH_DEVICE,
                    "the catalogue has no device %s%s; pinwise devices lists them"
                        .formatted(name, Nearest.hint(name, catalog.names()))))
            .facts(kernel);
    return Device.TYPE.with(known, Map.of("name", name));
  }
}

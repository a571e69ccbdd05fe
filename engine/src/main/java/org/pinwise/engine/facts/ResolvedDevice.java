package org.pinwise.engine.facts;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;

/**
 * The device that {@code --device} names.
 *
 * @param origin what kind of thing was named
 * @param title how texts name the device, such as {@code ConnectX-5 (catalogue)}
 * @param device its facts; what is not known is null
 * @param host facts of its host, where the same file holds some; else null
 * @param missing what was looked for and not found; empty where that makes no sense
 * @param notes what a person should know about the reading, one line each
 */
public record ResolvedDevice(
    Origin origin,
    String title,
    Device device,
    @Nullable Host host,
    List<String> missing,
    List<String> notes) {

  /** What a device can be named by. */
  public enum Origin {
    /** A name in the catalogue: no device of this host. */
    CATALOG,
    /** A file with the text of {@code ibv_devinfo -v}. */
    DEVINFO,
    /** A facts file. */
    FACTS,
    /** {@code live:NAME}: a device of this host. */
    LIVE
  }

  /** Makes the value. */
  public ResolvedDevice {
    missing = List.copyOf(missing);
    notes = List.copyOf(notes);
  }
}

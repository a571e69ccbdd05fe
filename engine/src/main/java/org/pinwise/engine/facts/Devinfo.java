package org.pinwise.engine.facts;

import java.util.List;
import java.util.Set;
import org.pinwise.rules.model.Device;

/**
 * What a text of {@code ibv_devinfo -v} says of one device.
 *
 * @param device the device; what the text does not say is unknown
 * @param missing what was looked for and not found, by the text's names, such as {@code
 *     general_odp_caps}
 * @param doubtful the fields of {@link Device} of which the text says something that may mean
 *     something else, so that they are unknown
 * @param notes what a person should know about the reading, one line each
 * @param names the names of all devices in the text
 */
public record Devinfo(
    Device device,
    List<String> missing,
    Set<String> doubtful,
    List<String> notes,
    List<String> names) {

  /** Makes the value. */
  public Devinfo {
    missing = List.copyOf(missing);
    doubtful = Set.copyOf(doubtful);
    notes = List.copyOf(notes);
    names = List.copyOf(names);
  }
}

package org.pinwise.engine.facts;

import org.pinwise.rules.model.Device;

/**
 * Reads devices of this host. The engine calls no native code: whoever can, such as the registrar,
 * registers an implementation in {@code META-INF/services/org.pinwise.engine.facts.LiveDevices}.
 */
public interface LiveDevices {
  /**
   * Reads a device.
   *
   * @param name its name on this host, such as {@code mlx5_0}
   * @return its facts; what cannot be read is unknown
   * @throws org.pinwise.engine.InputException if there is no such device, or it cannot be opened;
   *     the message says why in one line
   */
  Device read(String name);
}

package org.pinwise.registrar.cli;

import org.pinwise.engine.InputException;
import org.pinwise.engine.facts.LiveDevices;
import org.pinwise.registrar.RdmaDevices;
import org.pinwise.registrar.UnavailableException;
import org.pinwise.registrar.VerbsException;
import org.pinwise.rules.model.Device;

/** Reads devices of this host through libibverbs. */
public final class LiveVerbsDevices implements LiveDevices {

  /** Made by {@link java.util.ServiceLoader}. */
  public LiveVerbsDevices() {}

  @Override
  public Device read(String name) {
    try {
      return RdmaDevices.read(name);
    } catch (UnavailableException | VerbsException e) {
      throw new InputException("live:" + name, oneLine(e));
    }
  }

  /** What happened and the advice, which an exception has on a line of its own. */
  static String oneLine(RuntimeException e) {
    return String.valueOf(e.getMessage()).replace("\n", ". ");
  }
}

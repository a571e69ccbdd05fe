package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;

/** An open device: {@code struct ibv_context *}. */
public final class DeviceContext extends VerbsHandle implements Result<DeviceContext> {

  private final DeviceInfo device;
  private final MemorySegment pointer;

  /**
   * @param pointer the C object; a token of the issuer's choice where there is none
   */
  DeviceContext(Verbs issuer, DeviceInfo device, MemorySegment pointer) {
    super(issuer);
    this.device = device;
    this.pointer = pointer;
  }

  /** The device that was opened. */
  public DeviceInfo device() {
    return device;
  }

  MemorySegment pointer() {
    return pointer;
  }

  @Override
  public String toString() {
    return "context of " + device.name();
  }
}

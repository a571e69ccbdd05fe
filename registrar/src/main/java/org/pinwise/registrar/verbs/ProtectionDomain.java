package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;

/** A protection domain: {@code struct ibv_pd *}. */
public final class ProtectionDomain extends VerbsHandle implements Result<ProtectionDomain> {

  private final DeviceContext context;
  private final MemorySegment pointer;

  /**
   * @param pointer the C object; a token of the issuer's choice where there is none
   */
  ProtectionDomain(Verbs issuer, DeviceContext context, MemorySegment pointer) {
    super(issuer);
    this.context = context;
    this.pointer = pointer;
  }

  /** The device that it belongs to. */
  public DeviceContext context() {
    return context;
  }

  MemorySegment pointer() {
    return pointer;
  }

  @Override
  public String toString() {
    return "protection domain of " + context.device().name();
  }
}

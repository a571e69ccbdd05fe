package org.pinwise.registrar;

/** How a registrar behaves; set when it is opened. Immutable. */
public final class RegistrarOptions {

  /** The call is made unless a fact that cannot change refuses it. */
  public static final RegistrarOptions DEFAULT = new RegistrarOptions(false);

  private final boolean refuseOnLiveFacts;

  private RegistrarOptions(boolean refuseOnLiveFacts) {
    this.refuseOnLiveFacts = refuseOnLiveFacts;
  }

  /**
   * Returns options with which facts that may be stale refuse a registration too: what the memory
   * is, and how much the process has pinned. They are then read before every call, which takes
   * milliseconds in a large process.
   */
  public RegistrarOptions withRefuseOnLiveFacts(boolean refuse) {
    return new RegistrarOptions(refuse);
  }

  /** Whether facts that may be stale refuse a registration. */
  public boolean refuseOnLiveFacts() {
    return refuseOnLiveFacts;
  }
}

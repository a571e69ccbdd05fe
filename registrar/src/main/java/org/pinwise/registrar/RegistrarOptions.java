package org.pinwise.registrar;

/** How a registrar behaves; set when it is opened. Immutable. */
public final class RegistrarOptions {

  /**
   * The call is made unless a fact that cannot change refuses it; closing refuses while there are
   * leases; where they were taken is not recorded.
   */
  public static final RegistrarOptions DEFAULT =
      new RegistrarOptions(false, WhenLeased.refuse(), false);

  private final boolean refuseOnLiveFacts;
  private final WhenLeased whenLeased;
  private final boolean leaseTracking;

  private RegistrarOptions(
      boolean refuseOnLiveFacts, WhenLeased whenLeased, boolean leaseTracking) {
    this.refuseOnLiveFacts = refuseOnLiveFacts;
    this.whenLeased = whenLeased;
    this.leaseTracking = leaseTracking;
  }

  /**
   * Returns options with which facts that may be stale refuse a registration too: what the memory
   * is, and how much the process has pinned. They are then read before every call, which takes
   * milliseconds in a large process.
   */
  public RegistrarOptions withRefuseOnLiveFacts(boolean refuse) {
    return new RegistrarOptions(refuse, whenLeased, leaseTracking);
  }

  /** Returns options with which {@code close()} of whatever has regions does this when leased. */
  public RegistrarOptions withWhenLeased(WhenLeased policy) {
    return new RegistrarOptions(refuseOnLiveFacts, policy, leaseTracking);
  }

  /**
   * Returns options with which each lease remembers where it was taken: {@link
   * RegionInUseException} names the places, and a lease that is lost is reported. Walking the stack
   * takes microseconds a lease, so this is for debugging.
   */
  public RegistrarOptions withLeaseTracking(boolean track) {
    return new RegistrarOptions(refuseOnLiveFacts, whenLeased, track);
  }

  /** Whether facts that may be stale refuse a registration. */
  public boolean refuseOnLiveFacts() {
    return refuseOnLiveFacts;
  }

  /** What {@code close()} does while there are leases. */
  public WhenLeased whenLeased() {
    return whenLeased;
  }

  /** Whether each lease remembers where it was taken. */
  public boolean leaseTracking() {
    return leaseTracking;
  }
}

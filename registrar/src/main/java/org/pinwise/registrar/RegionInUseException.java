package org.pinwise.registrar;

import java.io.Serial;
import java.util.List;

/** A region was to be closed while leases on it were open. Nothing was given back. */
public final class RegionInUseException extends IllegalStateException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient RegisteredRegion region;
  private final int leases;

  RegionInUseException(RegisteredRegion region, int leases, List<String> where) {
    super(message(region, leases, where));
    this.region = region;
    this.leases = leases;
  }

  private static String message(RegisteredRegion region, int leases, List<String> where) {
    StringBuilder text = new StringBuilder();
    text.append(region).append(" has ").append(leases).append(leases == 1 ? " lease" : " leases");
    if (where.isEmpty()) {
      return text.append(
              "\nMaybe close them first, or close the region with waitFor or defer. Lease tracking"
                  + " (RegistrarOptions) tells where they were taken.")
          .toString();
    }
    for (String one : where) {
      text.append("\nMaybe close the lease that was taken at\n").append(one);
    }
    return text.toString();
  }

  /** The region that was to be closed. */
  public RegisteredRegion region() {
    return region;
  }

  /** How many leases were open. */
  public int leases() {
    return leases;
  }
}

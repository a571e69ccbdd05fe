package org.pinwise.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Stage;

/**
 * What a rule says of a request.
 *
 * @param rule the rule's id
 * @param severity how bad it is, as the profile grades it
 * @param stage where the call fails; null where it does not
 * @param step the order of the check within its stage
 * @param errno what the call returns; null where it does not fail, where a team's rule or a profile
 *     refuses it, or where it depends on the kernel
 * @param origin who says so
 * @param message the text, with the actual values
 * @param arguments the values in the text by field, as people read them, such as {@code
 *     request.access}
 * @param remediation what to do, a sentence with a period
 * @param reference where the rule's truth can be read
 * @param later the verb that fails later and its errno, for a warning; null where there is none
 * @param restsOn the facts that its rule reads, such as {@code memory.protection}, in their order
 * @param live whether it rests on a fact that may have changed by the time of the call
 */
public record Finding(
    String rule,
    Severity severity,
    @Nullable Stage stage,
    int step,
    @Nullable Errno errno,
    Origin origin,
    String message,
    Map<String, String> arguments,
    String remediation,
    String reference,
    @Nullable String later,
    List<String> restsOn,
    boolean live) {

  /** Who stands behind a finding. */
  public enum Origin {
    /** The kernel, the driver or the library. */
    KERNEL("by the kernel"),
    /** A team's rule. */
    TEAM("by a team's rule"),
    /** A profile that grades a rule higher than the kernel does. */
    PROFILE("by the profile");

    private final String text;

    Origin(String text) {
      this.text = text;
    }

    /** Returns it as messages say it, such as {@code by the kernel}. */
    public String text() {
      return text;
    }
  }

  /** Keeps immutable copies. */
  public Finding {
    arguments = Map.copyOf(arguments);
    restsOn = List.copyOf(restsOn);
  }

  /** Returns {@code MR001 error: message. Fix: remediation (reference)}. */
  @Override
  public String toString() {
    return "%s %s: %s. Fix: %s (%s)"
        .formatted(
            rule,
            severity.name().toLowerCase(java.util.Locale.ROOT),
            message,
            remediation,
            reference);
  }
}

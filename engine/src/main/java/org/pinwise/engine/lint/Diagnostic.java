package org.pinwise.engine.lint;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.rules.spi.Severity;

/**
 * A finding in a file.
 *
 * @param file the file, as it was reached from what was named
 * @param place where the value stands that is wrong
 * @param rule the rule's id
 * @param severity how bad it is, as the profile grades it
 * @param origin who says so; null where the linter itself does, of a comment that suppresses
 * @param message the text with the actual values
 * @param remediation what to do, a sentence with a period
 * @param reference where the rule's truth can be read
 * @param sourceLine the line as it stands in the file, cut where it is very long; null where the
 *     file is no text
 * @param related places of other facts that the finding rests on
 */
public record Diagnostic(
    String file,
    Place place,
    String rule,
    Severity severity,
    Finding.@Nullable Origin origin,
    String message,
    String remediation,
    String reference,
    @Nullable String sourceLine,
    List<Related> related) {

  /**
   * Another place that a finding rests on.
   *
   * @param file the file
   * @param place the place
   * @param fact what stands there, such as {@code plan.pinned}
   */
  public record Related(String file, Place place, String fact) {}

  /** Keeps an immutable copy. */
  public Diagnostic {
    related = List.copyOf(related);
  }

  /** Returns the rule's id, and for others than the kernel who says so. */
  String title() {
    return origin == null || origin == Finding.Origin.KERNEL
        ? rule
        : rule + " (" + origin.text() + ")";
  }

  /** Returns {@code file:line:column: error MR001 message. Fix: remediation}. */
  @Override
  public String toString() {
    return "%s:%s: %s %s %s. Fix: %s"
        .formatted(
            file, place, severity.name().toLowerCase(Locale.ROOT), title(), message, remediation);
  }
}

package org.pinwise.engine.advice;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.dsl.Rules;
import org.pinwise.rules.dsl.Trait;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;

/**
 * Why a registration may fail where no rule says so of a single request: what is used up, gone or
 * hidden.
 *
 * @param id its name, such as {@code memlock}
 * @param errnos what the kernel gives then
 * @param pinning whether it is found while pages are pinned, where some drivers give an errno of
 *     their own instead
 * @param summary what is wrong, a sentence without a period
 * @param rule what of the facts speaks for it; null where no fact does
 * @param rooms the rooms that say the same of a request that is known
 * @param confirm the command that confirms it
 * @param remedy what to do, a sentence
 * @param reference where it can be read
 */
record Cause(
    String id,
    Set<Errno> errnos,
    boolean pinning,
    String summary,
    @Nullable Rule rule,
    List<String> rooms,
    String confirm,
    String remedy,
    String reference) {

  /** Starts a cause. */
  static Builder of(String id, Errno errno, Errno... more) {
    return new Builder(id, EnumSet.of(errno, more));
  }

  /** Collects what a cause says. */
  static final class Builder {
    private final String id;
    private final Set<Errno> errnos;
    private boolean pinning;
    private String summary = "";
    private @Nullable Trait when;
    private List<String> rooms = List.of();
    private String confirm = "";
    private String remedy = "";

    private Builder(String id, Set<Errno> errnos) {
      this.id = id;
      this.errnos = errnos;
    }

    Builder whilePinning() {
      this.pinning = true;
      return this;
    }

    Builder says(String newSummary) {
      this.summary = newSummary;
      return this;
    }

    Builder when(Trait newWhen) {
      this.when = newWhen;
      return this;
    }

    Builder standsFor(String... newRooms) {
      this.rooms = List.of(newRooms);
      return this;
    }

    Builder confirm(String newConfirm) {
      this.confirm = newConfirm;
      return this;
    }

    Builder remedy(String newRemedy) {
      this.remedy = newRemedy;
      return this;
    }

    /** Ends the cause. */
    Cause see(String reference) {
      Trait trait = when;
      Rule rule =
          trait == null
              ? null
              : Rules.requests()
                  .shouldNot(trait)
                  .because(reference)
                  .as("CAUSE001/" + id)
                  .severity(Severity.INFO)
                  .remediation(remedy)
                  .summary(summary)
                  .message(summary)
                  .stacks(DriverStack.INBOX, DriverStack.VENDOR)
                  .build();
      return new Cause(id, errnos, pinning, summary, rule, rooms, confirm, remedy, reference);
    }
  }
}

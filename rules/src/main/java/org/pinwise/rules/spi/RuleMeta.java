package org.pinwise.rules.spi;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Errno;

/**
 * What is said about a rule beside its condition.
 *
 * @param id the rule's name, such as {@code MR004} or {@code MR004/before-6.2}
 * @param severity how bad its finding is
 * @param stage where the call fails; null where it does not
 * @param step the order of checks within the stage, from 0; rules of equal step are unordered
 * @param errno what the call returns; null where it does not fail or a team's rule refuses it
 * @param since the version of Pinwise that brought it
 * @param verified the kernels on which it is known to be right, ascending; empty for a rule that
 *     does not speak of a kernel
 * @param stacks the driver stacks of which it speaks
 * @param spec where its truth can be read: man page, kernel file and function
 * @param summary what it demands: a sentence without a period
 * @param remediation what to do: a sentence with a period
 * @param later the verb that fails later and its errno, for a warning; null where there is none
 * @param fixes changes of the request that help, to be made together; empty where there is none
 * @param parameters names and values of its parameters
 */
public record RuleMeta(
    String id,
    Severity severity,
    @Nullable Stage stage,
    int step,
    @Nullable Errno errno,
    String since,
    List<Verification> verified,
    Set<DriverStack> stacks,
    String spec,
    String summary,
    String remediation,
    @Nullable String later,
    List<Fix> fixes,
    Map<String, Long> parameters) {

  /** Keeps immutable copies. */
  public RuleMeta {
    verified = List.copyOf(verified);
    stacks = Set.copyOf(stacks);
    fixes = List.copyOf(fixes);
    parameters = Map.copyOf(parameters);
  }

  /** Returns the id of the room that holds the rule: the part before the first slash. */
  public String room() {
    int slash = id.indexOf('/');
    return slash < 0 ? id : id.substring(0, slash);
  }
}

package org.pinwise.engine;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.spi.Severity;

/**
 * What Pinwise says of a registration. Immutable and thread-safe; texts are made when they are
 * asked for.
 */
public sealed interface Verdict permits Accepted, Rejected, Undecided {

  /** Returns all findings: the worst severity first, then by stage, then by id. */
  List<Finding> findings();

  /** Returns the rules that the known facts do not decide, in the order of findings. */
  List<UndecidedRule> undecided();

  /** Returns whether there are such rules; it does not make their texts. */
  boolean hasUndecided();

  /** Returns what was assumed because nobody said it, such as {@code address}. */
  List<String> assumed();

  /** Returns the rules that a profile switched off, each as {@code MR041: reason}. */
  List<String> disabled();

  /**
   * Returns where the rules in full DRL are that took part, see {@link RuleSet#withTrustedFiles};
   * to them what is not known is not so.
   */
  List<String> trusted();

  /** Returns the facts that were judged, as they were given. */
  Facts facts();

  /** Returns the request as understood. */
  default MrRequest request() {
    return facts().request();
  }

  /**
   * Returns what {@code errno} can be after the call: that of the earliest check that refuses it.
   * Several where the known facts do not tell which; empty where the kernel does not refuse it for
   * certain.
   */
  Set<Errno> errno();

  /** Returns the access that takes effect, without optional flags that this host drops. */
  Optional<Access> effectiveAccess();

  /**
   * Returns the request with the smallest set of fixes after which no error is left; empty where
   * the request has no error, or no such fixes are known. It never gives peers a right. Judges
   * again when called.
   */
  Optional<MrRequest> corrected();

  /** Returns the findings of a severity. */
  default List<Finding> findings(Severity severity) {
    return findings().stream().filter(finding -> finding.severity() == severity).toList();
  }

  /**
   * Returns the decision as programs read it: {@code accepted}, {@code rejected}, {@code
   * undecided}.
   */
  default String decision() {
    return this instanceof Accepted
        ? "accepted"
        : this instanceof Rejected ? "rejected" : "undecided";
  }
}

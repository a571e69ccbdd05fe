package org.pinwise.rules.dsl;

import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Verification;

/**
 * Rules in Java. Each step returns the next one, so what a rule needs cannot be left out; a rule is
 * immutable and says itself what it demands.
 *
 * {@snippet :
 * Rule rule = Rules.requests()
 *     .that(haveMemory(MemoryKind.CUDA))
 *     .should(registerVia(Verb.REG_DMABUF_MR))
 *     .because("nvidia-peermem is not loaded on this fleet")
 *     .as("ACME101")
 *     .severity(Severity.ERROR)
 *     .remediation("Export the buffer as dma-buf and register the file descriptor.")
 *     .build();
 * }
 *
 * <p>It reports a request that has all traits of {@link Given#that} and not those of {@link
 * Given#should}; where a fact is unknown on which that depends, it is undecided.
 */
public final class Rules {
  private Rules() {}

  /** Starts a rule. */
  public static Given requests() {
    return DefaultSteps.start();
  }

  /** Of which requests the rule speaks. */
  public interface Given {
    /** Narrows the requests to those that have the trait, too. */
    Given that(Trait trait);

    /** Demands a trait of them. */
    Demanded should(Trait trait);

    /** Forbids them a trait. */
    Demanded shouldNot(Trait trait);
  }

  /** A demand that lacks its reason. */
  public interface Demanded {
    /** Says why, or where it can be read; a clause without a period. */
    Reasoned because(String reason);
  }

  /** A demand that lacks its name. */
  public interface Reasoned {
    /** Names the rule, such as {@code ACME101}; the prefix is the team's own. */
    Named as(String id);
  }

  /** A rule of which it is not said how bad its finding is. */
  public interface Named {
    /** Says how bad it is. An ERROR refuses the request, and gives no errno: no kernel refuses. */
    Graded severity(Severity severity);
  }

  /** A rule that lacks its way out. */
  public interface Graded {
    /** Says what to do; a sentence with a period. */
    Complete remediation(String remediation);
  }

  /** A rule that has all it needs, and may say more. */
  public interface Complete {
    /** Says in a sentence without a period what the rule demands, instead of its own words. */
    Complete summary(String summary);

    /**
     * Says the finding's text, with places such as {@code {access}} for a field of the request,
     * {@code {device.driver}} for another fact's and {@code {limit}} for a parameter; instead of
     * the rule's own words.
     */
    Complete message(String template);

    /** Names the version, of Pinwise or of the team's pack, that brought the rule. */
    Complete since(String version);

    /**
     * Says that the rule is known to be right on a kernel, and by what; beyond such kernels it is
     * undecided. A rule for which nothing is said does not depend on the kernel.
     *
     * @param kernel see {@link Kernel}
     */
    Complete verifiedOn(int kernel, Verification.Means means);

    /** Says of which driver stacks the rule speaks; of inbox drivers where nothing is said. */
    Complete stacks(DriverStack... stacks);

    /** Names a change of the request that helps. */
    Complete fix(Fix fix);

    /** Declares a parameter, which a profile may set; {@link Fields#parameter} reads it. */
    Complete parameter(String name, long value);

    /** Says which verb fails later and with what errno, for a warning. */
    Complete later(String later);

    /**
     * Returns the rule.
     *
     * @throws IllegalArgumentException if something of it is not as it must be; it names all
     */
    Rule build();
  }
}

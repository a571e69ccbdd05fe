package org.pinwise.engine.testkit;

import static org.pinwise.rules.dsl.Rules.requests;
import static org.pinwise.rules.dsl.Traits.haveAccess;
import static org.pinwise.rules.dsl.Traits.haveMemory;
import static org.pinwise.rules.dsl.Traits.registerVia;
import static org.pinwise.rules.dsl.Traits.useDriver;

import java.util.List;
import org.pinwise.rules.dsl.Fields;
import org.pinwise.rules.dsl.Trait;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleProvider;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Verification.Means;

/** A team's rules in Java. */
public final class AcmeRules implements RuleProvider {
  static final Rule CUDA_NEEDS_DMABUF =
      requests()
          .that(haveMemory(MemoryKind.CUDA))
          .should(registerVia(Verb.REG_DMABUF_MR))
          .because("nvidia-peermem is not loaded on this fleet")
          .as("ACME101")
          .severity(Severity.ERROR)
          .remediation("Export the buffer as dma-buf and register the file descriptor.")
          .build();

  static final Rule NO_HUGE_REGIONS =
      requests()
          .that(registerVia(Verb.REG_MR, Verb.REG_MR_IOVA))
          .that(haveAccess(AccessFlag.REMOTE_READ).or(haveAccess(AccessFlag.REMOTE_WRITE)))
          .shouldNot(
              Fields.number(MrRequest.TYPE, "length")
                  .times(100)
                  .isMoreThan(
                      Fields.parameter("percent").times(Fields.number(Device.TYPE, "maxMrSize")))
                  .as("take so much of the device's largest region"))
          .because("the fleet's guide to RDMA, section 4")
          .as("ACME102")
          .severity(Severity.WARNING)
          .remediation("Register chunks.")
          .summary("A region that peers reach takes at most a share of the largest region")
          .message("{length} is more than {percent} % of {device.maxMrSize}")
          .parameter("percent", 60)
          .since("0.1")
          .build();

  static final Rule OLD_RXE =
      requests()
          .that(useDriver("rxe", "siw"))
          .that(Fields.flag(Device.TYPE, "odp").isFalse())
          .that(Trait.not(haveAccess(AccessFlag.LOCAL_WRITE)))
          .that(Fields.number(MrRequest.TYPE, "length").isAtLeast(Size.GIB))
          .should(Fields.number(Host.TYPE, "kernel").isAtLeast(Kernel.V6_2))
          .because("a bug that bit us")
          .as("ACME103/soft")
          .severity(Severity.INFO)
          .remediation("Use a newer kernel.")
          .summary("Soft RDMA needs a new kernel")
          .message("{host.kernel} is old for {device.driver}")
          .verifiedOn(Kernel.V6_12, Means.LAB)
          .verifiedOn(Kernel.V6_1, Means.SOURCE)
          .stacks(DriverStack.INBOX, DriverStack.VENDOR)
          .fix(new Fix.AddFlag(AccessFlag.LOCAL_WRITE))
          .since("0.1")
          .build();

  /** Made by {@link java.util.ServiceLoader}. */
  public AcmeRules() {}

  @Override
  public List<Rule> rules() {
    return List.of(CUDA_NEEDS_DMABUF, NO_HUGE_REGIONS, OLD_RXE);
  }
}

package org.pinwise.registrar.lab;

import java.io.PrintWriter;
import java.util.List;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the contract test of the verbs port, the simulator's own, on the guest's devices. */
final class ContractLab {
  private static final String CONTRACT = "org.pinwise.registrar.verbs.RealDeviceVerbsContractTest";

  private ContractLab() {}

  public static void main(String[] arguments) {
    boolean held = true;
    for (String device : List.of("rxe0", "siw0")) {
      System.setProperty("pinwise.device", device);
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(DiscoverySelectors.selectClass(CONTRACT))
              .build();
      SummaryGeneratingListener listener = new SummaryGeneratingListener();
      LauncherFactory.create().execute(request, listener);
      TestExecutionSummary summary = listener.getSummary();
      summary.printFailuresTo(new PrintWriter(System.out, true));
      System.out.printf(
          "%s: %d of %d contract tests held%n",
          device, summary.getTestsSucceededCount(), summary.getTestsFoundCount());
      held &=
          summary.getTestsFoundCount() > 0
              && summary.getTestsSucceededCount() == summary.getTestsFoundCount();
    }
    System.exit(held ? 0 : 1);
  }
}

package org.pinwise.registrar.lab;

import java.io.PrintWriter;
import java.util.List;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests of the simulator on the guest's devices: the contract of the verbs port, and the races
 * of the cache with injected failures.
 */
final class ContractLab {
  private static final String CONTRACT = "org.pinwise.registrar.verbs.RealDeviceVerbsContractTest";
  private static final String STRESS = "org.pinwise.registrar.cache.CacheStressTest";

  /** On each device; on both together it is more than two minutes. */
  private static final int STRESS_SECONDS = 65;

  private ContractLab() {}

  public static void main(String[] arguments) {
    System.setProperty("pinwise.stress.seconds", Integer.toString(STRESS_SECONDS));
    boolean held = true;
    for (String device : List.of("rxe0", "siw0")) {
      System.setProperty("pinwise.device", device);
      System.setProperty("pinwise.stress.device", device);
      held &= hold(device, CONTRACT);
      held &= hold(device, STRESS);
    }
    System.exit(held ? 0 : 1);
  }

  private static boolean hold(String device, String tests) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(tests))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.out, true));
    System.out.printf(
        "%s: %d of %d held, of %s, in %d s%n",
        device,
        summary.getTestsSucceededCount(),
        summary.getTestsFoundCount(),
        tests,
        (summary.getTimeFinished() - summary.getTimeStarted()) / 1000);
    return summary.getTestsFoundCount() > 0
        && summary.getTestsSucceededCount() == summary.getTestsFoundCount();
  }
}

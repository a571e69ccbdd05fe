package org.pinwise.registrar.verbs;

import org.junit.jupiter.api.Nested;
import org.pinwise.registrar.Simulations;

/** The contract on a simulated device of each kind of driver. */
class SimulatedVerbsContractTest {

  @Nested
  class Rxe extends Contract {
    @Override
    String device() {
      return "rxe";
    }
  }

  @Nested
  class Siw extends Contract {
    @Override
    String device() {
      return "siw";
    }
  }

  @Nested
  class ConnectX5 extends Contract {
    @Override
    String device() {
      return "connectx5";
    }

    @Override
    boolean importsDmabuf() {
      return true;
    }

    @Override
    boolean takesAdvice() {
      return true;
    }
  }

  abstract static class Contract extends VerbsContractTest {
    @Override
    Verbs verbs() {
      return Verbs.simulated(Simulations.device(device()));
    }
  }
}

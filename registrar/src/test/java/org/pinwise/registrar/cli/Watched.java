package org.pinwise.registrar.cli;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.monitor.RegistrarMonitor;
import org.pinwise.rules.model.Access;

/** A program that is watched by the test: registers a region, says so, and waits to be ended. */
final class Watched {

  private Watched() {}

  public static void main(String[] args) throws Exception {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe");
        RegistrarMonitor _ = RegistrarMonitor.open(registrar);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(65536, 4096);
      registrar.register(memory, Access.of(REMOTE_WRITE));
      try (RegisteredRegion _ =
          registrar
              .register(memory, Registration.of(LOCAL_WRITE).label("of the child"))
              .orElseThrow()) {
        System.out.println("ready");
        System.in.read();
      }
    }
  }
}

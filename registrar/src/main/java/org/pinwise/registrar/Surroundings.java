package org.pinwise.registrar;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.facts.LiveHost;
import org.pinwise.engine.facts.LiveMemory;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;

/** Where a registrar's facts come from: this machine, or a simulated one. */
abstract class Surroundings {

  private static final MemorySegment.Scope GLOBAL = Arena.global().scope();
  private static final long SIMULATED_PAGE_SIZE = 4096;

  /** rdma-core of the lab that recorded the kernels' answers. */
  private static final int SIMULATED_RDMA_CORE = 44;

  /** Reads what is fixed or lasts until the next boot. */
  abstract Host host();

  /** Reads the host again, with what changes. */
  abstract Host hostNow(Host atOpen);

  /** Reads what a device is. */
  abstract Device device(Verbs verbs, DeviceContext context, Host host);

  /** Reads what memory is now; null where it cannot be read. */
  @Nullable Memory memory(long address, long length) {
    return LiveMemory.ofThisProcess().rangeInDetail(address, length).orElse(null);
  }

  /**
   * Whether a range is of an arena's own memory, of which ordinary things may be assumed. A segment
   * made of an address has the global scope, and so has memory of the global arena.
   */
  static boolean isOrdinary(MemorySegment base, long length) {
    return Long.compareUnsigned(length, base.byteSize()) <= 0
        && !base.isMapped()
        && !base.scope().equals(GLOBAL);
  }

  /** This machine. */
  static Surroundings real() {
    return new Real();
  }

  /** A simulated machine; its memory is real. */
  static Surroundings simulated(SimulatedDevice simulated) {
    return new Simulated(simulated);
  }

  /** A host of this kernel whose limits do not bind. */
  static Host simulatedHost(int kernel) {
    return Host.TYPE.of(
        Map.of(
            "kernel",
            kernel,
            "stack",
            DriverStack.INBOX,
            "rdmaCore",
            SIMULATED_RDMA_CORE,
            "pageSize",
            SIMULATED_PAGE_SIZE,
            "memlock",
            Long.MAX_VALUE,
            "ipcLock",
            true,
            "pinnedPages",
            0L,
            "dmaBounce",
            false));
  }

  private static final class Real extends Surroundings {
    @Override
    Host host() {
      return Host.TYPE.withoutLive(LiveHost.read().host());
    }

    @Override
    Host hostNow(Host atOpen) {
      return LiveHost.read().host();
    }

    @Override
    Device device(Verbs verbs, DeviceContext context, Host host) {
      return DeviceReader.read(verbs, context, host.kernel());
    }
  }

  private static final class Simulated extends Surroundings {
    private final SimulatedDevice simulated;

    Simulated(SimulatedDevice simulated) {
      this.simulated = simulated;
    }

    @Override
    Host host() {
      return simulated.host();
    }

    @Override
    Host hostNow(Host atOpen) {
      return atOpen;
    }

    /**
     * What is unknown of the device would be 0 or false in its attributes, so they are not read.
     */
    @Override
    Device device(Verbs verbs, DeviceContext context, Host host) {
      return simulated.device();
    }
  }
}

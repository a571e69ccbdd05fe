package org.pinwise.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.Size;

/**
 * What is taken for true when a caller cannot know it before the call: the address, the memory, the
 * host's limits. Device, kernel, library and access are never assumed.
 */
public enum Assumptions {
  /** What nobody said is assumed, and the verdict lists it. */
  USUAL {
    @Override
    Completed complete(Facts facts) {
      List<String> assumed = new ArrayList<>();
      Memory memory = facts.memory();
      if (facts.request().rawAddress() == null) {
        assumed.add(ADDRESS);
      }
      if (memory == null) {
        assumed.add(MEMORY);
        memory = Memory.ORDINARY;
      }
      Host host = facts.host();
      if (host.memlock() == null && host.ipcLock() == null && host.pinnedPages() == null) {
        assumed.add(LIMITS);
        host = host.withLimits(Long.MAX_VALUE, true);
      }
      if (host.dmaBounce() == null) {
        if (host.kernel() == null || host.kernel() >= Kernel.V7_0) {
          assumed.add(PLAIN_DMA);
        }
        host = host.withDmaBounce(false);
      }
      Device device = facts.device();
      if (device.mrInUse() == null || device.objectLimit() == null) {
        assumed.add(ROOM);
        device = withRoom(device);
      }
      Facts known = facts.withDevice(device);
      return new Completed(tuple(known, memory, host, true), List.copyOf(assumed));
    }
  },
  /** Nothing is assumed: what nobody said is unknown. */
  NONE {
    @Override
    Completed complete(Facts facts) {
      Memory memory = facts.memory() == null ? Memory.TYPE.unknown() : facts.memory();
      return new Completed(tuple(facts, memory, facts.host(), false), List.of());
    }
  };

  private static final String ADDRESS = "address";
  private static final String MEMORY = "memory";
  private static final String LIMITS = "limits";
  private static final String PLAIN_DMA = "dma";
  private static final String ROOM = "room";
  private static final Map<String, String> MEANING =
      Map.of(
          ADDRESS, "the address is page-aligned and in range",
          MEMORY, "the memory is mapped, anonymous, readable and writable",
          LIMITS, "no limit of the host binds (RLIMIT_MEMLOCK)",
          ROOM, "the device and its control group have room for regions (max_mr, rdma.max)",
          PLAIN_DMA, "the host is no confidential virtual machine that bounces DMA");

  /** Facts with what was assumed filled in. */
  record Completed(FactTuple facts, List<String> assumed) {}

  abstract Completed complete(Facts facts);

  private static Device withRoom(Device device) {
    return device.withRoom(
        Objects.requireNonNullElse(device.mrInUse(), 0L),
        Objects.requireNonNullElse(device.objectLimit(), Size.UNLIMITED));
  }

  /** A vendor's mlx4_core says by two parameters how many pages it has room for. */
  private static Device withTable(Device device, Host host) {
    return "mlx4".equals(device.driver()) && device.pageBudget() == null
        ? device.withPageBudget(host.translationEntries())
        : device;
  }

  private static FactTuple tuple(Facts facts, Memory memory, Host host, boolean assumeAddress) {
    AddressRange range = AddressRange.of(facts.request(), host, assumeAddress);
    return new FactTuple(
        facts.request(),
        range,
        memory,
        withTable(facts.device(), host),
        host,
        facts.plan(),
        facts.labels(),
        facts.configuration());
  }

  /** Returns what an entry of {@link Verdict#assumed()} means, as a clause. */
  public static String meaning(String assumed) {
    return MEANING.getOrDefault(assumed, assumed);
  }
}

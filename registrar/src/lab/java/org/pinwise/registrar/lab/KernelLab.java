package org.pinwise.registrar.lab;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.spi.Severity;

/**
 * The rules against the kernel: all flag sets, random calls, the keys, and the flags on the wire.
 * Exits with 0 only if the kernel agreed every time.
 *
 * <p>Arguments: the seed of the random calls, and their number.
 */
final class KernelLab {
  private static final List<String> DEVICES = List.of("rxe0", "siw0");
  private static final long PAGE = Mapping.PAGE;
  private static final int SOLE_CAUSE = 50;

  /** A room that decided so many calls is proved; judging more without it would only take time. */
  private static final int PROVED = 2 * SOLE_CAUSE;

  private static final int SHOWN = 20;
  private static final int LIMIT_CALLS = 1_200;

  private final MrValidator validator;
  private final Verbs verbs = Verbs.system();
  private final Map<String, MrValidator> without = new TreeMap<>();
  private int failures;

  private KernelLab(MrValidator validator) {
    this.validator = validator;
  }

  public static void main(String[] arguments) throws IOException {
    long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : new Random().nextLong();
    int calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
    KernelLab lab = new KernelLab(MrValidator.create(RuleSet.builtIn()));
    say("rules loaded");
    String before = run("rdma", "resource", "show");
    List<Device> devices = new ArrayList<>();
    for (String name : DEVICES) {
      devices.add(lab.open(name));
    }
    devices.forEach(lab::flagSets);
    lab.randomCalls(devices, seed, calls);
    for (String name : DEVICES) {
      lab.keys(name);
    }
    lab.wire();
    devices.forEach(lab::close);
    lab.expect("the kernel's counts are back", before, run("rdma", "resource", "show"));
    lab.expect(
        "no region is left", true, !run("rdma", "resource", "show").matches("(?s).* mr [1-9].*"));
    say(lab.failures == 0 ? "the kernel agrees" : lab.failures + " FAILED");
    // In the same guest, for a boot and the start of Drools take longer than all of it.
    int more = LimitsLab.run(lab.validator, seed, LIMIT_CALLS);
    System.exit(lab.failures + more == 0 ? 0 : 1);
  }

  private static final long STARTED = System.nanoTime();

  private static void say(String text) {
    System.out.printf("%5.1f s  %s%n", (System.nanoTime() - STARTED) / 1e9, text);
  }

  private void expect(String what, Object expected, Object actual) {
    boolean same = expected.equals(actual);
    say(what + (same ? ": ok" : ": FAILED, expected " + expected + ", was " + actual));
    failures += same ? 0 : 1;
  }

  // ---- devices ----

  /** A device opened twice: by the registrar, which finds out the facts, and by the port. */
  private record Device(Facts facts, DeviceContext context, ProtectionDomain pd) {}

  private Device open(String name) {
    Facts facts;
    try (MemoryRegistrar registrar = MemoryRegistrar.open(name, validator)) {
      facts = new Facts(MrRequest.builder().build(), null, registrar.device(), registrar.host());
    }
    say(name + ": " + facts.device() + " " + facts.host());
    DeviceContext context = verbs.openDevice(name).orElseThrow(KernelLab::failed);
    return new Device(facts, context, verbs.allocPd(context).orElseThrow(KernelLab::failed));
  }

  private void close(Device device) {
    expect("dealloc_pd", 0, verbs.deallocPd(device.pd()));
    expect("close_device", 0, verbs.closeDevice(device.context()));
  }

  private static RuntimeException failed(int errno) {
    return new IllegalStateException(Errno.nameOf(errno));
  }

  /** Makes the call, gives the region back, and returns the errno, 0 for success. */
  private int call(Device device, MrRequest request, MemorySegment base, boolean iova2) {
    Access access = request.accessArgument();
    long length = request.rawLength();
    Result<MemoryRegion> result =
        iova2
            ? verbs.regMrIova2Range(device.pd(), base, length, request.rawIova(), access.bits())
            : verbs.regMrRange(device.pd(), base, length, access.bits());
    if (result instanceof Result.Failed<MemoryRegion> failed) {
      return failed.errno();
    }
    MemoryRegion region = result.orElseThrow(KernelLab::failed);
    int errno = verbs.deregMr(region);
    if (errno != 0) {
      throw failed(errno);
    }
    return 0;
  }

  private static boolean agrees(Verdict verdict, int errno) {
    return errno == 0
        ? verdict.decision().equals("accepted")
        : verdict instanceof Rejected
            && verdict.errno().stream().map(Errno::number).toList().equals(List.of(errno));
  }

  // ---- all flag sets ----

  private void flagSets(Device device) {
    int right = 0;
    int all = 0;
    try (Mapping mapping = new Mapping(false, Protection.READ_WRITE, false)) {
      for (int set = 0; set < 1 << AccessFlag.values().length; set++) {
        int bits = 0;
        for (AccessFlag flag : AccessFlag.values()) {
          bits |= ((set >> flag.ordinal()) & 1) == 0 ? 0 : flag.bit();
        }
        for (boolean iova2 : new boolean[] {false, true}) {
          MrRequest.Builder request =
              MrRequest.range(mapping.address(), Mapping.PAGES * PAGE).access(Access.ofBits(bits));
          if (iova2) {
            request.iova(mapping.address());
          }
          MrRequest built = request.build();
          Verdict verdict =
              validator.validate(
                  device
                      .facts()
                      .withRequest(built)
                      .withMemory(mapping.facts(mapping.address(), Mapping.PAGES * PAGE)));
          int errno = call(device, built, mapping.base(), iova2);
          all++;
          if (agrees(verdict, errno)) {
            right++;
          } else if (all - right <= SHOWN) {
            say("  " + built.accessArgument() + ": " + Errno.nameOf(errno) + " but " + verdict);
          }
        }
      }
    }
    expect(device.context().device().name() + ": flag sets", all, right);
  }

  // ---- random calls ----

  private void randomCalls(List<Device> devices, long seed, int calls) {
    say("random calls: seed " + seed + ", " + calls + " calls");
    Random random = new Random(seed);
    List<Mapping> mappings = new ArrayList<>();
    for (boolean shared : new boolean[] {false, true}) {
      for (Protection protection :
          List.of(Protection.READ_WRITE, Protection.READ, Protection.NONE)) {
        mappings.add(new Mapping(shared, protection, false));
      }
      mappings.add(new Mapping(shared, Protection.READ_WRITE, true));
    }
    Map<String, Integer> causes = new TreeMap<>();
    int wrong = 0;
    int accepted = 0;
    for (int i = 0; i < calls; i++) {
      Device device = devices.get(i % devices.size());
      Mapping mapping =
          mappings.get(
              random.nextInt(3) == 0 ? random.nextInt(mappings.size()) : 4 * random.nextInt(2));
      long offset = offset(random);
      long address = mapping.address() + offset;
      long length = length(random, address, mapping.address());
      boolean iova2 = random.nextInt(3) == 0;
      MrRequest.Builder builder =
          MrRequest.range(address, length).access(Access.ofBits(bits(random, i % 4 < 2)));
      if (iova2) {
        builder.iova(iova(random, address));
      }
      MrRequest request = builder.build();
      Memory memory = mapping.facts(address, length);
      Facts facts = device.facts().withRequest(request).withMemory(memory);
      Verdict verdict = validator.validate(facts);
      int errno = call(device, request, MemorySegment.ofAddress(address), iova2);
      accepted += errno == 0 ? 1 : 0;
      if (!agrees(verdict, errno)) {
        if (wrong++ < SHOWN) {
          say("  call " + i + " " + facts + ": " + Errno.nameOf(errno) + " but " + verdict);
        }
      } else {
        soleCauses(facts, verdict, errno, causes);
      }
    }
    mappings.forEach(Mapping::close);
    expect("random calls: mismatches", 0, wrong);
    say("random calls: accepted by the kernel " + accepted);
    causes.forEach((room, count) ->
        expect(
            "random calls: mismatches without " + room + ": " + count + ", at least 50",
            true,
            count >= SOLE_CAUSE));
    expect("rooms that the kernel proved", ROOMS, List.copyOf(causes.keySet()));
  }

  /** The rooms that a call on rxe or siw of a 6.12 kernel can meet, with memory of these kinds. */
  private static final List<String> ROOMS =
      List.of(
          "MR001", "MR002", "MR003", "MR004", "MR005", "MR006", "MR007", "MR008", "MR011", "MR015",
          "MR016", "MR017", "MR046", "MR047");

  /** Counts the rooms without which the verdict would have been another. */
  private void soleCauses(Facts facts, Verdict verdict, int errno, Map<String, Integer> causes) {
    for (Finding finding : verdict.findings(Severity.ERROR)) {
      String room = finding.rule().replaceFirst("/.*", "");
      if (causes.getOrDefault(room, 0) >= PROVED) {
        continue;
      }
      MrValidator rest =
          without.computeIfAbsent(room, r -> MrValidator.create(RuleSet.builtIn().without(r)));
      if (!agrees(rest.validate(facts), errno)) {
        causes.merge(room, 1, Integer::sum);
      }
    }
  }

  private static int bits(Random random, boolean anyBits) {
    if (anyBits) {
      // Any 32 bits, but mostly few, so that more than the first check is reached.
      int bits = random.nextInt();
      return random.nextInt(4) == 0
          ? bits
          : bits & random.nextInt() & random.nextInt() & random.nextInt();
    }
    int share = 1 + random.nextInt(4);
    int bits = 0;
    for (AccessFlag flag : AccessFlag.values()) {
      bits |= random.nextInt(10) < share ? flag.bit() : 0;
    }
    return random.nextInt(2) == 0 ? bits | AccessFlag.LOCAL_WRITE.bit() : bits;
  }

  private static long offset(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt((int) (Mapping.PAGES * PAGE));
      case 1 -> random.nextInt(Mapping.PAGES) * PAGE + random.nextInt(3);
      default -> random.nextInt(Mapping.PAGES) * PAGE;
    };
  }

  private static long length(Random random, long address, long base) {
    long toEnd = base + Mapping.PAGES * PAGE - address;
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> 1 + random.nextInt(2);
      case 2 -> toEnd + random.nextInt(3) - 1;
      case 3 -> random.nextLong();
      case 4 -> -1L - (random.nextInt(3) > 0 ? 0 : random.nextInt(10_000));
      case 5 -> -address + random.nextInt(3) - 1;
      case 6 -> (1L << random.nextInt(64)) + random.nextInt(3) - 1;
      case 7 -> ((random.nextInt(80) + 1L) << 40) + (random.nextInt(3) - 1) * PAGE;
      default -> 1 + random.nextInt((int) (Mapping.PAGES * PAGE));
    };
  }

  private static long iova(Random random, long address) {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> random.nextLong();
      case 2 -> address;
      default -> address % PAGE + (long) random.nextInt() * PAGE;
    };
  }

  // ---- keys and counts ----

  private void keys(String name) throws IOException {
    try (MemoryRegistrar registrar = MemoryRegistrar.open(name, validator);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(3 * PAGE, PAGE).asSlice(16, 5000);
      try (RegisteredRegion region =
          registrar
              .register(memory, Access.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ))
              .orElseThrow()) {
        String shown = run("rdma", "resource", "show", "mr", "dev", name);
        expect(name + ": address", memory.address(), region.address());
        expect(name + ": length", 5000L, region.length());
        expect(name + ": the kernel has its length", true, shown.contains(" mrlen 5000 "));
        expect(
            name + ": the kernel has its rkey",
            true,
            shown.contains(" rkey 0x%x ".formatted(region.rkey())));
        expect(
            name + ": the kernel has its lkey",
            true,
            shown.contains(" lkey 0x%x ".formatted(region.lkey())));
        expect(name + ": not simulated", false, region.isSimulated());
      }
    }
    expect(name + ": no region is left", "", run("rdma", "resource", "show", "mr", "dev", name));
  }

  // ---- on the wire ----

  private void wire() {
    try (WirePeer peer = new WirePeer(Path.of("/payload/wire-peer"), "rxe0");
        MemoryRegistrar registrar = MemoryRegistrar.open("rxe0", validator);
        Arena arena = Arena.ofShared()) {
      new WireLab(peer, registrar, arena, this::expect).run();
    }
  }

  static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}

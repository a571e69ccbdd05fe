package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.cli.Main;
import org.pinwise.engine.facts.DeviceOption;
import org.pinwise.engine.facts.LiveHost;
import org.pinwise.engine.facts.LiveMemory;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Severity;

/**
 * Addresses, mappings and limits against the kernel, with all facts read as a program would read
 * them: memory from /proc/self/smaps, the host from /proc, objects from the control group. First as
 * root; then this process becomes a user's with a small RLIMIT_MEMLOCK, for good. Exits with 0 only
 * if the kernel agreed every time.
 *
 * <p>Arguments: the seed of the random calls, and their number as root.
 */
final class LimitsLab {
  private static final List<String> DEVICES = List.of("rxe0", "siw0");
  private static final long PAGE = Mapping.PAGE;
  private static final int USER = 1000;
  private static final int SHOWN = 20;
  private static final long MIB = 1 << 20;

  /** In each file of recorded answers: single calls, a dma-buf, and series until one fails. */
  private static final int REGISTRATIONS = 197;

  /** Every answer of these kernels is recorded, by the device's name without its number. */
  private static final Path RECORDED = Path.of("/payload/oracle");

  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  private static final MethodHandle REG_MR_IOVA =
      LabVerbs.downcall(
          "ibv_reg_mr_iova",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT));
  private static final MethodHandle REG_DMABUF_MR =
      LabVerbs.downcall(
          "ibv_reg_dmabuf_mr",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
  private static final MethodHandle DEREG_MR =
      LabVerbs.downcall("ibv_dereg_mr", FunctionDescriptor.of(JAVA_INT, ADDRESS));

  private final MrValidator validator;
  private final Verbs verbs = Verbs.system();
  private final LiveMemory live = LiveMemory.ofThisProcess();
  private final long started = System.nanoTime();
  private Host host = Host.UNKNOWN;
  private final Map<String, Integer> predicted = new TreeMap<>();
  private int failures;

  private LimitsLab(MrValidator validator) {
    this.validator = validator;
  }

  public static void main(String[] arguments) throws IOException {
    long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : new Random().nextLong();
    int calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_200;
    System.exit(run(MrValidator.create(RuleSet.builtIn()), seed, calls) == 0 ? 0 : 1);
  }

  /** Runs all of it, after which this process is a user's; returns how much did not hold. */
  static int run(MrValidator validator, long seed, int calls) throws IOException {
    LimitsLab lab = new LimitsLab(validator);
    LiveHost known = LiveHost.read();
    lab.host = known.host();
    lab.say(known.host() + ", unknown " + known.reasons());
    lab.expect("the version of rdma-core is known", true, known.host().rdmaCore() != null);
    // siw.ko is built for the lab, so that it cannot be said of this host that its stack is inbox.
    lab.expect(
        "the driver stack is unknown because of siw",
        true,
        known.host().stack() == null && known.reasons().get("stack").contains("siw"));
    List<Opened> devices = new ArrayList<>();
    for (String name : DEVICES) {
      devices.add(lab.open(name));
    }
    for (Opened device : devices) {
      new Windows(device.name(), validator, device.device(), lab.host, lab::expect).run();
    }
    for (Opened device : devices) {
      lab.probes(device, "root", 65_536);
    }
    lab.randomCalls("root", devices, seed, calls, ROOT_ROOMS);
    lab.objectQuota(devices);

    Libc.memlock(8 * MIB, 8 * MIB);
    Libc.becomeUser(USER);
    lab.readHost();
    lab.expect("a user without CAP_IPC_LOCK", false, lab.host.ipcLock());
    for (Opened device : devices) {
      lab.capacity(device);
    }
    for (long limit : new long[] {65_536, 16_384}) {
      Libc.memlock(limit, 8 * MIB);
      lab.readHost();
      for (Opened device : devices) {
        lab.probes(device, "uid 1000", limit);
      }
    }
    lab.randomCalls("a user", devices, seed, calls / 2, USER_ROOMS);
    Libc.memlock(0, 8 * MIB);
    lab.readHost();
    for (Opened device : devices) {
      lab.probes(device, "uid 1000", 0);
    }
    for (String name : DEVICES) {
      lab.expect(
          name + ": recorded registrations", REGISTRATIONS, lab.predicted.getOrDefault(name, 0));
    }
    devices.forEach(lab::close);
    lab.say(
        lab.failures == 0 ? "limits: the kernel agrees" : "limits: " + lab.failures + " FAILED");
    return lab.failures;
  }

  private void say(String text) {
    System.out.printf(Locale.ROOT, "%5.1f s  %s%n", (System.nanoTime() - started) / 1e9, text);
  }

  private void expect(String what, Object expected, Object actual) {
    boolean same = expected.equals(actual);
    say(what + (same ? ": ok" : ": FAILED, expected " + expected + ", was " + actual));
    failures += same ? 0 : 1;
  }

  // ---- devices ----

  private record Opened(
      String name, Device device, Boolean dmaBounce, DeviceContext context, ProtectionDomain pd) {
    Opened with(Device other) {
      return new Opened(name, other, dmaBounce, context, pd);
    }
  }

  private Opened open(String name) {
    Device device;
    Boolean dmaBounce;
    try (MemoryRegistrar registrar = MemoryRegistrar.open(name, validator)) {
      device = registrar.device();
      dmaBounce = registrar.host().dmaBounce();
    }
    DeviceContext context = verbs.openDevice(name).orElseThrow(LimitsLab::failed);
    ProtectionDomain pd = verbs.allocPd(context).orElseThrow(LimitsLab::failed);
    return new Opened(name, device, dmaBounce, context, pd);
  }

  private void close(Opened device) {
    expect("dealloc_pd", 0, verbs.deallocPd(device.pd()));
    expect("close_device", 0, verbs.closeDevice(device.context()));
  }

  private static RuntimeException failed(int errno) {
    return new IllegalStateException(Errno.nameOf(errno));
  }

  private Facts facts(Opened device, MrRequest request, Memory memory) {
    Host now = host.withDmaBounce(device.dmaBounce()).withPinnedPages(pinnedPages());
    return new Facts(request, memory, device.device(), now);
  }

  /** Reads what only changes when this process becomes another's, or its limit does. */
  private void readHost() {
    host = LiveHost.read().host();
  }

  /** {@code VmPin}, which counts the pages that are pinned for this process. */
  private static long pinnedPages() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmPin:")) {
          return Long.parseLong(line.replaceAll("\\D+", "")) * 1024 / PAGE;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("/proc/self/status has no VmPin");
  }

  /** What is known of the memory of a request; null where the kernel does not say. */
  private Memory memory(MrRequest request) {
    return live.rangeInDetail(request.rawAddress(), request.rawLength()).orElse(null);
  }

  private Result<MemoryRegion> register(Opened device, MrRequest request) {
    MemorySegment base = MemorySegment.ofAddress(request.rawAddress());
    int bits = request.accessArgument().bits();
    return request.rawIova() == null
        ? verbs.regMrRange(device.pd(), base, request.rawLength(), bits)
        : verbs.regMrIova2Range(device.pd(), base, request.rawLength(), request.rawIova(), bits);
  }

  /** Makes the call, gives the region back, and returns the errno, 0 for success. */
  private int call(Opened device, MrRequest request) {
    Result<MemoryRegion> result = register(device, request);
    if (result instanceof Result.Failed<MemoryRegion> failed) {
      return failed.errno();
    }
    give(result.orElseThrow(LimitsLab::failed));
    return 0;
  }

  private void give(MemoryRegion region) {
    int errno = verbs.deregMr(region);
    if (errno != 0) {
      throw failed(errno);
    }
  }

  private static boolean agrees(Verdict verdict, int errno) {
    return errno == 0
        ? verdict.decision().equals("accepted")
        : verdict instanceof Rejected
            && verdict.errno().stream().map(Errno::number).toList().equals(List.of(errno));
  }

  // ---- what was recorded ----

  private static final Pattern LIMITED =
      Pattern.compile("(uid 1000|root), RLIMIT_MEMLOCK (\\d+): (\\d+) ([MK])iB");
  private static final Pattern COUNTED =
      Pattern.compile("(uid 1000|root), limit (\\d+): (\\d+) MRs of 4 KiB, then errno (\\d+)");
  private static final Pattern COUNTED_FURTHER =
      Pattern.compile(
          "(uid 1000|root), limit (\\d+), and then: (\\d+) more MRs of 16 bytes in one page,"
              + " then errno (\\d+)");

  /** Rows whose answer depends on where the memory happens to be: siw counts pages in an int. */
  private static final List<String> ADDRESS_DECIDES = List.of("addr+length overflow, exactly to 0");

  private static final Pattern ERRNO = Pattern.compile("errno (\\d+)");

  /** The rows of this user and this limit, and as root those that say neither. */
  private void probes(Opened device, String user, long limit) throws IOException {
    String version = host.kernel() < 6_012 ? "6.1" : "6.12";
    String driver = device.device().driver();
    Path file = RECORDED.resolve("probes-%s-kernel%s.txt".formatted(driver, version));
    if (!Files.exists(file)) {
      say(device.name() + ": nothing is recorded of " + driver + " on this kernel");
      return;
    }
    int rows = 0;
    int right = 0;
    Deque<MemoryRegion> held = new ArrayDeque<>();
    Situations situations = new Situations();
    for (String row : Files.readAllLines(file)) {
      String[] column = row.split("\\|", -1);
      if (row.startsWith("#") || column.length < 2) {
        continue;
      }
      String text = column[1].strip();
      Matcher limited = LIMITED.matcher(text);
      Matcher counted = COUNTED.matcher(text);
      Matcher further = COUNTED_FURTHER.matcher(text);
      if (limited.matches()) {
        if (!limited.group(1).equals(user) || Long.parseLong(limited.group(2)) != limit) {
          continue;
        }
        long unit = limited.group(4).equals("M") ? MIB : 1 << 10;
        rows++;
        Situations.Probe probe = situations.plain(Long.parseLong(limited.group(3)) * unit);
        right += row(device, row, column, probe) ? 1 : 0;
      } else if (counted.matches() || further.matches()) {
        Matcher matcher = counted.matches() ? counted : further;
        if (!matcher.group(1).equals(user) || Long.parseLong(matcher.group(2)) != limit) {
          continue;
        }
        rows++;
        Situations.Probe probe = counted.matches() ? situations.plain(PAGE) : situations.small();
        right += counted(device, row, matcher, probe, held) ? 1 : 0;
      } else if (user.equals("root") && column.length > 4) {
        rows++;
        right += row(device, row, column, situations.of(text)) ? 1 : 0;
      } else if (user.equals("root") && text.startsWith("reg_dmabuf_mr")) {
        rows++;
        right += dmabuf(device, row, text) ? 1 : 0;
      }
    }
    held.forEach(this::give);
    expect("%s: rows recorded as %s, limit %d".formatted(device.name(), user, limit), rows, right);
    predicted.merge(device.name(), rows, Integer::sum);
    situations.close();
  }

  private boolean row(Opened device, String row, String[] column, Situations.Probe probe) {
    String function = column[2].strip();
    // In C, flags is 0x.. or, for none, 0x0.
    int bits = Integer.parseUnsignedInt(column[3].strip().replaceFirst("flags 0x", ""), 16);
    MrRequest.Builder builder =
        MrRequest.range(probe.address(), probe.length()).access(Access.ofBits(bits));
    if (!function.equals("ibv_reg_mr")) {
      builder.iova(probe.iova() == null ? probe.address() : probe.iova());
    }
    MrRequest request = builder.build();
    Facts facts = facts(device, request, memory(request));
    Verdict verdict = validator.validate(facts);
    int errno =
        function.equals("ibv_reg_mr_iova")
            ? raw(
                REG_MR_IOVA,
                LabVerbs.pointer(device.pd()),
                MemorySegment.ofAddress(probe.address()),
                probe.length(),
                request.rawIova(),
                bits)
            : call(device, request);
    return same(row, errno(column[4]), errno, facts, verdict);
  }

  private boolean dmabuf(Opened device, String row, String text) {
    MrRequest request =
        MrRequest.range(0, PAGE).iova(0).verb(Verb.REG_DMABUF_MR).access(Access.ofBits(1)).build();
    Facts facts = facts(device, request, Memory.ordinary(Protection.READ_WRITE));
    Verdict verdict = validator.validate(facts);
    int errno = raw(REG_DMABUF_MR, LabVerbs.pointer(device.pd()), 0L, PAGE, 0L, 0, 1);
    return same(row, errno(text), errno, facts, verdict);
  }

  private static int raw(MethodHandle function, Object... arguments) {
    LabVerbs.Created created = LabVerbs.tryToCreate(function, arguments);
    if (created.errno() == 0) {
      LabVerbs.check("ibv_dereg_mr", DEREG_MR, created.object());
    }
    return created.errno();
  }

  /** So many regions fit, and not one more; they stay held, as they did when it was recorded. */
  private boolean counted(
      Opened device,
      String row,
      Matcher matcher,
      Situations.Probe probe,
      Deque<MemoryRegion> held) {
    int fit = Integer.parseInt(matcher.group(3));
    int last = Integer.parseInt(matcher.group(4));
    int count = last == 0 ? Math.min(fit, 20) : fit; // of what never fails a few are enough
    MrRequest request =
        MrRequest.range(probe.address(), probe.length()).access(AccessFlag.LOCAL_WRITE).build();
    boolean right = true;
    for (int i = 0; i <= count; i++) {
      Facts facts = facts(device, request, memory(request));
      Verdict verdict = validator.validate(facts);
      Result<MemoryRegion> result = register(device, request);
      int errno = result instanceof Result.Failed<MemoryRegion> failed ? failed.errno() : 0;
      if (errno == 0) {
        held.add(result.orElseThrow(LimitsLab::failed));
      }
      right &= same(row, i < count ? 0 : last, errno, facts, verdict);
    }
    return right;
  }

  private static int errno(String text) {
    Matcher matcher = ERRNO.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("a row without errno: " + text);
    }
    return Integer.parseInt(matcher.group(1));
  }

  private boolean same(String row, int recorded, int errno, Facts facts, Verdict verdict) {
    if (errno != recorded && ADDRESS_DECIDES.stream().noneMatch(row::contains)) {
      say("  not as recorded: " + row.strip() + " but " + Errno.nameOf(errno));
      return false;
    }
    if (!agrees(verdict, errno)) {
      say("  " + row.strip() + " but " + verdict + " of " + facts);
      return false;
    }
    return true;
  }

  // ---- random calls ----

  /** The rooms of memory and limits that a call with such mappings can meet. */
  private static final List<String> ROOT_ROOMS = List.of("MR008", "MR011", "MR012");

  private static final List<String> USER_ROOMS = List.of("MR008", "MR011", "MR012", "MR013");

  private void randomCalls(
      String user, List<Opened> devices, long seed, int calls, List<String> rooms) {
    say("random calls as " + user + ": seed " + seed + ", " + calls + " calls");
    Random random = new Random(seed);
    List<Mapping> mappings = new ArrayList<>();
    for (Mapping.Backing backing : Mapping.Backing.values()) {
      for (boolean shared : new boolean[] {false, true}) {
        for (Protection protection :
            List.of(Protection.READ_WRITE, Protection.READ, Protection.NONE)) {
          if (backing != Mapping.Backing.HUGETLB || protection != Protection.NONE) {
            mappings.add(new Mapping(backing, shared, protection, false));
          }
        }
        if (backing != Mapping.Backing.HUGETLB) {
          mappings.add(new Mapping(backing, shared, Protection.READ_WRITE, true));
        }
      }
    }
    Map<String, Integer> met = new TreeMap<>();
    int wrong = 0;
    int accepted = 0;
    for (int i = 0; i < calls; i++) {
      Opened device = devices.get(i % devices.size());
      Mapping mapping = mappings.get(random.nextInt(mappings.size()));
      long address = mapping.address() + random.nextLong(mapping.size());
      long toEnd = mapping.address() + mapping.size() - address;
      long length =
          switch (random.nextInt(6)) {
            case 0 -> toEnd + random.nextInt(3) - 1;
            case 1 -> 1 + random.nextInt(3);
            case 2 -> 1 + random.nextLong(40 * PAGE);
            default -> 1 + random.nextLong(Math.min(toEnd, 16 * PAGE));
          };
      int bits = random.nextInt(4) == 0 ? 0 : AccessFlag.LOCAL_WRITE.bit();
      bits |= random.nextInt(2) == 0 ? AccessFlag.REMOTE_READ.bit() : 0;
      MrRequest.Builder builder = MrRequest.range(address, length).access(Access.ofBits(bits));
      if (random.nextInt(3) == 0) {
        builder.iova(address);
      }
      MrRequest request = builder.build();
      Facts facts = facts(device, request, memory(request));
      Verdict verdict = validator.validate(facts);
      int errno = call(device, request);
      accepted += errno == 0 ? 1 : 0;
      if (!agrees(verdict, errno) && wrong++ < SHOWN) {
        say("  " + mapping + ", " + facts + ": " + Errno.nameOf(errno) + " but " + verdict);
      }
      for (Finding finding : verdict.findings(Severity.ERROR)) {
        met.merge(finding.rule().replaceFirst("/.*", ""), 1, Integer::sum);
      }
    }
    mappings.forEach(Mapping::close);
    expect("random calls as " + user + ": mismatches", 0, wrong);
    say("  accepted by the kernel " + accepted + ", rooms that refused " + met);
    expect("  both answers were met", true, accepted > calls / 20 && accepted < calls);
    expect("  all these rooms refused some", true, met.keySet().containsAll(rooms));
  }

  // ---- capacity ----

  /** With 3 of 8 MiB pinned, what {@code pinwise capacity} prints fits, and not a page more. */
  private void capacity(Opened device) {
    MemorySegment memory =
        Libc.mmap(
            MemorySegment.NULL,
            16 * MIB,
            Libc.PROT_READ | Libc.PROT_WRITE,
            Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS,
            -1);
    MrRequest pinned = write(memory.address(), 3 * MIB);
    MemoryRegion held = register(device, pinned).orElseThrow(LimitsLab::failed);
    long more = capacity(device.name());
    expect(device.name() + ": capacity with 3 of 8 MiB pinned", 5 * MIB, more);
    long at = memory.address() + 4 * MIB;
    expect("  it registers", 0, predicted(device, write(at, more)));
    expect("  and a page more", Errno.ENOMEM.number(), predicted(device, write(at, more + PAGE)));
    give(held);
    expect(device.name() + ": capacity with nothing pinned", 8 * MIB, capacity(device.name()));
    Libc.munmap(memory);
  }

  private static MrRequest write(long address, long length) {
    return MrRequest.range(address, length).access(AccessFlag.LOCAL_WRITE).build();
  }

  /** Makes a call of which the verdict must be right, and returns its errno. */
  private int predicted(Opened device, MrRequest request) {
    Facts facts = facts(device, request, memory(request));
    Verdict verdict = validator.validate(facts);
    int errno = call(device, request);
    expect(
        "  predicted: " + verdict.decision() + " " + verdict.errno(), true, agrees(verdict, errno));
    return errno;
  }

  private static final Pattern BYTES = Pattern.compile("\"bytes\": (?:\"(\\d+)\"|null)");

  /** What the command prints for this process: bytes. */
  private static long capacity(String device) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
    int exit =
        Main.run(
            print,
            System.out,
            InputStream.nullInputStream(),
            "capacity",
            "--device=live:" + device,
            "--format=json");
    Matcher bytes = BYTES.matcher(out.toString(StandardCharsets.UTF_8));
    if (exit != 0 || !bytes.find() || bytes.group(1) == null) {
      throw new IllegalStateException("pinwise capacity says: " + out);
    }
    return Long.parseUnsignedLong(bytes.group(1));
  }

  // ---- the control group's objects ----

  /** In a control group with room for so many objects, so many regions fit, and then EAGAIN. */
  private void objectQuota(List<Opened> devices) throws IOException {
    if (!Files.exists(CGROUPS.resolve("cgroup.controllers"))) {
      KernelLab.run("mount", "-t", "cgroup2", "cgroup", CGROUPS.toString());
    }
    Files.writeString(CGROUPS.resolve("cgroup.subtree_control"), "+rdma");
    Path group = Files.createDirectories(CGROUPS.resolve("pinwise-lab"));
    Files.writeString(group.resolve("cgroup.procs"), Long.toString(ProcessHandle.current().pid()));
    MemorySegment memory =
        Libc.mmap(
            MemorySegment.NULL,
            PAGE,
            Libc.PROT_READ | Libc.PROT_WRITE,
            Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS,
            -1);
    for (Opened device : devices) {
      int room = 2;
      Files.writeString(
          group.resolve("rdma.max"), device.name() + " hca_handle=max hca_object=" + room);
      List<MemoryRegion> held = new ArrayList<>();
      MrRequest request = write(memory.address(), PAGE);
      int errno = 0;
      for (int i = 0; i <= room; i++) {
        Device now = DeviceOption.resolve("live:" + device.name(), null).device();
        Map<String, Object> quota = new TreeMap<>();
        quota.put("objectLimit", now.objectLimit());
        quota.put("objectsInUse", now.objectsInUse());
        Opened here = device.with(Device.TYPE.with(device.device(), quota));
        Facts facts = facts(here, request, memory(request));
        Verdict verdict = validator.validate(facts);
        Result<MemoryRegion> result = register(here, request);
        errno = result instanceof Result.Failed<MemoryRegion> failed ? failed.errno() : 0;
        if (errno == 0) {
          held.add(result.orElseThrow(LimitsLab::failed));
        }
        expect(
            "%s: %s of %s objects, %s %s"
                .formatted(
                    device.name(),
                    now.objectsInUse(),
                    now.objectLimit(),
                    verdict.decision(),
                    verdict.errno()),
            true,
            agrees(verdict, errno));
        if (i == room - 2) {
          expect("  capacity with one object left", true, capacity(device.name()) > 0);
        }
        if (i == room - 1) {
          expect("  capacity with none left", 0L, capacity(device.name()));
        }
      }
      expect("  regions in the group", room, held.size());
      expect("  and one more", Errno.EAGAIN.number(), errno);
      held.forEach(this::give);
      Files.writeString(
          group.resolve("rdma.max"), device.name() + " hca_handle=max hca_object=max");
    }
    Libc.munmap(memory);
  }
}

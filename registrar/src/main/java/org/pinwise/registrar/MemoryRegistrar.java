package org.pinwise.registrar;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.BoundValidator;
import org.pinwise.engine.Finding;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.memory.BufferArena;
import org.pinwise.registrar.memory.Pages;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.SimulatedDevice;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.spi.Severity;

/**
 * Registers memory with one RDMA device: consults the rules, then calls the library.
 *
 * {@snippet :
 * MrValidator validator = MrValidator.create(RuleSet.builtIn());
 * try (MemoryRegistrar registrar = MemoryRegistrar.open("mlx5_0", validator);
 *     Arena arena = Arena.ofShared()) {
 *   MemorySegment buffer = arena.allocate(1 << 20, 4096);
 *   try (RegisteredRegion region =
 *       registrar.register(buffer, Access.of(LOCAL_WRITE, REMOTE_WRITE)).orElseThrow()) {
 *     peer.offer(region.remoteAddress(), region.rkey());
 *   }
 * }
 * }
 *
 * <p>It refuses, without a call, what the rules reject by facts that are fixed or last until the
 * next boot: the request, the device, the kernel, the limits. Those of the host and the device are
 * read once, when it is opened. Facts that may be stale when they are read, of the memory and of
 * what the process has pinned, do not stop a call unless the {@linkplain RegistrarOptions options}
 * say so; they explain a call that failed.
 *
 * <p>Before a call nothing is read of the memory, so it is assumed to be ordinary, and {@link
 * Verdict#assumed} says so. Of a mapped file, or of a segment made of an address, nothing is
 * assumed: rules on the memory are then undecided until the call fails.
 *
 * <p>Nothing pretends: a device that is not there is an exception, and only {@link #simulated}
 * simulates.
 *
 * <p>Thread-safe. Regions belong to the registrar, and closing it closes them.
 */
public final class MemoryRegistrar implements AutoCloseable {

  /** Set in {@link #calls} by the first close. */
  private static final int CLOSING = 1 << 31;

  private static final VarHandle CALLS;

  static {
    try {
      CALLS = MethodHandles.lookup().findVarHandle(MemoryRegistrar.class, "calls", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Verbs verbs;
  private final RegistrarOptions options;
  private final Surroundings surroundings;
  private final Device device;
  private final Host host;
  private final DeviceContext context;
  private final ProtectionDomain pd;
  private final Set<RegisteredRegion> regions = ConcurrentHashMap.newKeySet();
  private final Map<MemorySegment.Scope, ArenaRegions> arenas = new ConcurrentHashMap<>();
  private final Listeners listeners = new Listeners();
  private final @Nullable LeaseTracker leaseTracker;
  private final ReentrantLock closeLock = new ReentrantLock();

  private volatile Judge judge;

  /** Whether a close was deferred, so that the last region's ends it. */
  private volatile boolean closeDeferred;

  /** How many registrations run now, and {@link #CLOSING}. */
  @SuppressWarnings("unused") // through CALLS
  private volatile int calls;

  private MemoryRegistrar(
      Verbs verbs,
      MrValidator validator,
      RegistrarOptions options,
      Surroundings surroundings,
      Opened opened) {
    this.verbs = verbs;
    this.options = options;
    this.surroundings = surroundings;
    this.device = opened.device;
    this.host = opened.host;
    this.context = opened.context;
    this.pd = opened.pd;
    this.leaseTracker = options.leaseTracking() ? new LeaseTracker(listeners) : null;
    this.judge = Judge.of(validator, device, host);
  }

  /** A validator, and the same for this device and host. */
  private record Judge(MrValidator validator, BoundValidator bound) {
    static Judge of(MrValidator validator, Device device, Host host) {
      return new Judge(validator, validator.forHost(device, host));
    }
  }

  /** What {@link #open} has made when all went well. */
  private record Opened(DeviceContext context, ProtectionDomain pd, Device device, Host host) {}

  // ---- opening ----

  /**
   * Opens a device of this machine.
   *
   * @param deviceName such as {@code mlx5_0}
   * @param validator the rules to consult
   * @throws UnavailableException if there is no such device, or no way to reach any
   * @throws VerbsException if it is there and cannot be opened or queried
   */
  public static MemoryRegistrar open(String deviceName, MrValidator validator) {
    return open(deviceName, validator, RegistrarOptions.DEFAULT);
  }

  /**
   * Opens a device of this machine.
   *
   * @param deviceName such as {@code mlx5_0}
   * @param validator the rules to consult
   * @param options how to behave
   * @throws UnavailableException if there is no such device, or no way to reach any
   * @throws VerbsException if it is there and cannot be opened or queried
   */
  public static MemoryRegistrar open(
      String deviceName, MrValidator validator, RegistrarOptions options) {
    return open(Verbs.system(), deviceName, validator, options, Surroundings.real());
  }

  /**
   * Simulates a device of the catalogue under the newest kernel that the rules were tried on,
   * judged by the built-in rules.
   *
   * @param catalogueName such as {@code connectx5}
   * @throws UnavailableException if the catalogue has no such device
   */
  public static MemoryRegistrar simulated(String catalogueName) {
    return simulated(catalogueName, BuiltIn.VALIDATOR);
  }

  /**
   * Simulates a device of the catalogue under the newest kernel that the rules were tried on.
   *
   * @param catalogueName such as {@code connectx5}
   * @param validator the rules to consult; the simulated kernel follows the built-in ones
   * @throws UnavailableException if the catalogue has no such device
   */
  public static MemoryRegistrar simulated(String catalogueName, MrValidator validator) {
    return simulated(catalogueName, DEFAULT_KERNEL, validator);
  }

  /**
   * Simulates a device of the catalogue under a kernel.
   *
   * @param catalogueName such as {@code connectx5}
   * @param kernel such as {@link Kernel#V6_12}
   * @param validator the rules to consult; the simulated kernel follows the built-in ones
   * @throws UnavailableException if the catalogue has no such device
   */
  public static MemoryRegistrar simulated(String catalogueName, int kernel, MrValidator validator) {
    return simulated(catalogueName, kernel, validator, RegistrarOptions.DEFAULT);
  }

  /**
   * Simulates a device of the catalogue under a kernel.
   *
   * @param catalogueName such as {@code connectx5}
   * @param kernel such as {@link Kernel#V6_12}
   * @param validator the rules to consult; the simulated kernel follows the built-in ones
   * @param options how to behave
   * @throws UnavailableException if the catalogue has no such device
   */
  public static MemoryRegistrar simulated(
      String catalogueName, int kernel, MrValidator validator, RegistrarOptions options) {
    Objects.requireNonNull(catalogueName, "catalogueName: the name of a simulated device");
    Objects.requireNonNull(validator, "validator");
    Objects.requireNonNull(options, "options");
    SimulatedDevice simulated = simulatedDevice(catalogueName, kernel);
    return open(
        Verbs.simulated(simulated),
        simulated.name(),
        validator,
        options,
        Surroundings.simulated(simulated));
  }

  /** The newest kernel whose answers were recorded in the lab. */
  private static final int DEFAULT_KERNEL = Kernel.V6_12;

  static SimulatedDevice simulatedDevice(String catalogueName, int kernel) {
    return new SimulatedDevice(
        catalogueName,
        Catalog.device(catalogueName, kernel),
        Surroundings.simulatedHost(kernel),
        BuiltIn.VALIDATOR);
  }

  /** The built-in rules, loaded when something is simulated. */
  private static final class BuiltIn {
    static final MrValidator VALIDATOR = MrValidator.create(RuleSet.builtIn());
  }

  /** Opens a device of a port; if a step fails, undoes those before it. */
  static MemoryRegistrar open(
      Verbs verbs,
      String deviceName,
      MrValidator validator,
      RegistrarOptions options,
      Surroundings surroundings) {
    DeviceContext context = Devices.open(verbs, deviceName);
    ProtectionDomain pd = null;
    try {
      Host host = surroundings.host();
      Device device = surroundings.device(verbs, context, host);
      pd =
          verbs
              .allocPd(context)
              .orElseThrow(errno -> new VerbsException("ibv_alloc_pd", deviceName, errno));
      return new MemoryRegistrar(
          verbs, validator, options, surroundings, new Opened(context, pd, device, host));
    } catch (RuntimeException | Error e) {
      Failures failures = new Failures();
      ProtectionDomain allocated = pd;
      failures.run(() -> {
        if (allocated != null) {
          deallocate(verbs, allocated);
        }
        Devices.close(verbs, context);
      });
      failures.addTo(e);
      throw e;
    }
  }

  // ---- registering ----

  /**
   * Registers a segment with this access, under its own address.
   *
   * <p>While the call runs, the memory stays: a {@link RegistrationArena} is closed after it, and
   * of any other arena Java itself refuses the close, with an {@link IllegalStateException} to whom
   * closes it ({@code Session is acquired by 1 clients}); it can be closed after the call.
   *
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment or the registrar is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public RegistrationOutcome register(MemorySegment memory, Access access) {
    return register(memory, Registration.of(access));
  }

  /**
   * Registers a segment.
   *
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment or the registrar is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public RegistrationOutcome register(MemorySegment memory, Registration registration) {
    return registerRange(memory, memory.byteSize(), registration);
  }

  /**
   * Registers a range that starts at a segment and need not be the segment's, such as the whole
   * address space for implicit on-demand paging: {@link MemorySegment#NULL} and -1. What lies
   * beyond the segment nobody keeps alive.
   *
   * @param length bytes, unsigned
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment or the registrar is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public RegistrationOutcome registerRange(
      MemorySegment base, long length, Registration registration) {
    Verbs.requirePassable(base);
    return register(new RangeSource(base, length), registration);
  }

  /**
   * Registers memory of another device, such as a GPU, that it exports as a dma-buf. The address by
   * which the device knows it is {@link Registration#iova}, whose offset in a page must be that of
   * the offset in the buffer; the offset itself, if none is given.
   *
   * {@snippet :
   * registrar.registerDmaBuf(
   *     new DmaBuf(fd, 0, length), Registration.of(LOCAL_WRITE, REMOTE_READ).iova(gpuAddress));
   * }
   *
   * @throws IllegalStateException if the registrar is closed
   */
  public RegistrationOutcome registerDmaBuf(DmaBuf buffer, Registration registration) {
    return register(new DmaBufSource(buffer), registration);
  }

  private RegistrationOutcome register(Source source, Registration registration) {
    requireOpen();
    Verdict verdict = consult(source, registration);
    if (isRefused(verdict)) {
      listeners.refused(this, verdict);
      return new RegistrationOutcome.Refused(verdict);
    }
    return call(source, registration, verdict);
  }

  /**
   * Registers a segment in several regions, if it is longer than one may be: all of them, or none.
   *
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment or the registrar is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public ChunkedOutcome registerChunked(
      MemorySegment memory, Registration registration, Chunks chunks) {
    List<Long> lengths =
        Chunks.lengths(
            memory.address(),
            memory.byteSize(),
            chunks.longest(device.maxMrSize()),
            host.hugePageSize());
    List<RegisteredRegion> made = new ArrayList<>();
    List<Verdict> verdicts = new ArrayList<>();
    long offset = 0;
    try {
      for (long length : lengths) {
        Registration one = lengths.size() == 1 ? registration : chunk(registration, offset);
        RegistrationOutcome outcome = register(memory.asSlice(offset, length), one);
        if (!(outcome instanceof RegistrationOutcome.Registered(var region, var verdict))) {
          return new ChunkedOutcome.NotRegistered(
              made.size(), lengths.size(), outcome, giveBack(made));
        }
        made.add(region);
        verdicts.add(verdict);
        offset += length;
      }
      return new ChunkedOutcome.Registered(new ChunkedRegion(made), List.copyOf(verdicts));
    } catch (RuntimeException | Error e) {
      giveBack(made).forEach(e::addSuppressed);
      throw e;
    }
  }

  private static Registration chunk(Registration whole, long offset) {
    Registration labelled = whole.label().isEmpty() ? whole.label("chunk") : whole;
    Long iova = whole.iovaOrNull();
    return iova == null ? labelled : labelled.iova(iova + offset);
  }

  private static List<VerbsException> giveBack(List<RegisteredRegion> made) {
    List<VerbsException> failures = new ArrayList<>();
    for (RegisteredRegion region : made) {
      try {
        region.closeWith(WhenLeased.defer());
      } catch (VerbsException e) {
        failures.add(e);
      }
    }
    return List.copyOf(failures);
  }

  /**
   * Registers a segment as asked, or as the first rung that holds says. Each rung starts from what
   * was asked: nothing is given up but what the rung that holds names.
   *
   * {@snippet :
   * FallbackOutcome outcome =
   *     registrar.register(
   *         buffer,
   *         Registration.of(LOCAL_WRITE, RELAXED_ORDERING),
   *         List.of(Rung.withoutOptionalFlags(), Rung.onDemand(), Rung.bounce(pool)));
   * outcome.steps().forEach(out::println);
   * }
   *
   * @param ladder what to try, in this order, after a refusal or a failure
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment, the registrar or a rung's pool is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public FallbackOutcome register(
      MemorySegment memory, Registration registration, List<Rung> ladder) {
    return new Ladder(this, memory, registration).descend(ladder);
  }

  /**
   * Opens a pool of registered buffers.
   *
   * @param access the access with which its slabs are registered
   * @throws RegistrationRejectedException if the rules refuse to register a slab
   * @throws VerbsException if the call fails
   * @throws IllegalArgumentException if the options allow fewer bytes than one slab of each size
   * @throws IllegalStateException if the registrar is closed
   */
  public RegionPool openPool(Access access, PoolOptions pool) {
    return RegionPool.open(this, access, pool);
  }

  /**
   * What the rules say of a registration, which is not made.
   *
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public Verdict check(MemorySegment memory, Registration registration) {
    return checkRange(memory, memory.byteSize(), registration);
  }

  /**
   * What the rules say of {@link #registerRange}, which is not made.
   *
   * @param length bytes, unsigned
   * @throws IllegalArgumentException if the segment is on the Java heap
   * @throws IllegalStateException if the segment is closed
   * @throws WrongThreadException if the segment is confined to another thread
   */
  public Verdict checkRange(MemorySegment base, long length, Registration registration) {
    Verbs.requirePassable(base);
    return consult(new RangeSource(base, length), registration);
  }

  /** What the rules say of {@link #registerDmaBuf}, which is not made. */
  public Verdict checkDmaBuf(DmaBuf buffer, Registration registration) {
    return consult(new DmaBufSource(buffer), registration);
  }

  private Verdict consult(Source source, Registration registration) {
    if (options.refuseOnLiveFacts()) {
      return judge.validator.validate(liveFacts(source, registration));
    }
    Memory known = registration.memoryOrNull();
    return judge.bound.validate(
        source.judged(registration), known != null ? known : source.assumed());
  }

  /** The request with what the memory and the host are now. */
  private Facts liveFacts(Source source, Registration registration) {
    Memory known = registration.memoryOrNull();
    return new Facts(
        source.judged(registration),
        known != null ? known : source.now(surroundings),
        device,
        surroundings.hostNow(host));
  }

  private boolean isRefused(Verdict verdict) {
    if (!(verdict instanceof Rejected)) {
      return false; // its findings need not be made
    }
    for (Finding finding : verdict.findings()) {
      if (finding.severity() != Severity.ERROR) {
        return false; // errors come first
      }
      if (!finding.live() || options.refuseOnLiveFacts()) {
        return true;
      }
    }
    return false;
  }

  private RegistrationOutcome call(Source source, Registration registration, Verdict verdict) {
    boolean told = listeners.isListening();
    RegisteredRegion registered = null;
    int errno = 0;
    long start;
    long end;
    // Who closes the registrar or the arena waits for what is between here and the leaving. So
    // nothing is told in there, and no rule is asked: a listener may close either.
    enter();
    ArenaRegions arena = null;
    try {
      arena = enterArena(source.segment());
      start = told ? System.nanoTime() : 0;
      Result<MemoryRegion> result = source.register(verbs, pd, registration);
      end = told ? System.nanoTime() : 0;
      switch (result) {
        case MemoryRegion region -> registered = adopt(region, registration);
        case Result.Failed<MemoryRegion> failed -> errno = failed.errno();
      }
    } finally {
      if (arena != null) {
        arena.exit();
      }
      leave();
    }
    if (registered != null) {
      if (told) {
        listeners.registered(registered, verdict, end - start);
      }
      return new RegistrationOutcome.Registered(registered, verdict);
    }
    RegistrationOutcome.Failed failed = failed(source, registration, errno);
    if (told) {
      listeners.failed(this, failed.error(), failed.diagnosis(), end - start);
    }
    return failed;
  }

  /** Keeps the arena of the memory from being closed; null where nobody would close it with us. */
  private @Nullable ArenaRegions enterArena(MemorySegment base) {
    ArenaRegions arena = arenas.isEmpty() ? null : arenas.get(base.scope());
    if (arena != null && !arena.enter()) {
      throw arenaIsClosed(base.address());
    }
    return arena;
  }

  private static IllegalStateException arenaIsClosed(long address) {
    return new IllegalStateException(
        "the arena of the memory at 0x%x is closed\nMaybe it was closed by another thread."
            .formatted(address));
  }

  /** Makes the region the caller's; if that fails, gives it back. */
  RegisteredRegion adopt(MemoryRegion region, Registration registration) {
    RegisteredRegion registered;
    try {
      Long iova = registration.iovaOrNull();
      long remoteAddress = iova == null || ignoresIova() ? region.address() : iova;
      registered =
          new RegisteredRegion(
              this, region, registration.access(), remoteAddress, registration.label());
      regions.add(registered);
    } catch (Throwable e) {
      verbs.deregMr(region);
      throw e;
    }
    if (!arenas.isEmpty()) {
      joinArena(registered);
    }
    return registered;
  }

  /** Counts the region among those of its memory's arena, if that is known. */
  private void joinArena(RegisteredRegion registered) {
    ArenaRegions arena = arenas.get(registered.segment().scope());
    if (arena != null) {
      registered.ownedBy(arena);
      if (!arena.add(registered)) {
        close(registered, WhenLeased.defer());
        throw arenaIsClosed(registered.address());
      }
    }
  }

  // ---- prefetching ----

  /**
   * Advises the device to page parts of on-demand regions in, and returns before it has: {@code
   * ibv_advise_mr}. It is advice: pages may go again, and what is wrong with the pages themselves
   * nobody is told.
   *
   * {@snippet :
   * registrar.prefetch(Prefetch.WRITE, region.split(0, region.length()));
   * }
   *
   * @param parts of regions of this registrar that were registered with ON_DEMAND; they are leased
   *     during the call
   * @throws VerbsException if the device does not take it: EOPNOTSUPP where the device, its driver
   *     or this libibverbs knows no such advice, ENOENT of a region without on-demand paging, EPERM
   *     where a region must not be written
   * @throws IllegalArgumentException if a region is another registrar's, there is no part, or one
   *     is empty or longer than an address space
   * @throws IllegalStateException if a region is closed, or is to be closed
   */
  public void prefetch(Prefetch what, List<RegisteredMemory.Part> parts) {
    new PrefetchCall(this, what, false).run(parts);
  }

  /**
   * The same, and returns when the device knows the pages: {@code IBV_ADVISE_MR_FLAG_FLUSH}.
   *
   * @throws VerbsException as {@link #prefetch} does, and EFAULT where pages are not mapped
   * @throws IllegalArgumentException as {@link #prefetch} does
   * @throws IllegalStateException as {@link #prefetch} does
   */
  public void prefetchAndWait(Prefetch what, List<RegisteredMemory.Part> parts) {
    new PrefetchCall(this, what, true).run(parts);
  }

  /** siw keeps the address instead: siw_mr_add_mem, drivers/infiniband/sw/siw/siw_mem.c. */
  private boolean ignoresIova() {
    return "siw".equals(device.driver());
  }

  private RegistrationOutcome.Failed failed(Source source, Registration registration, int errno) {
    Verdict diagnosis = judge.validator.validate(liveFacts(source, registration));
    String unknown =
        verbs.isSimulated() && diagnosis instanceof Undecided
            ? "; simulated, and the rules do not know what the device does: "
                + diagnosis.undecided().getFirst().rule()
                + " is undecided"
            : verbs.isSimulated() ? "; simulated" : "";
    String operation = source.operation(registration);
    String arguments =
        "%s, %s, access %s (0x%x)%s"
            .formatted(
                deviceName(),
                source.arguments(registration),
                registration.access(),
                registration.access().bits(),
                unknown);
    String cause = causeKnownHere(errno);
    return new RegistrationOutcome.Failed(
        cause == null
            ? new VerbsException(operation, arguments, errno)
            : new VerbsException(operation, arguments, errno, cause),
        diagnosis);
  }

  /**
   * What the errno alone does not tell; null if nothing. The process's limits bind no simulation.
   */
  private @Nullable String causeKnownHere(int errno) {
    Long maxMr = device.maxMr();
    if (maxMr != null && regions.size() >= maxMr) {
      return "the device's table of regions is full: this registrar has %d, and max_mr is %d. Close some, or register fewer and longer ones."
          .formatted(regions.size(), maxMr);
    }
    boolean ofLimits = errno == Errno.ENOMEM.number() || errno == Errno.EPERM.number();
    return verbs.isSimulated() && ofLimits
        ? "the simulated host's limits bind: memlock is %s. Simulate another, or register less."
            .formatted(host.memlock() == null ? "unknown" : host.memlock() + " bytes")
        : null;
  }

  /**
   * Opens an arena whose memory can be registered, and is given back in the right order.
   *
   * @param access the access with which it registers
   */
  public RegistrationArena openArena(Access access) {
    return new RegistrationArena(this, Registration.of(access));
  }

  /**
   * Opens an arena whose memory is of these pages, can be registered, and is given back in the
   * right order. The rules are told what the memory is, so that nothing of it is assumed.
   *
   * @param access the access with which it registers
   * @throws org.pinwise.registrar.memory.BufferException if the JVM may not call native functions
   */
  public RegistrationArena openArena(Access access, Pages pages) {
    return new RegistrationArena(this, Registration.of(access), BufferArena.open(pages));
  }

  /**
   * Gives the regions on an arena's memory back when the arena is closed, those that are registered
   * already and those to come. A region with leases is given back when the last of them is closed;
   * the pages stay the device's until then, though the process has lost them. Where that must not
   * be, use a {@link RegistrationArena}: it frees the memory last. Regions that cannot be given
   * back stay the registrar's, which tries again when it is closed.
   *
   * <p>A {@link RegistrationArena} of another registrar knows that one's regions only, so it can be
   * watched, too.
   *
   * <p>An automatic arena is not closed, and a region keeps its memory: there is nothing to watch.
   *
   * @throws IllegalStateException if the arena is closed
   * @throws WrongThreadException if it is confined to another thread
   */
  @SuppressWarnings("restricted") // a clean-up cannot be had otherwise
  public void watch(Arena arena) {
    MemorySegment.Scope scope = arena.scope();
    if (arenas.containsKey(scope)) {
      return; // watched already, or one of this registrar's own, which does it better
    }
    ArenaRegions its = new ArenaRegions();
    // A segment of nothing: what is wanted is its clean-up, which runs when the arena is closed.
    MemorySegment unused =
        MemorySegment.NULL.reinterpret(arena, ignored -> closeRegionsOf(scope, its));
    join(scope, its);
    for (RegisteredRegion region : regions) {
      if (region.owner() == null && region.segment().scope().equals(unused.scope())) {
        region.ownedBy(its);
        its.add(region);
      }
    }
  }

  private void closeRegionsOf(MemorySegment.Scope scope, ArenaRegions its) {
    its.seal();
    Failures untold = new Failures(); // the listeners know them, and an arena's close must not fail
    for (RegisteredRegion region : its.all()) {
      untold.run(() -> close(region, WhenLeased.defer()));
    }
    leave(scope);
  }

  /** From now on regions on memory of this scope are among these. */
  void join(MemorySegment.Scope scope, ArenaRegions its) {
    arenas.put(scope, its);
  }

  /** No region on memory of this scope will come. */
  void leave(MemorySegment.Scope scope) {
    arenas.remove(scope);
  }

  // ---- closing ----

  private void enter() {
    for (int seen = calls; ; seen = calls) {
      requireOpen();
      if (seen >= 0 && CALLS.compareAndSet(this, seen, seen + 1)) {
        return;
      }
    }
  }

  private void requireOpen() {
    if (calls < 0) {
      throw new IllegalStateException(
          this + " is closed\nMaybe its owner closed it while it was still in use.");
    }
  }

  private void leave() {
    CALLS.getAndAdd(this, -1);
  }

  /** Gives a region back, once; false if its last lease will. */
  void close(RegisteredRegion registered, WhenLeased policy) {
    MemoryRegion region = registered.region();
    if (!region.isClosed()) {
      registered.askBack();
    }
    boolean told = listeners.isListening();
    int errno;
    long nanos;
    // One thread gives it back; others wait, since whoever closes a region may free its memory.
    // Nobody is told meanwhile: a listener may wait for one of those others.
    synchronized (region) {
      if (region.isClosed() || !registered.claim(policy)) {
        return;
      }
      long start = told ? System.nanoTime() : 0;
      errno = deregister(registered, region);
      nanos = told ? System.nanoTime() - start : 0;
      if (errno == 0) {
        forget(registered);
      }
    }
    if (errno != 0) {
      VerbsException error = notDeregistered(region, errno);
      if (told) {
        listeners.notDeregistered(registered, error, nanos);
      }
      throw error;
    }
    if (told) {
      listeners.deregistered(registered, nanos);
    }
    Runnable afterClose = registered.afterClose();
    if (afterClose != null) {
      afterClose.run();
    }
    if (closeDeferred && regions.isEmpty()) {
      closeDevice();
    }
  }

  /** Gives a claimed region back; 0 or the errno. */
  private int deregister(RegisteredRegion registered, MemoryRegion region) {
    boolean closed = false;
    try {
      int errno = verbs.deregMr(region);
      closed = errno == 0;
      return errno;
    } finally {
      if (!closed) {
        registered.unclaim();
      }
    }
  }

  private void forget(RegisteredRegion registered) {
    regions.remove(registered);
    ArenaRegions owner = registered.owner();
    if (owner != null) {
      owner.remove(registered);
    }
  }

  private VerbsException notDeregistered(MemoryRegion region, int errno) {
    return new VerbsException(
        "ibv_dereg_mr",
        "%s, lkey 0x%x%s"
            .formatted(deviceName(), region.lkey(), verbs.isSimulated() ? "; simulated" : ""),
        errno);
  }

  /**
   * Closes all regions, then the protection domain, then the device. A second call does nothing.
   * What it does while regions have leases, {@link RegistrarOptions#withWhenLeased} says.
   *
   * <p>Waits for registering calls that run now, as long as the kernel takes for them; none begins
   * after. Called by a listener of this very close it does nothing: the close goes on.
   *
   * @throws RegionInUseException if regions have leases. What can be closed is, as below
   * @throws VerbsException if something is not taken back. What can be closed is; the rest is as
   *     open as before, and another call tries again
   */
  @Override
  public void close() {
    closeWith(options.whenLeased());
  }

  /**
   * Closes all, with a word on what to do while regions have leases.
   *
   * @return whether all is closed now; false if the last lease will do it
   * @throws RegionInUseException as {@link #close()} does, unless the policy defers
   * @throws VerbsException as {@link #close()} does
   */
  public boolean closeWith(WhenLeased policy) {
    if (closeLock.isHeldByCurrentThread()) {
      return isClosed();
    }
    closeLock.lock();
    try {
      return closeAll(policy);
    } finally {
      closeLock.unlock();
    }
  }

  private boolean closeAll(WhenLeased policy) {
    for (int seen = calls; seen >= 0; seen = calls) {
      CALLS.compareAndSet(this, seen, seen | CLOSING);
    }
    while (calls != CLOSING) {
      LockSupport.parkNanos(20_000);
    }
    Failures failures = new Failures();
    for (RegisteredRegion region : new ArrayList<>(regions)) {
      failures.run(() -> close(region, policy));
    }
    failures.rethrow();
    closeDeferred = true;
    return closeDevice();
  }

  /** Closes what is left once no region is; whether it is closed. */
  private boolean closeDevice() {
    if (!regions.isEmpty()) {
      return false;
    }
    // Not the lock of closing: the last lease ends here too, maybe of an arena that is being
    // closed.
    synchronized (pd) {
      if (!pd.isClosed()) {
        deallocate(verbs, pd);
      }
      if (!context.isClosed()) {
        Devices.close(verbs, context);
      }
      return true;
    }
  }

  private static void deallocate(Verbs verbs, ProtectionDomain pd) {
    int errno = verbs.deallocPd(pd);
    if (errno != 0) {
      throw new VerbsException("ibv_dealloc_pd", pd.context().device().name(), errno);
    }
  }

  // ---- what it is ----

  /** The device's name, such as {@code mlx5_0}; of a simulated device that in the catalogue. */
  public String deviceName() {
    return context.device().name();
  }

  /** What is known of the device, as it was when it was opened. */
  public Device device() {
    return device;
  }

  /** What is known of the host, as it was when the device was opened. */
  public Host host() {
    return host;
  }

  /** The rules that are consulted now. */
  public MrValidator validator() {
    return judge.validator;
  }

  /**
   * Consults other rules from now on, such as what {@link org.pinwise.engine.LiveRules} has read
   * anew. Nothing waits: a registration that runs ends with the verdict that it has, and each
   * verdict is of the old rules or of the new ones, whole. Regions stay as they are.
   *
   * @param next the rules to consult
   */
  public void judgeBy(MrValidator next) {
    judge = Judge.of(Objects.requireNonNull(next, "next"), device, host);
  }

  /** Whether the device is simulated: its keys mean nothing to any hardware. */
  public boolean isSimulated() {
    return verbs.isSimulated();
  }

  /** Whether the registrar and all that it opened are closed. */
  public boolean isClosed() {
    return context.isClosed();
  }

  Verbs verbs() {
    return verbs;
  }

  ProtectionDomain pd() {
    return pd;
  }

  /** How many regions are registered now. */
  public int regionCount() {
    return regions.size();
  }

  /** The regions that are registered now, in no order. */
  public List<RegisteredRegion> regions() {
    return new ArrayList<>(regions);
  }

  // ---- who is told ----

  /** From now on tells a listener what happens to regions. */
  public void listen(RegistrarListener listener) {
    listeners.add(listener);
  }

  /** Tells a listener no more; does nothing if it was not told. */
  public void unlisten(RegistrarListener listener) {
    listeners.remove(listener);
  }

  /** All listeners at once, for those who have something to tell, such as a cache. */
  public RegistrarListener listener() {
    return listeners;
  }

  /** How it behaves. */
  public RegistrarOptions options() {
    return options;
  }

  @Nullable LeaseTracker leaseTracker() {
    return leaseTracker;
  }

  List<String> leaseSites(RegisteredRegion region) {
    return leaseTracker == null ? List.of() : leaseTracker.sitesOf(region);
  }

  @Override
  public String toString() {
    return (isSimulated() ? "simulated " : "") + "registrar of " + deviceName();
  }
}

package org.pinwise.registrar.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.pinwise.registrar.verbs.CallState.unexpected;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.verbs.Unavailability.Reason;
import org.pinwise.rules.model.Errno;

/**
 * The verbs of libibverbs, called through the foreign function interface.
 *
 * <p>From top to bottom: how the library is found; the port's methods, in terms of C objects; one
 * typed method per C function, each with the return convention of its man page; the method handles.
 *
 * <p>No call is linked as critical: verbs enter the kernel, pin pages and may block, and a critical
 * call would hold up the garbage collector meanwhile.
 */
@SuppressWarnings("restricted") // this is the class that native access is enabled for
final class LibibverbsVerbs extends TrackingVerbs {

  /** A system property: the library's file, instead of the names that are tried otherwise. */
  static final String LIBRARY_PROPERTY = "pinwise.libibverbs";

  /**
   * What is tried, in order. The first is for the dynamic linker, which knows the machine's
   * configuration; the others are for images without its cache. Never {@code libibverbs.so}: only
   * development packages have it, and it may name another ABI.
   */
  private static final List<String> LIBRARY_NAMES =
      List.of(
          "libibverbs.so.1",
          "/usr/lib64/libibverbs.so.1",
          "/usr/lib/x86_64-linux-gnu/libibverbs.so.1",
          "/usr/lib/aarch64-linux-gnu/libibverbs.so.1",
          "/usr/lib/libibverbs.so.1");

  /** {@code __VERBS_ABI_IS_EXTENDED}: the context is the last member of a verbs_context. */
  private static final long ABI_IS_EXTENDED = -1;

  private static final long MR_ADDR = Layouts.offset(Layouts.IBV_MR, "addr");
  private static final long MR_LENGTH = Layouts.offset(Layouts.IBV_MR, "length");
  private static final long MR_HANDLE = Layouts.offset(Layouts.IBV_MR, "handle");
  private static final long MR_LKEY = Layouts.offset(Layouts.IBV_MR, "lkey");
  private static final long MR_RKEY = Layouts.offset(Layouts.IBV_MR, "rkey");

  /** The machine's library, once it was loaded; a failure is not kept, it may be repaired. */
  private static @Nullable LibibverbsVerbs loaded;

  private final String library;
  private final Handles handles;

  private LibibverbsVerbs(String library, Handles handles) {
    this.library = library;
    this.handles = handles;
  }

  /** See {@link Verbs#system()}. */
  static synchronized Verbs system() {
    LibibverbsVerbs verbs = loaded;
    if (verbs == null) {
      String file = System.getProperty(LIBRARY_PROPERTY);
      Verbs found = load(file == null ? LIBRARY_NAMES : List.of(file));
      if (!(found instanceof LibibverbsVerbs real)) {
        return found;
      }
      verbs = real;
      loaded = real;
    }
    return verbs.orNoDevices();
  }

  /**
   * Loads the first library of these that is there.
   *
   * <p>Native access is asked for first: without it the JVM would, by its settings, print a warning
   * of four lines or throw. Whether this code may call native functions is for the user to say, on
   * the command line.
   *
   * @return a {@link LibibverbsVerbs}, or why not
   */
  static Verbs load(List<String> libraryNames) {
    Optional<String> denied = NativeAccess.denied();
    if (denied.isPresent()) {
      return unavailable(Reason.NATIVE_ACCESS_DENIED, denied.get());
    }
    for (String name : libraryNames) {
      SymbolLookup symbols;
      try {
        // Never unloaded: providers start threads and register handlers that outlive any arena.
        symbols = SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException e) {
        continue;
      }
      return Handles.link(name, symbols);
    }
    return unavailable(
        Reason.LIBRARY_MISSING,
        "libibverbs is not installed: the dynamic linker finds none of "
            + String.join(", ", libraryNames)
            + ". Install rdma-core (Debian: libibverbs1 and ibverbs-providers), or name the file by"
            + " -D"
            + LIBRARY_PROPERTY
            + ".");
  }

  private static UnavailableVerbs unavailable(Reason reason, String message) {
    return new UnavailableVerbs(new Unavailability(reason, 0, message));
  }

  private Verbs orNoDevices() {
    return switch (listDevices()) {
      case DeviceList(List<DeviceInfo> devices) when !devices.isEmpty() -> this;
      case DeviceList none ->
          new UnavailableVerbs(
              new Unavailability(
                  Reason.NO_DEVICES,
                  Errno.ENODEV.number(),
                  "this machine has no RDMA device: " + library + " lists none."));
      case Result.Failed<DeviceList>(int errno) ->
          new UnavailableVerbs(
              new Unavailability(
                  Reason.NO_DEVICES,
                  errno,
                  "this machine has no RDMA device: ibv_get_device_list failed with "
                      + Errno.nameOf(errno)
                      + (errno == Errno.ENOSYS.number()
                          ? ". The kernel has no RDMA driver loaded (ib_uverbs and one for the"
                              + " device)."
                          : ".")));
    };
  }

  @Override
  public boolean hasRegMrIova2() {
    return handles.regMrIova2() != null;
  }

  @Override
  public String toString() {
    return "verbs of " + library;
  }

  // ---- the port, in terms of C objects ----

  @Override
  public Result<DeviceList> listDevices() {
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      MemorySegment list = ibvGetDeviceList(state, count);
      if (isNull(list)) {
        return failed(state);
      }
      try {
        return new DeviceList(devicesOf(list, count).stream().map(Listed::info).toList());
      } finally {
        ibvFreeDeviceList(list);
      }
    }
  }

  @Override
  Result<DeviceContext> open(String name) {
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      MemorySegment list = ibvGetDeviceList(state, count);
      if (isNull(list)) {
        return failed(state);
      }
      // The device must be opened before the list is freed: the man page ties unopened ones to it.
      try {
        Optional<Listed> device =
            devicesOf(list, count).stream().filter(d -> d.info().name().equals(name)).findFirst();
        if (device.isEmpty()) {
          return new Result.Failed<>(Errno.ENODEV.number());
        }
        MemorySegment context = ibvOpenDevice(state, device.get().pointer());
        return isNull(context)
            ? failed(state)
            : new DeviceContext(this, device.get().info(), context);
      } finally {
        ibvFreeDeviceList(list);
      }
    }
  }

  @Override
  int close(DeviceContext context) {
    MemorySegment state = CallState.ofThisThread();
    return errnoOf(ibvCloseDevice(state, context.pointer()), state);
  }

  @Override
  Result<DeviceAttributes> query(DeviceContext context) {
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(Layouts.IBV_DEVICE_ATTR);
      int errno = errnoOf(ibvQueryDevice(state, context.pointer(), attr), state);
      return errno == 0 ? attributes(attr) : new Result.Failed<>(errno);
    }
  }

  @Override
  Result<DeviceAttributesEx> queryEx(DeviceContext context) {
    MemorySegment function = functionOf(context.pointer(), "query_device_ex");
    if (isNull(function)) {
      return new Result.Failed<>(Errno.EOPNOTSUPP.number());
    }
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      // Zeroed: an older library fills only the members that it knows.
      MemorySegment attr = arena.allocate(Layouts.IBV_DEVICE_ATTR_EX);
      int errno = errnoOf(queryDeviceEx(function, state, context.pointer(), attr), state);
      return errno == 0 ? attributesEx(attr) : new Result.Failed<>(errno);
    }
  }

  @Override
  Result<ProtectionDomain> allocate(DeviceContext context) {
    MemorySegment state = CallState.ofThisThread();
    MemorySegment pd = ibvAllocPd(state, context.pointer());
    return isNull(pd) ? failed(state) : new ProtectionDomain(this, context, pd);
  }

  @Override
  int deallocate(ProtectionDomain pd) {
    MemorySegment state = CallState.ofThisThread();
    return errnoOf(ibvDeallocPd(state, pd.pointer()), state);
  }

  @Override
  Result<MemoryRegion> register(ProtectionDomain pd, MemorySegment base, long length, int access) {
    MemorySegment state = CallState.ofThisThread();
    MemorySegment mr = ibvRegMr(state, pd.pointer(), base, length, access);
    return isNull(mr) ? failed(state) : region(pd, base, mr);
  }

  @Override
  Result<MemoryRegion> registerIova(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access) {
    MethodHandle function = handles.regMrIova2();
    if (function == null) {
      return new Result.Failed<>(Errno.EOPNOTSUPP.number());
    }
    MemorySegment state = CallState.ofThisThread();
    MemorySegment mr = ibvRegMrIova2(function, state, pd.pointer(), base, length, iova, access);
    return isNull(mr) ? failed(state) : region(pd, base, mr);
  }

  @Override
  Result<MemoryRegion> registerDmabuf(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access) {
    MethodHandle function = handles.regDmabufMr();
    if (function == null) {
      return new Result.Failed<>(Errno.EOPNOTSUPP.number());
    }
    MemorySegment state = CallState.ofThisThread();
    MemorySegment mr =
        ibvRegDmabufMr(function, state, pd.pointer(), offset, length, iova, fd, access);
    return isNull(mr) ? failed(state) : region(pd, MemorySegment.NULL, mr);
  }

  @Override
  int advise(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts) {
    MemorySegment function = functionOf(pd.context().pointer(), "advise_mr");
    if (isNull(function)) {
      return Errno.EOPNOTSUPP.number();
    }
    MemorySegment state = CallState.ofThisThread();
    try (Arena arena = Arena.ofConfined()) {
      StructLayout sge = Layouts.IBV_SGE;
      MemorySegment list = arena.allocate(sge, parts.size());
      for (int i = 0; i < parts.size(); i++) {
        ScatterGather part = parts.get(i);
        MemorySegment element = list.asSlice(i * sge.byteSize(), sge);
        element.set(JAVA_LONG, Layouts.offset(sge, "addr"), part.address());
        element.set(JAVA_INT, Layouts.offset(sge, "length"), part.length());
        element.set(JAVA_INT, Layouts.offset(sge, "lkey"), part.lkey());
      }
      return errnoOf(
          adviseMr(function, state, pd.pointer(), advice, flags, list, parts.size()), state);
    }
  }

  @Override
  int deregister(MemoryRegion region) {
    MemorySegment state = CallState.ofThisThread();
    return errnoOf(ibvDeregMr(state, region.pointer()), state);
  }

  // ---- C objects to Java ----

  /** A device of a list that has not been freed. */
  private record Listed(MemorySegment pointer, DeviceInfo info) {}

  private static List<Listed> devicesOf(MemorySegment list, MemorySegment count) {
    int devices = count.get(JAVA_INT, 0);
    MemorySegment array = list.reinterpret(devices * ADDRESS.byteSize());
    List<Listed> result = new ArrayList<>(devices);
    for (int i = 0; i < devices; i++) {
      MemorySegment device =
          array.getAtIndex(ADDRESS, i).reinterpret(Layouts.IBV_DEVICE.byteSize());
      result.add(
          new Listed(
              device,
              new DeviceInfo(
                  text(device, Layouts.IBV_DEVICE, "name"),
                  NodeType.of(int32(device, Layouts.IBV_DEVICE, "node_type")),
                  TransportType.of(int32(device, Layouts.IBV_DEVICE, "transport_type")),
                  text(device, Layouts.IBV_DEVICE, "dev_name"),
                  text(device, Layouts.IBV_DEVICE, "dev_path"),
                  text(device, Layouts.IBV_DEVICE, "ibdev_path"))));
    }
    return result;
  }

  private static DeviceAttributes attributes(MemorySegment attr) {
    StructLayout s = Layouts.IBV_DEVICE_ATTR;
    return new DeviceAttributes(
        text(attr, s, "fw_ver"),
        int64(attr, s, "node_guid"),
        int64(attr, s, "sys_image_guid"),
        int64(attr, s, "max_mr_size"),
        int64(attr, s, "page_size_cap"),
        int32(attr, s, "vendor_id"),
        int32(attr, s, "vendor_part_id"),
        int32(attr, s, "hw_ver"),
        int32(attr, s, "max_qp"),
        int32(attr, s, "max_qp_wr"),
        int32(attr, s, "device_cap_flags"),
        int32(attr, s, "max_sge"),
        int32(attr, s, "max_sge_rd"),
        int32(attr, s, "max_cq"),
        int32(attr, s, "max_cqe"),
        int32(attr, s, "max_mr"),
        int32(attr, s, "max_pd"),
        int32(attr, s, "max_qp_rd_atom"),
        int32(attr, s, "max_qp_init_rd_atom"),
        int32(attr, s, "atomic_cap"),
        int32(attr, s, "max_mw"),
        int32(attr, s, "max_srq"),
        Byte.toUnsignedInt(attr.get(ValueLayout.JAVA_BYTE, Layouts.offset(s, "phys_port_cnt"))));
  }

  private static DeviceAttributesEx attributesEx(MemorySegment attr) {
    StructLayout s = Layouts.IBV_DEVICE_ATTR_EX;
    return new DeviceAttributesEx(
        attributes(attr.asSlice(Layouts.offset(s, "orig_attr"), Layouts.IBV_DEVICE_ATTR)),
        int64(attr, s, "odp_caps", "general_caps"),
        int32(attr, s, "odp_caps", "per_transport_caps", "rc_odp_caps"),
        int32(attr, s, "odp_caps", "per_transport_caps", "uc_odp_caps"),
        int32(attr, s, "odp_caps", "per_transport_caps", "ud_odp_caps"),
        int32(attr, s, "xrc_odp_caps"),
        int64(attr, s, "device_cap_flags_ex"),
        int64(attr, s, "max_dm_size"),
        uint16(attr, s, "pci_atomic_caps", "fetch_add"),
        uint16(attr, s, "pci_atomic_caps", "swap"),
        uint16(attr, s, "pci_atomic_caps", "compare_swap"),
        int32(attr, s, "phys_port_cnt_ex"));
  }

  private MemoryRegion region(ProtectionDomain pd, MemorySegment base, MemorySegment mr) {
    return new MemoryRegion(
        this,
        pd,
        base,
        mr,
        mr.get(JAVA_LONG, MR_ADDR),
        mr.get(JAVA_LONG, MR_LENGTH),
        mr.get(JAVA_INT, MR_HANDLE),
        mr.get(JAVA_INT, MR_LKEY),
        mr.get(JAVA_INT, MR_RKEY));
  }

  /**
   * A function of the verbs_context around a context, as the header's {@code verbs_get_ctx_op}
   * finds it; NULL if there is none.
   */
  private static MemorySegment functionOf(MemorySegment context, String member) {
    StructLayout tail = Layouts.VERBS_CONTEXT_TAIL;
    MemorySegment plain = context.reinterpret(Layouts.IBV_CONTEXT.byteSize());
    if (int64(plain, Layouts.IBV_CONTEXT, "abi_compat") != ABI_IS_EXTENDED) {
      return MemorySegment.NULL;
    }
    // First only the size: where it is too small, the member does not lie inside the allocation.
    long end = Layouts.offset(tail, "context");
    long size =
        MemorySegment.ofAddress(context.address() - (end - Layouts.offset(tail, "sz")))
            .reinterpret(JAVA_LONG.byteSize())
            .get(JAVA_LONG, 0);
    long offset = Layouts.offset(tail, member);
    if (Long.compareUnsigned(size, tail.byteSize() - offset) < 0) {
      return MemorySegment.NULL;
    }
    return MemorySegment.ofAddress(context.address() - (end - offset))
        .reinterpret(ADDRESS.byteSize())
        .get(ADDRESS, 0);
  }

  private static long int64(MemorySegment struct, StructLayout layout, String... path) {
    return struct.get(JAVA_LONG, Layouts.offset(layout, path));
  }

  private static int int32(MemorySegment struct, StructLayout layout, String... path) {
    return struct.get(JAVA_INT, Layouts.offset(layout, path));
  }

  private static int uint16(MemorySegment struct, StructLayout layout, String... path) {
    return Short.toUnsignedInt(struct.get(JAVA_SHORT, Layouts.offset(layout, path)));
  }

  /** A char array as text; the NUL may be missing if the text fills it. */
  private static String text(MemorySegment struct, StructLayout layout, String member) {
    MemoryLayout array = layout.select(PathElement.groupElement(member));
    byte[] bytes =
        struct
            .asSlice(Layouts.offset(layout, member), array.byteSize())
            .toArray(ValueLayout.JAVA_BYTE);
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  private static boolean isNull(MemorySegment pointer) {
    return pointer.address() == 0;
  }

  /** The answer of a function that returned NULL and set errno. */
  private static <T> Result<T> failed(MemorySegment state) {
    return new Result.Failed<>(CallState.errno(state));
  }

  /**
   * The errno of a function that returns 0 or the errno, or, in some providers and versions against
   * the man page, -1 and errno, or the errno negated as the kernel does.
   */
  private static int errnoOf(int returned, MemorySegment state) {
    if (returned >= 0) {
      return returned;
    }
    return returned == -1 ? CallState.errno(state) : -returned;
  }

  // ---- one method per C function ----

  /** ibv_get_device_list(3): an array of devices and their number; or NULL, and errno. */
  private MemorySegment ibvGetDeviceList(MemorySegment state, MemorySegment count) {
    try {
      return (MemorySegment) handles.getDeviceList().invokeExact(state, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_free_device_list(3): nothing; it cannot fail. */
  private void ibvFreeDeviceList(MemorySegment list) {
    try {
      handles.freeDeviceList().invokeExact(list);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_open_device(3): a context; or NULL, and errno, which the man page does not promise. */
  private MemorySegment ibvOpenDevice(MemorySegment state, MemorySegment device) {
    try {
      return (MemorySegment) handles.openDevice().invokeExact(state, device);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_close_device(3): 0; or -1, and errno. */
  private int ibvCloseDevice(MemorySegment state, MemorySegment context) {
    try {
      return (int) handles.closeDevice().invokeExact(state, context);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_query_device(3): 0, or the errno; -1 and errno in old versions. */
  private int ibvQueryDevice(MemorySegment state, MemorySegment context, MemorySegment attr) {
    try {
      return (int) handles.queryDevice().invokeExact(state, context, attr);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * ibv_query_device_ex(3), past the inline function: 0, or the errno. Without the input argument,
   * whose only member must be 0.
   */
  private int queryDeviceEx(
      MemorySegment function, MemorySegment state, MemorySegment context, MemorySegment attr) {
    try {
      return (int)
          handles
              .queryDeviceEx()
              .invokeExact(function, state, context, MemorySegment.NULL, attr, attr.byteSize());
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_alloc_pd(3): a protection domain; or NULL, and errno. */
  private MemorySegment ibvAllocPd(MemorySegment state, MemorySegment context) {
    try {
      return (MemorySegment) handles.allocPd().invokeExact(state, context);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_dealloc_pd(3): 0, or the errno. */
  private int ibvDeallocPd(MemorySegment state, MemorySegment pd) {
    try {
      return (int) handles.deallocPd().invokeExact(state, pd);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_reg_mr(3): a memory region; or NULL, and errno. */
  private MemorySegment ibvRegMr(
      MemorySegment state, MemorySegment pd, MemorySegment base, long length, int access) {
    try {
      return (MemorySegment) handles.regMr().invokeExact(state, pd, base, length, access);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** {@code ibv_reg_mr_iova2}, ibv_reg_mr(3): a memory region; or NULL, and errno. */
  private static MemorySegment ibvRegMrIova2(
      MethodHandle function,
      MemorySegment state,
      MemorySegment pd,
      MemorySegment base,
      long length,
      long iova,
      int access) {
    try {
      return (MemorySegment) function.invokeExact(state, pd, base, length, iova, access);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** {@code ibv_reg_dmabuf_mr}, ibv_reg_mr(3): a memory region; or NULL, and errno. */
  private static MemorySegment ibvRegDmabufMr(
      MethodHandle function,
      MemorySegment state,
      MemorySegment pd,
      long offset,
      long length,
      long iova,
      int fd,
      int access) {
    try {
      return (MemorySegment) function.invokeExact(state, pd, offset, length, iova, fd, access);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_advise_mr(3), past the inline function: 0, or the errno. */
  private int adviseMr(
      MemorySegment function,
      MemorySegment state,
      MemorySegment pd,
      int advice,
      int flags,
      MemorySegment list,
      int count) {
    try {
      return (int) handles.adviseMr().invokeExact(function, state, pd, advice, flags, list, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** ibv_dereg_mr(3): 0, or the errno. */
  private int ibvDeregMr(MemorySegment state, MemorySegment mr) {
    try {
      return (int) handles.deregMr().invokeExact(state, mr);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  // ---- linking ----

  /**
   * The method handles. Those of the header's inline functions, {@code queryDeviceEx} and {@code
   * adviseMr}, take the function's address as first argument.
   */
  private record Handles(
      MethodHandle getDeviceList,
      MethodHandle freeDeviceList,
      MethodHandle openDevice,
      MethodHandle closeDevice,
      MethodHandle queryDevice,
      MethodHandle queryDeviceEx,
      MethodHandle allocPd,
      MethodHandle deallocPd,
      MethodHandle regMr,
      @Nullable MethodHandle regMrIova2,
      @Nullable MethodHandle regDmabufMr,
      MethodHandle adviseMr,
      MethodHandle deregMr) {

    private static final List<String> REQUIRED =
        List.of(
            "ibv_get_device_list",
            "ibv_free_device_list",
            "ibv_open_device",
            "ibv_close_device",
            "ibv_query_device",
            "ibv_alloc_pd",
            "ibv_dealloc_pd",
            "ibv_reg_mr",
            "ibv_dereg_mr");

    private static final Linker LINKER = Linker.nativeLinker();

    /** A pointer to struct ibv_mr: what is returned can be read without another cast. */
    private static final MemoryLayout MR_POINTER = ADDRESS.withTargetLayout(Layouts.IBV_MR);

    /** Links the functions; the answer is unavailable if one is missing, and names all that are. */
    static Verbs link(String library, SymbolLookup symbols) {
      List<String> missing =
          REQUIRED.stream().filter(name -> symbols.find(name).isEmpty()).toList();
      if (!missing.isEmpty()) {
        return unavailable(
            Reason.SYMBOL_MISSING,
            library
                + " lacks "
                + String.join(", ", missing)
                + ". It is not libibverbs, or not of ABI 1.");
      }
      return new LibibverbsVerbs(
          library,
          new Handles(
              capturing(symbols, "ibv_get_device_list", ADDRESS, ADDRESS),
              LINKER.downcallHandle(
                  symbols.findOrThrow("ibv_free_device_list"), FunctionDescriptor.ofVoid(ADDRESS)),
              capturing(symbols, "ibv_open_device", ADDRESS, ADDRESS),
              capturing(symbols, "ibv_close_device", JAVA_INT, ADDRESS),
              capturing(symbols, "ibv_query_device", JAVA_INT, ADDRESS, ADDRESS),
              LINKER.downcallHandle(
                  FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG),
                  CallState.CAPTURE_ERRNO),
              capturing(symbols, "ibv_alloc_pd", ADDRESS, ADDRESS),
              capturing(symbols, "ibv_dealloc_pd", JAVA_INT, ADDRESS),
              capturing(symbols, "ibv_reg_mr", MR_POINTER, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT),
              ifFound(
                  symbols,
                  "ibv_reg_mr_iova2",
                  MR_POINTER,
                  ADDRESS,
                  ADDRESS,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_INT),
              ifFound(
                  symbols,
                  "ibv_reg_dmabuf_mr",
                  MR_POINTER,
                  ADDRESS,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_INT,
                  JAVA_INT),
              LINKER.downcallHandle(
                  FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
                  CallState.CAPTURE_ERRNO),
              capturing(symbols, "ibv_dereg_mr", JAVA_INT, ADDRESS)));
    }

    private static @Nullable MethodHandle ifFound(
        SymbolLookup symbols, String name, MemoryLayout result, MemoryLayout... arguments) {
      return symbols.find(name).isEmpty() ? null : capturing(symbols, name, result, arguments);
    }

    private static MethodHandle capturing(
        SymbolLookup symbols, String name, MemoryLayout result, MemoryLayout... arguments) {
      return LINKER.downcallHandle(
          symbols.findOrThrow(name),
          FunctionDescriptor.of(result, arguments),
          CallState.CAPTURE_ERRNO);
    }
  }
}

package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.pinwise.rules.model.Errno;

/**
 * Any port, with calls that fail when they are told to, and a count of all calls.
 *
 * <p>A call that fails never reaches the port behind it. So an object whose giving back failed is
 * as live as before, which is what the C library promises.
 */
public final class FaultInjectingVerbs implements Verbs {

  /** What can be made to fail. */
  public enum Operation {
    LIST_DEVICES("ibv_get_device_list"),
    OPEN_DEVICE("ibv_open_device"),
    CLOSE_DEVICE("ibv_close_device"),
    QUERY_DEVICE("ibv_query_device"),
    QUERY_DEVICE_EX("ibv_query_device_ex"),
    ALLOC_PD("ibv_alloc_pd"),
    DEALLOC_PD("ibv_dealloc_pd"),
    REG_MR("ibv_reg_mr"),
    REG_MR_IOVA2("ibv_reg_mr_iova2"),
    REG_DMABUF_MR("ibv_reg_dmabuf_mr"),
    ADVISE_MR("ibv_advise_mr"),
    DEREG_MR("ibv_dereg_mr");

    private final String function;

    Operation(String function) {
      this.function = function;
    }

    /** The C function. */
    public String function() {
      return function;
    }
  }

  private final Verbs verbs;
  private final Map<Operation, AtomicInteger> calls = new EnumMap<>(Operation.class);
  private final Map<Operation, Map<Integer, Errno>> faults = new EnumMap<>(Operation.class);
  private final Map<Operation, Errno> lasting = new ConcurrentHashMap<>();
  private final List<ScatterGather> advised = new CopyOnWriteArrayList<>();
  private final Map<Operation, Runnable> meanwhile = new ConcurrentHashMap<>();

  public FaultInjectingVerbs(Verbs verbs) {
    this.verbs = verbs;
    for (Operation operation : Operation.values()) {
      calls.put(operation, new AtomicInteger());
      faults.put(operation, new ConcurrentHashMap<>());
    }
  }

  /**
   * Makes one call fail.
   *
   * @param call which one, counted from 1 from the beginning, calls that fail included
   */
  public FaultInjectingVerbs fail(Operation operation, int call, Errno errno) {
    faults.get(operation).put(call, errno);
    return this;
  }

  /** Makes the next call fail. */
  public FaultInjectingVerbs failNext(Operation operation, Errno errno) {
    return fail(operation, calls(operation) + 1, errno);
  }

  /** Makes every call fail from now on, until {@link #heal}. */
  public FaultInjectingVerbs failAlways(Operation operation, Errno errno) {
    lasting.put(operation, errno);
    return this;
  }

  /** Runs something in the next call, before it is passed on: as if the call took that long. */
  public FaultInjectingVerbs duringNext(Operation operation, Runnable what) {
    meanwhile.put(operation, what);
    return this;
  }

  /** Forgets every fault that lies ahead. */
  public FaultInjectingVerbs heal() {
    lasting.clear();
    faults.values().forEach(Map::clear);
    return this;
  }

  /** The parts of all advice that was given. */
  public List<ScatterGather> advised() {
    return List.copyOf(advised);
  }

  /** How many calls there were, those that were made to fail included. */
  public int calls(Operation operation) {
    return calls.get(operation).get();
  }

  @Override
  public Optional<Unavailability> unavailability() {
    return verbs.unavailability();
  }

  @Override
  public boolean isSimulated() {
    return verbs.isSimulated();
  }

  @Override
  public boolean hasRegMrIova2() {
    return verbs.hasRegMrIova2();
  }

  @Override
  public Result<DeviceList> listDevices() {
    int errno = fault(Operation.LIST_DEVICES);
    return errno != 0 ? new Result.Failed<>(errno) : verbs.listDevices();
  }

  @Override
  public Result<DeviceContext> openDevice(String name) {
    int errno = fault(Operation.OPEN_DEVICE);
    return errno != 0 ? new Result.Failed<>(errno) : verbs.openDevice(name);
  }

  @Override
  public int closeDevice(DeviceContext context) {
    int errno = fault(Operation.CLOSE_DEVICE);
    return errno != 0 ? errno : verbs.closeDevice(context);
  }

  @Override
  public Result<DeviceAttributes> queryDevice(DeviceContext context) {
    int errno = fault(Operation.QUERY_DEVICE);
    return errno != 0 ? new Result.Failed<>(errno) : verbs.queryDevice(context);
  }

  @Override
  public Result<DeviceAttributesEx> queryDeviceEx(DeviceContext context) {
    int errno = fault(Operation.QUERY_DEVICE_EX);
    return errno != 0 ? new Result.Failed<>(errno) : verbs.queryDeviceEx(context);
  }

  @Override
  public Result<ProtectionDomain> allocPd(DeviceContext context) {
    int errno = fault(Operation.ALLOC_PD);
    return errno != 0 ? new Result.Failed<>(errno) : verbs.allocPd(context);
  }

  @Override
  public int deallocPd(ProtectionDomain pd) {
    int errno = fault(Operation.DEALLOC_PD);
    return errno != 0 ? errno : verbs.deallocPd(pd);
  }

  @Override
  public Result<MemoryRegion> regMrRange(
      ProtectionDomain pd, MemorySegment base, long length, int access) {
    int errno = fault(Operation.REG_MR);
    return errno != 0 ? new Result.Failed<>(errno) : verbs.regMrRange(pd, base, length, access);
  }

  @Override
  public Result<MemoryRegion> regMrIova2Range(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access) {
    int errno = fault(Operation.REG_MR_IOVA2);
    return errno != 0
        ? new Result.Failed<>(errno)
        : verbs.regMrIova2Range(pd, base, length, iova, access);
  }

  @Override
  public Result<MemoryRegion> regDmabufMr(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access) {
    int errno = fault(Operation.REG_DMABUF_MR);
    return errno != 0
        ? new Result.Failed<>(errno)
        : verbs.regDmabufMr(pd, fd, offset, length, iova, access);
  }

  @Override
  public int adviseMr(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts) {
    advised.addAll(parts);
    int errno = fault(Operation.ADVISE_MR);
    return errno != 0 ? errno : verbs.adviseMr(pd, advice, flags, parts);
  }

  @Override
  public int deregMr(MemoryRegion region) {
    int errno = fault(Operation.DEREG_MR);
    return errno != 0 ? errno : verbs.deregMr(region);
  }

  @Override
  public LiveObjects liveObjects() {
    return verbs.liveObjects();
  }

  @Override
  public String toString() {
    return "fault-injecting " + verbs;
  }

  /** Counts the call; the errno that it must fail with, or 0. */
  private int fault(Operation operation) {
    int call = calls.get(operation).incrementAndGet();
    Runnable what = meanwhile.remove(operation);
    if (what != null) {
      what.run();
    }
    Errno once = faults.get(operation).remove(call);
    Errno errno = once != null ? once : lasting.get(operation);
    return errno == null ? 0 : errno.number();
  }
}

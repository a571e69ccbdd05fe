package org.pinwise.registrar.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.pinwise.rules.model.Errno;

/**
 * The verbs of a machine that has none, with the reason.
 *
 * <p>Nothing can be listed or opened, hence no handle exists that the other verbs could take.
 */
final class UnavailableVerbs implements Verbs {

  private final Unavailability unavailability;

  UnavailableVerbs(Unavailability unavailability) {
    this.unavailability = unavailability;
  }

  @Override
  public Optional<Unavailability> unavailability() {
    return Optional.of(unavailability);
  }

  @Override
  public boolean hasRegMrIova2() {
    return false;
  }

  @Override
  public Result<DeviceList> listDevices() {
    return new Result.Failed<>(errno());
  }

  @Override
  public Result<DeviceContext> openDevice(String name) {
    return new Result.Failed<>(errno());
  }

  @Override
  public int closeDevice(DeviceContext context) {
    throw foreign(context);
  }

  @Override
  public Result<DeviceAttributes> queryDevice(DeviceContext context) {
    throw foreign(context);
  }

  @Override
  public Result<DeviceAttributesEx> queryDeviceEx(DeviceContext context) {
    throw foreign(context);
  }

  @Override
  public Result<ProtectionDomain> allocPd(DeviceContext context) {
    throw foreign(context);
  }

  @Override
  public int deallocPd(ProtectionDomain pd) {
    throw foreign(pd);
  }

  @Override
  public Result<MemoryRegion> regMrRange(
      ProtectionDomain pd, MemorySegment base, long length, int access) {
    throw foreign(pd);
  }

  @Override
  public Result<MemoryRegion> regMrIova2Range(
      ProtectionDomain pd, MemorySegment base, long length, long iova, int access) {
    throw foreign(pd);
  }

  @Override
  public Result<MemoryRegion> regDmabufMr(
      ProtectionDomain pd, int fd, long offset, long length, long iova, int access) {
    throw foreign(pd);
  }

  @Override
  public int adviseMr(ProtectionDomain pd, int advice, int flags, List<ScatterGather> parts) {
    throw foreign(pd);
  }

  @Override
  public int deregMr(MemoryRegion region) {
    throw foreign(region);
  }

  @Override
  public LiveObjects liveObjects() {
    return LiveObjects.NONE;
  }

  @Override
  public String toString() {
    return "unavailable verbs (" + unavailability.reason() + ")";
  }

  private int errno() {
    int errno = unavailability.errno();
    // The library was not asked; a kernel without RDMA is the closest answer that it could give.
    return errno == 0 ? Errno.ENOSYS.number() : errno;
  }

  private IllegalArgumentException foreign(VerbsHandle handle) {
    return new IllegalArgumentException(
        handle + " was not issued by " + this + "\nMaybe two ports are mixed.");
  }
}

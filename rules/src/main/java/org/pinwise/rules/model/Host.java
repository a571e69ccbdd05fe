package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.KERNEL;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.BOOT;
import static org.pinwise.rules.model.Volatility.LIVE;

import org.jspecify.annotations.Nullable;

/**
 * The host and the process that makes the call. A null component is unknown.
 *
 * @param kernel the kernel's version, see {@link Kernel}
 * @param stack where the RDMA modules come from
 * @param rdmaCore the version of rdma-core (libibverbs), its first number
 * @param pageSize the kernel's page size in bytes
 * @param memlock RLIMIT_MEMLOCK (soft) in bytes; {@link Long#MAX_VALUE} is unlimited
 * @param ipcLock whether CAP_IPC_LOCK counts: effective, and in the initial user namespace
 * @param pinnedPages pages that the process has pinned so far, VmPin
 * @param dmaBounce whether it is a confidential virtual machine in which the devices' DMA goes
 *     through bounce buffers: {@code device_cap_flags_ex} bit 41, Linux 7
 */
public record Host(
    @Nullable Integer kernel,
    @Nullable DriverStack stack,
    @Nullable Integer rdmaCore,
    @Nullable Long pageSize,
    @Nullable Long memlock,
    @Nullable Boolean ipcLock,
    @Nullable Long pinnedPages,
    @Nullable Boolean dmaBounce) {

  /** The fields of a host. */
  public static final FactType<Host> TYPE =
      FactType.of(Host.class, "host")
          .number("kernel", Host::kernel, KERNEL, BOOT, "the kernel's version")
          .choice("stack", DriverStack.class, Host::stack, BOOT, "where the RDMA modules come from")
          .number("rdmaCore", Host::rdmaCore, PLAIN, BOOT, "the version of rdma-core")
          .number("pageSize", Host::pageSize, BYTES, BOOT, "the kernel's page size")
          .number("memlock", Host::memlock, BYTES, BOOT, "RLIMIT_MEMLOCK of the process")
          .flag("ipcLock", Host::ipcLock, BOOT, "whether CAP_IPC_LOCK counts for the process")
          .number(
              "pinnedPages",
              Host::pinnedPages,
              PLAIN,
              LIVE,
              "pages that the process has pinned so far")
          .flag(
              "dmaBounce",
              Host::dmaBounce,
              BOOT,
              "whether it is a confidential virtual machine that bounces DMA")
          .build(v ->
              new Host(
                  v.smallNumber("kernel"),
                  v.choice("stack", DriverStack.class),
                  v.smallNumber("rdmaCore"),
                  v.number("pageSize"),
                  v.number("memlock"),
                  v.flag("ipcLock"),
                  v.number("pinnedPages"),
                  v.flag("dmaBounce")));

  /** A host of which nothing is known. */
  public static final Host UNKNOWN = TYPE.unknown();
}

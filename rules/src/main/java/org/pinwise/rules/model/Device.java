package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.HEX;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.BOOT;
import static org.pinwise.rules.model.Volatility.FIXED;
import static org.pinwise.rules.model.Volatility.LIVE;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An RDMA device, as {@code ibv_query_device(3)}, {@code ibv_query_device_ex(3)} and its driver
 * describe it. A null component is unknown.
 *
 * @param driver the kernel driver's short name, such as {@code mlx5}, {@code rxe}, {@code efa}
 * @param name the device's name on its host, such as {@code mlx5_0}
 * @param vendorId the board vendor's id; an OEM board carries its OEM's
 * @param vendorPartId the part's id, with which the driver is recognised
 * @param firmware the firmware's version
 * @param transport the wire protocol
 * @param odp whether it can page on demand: {@code IBV_ODP_SUPPORT}
 * @param implicitOdp whether a region of the whole address space works: {@code
 *     IBV_ODP_SUPPORT_IMPLICIT}
 * @param flushGlobal whether it flushes to global visibility: {@code device_cap_flags_ex} bit 38
 * @param flushPersistent whether it flushes to persistence: {@code device_cap_flags_ex} bit 39
 * @param rdmaRead whether the device serves RDMA READ; only EFA may lack it
 * @param rdmaWrite whether the device serves RDMA WRITE; only EFA may lack it
 * @param atomics {@code atomic_cap}
 * @param memoryWindows whether {@code IBV_DEVICE_MEM_WINDOW} is set
 * @param maxMr the largest number of regions
 * @param maxMrSize the largest region in bytes; {@link Long#MAX_VALUE} is no limit
 * @param mrInUse how many regions all processes have on it now
 * @param numaNode the NUMA node that it sits at
 * @param relaxedOrderingEnabled whether its PCI function may send relaxed requests: "Enable Relaxed
 *     Ordering", bit 4 of Device Control
 * @param objectLimit how many objects the process's control groups may have on it: {@code
 *     hca_object} of {@code rdma.max}; {@link Long#MAX_VALUE} is unlimited
 * @param objectsInUse how many objects the control group that binds has on it: {@code rdma.current}
 * @param pinErrors what its driver answers when pages cannot be pinned
 * @param pageBudget how many pages of regions the device has room for, of all processes; no verb
 *     tells it
 * @param odpOperations what RC queue pairs can do on pages on demand: {@code rc_odp_caps}
 * @param odpLargeRegions whether regions on demand may have 65536 pages and more: on mlx5 the
 *     firmware's {@code umr_extended_translation_offset}, which no verb tells
 */
public record Device(
    @Nullable String driver,
    @Nullable String name,
    @Nullable Long vendorId,
    @Nullable Long vendorPartId,
    @Nullable String firmware,
    @Nullable Transport transport,
    @Nullable Boolean odp,
    @Nullable Boolean implicitOdp,
    @Nullable Boolean flushGlobal,
    @Nullable Boolean flushPersistent,
    @Nullable Boolean rdmaRead,
    @Nullable Boolean rdmaWrite,
    @Nullable AtomicSupport atomics,
    @Nullable Boolean memoryWindows,
    @Nullable Long maxMr,
    @Nullable Long maxMrSize,
    @Nullable Long mrInUse,
    @Nullable Integer numaNode,
    @Nullable Boolean relaxedOrderingEnabled,
    @Nullable Long objectLimit,
    @Nullable Long objectsInUse,
    @Nullable PinErrors pinErrors,
    @Nullable Long pageBudget,
    @Nullable Set<OdpOperation> odpOperations,
    @Nullable Boolean odpLargeRegions) {

  /** The fields of a device. */
  public static final FactType<Device> TYPE =
      FactType.of(Device.class, "device")
          .text("driver", Device::driver, FIXED, "the kernel driver's short name")
          .text("name", Device::name, BOOT, "the device's name on its host")
          .number("vendorId", Device::vendorId, HEX, FIXED, "the board vendor's id")
          .number("vendorPartId", Device::vendorPartId, PLAIN, FIXED, "the part's id")
          .text("firmware", Device::firmware, BOOT, "the firmware's version")
          .choice("transport", Transport.class, Device::transport, BOOT, "the wire protocol")
          .flag("odp", Device::odp, BOOT, "whether the device can page on demand")
          .flag(
              "implicitOdp",
              Device::implicitOdp,
              BOOT,
              "whether a region of the whole address space works")
          .flag("flushGlobal", Device::flushGlobal, BOOT, "whether it flushes to global visibility")
          .flag(
              "flushPersistent", Device::flushPersistent, BOOT, "whether it flushes to persistence")
          .flag("rdmaRead", Device::rdmaRead, FIXED, "whether it serves RDMA READ")
          .flag("rdmaWrite", Device::rdmaWrite, FIXED, "whether it serves RDMA WRITE")
          .choice("atomics", AtomicSupport.class, Device::atomics, BOOT, "the atomic capability")
          .flag(
              "memoryWindows",
              Device::memoryWindows,
              BOOT,
              "whether the device says that it has memory windows")
          .number("maxMr", Device::maxMr, PLAIN, BOOT, "the largest number of regions")
          .number("maxMrSize", Device::maxMrSize, BYTES, BOOT, "the largest region")
          .number("mrInUse", Device::mrInUse, PLAIN, LIVE, "how many regions are on it now")
          .number("numaNode", Device::numaNode, PLAIN, BOOT, "the NUMA node that it sits at")
          .flag(
              "relaxedOrderingEnabled",
              Device::relaxedOrderingEnabled,
              BOOT,
              "whether its PCI function may send relaxed requests")
          .number(
              "objectLimit",
              Device::objectLimit,
              PLAIN,
              BOOT,
              "how many objects the control group allows on it")
          .number(
              "objectsInUse",
              Device::objectsInUse,
              PLAIN,
              LIVE,
              "how many objects that control group has on it")
          .choice(
              "pinErrors",
              PinErrors.class,
              Device::pinErrors,
              BOOT,
              "what its driver answers when pages cannot be pinned")
          .number(
              "pageBudget",
              Device::pageBudget,
              PLAIN,
              BOOT,
              "how many pages of regions it has room for")
          .flags(
              "odpOperations",
              OdpOperation.class,
              Device::odpOperations,
              BOOT,
              "what RC can do on pages on demand")
          .flag(
              "odpLargeRegions",
              Device::odpLargeRegions,
              BOOT,
              "whether regions on demand may have 65536 pages and more")
          .build(v ->
              new Device(
                  v.text("driver"),
                  v.text("name"),
                  v.number("vendorId"),
                  v.number("vendorPartId"),
                  v.text("firmware"),
                  v.choice("transport", Transport.class),
                  v.flag("odp"),
                  v.flag("implicitOdp"),
                  v.flag("flushGlobal"),
                  v.flag("flushPersistent"),
                  v.flag("rdmaRead"),
                  v.flag("rdmaWrite"),
                  v.choice("atomics", AtomicSupport.class),
                  v.flag("memoryWindows"),
                  v.number("maxMr"),
                  v.number("maxMrSize"),
                  v.number("mrInUse"),
                  v.smallNumber("numaNode"),
                  v.flag("relaxedOrderingEnabled"),
                  v.number("objectLimit"),
                  v.number("objectsInUse"),
                  v.choice("pinErrors", PinErrors.class),
                  v.number("pageBudget"),
                  v.flags("odpOperations"),
                  v.flag("odpLargeRegions")));

  /** A device of which nothing is known. */
  public static final Device UNKNOWN = TYPE.unknown();

  /** Returns this device with other values of what room it has for regions; null is unknown. */
  public Device withRoom(@Nullable Long newMrInUse, @Nullable Long newObjectLimit) {
    return with(newMrInUse, newObjectLimit, pageBudget);
  }

  /** Returns this device with another number of pages that it has room for; null is unknown. */
  public Device withPageBudget(@Nullable Long newPageBudget) {
    return with(mrInUse, objectLimit, newPageBudget);
  }

  private Device with(
      @Nullable Long newMrInUse, @Nullable Long newObjectLimit, @Nullable Long newPageBudget) {
    return new Device(
        driver,
        name,
        vendorId,
        vendorPartId,
        firmware,
        transport,
        odp,
        implicitOdp,
        flushGlobal,
        flushPersistent,
        rdmaRead,
        rdmaWrite,
        atomics,
        memoryWindows,
        maxMr,
        maxMrSize,
        newMrInUse,
        numaNode,
        relaxedOrderingEnabled,
        newObjectLimit,
        objectsInUse,
        pinErrors,
        newPageBudget,
        odpOperations,
        odpLargeRegions);
  }
}

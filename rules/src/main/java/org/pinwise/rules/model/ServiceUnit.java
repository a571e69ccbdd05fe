package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Volatility.FIXED;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A systemd service as its unit file and drop-ins together describe it. What they do not say and
 * systemd then decides is false; what they cannot say is unknown. A null component is unknown.
 *
 * @param name its name, such as {@code app.service}
 * @param rdma whether its processes use RDMA devices: by its name, by what it names, or because a
 *     plan names it; null where nothing says so
 * @param launcher whether it starts the processes of others, which inherit its limits, such as
 *     slurmd or containerd
 * @param rootUser whether it runs as user 0
 * @param ipcLock whether its processes have CAP_IPC_LOCK
 * @param ipcLockAsked whether AmbientCapabilities names CAP_IPC_LOCK
 * @param ipcLockBounded whether CapabilityBoundingSet takes CAP_IPC_LOCK away
 * @param memlockSet which limits of locked memory it sets
 * @param memlockSoft the soft limit that it sets in bytes; {@link Size#UNLIMITED} for none; null
 *     where it sets none
 * @param memlockHard the hard limit in bytes; null where it sets none
 * @param privateDevices whether PrivateDevices hides {@code /dev/infiniband}
 * @param devicesRefused whether DevicePolicy and DeviceAllow refuse {@code /dev/infiniband}
 */
public record ServiceUnit(
    @Nullable String name,
    @Nullable Boolean rdma,
    @Nullable Boolean launcher,
    @Nullable Boolean rootUser,
    @Nullable Boolean ipcLock,
    @Nullable Boolean ipcLockAsked,
    @Nullable Boolean ipcLockBounded,
    @Nullable LimitsSet memlockSet,
    @Nullable Long memlockSoft,
    @Nullable Long memlockHard,
    @Nullable Boolean privateDevices,
    @Nullable Boolean devicesRefused)
    implements Configuration {

  /** The fields of a service. */
  public static final FactType<ServiceUnit> TYPE =
      FactType.of(ServiceUnit.class, "unit")
          .text("name", ServiceUnit::name, FIXED, "its name")
          .flag("rdma", ServiceUnit::rdma, FIXED, "whether its processes use RDMA devices")
          .flag(
              "launcher",
              ServiceUnit::launcher,
              FIXED,
              "whether it starts the processes of others, which inherit its limits")
          .flag("rootUser", ServiceUnit::rootUser, FIXED, "whether it runs as user 0")
          .flag("ipcLock", ServiceUnit::ipcLock, FIXED, "whether it has CAP_IPC_LOCK")
          .flag(
              "ipcLockAsked",
              ServiceUnit::ipcLockAsked,
              FIXED,
              "whether AmbientCapabilities names CAP_IPC_LOCK")
          .flag(
              "ipcLockBounded",
              ServiceUnit::ipcLockBounded,
              FIXED,
              "whether CapabilityBoundingSet takes CAP_IPC_LOCK away")
          .choice(
              "memlockSet",
              LimitsSet.class,
              ServiceUnit::memlockSet,
              FIXED,
              "which limits of locked memory it sets")
          .number("memlockSoft", ServiceUnit::memlockSoft, BYTES, FIXED, "the soft limit")
          .number("memlockHard", ServiceUnit::memlockHard, BYTES, FIXED, "the hard limit")
          .flag(
              "privateDevices",
              ServiceUnit::privateDevices,
              FIXED,
              "whether PrivateDevices hides /dev/infiniband")
          .flag(
              "devicesRefused",
              ServiceUnit::devicesRefused,
              FIXED,
              "whether DevicePolicy and DeviceAllow refuse /dev/infiniband")
          .build(v ->
              new ServiceUnit(
                  v.text("name"),
                  v.flag("rdma"),
                  v.flag("launcher"),
                  v.flag("rootUser"),
                  v.flag("ipcLock"),
                  v.flag("ipcLockAsked"),
                  v.flag("ipcLockBounded"),
                  v.choice("memlockSet", LimitsSet.class),
                  v.number("memlockSoft"),
                  v.number("memlockHard"),
                  v.flag("privateDevices"),
                  v.flag("devicesRefused")));

  /** Returns the same service, of which it is known that it uses RDMA devices. */
  public ServiceUnit usingRdma() {
    Map<String, @Nullable Object> values = TYPE.values(this);
    values.put("rdma", true);
    return TYPE.of(values);
  }

  @Override
  public FactType<ServiceUnit> factType() {
    return TYPE;
  }
}

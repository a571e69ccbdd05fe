package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.FIXED;

import org.jspecify.annotations.Nullable;

/**
 * A container of a Kubernetes pod or a service of Docker Compose, as its file describes it. What
 * the file does not say and the platform then decides is false or empty; what the file cannot say,
 * such as the user of an image, is unknown.
 *
 * @param platform what runs it
 * @param name its name
 * @param rdma whether it is given an RDMA device: an extended resource, a device or all of them
 * @param rdmaResource the extended resource that gives the device; empty where none does
 * @param rdmaCount how many of that resource it may use; null where it is no whole number
 * @param rdmaWhole whether every RDMA resource that it names is a whole number of at least one, and
 *     request and limit agree
 * @param ipcLock whether CAP_IPC_LOCK is added to it
 * @param privileged whether it is privileged
 * @param rootUser whether it runs as user 0; null where the image decides
 * @param memoryLimit its memory limit in bytes; {@link Size#UNLIMITED} where it has none
 * @param hugePages bytes of huge pages that it may use
 * @param cpuOrMemory whether it asks for cpu or memory
 * @param memlockSoft the soft limit of locked memory in bytes that it sets, 2^63-1 for none; null
 *     where it sets none
 * @param memlockHard the hard limit in bytes; null where it sets none
 * @param memlockSet which of the two limits it sets
 */
public record Container(
    @Nullable ContainerPlatform platform,
    @Nullable String name,
    @Nullable Boolean rdma,
    @Nullable String rdmaResource,
    @Nullable Long rdmaCount,
    @Nullable Boolean rdmaWhole,
    @Nullable Boolean ipcLock,
    @Nullable Boolean privileged,
    @Nullable Boolean rootUser,
    @Nullable Long memoryLimit,
    @Nullable Long hugePages,
    @Nullable Boolean cpuOrMemory,
    @Nullable Long memlockSoft,
    @Nullable Long memlockHard,
    @Nullable LimitsSet memlockSet)
    implements Configuration {

  /** The fields of a container. */
  public static final FactType<Container> TYPE =
      FactType.of(Container.class, "container")
          .choice("platform", ContainerPlatform.class, Container::platform, FIXED, "what runs it")
          .text("name", Container::name, FIXED, "its name")
          .flag("rdma", Container::rdma, FIXED, "whether it is given an RDMA device")
          .text(
              "rdmaResource", Container::rdmaResource, FIXED, "the resource that gives the device")
          .number("rdmaCount", Container::rdmaCount, PLAIN, FIXED, "how many of that resource")
          .flag(
              "rdmaWhole",
              Container::rdmaWhole,
              FIXED,
              "whether each RDMA resource is a whole number of at least one, equal in request and"
                  + " limit")
          .flag("ipcLock", Container::ipcLock, FIXED, "whether CAP_IPC_LOCK is added")
          .flag("privileged", Container::privileged, FIXED, "whether it is privileged")
          .flag("rootUser", Container::rootUser, FIXED, "whether it runs as user 0")
          .number("memoryLimit", Container::memoryLimit, BYTES, FIXED, "its memory limit")
          .number("hugePages", Container::hugePages, BYTES, FIXED, "huge pages that it may use")
          .flag("cpuOrMemory", Container::cpuOrMemory, FIXED, "whether it asks for cpu or memory")
          .number("memlockSoft", Container::memlockSoft, BYTES, FIXED, "the soft limit of memlock")
          .number("memlockHard", Container::memlockHard, BYTES, FIXED, "the hard limit of memlock")
          .choice(
              "memlockSet",
              LimitsSet.class,
              Container::memlockSet,
              FIXED,
              "which limits of memlock it sets")
          .build(v ->
              new Container(
                  v.choice("platform", ContainerPlatform.class),
                  v.text("name"),
                  v.flag("rdma"),
                  v.text("rdmaResource"),
                  v.number("rdmaCount"),
                  v.flag("rdmaWhole"),
                  v.flag("ipcLock"),
                  v.flag("privileged"),
                  v.flag("rootUser"),
                  v.number("memoryLimit"),
                  v.number("hugePages"),
                  v.flag("cpuOrMemory"),
                  v.number("memlockSoft"),
                  v.number("memlockHard"),
                  v.choice("memlockSet", LimitsSet.class)));

  @Override
  public FactType<Container> factType() {
    return TYPE;
  }
}

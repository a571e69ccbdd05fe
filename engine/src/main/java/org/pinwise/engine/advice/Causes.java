package org.pinwise.engine.advice;

import static org.pinwise.rules.dsl.Fields.choice;
import static org.pinwise.rules.dsl.Fields.flag;
import static org.pinwise.rules.dsl.Fields.number;
import static org.pinwise.rules.dsl.Fields.text;

import java.util.List;
import org.pinwise.rules.dsl.Trait;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Size;

/**
 * The table of causes, the likelier first. In a command, PID is the process and DEV the device; the
 * sources are the kernel's below {@code drivers/infiniband} where nothing else is said.
 */
final class Causes {
  private static final String LIMITS =
      "grep -E 'Max locked|VmPin' /proc/PID/limits /proc/PID/status";

  static final List<Cause> ALL =
      List.of(
          Cause.of("memlock", Errno.ENOMEM)
              .whilePinning()
              .says("RLIMIT_MEMLOCK does not allow so many pages more")
              .when(
                  flag(Host.TYPE, "ipcLock")
                      .isFalse()
                      .and(number(Host.TYPE, "memlock").isMoreThan(0))
                      .and(number(Host.TYPE, "memlock").isNot(Size.UNLIMITED)))
              .standsFor("MR013", "MR048")
              .confirm(LIMITS)
              .remedy("Raise RLIMIT_MEMLOCK where the process is started; see explain memlock.")
              .see("ib_umem_get, core/umem.c"),
          Cause.of("memlock-zero", Errno.EPERM)
              .whilePinning()
              .says("RLIMIT_MEMLOCK is 0, so the process may lock nothing")
              .when(flag(Host.TYPE, "ipcLock").isFalse().and(number(Host.TYPE, "memlock").is(0)))
              .standsFor("MR014")
              .confirm(LIMITS)
              .remedy("Raise RLIMIT_MEMLOCK where the process is started; see explain memlock.")
              .see("can_do_mlock, mm/mlock.c"),
          Cause.of("objects", Errno.EAGAIN)
              .says("the rdma control group allows no more objects on the device")
              .when(
                  number(Device.TYPE, "objectsInUse").isAtLeast(number(Device.TYPE, "objectLimit")))
              .standsFor("MR021")
              .confirm("cat /sys/fs/cgroup/GROUP/rdma.max /sys/fs/cgroup/GROUP/rdma.current")
              .remedy("Raise hca_object in rdma.max, or destroy what is not in use.")
              .see("rdmacg_try_charge, kernel/cgroup/rdma.c"),
          Cause.of("regions", Errno.ENOMEM)
              .says("the device has no region left")
              .when(
                  almostAll()
                      .and(text(Device.TYPE, "driver").isNoneOf(List.of("rxe", "qedr", "erdma"))))
              .standsFor("MR049")
              .confirm("rdma resource show dev DEV")
              .remedy("Find who leaks regions (rdma resource show mr), register fewer and larger.")
              .see("ibv_query_device(3), max_mr; the drivers' reg_user_mr"),
          Cause.of("regions-einval", Errno.EINVAL)
              .says("the device has no region left, which this driver calls EINVAL")
              .when(almostAll().and(text(Device.TYPE, "driver").isOneOf(List.of("rxe", "qedr"))))
              .standsFor("MR049")
              .confirm("rdma resource show dev DEV")
              .remedy("Find who leaks regions (rdma resource show mr), register fewer and larger.")
              .see("rxe_add_to_pool, sw/rxe/rxe_pool.c; qedr_reg_user_mr, hw/qedr/verbs.c"),
          Cause.of("regions-erdma", Errno.ENOSPC)
              .says("the table of keys is full")
              .when(text(Device.TYPE, "driver").is("erdma"))
              .standsFor("MR049")
              .confirm("rdma resource show dev DEV")
              .remedy("Find who leaks regions (rdma resource show mr), register fewer and larger.")
              .see("erdma_alloc_idx, hw/erdma/erdma_verbs.c"),
          Cause.of("firmware-mkeys", Errno.ENOMEM, Errno.EAGAIN)
              .says("the firmware has no memory key left: ENOMEM (limit, 0x8), EAGAIN (0xf)")
              .when(text(Device.TYPE, "driver").is("mlx5"))
              .confirm("dmesg | grep CREATE_MKEY")
              .remedy("Register fewer and larger regions, with huge pages; look for leaks.")
              .see("cmd_status_to_err, net/ethernet/mellanox/mlx5/core/cmd.c"),
          Cause.of("pages-efa", Errno.ENOMEM)
              .says("the device has no room for so many pages")
              .when(text(Device.TYPE, "driver").is("efa"))
              .confirm("cat /sys/class/infiniband/DEV/hw_counters/reg_mr_err; dmesg | grep efa")
              .remedy("Use huge pages: a page of any size counts once.")
              .see("efa_register_mr, hw/efa/efa_verbs.c; libfabric issue 9739"),
          Cause.of("mtt", Errno.ENOMEM)
              .says("the device has no room for so many translations")
              .when(text(Device.TYPE, "driver").is("mlx4"))
              .confirm("grep . /sys/module/mlx4_core/parameters/log_*mtt*; dmesg | grep mlx4")
              .remedy("Use huge pages, or enlarge the table; see explain mtt.")
              .see("mlx4_mr_alloc, net/ethernet/mellanox/mlx4/mr.c"),
          Cause.of("fork-mappings", Errno.ENOMEM)
              .says("fork protection would split more mappings than vm.max_map_count allows")
              .when(
                  flag(Host.TYPE, "forkProtection")
                      .isTrue()
                      .and(flag(Host.TYPE, "copyOnFork").isFalse()))
              .confirm("wc -l /proc/PID/maps; sysctl vm.max_map_count")
              .remedy("Raise vm.max_map_count, or drop RDMAV_FORK_SAFE; see explain fork.")
              .see("libibverbs/memory.c, do_madvise"),
          Cause.of("memory-group", Errno.ENOMEM)
              .whilePinning()
              .says("the control group has no memory for all pages of the region")
              .when(number(Host.TYPE, "memoryLimit").isNot(Size.UNLIMITED))
              .confirm("grep . /sys/fs/cgroup/GROUP/memory.max /sys/fs/cgroup/GROUP/memory.events")
              .remedy("Raise memory.max, or register less; see explain cgroup.")
              .see("vm_fault_to_errno, include/linux/mm.h; mm/memcontrol.c"),
          Cause.of("memory", Errno.ENOMEM)
              .whilePinning()
              .says("the host has no memory for the region's pages or for the tables")
              .confirm("dmesg | grep -iE 'out of memory|page allocation failure'")
              .remedy("Register less, or give the host more memory.")
              .see("vm_fault_to_errno, include/linux/mm.h; ib_umem_get, core/umem.c"),
          Cause.of("hugetlb-pool", Errno.EFAULT)
              .whilePinning()
              .says("the pool of huge pages, or the group's part of it, is used up")
              .when(
                  choice(Memory.TYPE, "kind", MemoryKind.class)
                      .is(MemoryKind.HUGETLB)
                      .and(number(Host.TYPE, "hugePagesFree").is(0)))
              .confirm("grep HugePages /proc/meminfo; grep . /sys/fs/cgroup/GROUP/hugetlb.*.max")
              .remedy("Raise vm.nr_hugepages, or hugepages-2Mi of the pod; see explain hugetlb.")
              .see("hugetlb_fault, mm/hugetlb.c: SIGBUS becomes EFAULT"),
          Cause.of("mapping", Errno.EFAULT)
              .whilePinning()
              .says("a part of the range is not mapped, or was unmapped since")
              .when(flag(Memory.TYPE, "mapped").isFalse())
              .standsFor("MR011")
              .confirm("grep -A 25 ADDRESS /proc/PID/smaps")
              .remedy("Look for a buffer that was freed, or a cache that kept its region.")
              .see("check_vma_flags, mm/gup.c"),
          Cause.of("credentials", Errno.EACCES)
              .says(
                  "the process changed its user, or ran another program, after it opened the"
                      + " device")
              .confirm("grep -E 'Uid|Gid' /proc/PID/status")
              .remedy("Open the device after setuid and exec.")
              .see("ib_safe_file_access, core/uverbs_main.c"),
          Cause.of("device-access", Errno.EACCES, Errno.EPERM, Errno.ENOENT, Errno.ENODEV)
              .says("the device's node is missing or may not be opened")
              .confirm("ls -l /dev/infiniband")
              .remedy(
                  "Give the container the devices (--device=/dev/infiniband), the user its group.")
              .see("ibv_open_device(3)"),
          Cause.of("no-rdma", Errno.ENOSYS, Errno.ENODEV, Errno.ENXIO)
              .says("the kernel has no RDMA device, or not the modules for user programs")
              .confirm("ls /sys/class/infiniband /sys/class/infiniband_verbs")
              .remedy("Load the driver and ib_uverbs.")
              .see("ibv_get_device_list(3)"),
          Cause.of("device-gone", Errno.EIO, Errno.ENODEV)
              .says("the device was reset or removed, or its firmware failed")
              .confirm("dmesg | grep -iE 'DEV|health|reset|fatal' | tail")
              .remedy("Open the device again; what it had is gone.")
              .see("core/uverbs_main.c; core/uverbs_ioctl.c"),
          Cause.of("firmware-time", Errno.ETIMEDOUT)
              .says("the firmware did not answer in time")
              .confirm("dmesg | grep -iE 'timeout|health' | tail")
              .remedy("Look at the device's health and the firmware's version.")
              .see("wait_func, net/ethernet/mellanox/mlx5/core/cmd.c"),
          Cause.of("open-files", Errno.EMFILE, Errno.ENFILE)
              .says("there are too many open files: it is opening the device that fails")
              .confirm("grep 'open files' /proc/PID/limits; ls /proc/PID/fd | wc -l")
              .remedy("Raise RLIMIT_NOFILE, or close what is not in use.")
              .see("open(2)"),
          Cause.of("descriptor", Errno.EBADF)
              .says("the file descriptor is no dma-buf, or was closed")
              .confirm("ls -l /proc/PID/fd")
              .remedy("Keep the descriptor open until the region is registered.")
              .see("dma_buf_get, drivers/dma-buf/dma-buf.c"),
          Cause.of("range", Errno.EOVERFLOW)
              .says("the range of an ON_DEMAND region wraps around the address space")
              .standsFor("MR016")
              .confirm("pinwise check --access ON_DEMAND --address ADDRESS --length LENGTH")
              .remedy("Mend the length.")
              .see("ib_init_umem_odp, core/umem_odp.c"),
          Cause.of("windows", Errno.EBUSY, Errno.EINVAL)
              .says("a memory window is still bound to the region that is deregistered")
              .confirm("rdma resource show mr dev DEV")
              .remedy("Free the windows, or bind them with length 0, first.")
              .see("ibv_dereg_mr(3); rxe_dereg_mr, sw/rxe/rxe_verbs.c"),
          Cause.of("signal", Errno.EINTR)
              .says("a signal that ends the process came while pages were pinned")
              .confirm("dmesg | grep -i killed")
              .remedy("Look for who kills the process.")
              .see("__get_user_pages, mm/gup.c"),
          Cause.of("verb", Errno.EOPNOTSUPP, Errno.EPROTONOSUPPORT, Errno.ENOSYS)
              .says("the driver or this rdma-core has no such verb")
              .confirm("ibv_devinfo -v -d DEV; ls -l /usr/lib/*/libibverbs.so.1*")
              .remedy("Use a verb that both have, or newer ones.")
              .see("core/uverbs_uapi.c; providers' verbs_context_ops"));

  private Causes() {}

  private static Trait almostAll() {
    return number(Device.TYPE, "mrInUse")
        .plus(number(Device.TYPE, "maxMr").dividedBy(20))
        .isAtLeast(number(Device.TYPE, "maxMr"));
  }
}

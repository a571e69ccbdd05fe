package org.pinwise.rules.spi;

/**
 * Where a registration is checked, in the order in which libibverbs and the kernel check it. A call
 * has one errno: that of the earliest stage that refuses it.
 *
 * <p>Paths are under {@code drivers/infiniband} of the Linux sources where nothing else is said.
 * The order was measured on rxe and siw, kernels 6.1 and 6.12.
 */
public enum Stage {
  /** In the process: rdma-core {@code libibverbs/cmd.c} ibv_cmd_reg_mr. */
  LIBRARY,
  /** Page offsets of address and iova: {@code core/uverbs_cmd.c} ib_uverbs_reg_mr. */
  ADDRESS_IOVA,
  /** The cgroup's count of objects: {@code core/rdma_core.c} alloc_begin_idr_uobject. */
  OBJECT_QUOTA,
  /** The flags, for all drivers: {@code include/rdma/ib_verbs.h} ib_check_mr_access. */
  ACCESS_CORE,
  /** The protection domain's handle: {@code core/uverbs_cmd.c} ib_uverbs_reg_mr. */
  PROTECTION_DOMAIN,
  /** The flags, by driver: its {@code reg_user_mr}. */
  DRIVER_FLAGS,
  /** Lengths and counts, by driver: its {@code reg_user_mr}. */
  DRIVER_LIMIT,
  /** Whether the range wraps: {@code core/umem.c} ib_umem_get. */
  RANGE,
  /** Whether the process may lock memory at all: {@code mm/mlock.c} can_do_mlock. */
  MAY_LOCK,
  /** No page, or more than 2^32-1: {@code core/umem.c} ib_umem_get. */
  PAGE_COUNT,
  /** RLIMIT_MEMLOCK: {@code core/umem.c} ib_umem_get. */
  MEMLOCK,
  /** The pages themselves: {@code mm/gup.c} check_vma_flags. */
  PIN,
  /** The driver maps the pinned pages: its {@code reg_user_mr}. */
  DRIVER_MAP
}

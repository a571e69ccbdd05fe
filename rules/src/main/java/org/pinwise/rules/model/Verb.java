package org.pinwise.rules.model;

/** The verb of the request. */
public enum Verb {
  /** {@code ibv_reg_mr}: peers address the region by its virtual address. */
  REG_MR,
  /** {@code ibv_reg_mr_iova}: the caller chooses the address (iova) that peers use. */
  REG_MR_IOVA,
  /** {@code ibv_reg_dmabuf_mr}: memory of another device, by a dma-buf file descriptor. */
  REG_DMABUF_MR,
  /** {@code ibv_reg_dm_mr}: memory on the RDMA device itself. */
  REG_DM_MR,
  /** {@code ibv_bind_mw} or a bind work request: a memory window over a region. */
  BIND_MW
}

ibv_mr *reg(ibv_pd *pd, void *buf, size_t len) {
  // expect: MR001 error at IBV_ACCESS_REMOTE_WRITE
  ibv_mr *a = ibv_reg_mr(pd, buf, len, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
  // expect: MR002 error at static_cast
  ibv_mr *b = ::ibv_reg_mr_iova(pd, buf, len, iova, static_cast<int>(IBV_ACCESS_REMOTE_ATOMIC));
  // expect: MR001 error at 2
  ibv_mr *c = ibv_reg_mr(pd, f(buf, len), len, 2);
  return a;
}

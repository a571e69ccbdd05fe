#include <infiniband/verbs.h>
/* ibv_reg_mr(pd, buf, len, IBV_ACCESS_REMOTE_WRITE) in a comment */
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
static const char *text = "ibv_reg_mr(pd, buf, len, IBV_ACCESS_REMOTE_WRITE)";
struct ibv_mr *reg(struct ibv_pd *pd, void *buf, size_t len, int access) {
  struct ibv_mr *a = ibv_reg_mr(pd, buf, len, IBV_ACCESS_LOCAL_WRITE |
                                              IBV_ACCESS_REMOTE_WRITE);
  struct ibv_mr *b = ibv_reg_mr(pd, buf, len, access);
  struct ibv_mr *c = ibv_reg_mr(pd, buf, sizeof(struct foo[2]), (int)(IBV_ACCESS_LOCAL_WRITE));
  return a ? a : b ? b : c;
}

// ompi PR#1101
#include <infiniband/verbs.h>
void f(struct ibv_pd *pd, void *buf, size_t len) {
  // expect: MR001 error at IBV_ACCESS_REMOTE_WRITE
  ibv_reg_mr(pd, buf, len, IBV_ACCESS_REMOTE_WRITE);
  // expect: MR002 error at IBV_ACCESS_REMOTE_ATOMIC
  ibv_reg_mr(pd, buf, len, IBV_ACCESS_REMOTE_ATOMIC);
}

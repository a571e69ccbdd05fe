// brpc PR#3300: an optional flag is allowed
#include <infiniband/verbs.h>
void f(struct ibv_pd *pd, void *buf, size_t len) {
  ibv_reg_mr(pd, buf, len, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
}

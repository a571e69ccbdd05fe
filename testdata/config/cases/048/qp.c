// perftest#189: the flags of a queue pair are not those of a region
#include <infiniband/verbs.h>
void f(struct ibv_qp *qp) {
  struct ibv_qp_attr attr = {.qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
  ibv_modify_qp(qp, &attr, IBV_QP_ACCESS_FLAGS);
}

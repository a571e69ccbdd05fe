/*
 * bound-window.c - binds a memory window to a region of the process that loads it, so that what giving the region back does is seen.
 *
 * Only the device carries a bind out, so the queue pair that it is posted to is connected to itself.
 *
 *   gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o bound-window.so bound-window.c -libverbs
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORT = 1, POLLS = 300000 };

struct bound {
  struct ibv_cq *cq;
  struct ibv_qp *qp;
  struct ibv_mw *window;
};

/* The index of the RoCE GID of an IPv4 address, which is reachable over loopback at once. */
static int find_gid(struct ibv_context *context, union ibv_gid *gid) {
  static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  for (int index = 0; ibv_query_gid(context, PORT, index, gid) == 0; index++)
    if (memcmp(gid->raw, mapped, sizeof mapped) == 0) return index;
  return -1;
}

static int connect_to_itself(struct ibv_qp *qp) {
  union ibv_gid gid;
  int index = find_gid(qp->context, &gid);
  if (index < 0) return ENOENT;
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = PORT};
  int failed = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  if (failed != 0) return failed;
  attr = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTR,
      .path_mtu = IBV_MTU_1024,
      .dest_qp_num = qp->qp_num,
      .min_rnr_timer = 12,
      .ah_attr = {.grh = {.dgid = gid, .sgid_index = (uint8_t)index, .hop_limit = 64}, .is_global = 1, .port_num = PORT},
  };
  failed = ibv_modify_qp(
      qp, &attr,
      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (failed != 0) return failed;
  attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/* Frees the window and all that was made for it; 0 or the first errno. */
int bound_window_free(struct bound *bound) {
  int failed = 0, now;
  if (bound->window != NULL && (now = ibv_dealloc_mw(bound->window)) != 0) failed = now;
  if (bound->qp != NULL && (now = ibv_destroy_qp(bound->qp)) != 0 && failed == 0) failed = now;
  if (bound->cq != NULL && (now = ibv_destroy_cq(bound->cq)) != 0 && failed == 0) failed = now;
  free(bound);
  return failed;
}

/* A window over the whole region, for peers to read; or NULL and errno, EIO if the bind did not complete well. */
struct bound *bound_window(struct ibv_mr *region) {
  struct bound *bound = calloc(1, sizeof *bound);
  if (bound == NULL) return NULL;
  struct ibv_qp_init_attr init = {
      .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
      .qp_type = IBV_QPT_RC,
  };
  struct ibv_mw_bind request = {
      .send_flags = IBV_SEND_SIGNALED,
      .bind_info = {.mr = region, .addr = (uintptr_t)region->addr, .length = region->length, .mw_access_flags = IBV_ACCESS_REMOTE_READ},
  };
  struct ibv_wc wc = {.status = IBV_WC_GENERAL_ERR};
  int failed = 0;
  if ((bound->window = ibv_alloc_mw(region->pd, IBV_MW_TYPE_1)) == NULL || (bound->cq = ibv_create_cq(region->context, 4, NULL, NULL, 0)) == NULL) {
    failed = errno;
  } else {
    init.send_cq = init.recv_cq = bound->cq;
    if ((bound->qp = ibv_create_qp(region->pd, &init)) == NULL) failed = errno;
    else if ((failed = connect_to_itself(bound->qp)) == 0) failed = ibv_bind_mw(bound->qp, bound->window, &request);
  }
  int found = 0;
  for (int i = 0; failed == 0 && found == 0 && i < POLLS; i++)
    if ((found = ibv_poll_cq(bound->cq, 1, &wc)) == 0) usleep(200); /* the device is software and needs this CPU */
  if (failed == 0 && wc.status != IBV_WC_SUCCESS) failed = EIO;
  if (failed == 0) return bound;
  bound_window_free(bound);
  errno = failed;
  return NULL;
}

/*
 * wire-peer.c - the active end of an RC connection, in a process of its own. The passive end, with the memory under test, is a Java process.
 *
 *   wire-peer DEVICE
 *
 * Reads one command a line and answers each with one line. Numbers are decimal or 0x; bytes are hexadecimal digits; a GID is 32 of them.
 *
 *   open                                 a new queue pair in place of the last one           qp QPN PSN GID
 *   connect QPN PSN GID                  connects it to the passive end                      ok
 *   write ADDRESS RKEY BYTES             RDMA WRITE                                          wc STATUS - TEXT
 *   read ADDRESS RKEY LENGTH             RDMA READ                                           wc STATUS BYTES TEXT     ("-" for none)
 *   swap ADDRESS RKEY EXPECTED NEW       atomic compare and swap of the 64 bits there        wc STATUS OLD TEXT       (OLD as 8 bytes)
 *   bind REGION WINDOW LENGTH            a window of type 1 with these access flags on a     bind ALLOC BIND STATUS
 *                                        new region of one page; in a queue pair of its own
 *   quit (or end of input)               releases everything
 *
 * "error TEXT" answers what could not be done. STATUS is an ibv_wc_status. After any but 0 the queue pair is in the error state, so the next
 * operation needs a new "open" and "connect".
 *
 *   gcc -O2 -Wall -Wextra -Werror -o wire-peer wire-peer.c -libverbs
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 1, BUFFER = 65536, LINE = 2 * BUFFER + 256, WORDS = 8, COMPLETION_SECONDS = 60 };

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp *qp;
static bool connected;
static bool has_gid; /* iWARP has none, and none is needed to ask for a window */
static int gid_index;
static union ibv_gid gid;
static uint8_t *buffer;

/* --- words ------------------------------------------------------------------------------------------------------------------------------- */

static void answer(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
}

static bool number(const char *word, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(word, &end, 0);
  return errno == 0 && end != word && *end == '\0' && *word != '-';
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

/* How many bytes the word says, or -1 if it is not hexadecimal or more than fit. */
static long parse_bytes(const char *word, uint8_t *to, size_t room) {
  size_t length = strlen(word);
  if (length % 2 != 0 || length / 2 > room) return -1;
  for (size_t i = 0; i < length / 2; i++) {
    int high = digit(word[2 * i]), low = digit(word[2 * i + 1]);
    if (high < 0 || low < 0) return -1;
    to[i] = (uint8_t)(high << 4 | low);
  }
  return (long)(length / 2);
}

static void print_bytes(const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
}

/* --- device ------------------------------------------------------------------------------------------------------------------------------ */

static int setup_failed(const char *what) {
  answer("error %s: %s", what, strerror(errno));
  return 1;
}

/* The RoCE GID of an IPv4 address is reachable over loopback at once; a link-local one may not be yet. */
static bool find_gid(void) {
  static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  for (gid_index = 0; ibv_query_gid(context, PORT, gid_index, &gid) == 0; gid_index++)
    if (memcmp(gid.raw, mapped, sizeof mapped) == 0) return true;
  return false;
}

static int setup(const char *name) {
  int count = 0;
  struct ibv_device **list = ibv_get_device_list(&count);
  if (list == NULL) return setup_failed("ibv_get_device_list");
  errno = ENODEV;
  for (int i = 0; i < count && context == NULL; i++)
    if (strcmp(ibv_get_device_name(list[i]), name) == 0) context = ibv_open_device(list[i]);
  ibv_free_device_list(list);
  if (context == NULL) return setup_failed(name);
  has_gid = find_gid();
  if ((pd = ibv_alloc_pd(context)) == NULL) return setup_failed("ibv_alloc_pd");
  if ((cq = ibv_create_cq(context, 4, NULL, NULL, 0)) == NULL) return setup_failed("ibv_create_cq");
  if ((buffer = aligned_alloc(4096, BUFFER)) == NULL) return setup_failed("aligned_alloc");
  if ((mr = ibv_reg_mr(pd, buffer, BUFFER, IBV_ACCESS_LOCAL_WRITE)) == NULL) return setup_failed("ibv_reg_mr");
  return 0;
}

static bool close_qp(void) {
  connected = false;
  if (qp == NULL) return true;
  int failed = ibv_destroy_qp(qp);
  qp = NULL;
  return failed == 0;
}

static int teardown(void) {
  bool clean = close_qp();
  if (mr != NULL) clean &= ibv_dereg_mr(mr) == 0;
  free(buffer);
  if (cq != NULL) clean &= ibv_destroy_cq(cq) == 0;
  if (pd != NULL) clean &= ibv_dealloc_pd(pd) == 0;
  if (context != NULL) clean &= ibv_close_device(context) == 0;
  return clean ? 0 : 1;
}

/* --- commands ---------------------------------------------------------------------------------------------------------------------------- */

static void open_qp(void) {
  struct ibv_qp_init_attr init = {
      .send_cq = cq,
      .recv_cq = cq,
      .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
      .qp_type = IBV_QPT_RC,
  };
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = PORT};
  int failed;
  if (!has_gid) {
    answer("error no GID of an IPv4 address");
    return;
  }
  if (!close_qp() || (qp = ibv_create_qp(pd, &init)) == NULL) {
    answer("error queue pair: %s", strerror(errno));
  } else if ((failed = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) != 0) {
    answer("error to INIT: %s", strerror(failed));
  } else {
    printf("qp %" PRIu32 " %" PRIu32 " ", qp->qp_num, qp->qp_num & 0xffffff);
    print_bytes(gid.raw, sizeof gid.raw);
    answer("");
  }
}

static void connect_qp(uint32_t remote_qpn, uint32_t remote_psn, const union ibv_gid *remote_gid) {
  struct ibv_qp_attr attr = {
      .qp_state = IBV_QPS_RTR,
      .path_mtu = IBV_MTU_1024,
      .dest_qp_num = remote_qpn,
      .rq_psn = remote_psn,
      .min_rnr_timer = 12,
      .ah_attr = {.grh = {.dgid = *remote_gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64}, .is_global = 1, .port_num = PORT},
  };
  int failed = ibv_modify_qp(
      qp, &attr,
      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (failed != 0) {
    answer("error to RTR: %s", strerror(failed));
    return;
  }
  attr = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = qp->qp_num & 0xffffff, .max_rd_atomic = 1};
  failed = ibv_modify_qp(
      qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
  if (failed != 0) {
    answer("error to RTS: %s", strerror(failed));
    return;
  }
  connected = true;
  answer("ok");
}

/* Posts one request on the first "length" bytes of the buffer and answers with its completion. */
static void run(struct ibv_send_wr *request, uint32_t length, bool fetches) {
  struct ibv_sge part = {.addr = (uintptr_t)buffer, .length = length, .lkey = mr->lkey};
  struct ibv_send_wr *bad;
  struct ibv_wc wc;
  if (!connected) {
    answer("error not connected");
    return;
  }
  request->sg_list = &part;
  request->num_sge = length == 0 ? 0 : 1;
  request->send_flags = IBV_SEND_SIGNALED;
  int failed = ibv_post_send(qp, request, &bad);
  if (failed != 0) {
    answer("error ibv_post_send: %s", strerror(failed));
    return;
  }
  time_t deadline = time(NULL) + COMPLETION_SECONDS;
  int found;
  while ((found = ibv_poll_cq(cq, 1, &wc)) == 0 && time(NULL) < deadline) usleep(200); /* sleeps: the device is software and needs this CPU */
  if (found != 1) {
    answer("error %s", found == 0 ? "no completion" : "ibv_poll_cq failed");
    return;
  }
  printf("wc %d ", wc.status);
  if (wc.status == IBV_WC_SUCCESS && fetches && length > 0) print_bytes(buffer, length);
  else putchar('-');
  answer(" %s", ibv_wc_status_str(wc.status));
  if (wc.status != IBV_WC_SUCCESS) connected = false;
}

static void rdma(enum ibv_wr_opcode opcode, uint64_t address, uint32_t rkey, uint32_t length) {
  struct ibv_send_wr request = {.opcode = opcode, .wr.rdma = {.remote_addr = address, .rkey = rkey}};
  run(&request, length, opcode == IBV_WR_RDMA_READ);
}

static void swap(uint64_t address, uint32_t rkey, uint64_t expected, uint64_t new) {
  struct ibv_send_wr request = {
      .opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
      .wr.atomic = {.remote_addr = address, .rkey = rkey, .compare_add = expected, .swap = new},
  };
  run(&request, sizeof(uint64_t), true);
}

/*
 * ALLOC is the errno of ibv_alloc_mw, BIND what ibv_bind_mw returned, STATUS the completion's; -1 for what was not reached. The bind is carried out
 * by the device of this end alone, so the queue pair is connected to itself.
 */
static void bind_window(unsigned region_access, unsigned window_access, uint64_t length) {
  static uint8_t page[4096] __attribute__((aligned(4096)));
  struct ibv_mr *region = ibv_reg_mr(pd, page, sizeof page, (int)region_access);
  if (region == NULL) {
    answer("error ibv_reg_mr: %s", strerror(errno));
    return;
  }
  int allocated = 0, returned = -1, status = -1;
  struct ibv_mw *window = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
  if (window == NULL) {
    allocated = errno;
  } else {
    struct ibv_mw_bind request = {
        .send_flags = IBV_SEND_SIGNALED,
        .bind_info = {.mr = region, .addr = (uintptr_t)page, .length = length, .mw_access_flags = window_access},
    };
    struct ibv_wc wc;
    if (connected) returned = ibv_bind_mw(qp, window, &request);
    for (int tries = 0; returned == 0 && tries < 300000; tries++) {
      int found = ibv_poll_cq(cq, 1, &wc);
      if (found != 0) {
        status = found == 1 ? (int)wc.status : -1;
        break;
      }
      usleep(200);
    }
    ibv_dealloc_mw(window);
  }
  ibv_dereg_mr(region);
  connected = false;
  answer("bind %d %d %d", allocated, returned, status);
}

/* One line. False ends the program. */
static bool obey(char *line) {
  char *word[WORDS], *rest = NULL;
  int words = 0;
  uint64_t a, b, c, d;
  long length;
  for (char *w = strtok_r(line, " \n", &rest); w != NULL && words < WORDS; w = strtok_r(NULL, " \n", &rest)) word[words++] = w;
  if (words == 0) return true;
  if (words == 1 && strcmp(word[0], "quit") == 0) return false;

  if (words == 1 && strcmp(word[0], "open") == 0) {
    open_qp();
  } else if (words == 4 && strcmp(word[0], "connect") == 0 && number(word[1], &a) && number(word[2], &b)) {
    union ibv_gid remote;
    if (parse_bytes(word[3], remote.raw, sizeof remote.raw) != sizeof remote.raw) answer("error not a GID: %s", word[3]);
    else if (qp == NULL) answer("error not open");
    else connect_qp((uint32_t)a, (uint32_t)b, &remote);
  } else if (words == 4 && strcmp(word[0], "bind") == 0 && number(word[1], &a) && number(word[2], &b) && number(word[3], &c)) {
    bind_window((unsigned)a, (unsigned)b, c);
  } else if (words == 4 && strcmp(word[0], "write") == 0 && number(word[1], &a) && number(word[2], &b)) {
    if ((length = parse_bytes(word[3], buffer, BUFFER)) < 0) answer("error not at most %d hexadecimal bytes", BUFFER);
    else rdma(IBV_WR_RDMA_WRITE, a, (uint32_t)b, (uint32_t)length);
  } else if (words == 4 && strcmp(word[0], "read") == 0 && number(word[1], &a) && number(word[2], &b) && number(word[3], &c)) {
    if (c > BUFFER) answer("error at most %d bytes", BUFFER);
    else rdma(IBV_WR_RDMA_READ, a, (uint32_t)b, (uint32_t)c);
  } else if (words == 5 && strcmp(word[0], "swap") == 0 && number(word[1], &a) && number(word[2], &b) && number(word[3], &c) && number(word[4], &d)) {
    swap(a, (uint32_t)b, c, d);
  } else {
    answer("error not a command: %s", word[0]);
  }
  return true;
}

int main(int count, char **arguments) {
  static char line[LINE];
  if (count != 2) {
    fprintf(stderr, "usage: wire-peer DEVICE\n");
    return 2;
  }
  int failed = setup(arguments[1]);
  while (failed == 0 && fgets(line, sizeof line, stdin) != NULL && obey(line)) {
  }
  int unclean = teardown();
  return failed != 0 || unclean != 0;
}

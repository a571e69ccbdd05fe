/*
 * registration-loop.c - how long ibv_reg_mr and ibv_dereg_mr of the same memory take, in C: what SpeedLab compares with.
 *
 *   registration-loop DEVICE BYTES ROUNDS BLOCKS      prints the nanoseconds of one round in the median block
 *
 *   gcc -O2 -Wall -Wextra -Werror -o registration-loop registration-loop.c -libverbs
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static int fail(const char *what) {
  perror(what);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: registration-loop DEVICE BYTES ROUNDS BLOCKS\n");
    return 2;
  }
  size_t bytes = strtoull(argv[2], NULL, 0);
  int rounds = atoi(argv[3]), blocks = atoi(argv[4]);
  struct ibv_device **devices = ibv_get_device_list(NULL), *device = NULL;
  for (int i = 0; devices && devices[i]; i++)
    if (!strcmp(ibv_get_device_name(devices[i]), argv[1])) device = devices[i];
  struct ibv_context *context = device ? ibv_open_device(device) : NULL;
  struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
  void *memory = aligned_alloc(4096, bytes);
  double *times = calloc(blocks, sizeof *times);
  if (!pd || !memory || !times || rounds < 1 || blocks < 1) return fail(argv[1]);
  memset(memory, 1, bytes);
  for (int block = -1; block < blocks; block++) { /* the first is for warmth */
    double start = now();
    for (int round = 0; round < rounds; round++) {
      struct ibv_mr *mr = ibv_reg_mr(pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
      if (!mr) return fail("ibv_reg_mr");
      if (ibv_dereg_mr(mr)) return fail("ibv_dereg_mr");
    }
    if (block >= 0) times[block] = (now() - start) / rounds;
  }
  qsort(times, blocks, sizeof *times, ascending);
  printf("%.0f\n", times[blocks / 2]);
  return 0;
}

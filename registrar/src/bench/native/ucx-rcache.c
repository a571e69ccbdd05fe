/*
 * A hit, get and put, in UCX's registration cache: what CacheHitBench does with ours.
 *
 *   gcc -O2 -o ucx-rcache ucx-rcache.c -lucs -lpthread        (Debian: libucx-dev)
 *   ucx-rcache REGIONS THREADS SECONDS        prints nanoseconds a hit, for each thread
 *
 * Regions are of 64 KiB, as far apart, so that none merges with its neighbour; a hit asks for 4 KiB within a random
 * one. Registering does nothing, as in the simulator. The cache is without bounds, and does not look at the memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucs/memory/rcache.h>

enum { REGION = 64 << 10, STRIDE = 2 * REGION, PART = 4096, BATCH = 1000, MAX_THREADS = 64 };

static ucs_rcache_t *cache;
static char *base;
static unsigned long regions;
static double seconds;

static ucs_status_t reg(void *context, ucs_rcache_t *rcache, void *arg, ucs_rcache_region_t *region, uint16_t flags)
{
    (void)context, (void)rcache, (void)arg, (void)region, (void)flags;
    return UCS_OK;
}

static void dereg(void *context, ucs_rcache_t *rcache, ucs_rcache_region_t *region)
{
    (void)context, (void)rcache, (void)region;
}

static void dump(void *context, ucs_rcache_t *rcache, ucs_rcache_region_t *region, char *text, size_t size)
{
    (void)context, (void)rcache, (void)region;
    if (size > 0)
        text[0] = '\0';
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void hit(char *address, size_t length)
{
    ucs_rcache_region_t *region;
    if (ucs_rcache_get(cache, address, length, PROT_READ | PROT_WRITE, NULL, &region) != UCS_OK)
        abort();
    ucs_rcache_region_put(cache, region);
}

static void *work(void *number)
{
    uint64_t seed = (uint64_t)(uintptr_t)number * 0x9E3779B97F4A7C15u + 1;
    unsigned long hits = 0;
    double end = now() + seconds;
    do {
        for (int i = 0; i < BATCH; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            unsigned long k = (unsigned long)(((unsigned __int128)seed * regions) >> 64);
            hit(base + k * STRIDE + PART, PART);
        }
        hits += BATCH;
    } while (now() < end);
    return (void *)hits;
}

int main(int argc, char **argv)
{
    ucs_rcache_ops_t ops = { .mem_reg = reg, .mem_dereg = dereg, .dump_region = dump };
    ucs_rcache_params_t params = {
        .region_struct_size = sizeof(ucs_rcache_region_t),
        .alignment = UCS_RCACHE_MIN_ALIGNMENT,
        .max_alignment = 4096,
        .ops = &ops,
        .flags = UCS_RCACHE_FLAG_NO_PFN_CHECK,
        .max_regions = ~0ul,
        .max_size = ~0ul,
        .max_unreleased = ~0ul,
    };
    pthread_t threads[MAX_THREADS];
    unsigned long total = 0;
    long count;

    if (argc != 4 || (regions = strtoul(argv[1], NULL, 10)) == 0 || (count = atol(argv[2])) < 1
        || count > MAX_THREADS || (seconds = atof(argv[3])) <= 0) {
        fprintf(stderr, "usage: ucx-rcache REGIONS THREADS SECONDS\n");
        return 2;
    }
    if (ucs_rcache_create(&params, "bench", NULL, &cache) != UCS_OK) {
        fprintf(stderr, "ucs_rcache_create failed\n");
        return 1;
    }
    base = mmap(NULL, regions * STRIDE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (unsigned long k = 0; k < regions; k++)
        hit(base + k * STRIDE, REGION);
    double start = now();
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0)
            return 1;
    for (long i = 0; i < count; i++) {
        void *hits;
        pthread_join(threads[i], &hits);
        total += (unsigned long)hits;
    }
    printf("%.1f\n", (now() - start) * 1e9 * count / total);
    return 0;
}

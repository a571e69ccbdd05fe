/*
 * A stand-in for libibverbs.so.1, for tests of the calling side on machines without a device: the
 * same functions with the same return conventions, over nothing. It is no model of any driver.
 *
 * Objects are poisoned when they are given back, and a call with a poisoned one aborts the process:
 * what a real library would do with freed memory is worse, and harder to see.
 *
 * Devices:
 *   fake0   all is well; extended context
 *   plain0  a context of the old ABI: nothing around it
 *   short0  an extended context of a library too old for query_device_ex
 *   null0   an extended context of a driver without query_device_ex and advise_mr
 *   early0  an extended context of a library that has query_device_ex, and no advise_mr yet
 *   old0    query_device answers -1 and errno; close fails once, the same way
 *   shut0   cannot be opened: EACCES
 *
 * Registrations of the following lengths are special:
 *   4100  the call takes 300 ms
 *   4101  dereg answers EBUSY once, as while a memory window is bound
 *
 * fake_ibverbs_fail makes one call of a function fail, whatever it was asked for.
 *
 * Build: cc -shared -fPIC -o libfake-ibverbs.so fake-ibverbs.c
 * With -DFREES it frees a region that is given back, so that one can go on for long; else it keeps it, to notice use after that.
 * With -DNO_IOVA2 it lacks ibv_reg_mr_iova2, as rdma-core before v28.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ull
#define LIVE 0x6c697665u
#define DEAD 0x64656164u

struct device {
	void *ops[2];
	int node_type, transport_type;
	char name[64], dev_name[64], dev_path[256], ibdev_path[256];
};

struct context {
	struct device *device;
	void *ops[32];
	int cmd_fd, async_fd, num_comp_vectors;
	uint64_t mutex[5];
	uint64_t abi_compat;
};

struct sge {
	uint64_t addr;
	uint32_t length, lkey;
};

struct pd;

struct verbs_context {
	int (*advise_mr)(struct pd *, int, uint32_t, struct sge *, uint32_t);
	void *since_then[25];
	int (*query_device_ex)(struct context *, const void *, void *, size_t);
	void *others[10];
	uint64_t placeholder;
	size_t sz;
	struct context context;
	/* Behind what the caller may know. */
	unsigned int state;
	int close_failures;
};

struct pd {
	struct context *context;
	uint32_t handle;
	unsigned int state;
};

struct mr {
	struct context *context;
	struct pd *pd;
	void *addr;
	size_t length;
	uint32_t handle, lkey, rkey;
	unsigned int state;
	int dereg_failures;
};

struct attr {
	char fw_ver[64];
	uint64_t node_guid, sys_image_guid, max_mr_size, page_size_cap;
	uint32_t vendor_id, vendor_part_id, hw_ver;
	int max_qp, max_qp_wr;
	unsigned int device_cap_flags;
	int max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom;
	int max_res_rd_atom, max_qp_init_rd_atom, max_ee_init_rd_atom, atomic_cap, max_ee, max_rdd;
	int max_mw, rest[11];
	uint16_t max_pkeys;
	uint8_t local_ca_ack_delay, phys_port_cnt;
};

struct attr_ex {
	struct attr orig;
	uint32_t comp_mask;
	uint64_t general_caps;
	uint32_t rc, uc, ud;
	uint64_t timestamp_mask, clock, device_cap_flags_ex;
	uint8_t tso_to_cq_mod[84];
	uint64_t max_dm_size;
	uint16_t fetch_add, swap, compare_swap;
	uint32_t xrc, phys_port_cnt_ex;
};

_Static_assert(sizeof(struct device) == 664, "ibv_device");
_Static_assert(sizeof(struct context) == 328, "ibv_context");
_Static_assert(offsetof(struct verbs_context, state) == 640, "tail of verbs_context");
_Static_assert(offsetof(struct mr, rkey) == 40, "ibv_mr");
_Static_assert(sizeof(struct attr) == 232, "ibv_device_attr");
_Static_assert(sizeof(struct attr_ex) == 400, "ibv_device_attr_ex");

static struct device devices[7] = {
	{ .node_type = 1, .transport_type = 0, .name = "fake0" },
	{ .node_type = 4, .transport_type = 1, .name = "plain0" },
	{ .node_type = 1, .transport_type = 0, .name = "short0" },
	{ .node_type = 1, .transport_type = 0, .name = "null0" },
	{ .node_type = 99, .transport_type = 99, .name = "old0" },
	{ .node_type = 1, .transport_type = 0, .name = "shut0" },
	{ .node_type = 1, .transport_type = 0, .name = "early0" },
};

static uint32_t next_handle = 1;
static int live_objects;

/* A function that can be made to fail: how often it was called, and which call is to fail, with what. */
struct fault {
	const char *function;
	int calls, failing, error;
};

static struct fault get_device_list_fault = { .function = "ibv_get_device_list" };
static struct fault open_device_fault = { .function = "ibv_open_device" };
static struct fault close_device_fault = { .function = "ibv_close_device" };
static struct fault query_device_fault = { .function = "ibv_query_device" };
static struct fault query_device_ex_fault = { .function = "ibv_query_device_ex" };
static struct fault alloc_pd_fault = { .function = "ibv_alloc_pd" };
static struct fault dealloc_pd_fault = { .function = "ibv_dealloc_pd" };
static struct fault reg_mr_fault = { .function = "ibv_reg_mr" };
static struct fault reg_mr_iova2_fault = { .function = "ibv_reg_mr_iova2" };
static struct fault reg_dmabuf_mr_fault = { .function = "ibv_reg_dmabuf_mr" };
static struct fault advise_mr_fault = { .function = "ibv_advise_mr" };
static struct fault dereg_mr_fault = { .function = "ibv_dereg_mr" };

static struct fault *faults[] = {
	&get_device_list_fault, &open_device_fault, &close_device_fault, &query_device_fault,
	&query_device_ex_fault, &alloc_pd_fault, &dealloc_pd_fault, &reg_mr_fault,
	&reg_mr_iova2_fault, &reg_dmabuf_mr_fault, &advise_mr_fault, &dereg_mr_fault,
};

/* Counts the call; the error that it must fail with, or 0. */
static int fault(struct fault *f)
{
	int call = __atomic_add_fetch(&f->calls, 1, __ATOMIC_RELAXED);

	return call == __atomic_load_n(&f->failing, __ATOMIC_RELAXED) ? f->error : 0;
}

static struct fault *fault_of(const char *function)
{
	size_t i;

	for (i = 0; i < sizeof faults / sizeof faults[0]; i++)
		if (!strcmp(faults[i]->function, function))
			return faults[i];
	fprintf(stderr, "fake-ibverbs: there is no %s\n", function);
	abort();
}

/* Counts the calls of this function from 0 again, and makes one fail; call 0 is none. */
void fake_ibverbs_fail(const char *function, int call, int error)
{
	struct fault *f = fault_of(function);

	f->error = error;
	f->calls = 0;
	__atomic_store_n(&f->failing, call, __ATOMIC_SEQ_CST);
}

/* How often this function was called since then, calls that failed included. */
int fake_ibverbs_calls(const char *function)
{
	return __atomic_load_n(&fault_of(function)->calls, __ATOMIC_SEQ_CST);
}

/* How many contexts, protection domains and regions were handed out and not taken back. */
int fake_ibverbs_live(void)
{
	return __atomic_load_n(&live_objects, __ATOMIC_SEQ_CST);
}

static void born(void)
{
	__atomic_add_fetch(&live_objects, 1, __ATOMIC_RELAXED);
}

static void gone(void)
{
	__atomic_sub_fetch(&live_objects, 1, __ATOMIC_RELAXED);
}

static void check(unsigned int state, const char *what)
{
	if (state != LIVE) {
		fprintf(stderr, "fake-ibverbs: %s\n", what);
		abort();
	}
}

static struct verbs_context *outer(struct context *c)
{
	return (struct verbs_context *)((char *)c - offsetof(struct verbs_context, context));
}

static void alive(struct context *c)
{
	check(outer(c)->state, "a context was used after close");
}

static int is(struct context *c, const char *name)
{
	return !strcmp(c->device->name, name);
}

static void fill(struct attr *a)
{
	memset(a, 0, sizeof *a);
	memset(a->fw_ver, 'f', sizeof a->fw_ver); /* no NUL: readers must not run on */
	a->node_guid = 0x0102030405060708;
	a->sys_image_guid = 0x1112131415161718;
	a->max_mr_size = ~0ull;
	a->page_size_cap = 0xfffff000;
	a->vendor_id = 0xffffffff;
	a->vendor_part_id = 0x80000001;
	a->hw_ver = 3;
	a->max_qp = 4;
	a->max_qp_wr = 5;
	a->device_cap_flags = 0x80000006;
	a->max_sge = 7;
	a->max_sge_rd = 8;
	a->max_cq = 9;
	a->max_cqe = 10;
	a->max_mr = 11;
	a->max_pd = 12;
	a->max_qp_rd_atom = 13;
	a->max_qp_init_rd_atom = 14;
	a->atomic_cap = 1;
	a->max_mw = 15;
	a->rest[8] = 16; /* max_srq */
	a->phys_port_cnt = 200;
}

static int query_device_ex(struct context *c, const void *input, void *out, size_t size)
{
	struct attr_ex *a = out;
	int error = fault(&query_device_ex_fault);

	alive(c);
	if (error)
		return error;
	if (input || size != sizeof *a)
		return EINVAL;
	memset(a, 0, sizeof *a);
	fill(&a->orig);
	a->general_caps = 3;
	a->rc = 0x3f;
	a->uc = 0x0f;
	a->ud = 0x01;
	a->xrc = 0x1f;
	a->device_cap_flags_ex = 0xc000000000ull | a->orig.device_cap_flags;
	a->max_dm_size = 1ull << 63;
	a->fetch_add = 0xffff;
	a->swap = 8;
	a->compare_swap = 12;
	a->phys_port_cnt_ex = 200;
	return 0;
}

/*
 * Answers what it was called with, so that each argument is seen to arrive: the sum of all of them
 * but the last lkey, if that is it; else EFAULT. Without a list, EINVAL.
 */
static int advise_mr(struct pd *pd, int advice, uint32_t flags, struct sge *list, uint32_t count)
{
	uint64_t sum = advice + 10 * flags + 100 * count;
	int error = fault(&advise_mr_fault);
	uint32_t i;

	check(pd->state, "a protection domain was used after dealloc");
	alive(pd->context);
	if (error)
		return error;
	if (!count)
		return EINVAL;
	for (i = 0; i < count; i++)
		sum += list[i].addr + list[i].length;
	return sum == list[count - 1].lkey ? 0 : EFAULT;
}

struct device **ibv_get_device_list(int *count)
{
	size_t n = sizeof devices / sizeof devices[0], i;
	struct device **list; /* filled again by each call, by whichever thread, to the same */
	int error = fault(&get_device_list_fault);

	if (error) {
		errno = error;
		return NULL;
	}
	if (getenv("FAKE_IBVERBS_ERRNO")) {
		errno = atoi(getenv("FAKE_IBVERBS_ERRNO"));
		return NULL;
	}
	if (getenv("FAKE_IBVERBS_EMPTY"))
		n = 0;
	list = calloc(n + 1, sizeof *list);
	for (i = 0; i < n; i++) {
		list[i] = &devices[i];
		snprintf(devices[i].dev_name, sizeof devices[i].dev_name, "uverbs%zu", i);
		snprintf(devices[i].dev_path, sizeof devices[i].dev_path,
			 "/sys/class/infiniband_verbs/uverbs%zu", i);
		strcpy(devices[i].ibdev_path, "/sys/class/infiniband/");
		strcat(devices[i].ibdev_path, devices[i].name);
	}
	*count = (int)n;
	return list;
}

void ibv_free_device_list(struct device **list)
{
	free(list);
}

struct context *ibv_open_device(struct device *d)
{
	struct verbs_context *v;
	int error = fault(&open_device_fault);

	if (!error && !strcmp(d->name, "shut0"))
		error = EACCES;
	if (error) {
		errno = error;
		return NULL;
	}
	born();
	v = calloc(1, sizeof *v);
	v->state = LIVE;
	v->context.device = d;
	v->query_device_ex = query_device_ex;
	v->advise_mr = advise_mr;
	v->sz = offsetof(struct verbs_context, state);
	v->context.abi_compat = ~0ull;
	if (is(&v->context, "plain0"))
		v->context.abi_compat = 0;
	if (is(&v->context, "short0"))
		v->sz -= offsetof(struct verbs_context, query_device_ex) + 1;
	if (is(&v->context, "early0"))
		v->sz -= offsetof(struct verbs_context, query_device_ex);
	if (is(&v->context, "null0")) {
		v->query_device_ex = NULL;
		v->advise_mr = NULL;
	}
	if (is(&v->context, "old0"))
		v->close_failures = 1;
	return &v->context;
}

int ibv_close_device(struct context *c)
{
	int error = fault(&close_device_fault);

	alive(c);
	if (!error && outer(c)->close_failures-- > 0)
		error = EIO;
	if (error) {
		errno = error;
		return -1;
	}
	gone();
	outer(c)->state = DEAD; /* not freed: the poison must stay readable */
	errno = EBADF; /* as a successful call may leave it */
	return 0;
}

int ibv_query_device(struct context *c, struct attr *a)
{
	int error = fault(&query_device_fault);

	alive(c);
	if (error)
		return error;
	if (is(c, "old0")) {
		errno = ENODEV;
		return -1;
	}
	fill(a);
	return 0;
}

struct pd *ibv_alloc_pd(struct context *c)
{
	struct pd *pd;
	int error = fault(&alloc_pd_fault);

	alive(c);
	if (!error && is(c, "old0"))
		error = EAGAIN;
	if (error) {
		errno = error;
		return NULL;
	}
	born();
	pd = calloc(1, sizeof *pd);
	pd->context = c;
	pd->state = LIVE;
	pd->handle = __atomic_fetch_add(&next_handle, 1, __ATOMIC_RELAXED);
	return pd;
}

int ibv_dealloc_pd(struct pd *pd)
{
	int error = fault(&dealloc_pd_fault);

	check(pd->state, "a protection domain was used after dealloc");
	alive(pd->context);
	if (error)
		return error;
	gone();
	pd->state = DEAD;
	return 0;
}

static int refusal(uint64_t addr, uint64_t length, uint64_t iova, unsigned int access)
{
	unsigned char resident;
	uint64_t page;

	if (addr % PAGE != iova % PAGE)
		return EINVAL;
	if ((access & 0xa) && !(access & 1))
		return EINVAL;
	if (access & ~0x3ff003ffu)
		return EINVAL;
	if (access & 0x40)
		return EOPNOTSUPP;
	if (length == 0 || addr + length < addr || length / PAGE > UINT32_MAX)
		return EINVAL;
	for (page = addr / PAGE * PAGE; page < addr + length; page += PAGE)
		if (mincore((void *)page, 1, &resident))
			return EFAULT;
	return 0;
}

/* An error other than 0 is what it fails with, whatever it was asked for. */
static struct mr *reg(struct pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access, int error)
{
	struct mr *mr;

	if (!error)
		error = refusal((uint64_t)addr, length, iova, access);

	check(pd->state, "a protection domain was used after dealloc");
	alive(pd->context);
	if (length == 4100)
		usleep(300000);
	if (error) {
		errno = error;
		return NULL;
	}
	born();
	mr = calloc(1, sizeof *mr);
	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	mr->handle = __atomic_fetch_add(&next_handle, 1, __ATOMIC_RELAXED);
	mr->lkey = mr->handle | 0x80000000;
	mr->rkey = mr->handle | 0xc0000000;
	mr->state = LIVE;
	mr->dereg_failures = length == 4101;
	return mr;
}

struct mr *ibv_reg_mr(struct pd *pd, void *addr, size_t length, int access)
{
	return reg(pd, addr, length, (uint64_t)addr, access, fault(&reg_mr_fault));
}

#ifndef NO_IOVA2
struct mr *ibv_reg_mr_iova2(struct pd *pd, void *addr, size_t length, uint64_t iova,
			    unsigned int access)
{
	return reg(pd, addr, length, iova, access, fault(&reg_mr_iova2_fault));
}
#endif

#ifndef NO_IOVA2
/* Descriptor 7 is the only dma-buf, of 65536 bytes; NO_IOVA2 is older than this, too. */
struct mr *ibv_reg_dmabuf_mr(struct pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
			     int access)
{
	struct mr *mr;
	int error = fault(&reg_dmabuf_mr_fault);

	if (!error)
		error = fd != 7 ? EBADF : offset % PAGE != iova % PAGE ? EINVAL :
			access & ~0x10000f || offset + length > 65536 || !length ? EINVAL : 0;
	if (error) {
		errno = error;
		return NULL;
	}
	mr = reg(pd, &error, 1, (uint64_t)&error, access & 0xf, 0);
	mr->addr = (void *)offset;
	mr->length = length;
	return mr;
}
#endif

int ibv_dereg_mr(struct mr *mr)
{
	int error = fault(&dereg_mr_fault);

	check(mr->state, "a region was used after dereg");
	check(mr->pd->state, "a region outlived its protection domain");
	alive(mr->context);
	if (!error && mr->dereg_failures-- > 0)
		error = EBUSY;
	if (error)
		return error;
	gone();
	mr->state = DEAD;
#ifdef FREES
	free(mr);
#endif
	return 0;
}

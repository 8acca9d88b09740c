/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffer: many producers, one consumer, records in place.
 *
 * One memfd holds [consumer page][producer page][data]. Here it is mapped with the data twice in
 * a row, after a private control page:
 *
 *	control | consumer | producer | data | data (the same again)
 *
 * so that a record is contiguous wherever it starts, and a record's header says in pages how far
 * the control page is. The application maps page 0 read-write (its position) and the rest
 * read-only. Layout, header bits and wake-up rule are the kernel's, since libbpf's consumer
 * reads them.
 *
 * Producers reserve under a lock (a reservation is a few stores), fill without it, and commit by
 * clearing the busy bit with a full exchange; it pairs with the consumer's acquire load of the
 * header. The position moves when space is reserved, so records are consumed in that order.
 *
 * Wake-ups: a commit wakes when the consumer has arrived at this very record, i.e. it drained
 * everything before; otherwise it is still busy and will see the record. The consumer's store of
 * its position and load of the header face our exchange and load of the position: both sides are
 * sequentially consistent, so one of them sees the other.
 */
#include "map/ringbuf.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/fd_own.h"
#include "base/raw.h"
#include "isa/uapi.h"
#include "map/map.h"
#include "obj/fd.h"

#define PAGE 4096u
#define HEADER 8u
#define BUSY (1u << 31)
#define DISCARD (1u << 30)
#define MAX_RECORD (UINT32_MAX / 4)

struct header {
	u32 len;   /* with BUSY and DISCARD */
	u32 pages; /* distance to the control page */
};

struct ring;

struct control {
	struct ring *ring;
	struct skep_lock lock;
	u64 pending; /* position of the oldest record that is still busy, or later */
};

struct ring {
	struct skep_map map;
	int memfd; /* may move (base/fd_own.h) */
	u64 mask;  /* data bytes - 1 */
	struct control *control;
	u64 *consumer, *producer;
	u8 *data;
	u64 mapped; /* bytes from control on */
};

static struct ring *ring_of(const struct skep_map *m)
{
	return container_of((struct skep_map *)m, struct ring, map);
}

static int ring_check(const struct skep_attr_map_create *a)
{
	if (a->map_flags & ~(u32)BPF_F_NUMA_NODE)
		return -EINVAL;
	if (a->key_size || a->value_size || !a->max_entries ||
	    a->max_entries & (a->max_entries - 1) || a->max_entries % PAGE)
		return -EINVAL;
	return 0;
}

static bool map_piece(u8 *at, u64 len, int fd, u64 off)
{
	long p = skep_raw(__NR_mmap, at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			  off);

	return p == (long)at;
}

static bool map_ring(struct ring *r, u64 size)
{
	long fd = skep_raw(__NR_memfd_create, "skep-ringbuf", MFD_CLOEXEC), p;
	u8 *base;

	if (fd < 0)
		return false;
	r->memfd = (int)fd;
	r->mapped = 3ull * PAGE + 2 * size;
	if (skep_raw(__NR_ftruncate, fd, 2 * PAGE + size))
		goto fail;
	p = skep_raw(__NR_mmap, 0, r->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (p < 0 && p >= -SKEP_MAX_ERRNO)
		goto fail;
	base = (u8 *)p;
	if (!map_piece(base + PAGE, 2 * PAGE + size, r->memfd, 0) ||
	    !map_piece(base + 3 * PAGE + size, size, r->memfd, 2 * PAGE)) {
		skep_raw(__NR_munmap, base, r->mapped);
		goto fail;
	}
	if (skep_fd_own_keep(&r->memfd)) {
		skep_raw(__NR_munmap, base, r->mapped);
		goto fail;
	}
	r->control = (void *)base;
	r->consumer = (void *)(base + PAGE);
	r->producer = (void *)(base + 2 * PAGE);
	r->data = base + 3 * PAGE;
	r->mask = size - 1;
	return true;
fail:
	skep_raw(__NR_close, r->memfd);
	return false;
}

static struct skep_map *ring_alloc(const struct skep_map_facts *t)
{
	struct ring *r = skep_zalloc(sizeof(*r));

	if (!r)
		return skep_err_ptr(-ENOMEM);
	if (!map_ring(r, t->max_entries)) {
		skep_free(r);
		return skep_err_ptr(-ENOMEM);
	}
	r->control->ring = r;
	skep_map_init(&r->map, t, &skep_ringbuf_ops);
	return &r->map;
}

static void ring_free(struct skep_map *m)
{
	struct ring *r = ring_of(m);

	skep_raw(__NR_munmap, r->control, r->mapped);
	skep_fd_own_drop(&r->memfd);
	skep_free(r);
}

/* Move `pending` over records that were committed since. Under the lock. */
static u64 advance_pending(struct ring *r, u64 end)
{
	u64 at = r->control->pending;

	while (at < end) {
		struct header *h = (void *)(r->data + (at & r->mask));
		u32 len = __atomic_load_n(&h->len, __ATOMIC_ACQUIRE);

		if (len & BUSY)
			break;
		at += SKEP_ALIGN_UP((u64)(len & ~DISCARD) + HEADER, 8ull);
	}
	r->control->pending = at;
	return at;
}

void *skep_ringbuf_reserve(struct skep_map *m, u64 size)
{
	struct ring *r = ring_of(m);
	u64 cons, prod, end, len;
	struct header *h;

	if (size > MAX_RECORD)
		return NULL;
	len = SKEP_ALIGN_UP(size + HEADER, 8ull);
	if (len > r->mask + 1)
		return NULL;
	cons = __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE);
	skep_lock(&r->control->lock);
	prod = SKEP_READ(*r->producer);
	end = prod + len;
	/* Neither unread data nor a busy record may be overrun; the consumer's word is not trusted.
	 */
	if (end - advance_pending(r, prod) > r->mask + 1 || end - cons > r->mask + 1) {
		skep_unlock(&r->control->lock);
		return NULL;
	}
	h = (void *)(r->data + (prod & r->mask));
	h->pages = (u32)(((u8 *)h - (u8 *)r->control) / PAGE);
	__atomic_store_n(&h->len, (u32)size | BUSY, __ATOMIC_RELAXED);
	__atomic_store_n(r->producer, end, __ATOMIC_RELEASE);
	skep_unlock(&r->control->lock);
	return h + 1;
}

void skep_ringbuf_commit(void *sample, u64 flags, bool discard)
{
	struct header *h = (struct header *)sample - 1;
	struct control *c = (void *)(((u64)h & ~(u64)(PAGE - 1)) - (u64)h->pages * PAGE);
	struct ring *r = c->ring;
	u64 at = (u64)((u8 *)h - r->data) & r->mask;
	u32 len = (h->len & ~BUSY) | (discard ? DISCARD : 0);
	bool wake = flags & BPF_RB_FORCE_WAKEUP;

	__atomic_exchange_n(&h->len, len, __ATOMIC_SEQ_CST);
	if (!wake && !(flags & BPF_RB_NO_WAKEUP))
		wake = (__atomic_load_n(r->consumer, __ATOMIC_SEQ_CST) & r->mask) == at;
	if (wake)
		skep_fd_notify(&r->map.obj);
}

u64 skep_ringbuf_query(struct skep_map *m, u64 what)
{
	struct ring *r = ring_of(m);
	u64 prod = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	u64 cons = __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE);

	switch (what) {
	case BPF_RB_AVAIL_DATA:
		return prod - cons;
	case BPF_RB_RING_SIZE:
		return r->mask + 1;
	case BPF_RB_CONS_POS:
		return cons;
	case BPF_RB_PROD_POS:
		return prod;
	default:
		return 0;
	}
}

static bool ring_poll_ready(struct skep_map *m)
{
	struct ring *r = ring_of(m);

	return __atomic_load_n(r->consumer, __ATOMIC_SEQ_CST) !=
	       __atomic_load_n(r->producer, __ATOMIC_SEQ_CST);
}

static int ring_mmap(struct skep_map *m, struct skep_mmap_req *req)
{
	struct ring *r = ring_of(m);
	u64 size = r->mask + 1, first = 2ull * PAGE + size;

	if (req->prot & PROT_WRITE && (req->off || req->len != PAGE))
		return -EPERM;
	if (req->off + req->len < req->off || req->off + req->len > first + size)
		return -EINVAL;
	req->memfd = SKEP_READ(r->memfd);
	req->memfd_off = req->off < first ? req->off : req->off - size;
	req->split = req->off < first ? SKEP_MIN(req->len, first - req->off) : req->len;
	req->memfd_off2 = 2ull * PAGE;
	req->prot_max = req->prot & PROT_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;
	return 0;
}

static int no_sys(struct skep_map *m, const void *key, void *value, u64 flags)
{
	return -SKEP_ENOTSUPP;
}

static int no_sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	return -SKEP_ENOTSUPP;
}

static int no_sys_erase(struct skep_map *m, const void *key)
{
	return -SKEP_ENOTSUPP;
}

static int no_next_key(struct skep_map *m, const void *key, void *next)
{
	return -SKEP_ENOTSUPP;
}

static u64 ring_mem_usage(const struct skep_map *m)
{
	return sizeof(struct ring) + 3ull * PAGE + ring_of(m)->mask + 1;
}

const struct skep_map_ops skep_ringbuf_ops = {
	.check = ring_check,
	.alloc = ring_alloc,
	.free = ring_free,
	.sys_lookup = no_sys,
	.sys_update = no_sys_update,
	.sys_erase = no_sys_erase,
	.next_key = no_next_key,
	.mmap = ring_mmap,
	.poll_ready = ring_poll_ready,
	.mem_usage = ring_mem_usage,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arena of views and the pools in it.
 *
 * Free objects form a LIFO linked through their first word. The head word holds the object's
 * offset from the arena's base in units of 64 bytes (30 bits) and a tag (34 bits) that grows
 * with every push, against ABA; a popper may read the link of an object that was taken
 * meanwhile, which is harmless since the memory is never unmapped and the exchange then fails.
 */
#include "base/pool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/raw.h"

#define UNIT 64u
#define INDEX_BITS 30
#define INDEX_MASK ((1ull << INDEX_BITS) - 1)

u64 skep_arena_base;
static u64 arena_next; /* offset of the first byte not handed out */
static u64 arena_open; /* offset of the first byte that is not writable yet */

/* The range is made writable a piece at a time: strict overcommit counts writable memory only. */
#define OPEN_STEP (1ull << 21)

int skep_arena_init(void)
{
	u64 want = 2 * SKEP_ARENA_SIZE + SKEP_ARENA_GUARD, start, base, expect = 0;
	long p;

	if (__atomic_load_n(&skep_arena_base, __ATOMIC_ACQUIRE))
		return 0;
	p = skep_raw(__NR_mmap, 0, want, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		     0);
	if (p < 0 && p >= -SKEP_MAX_ERRNO)
		return -ENOMEM;
	start = (u64)p;
	base = SKEP_ALIGN_UP(start, SKEP_ARENA_SIZE);
	if (base > start)
		skep_raw(__NR_munmap, start, base - start);
	if (start + want > base + SKEP_ARENA_SIZE + SKEP_ARENA_GUARD)
		skep_raw(__NR_munmap, base + SKEP_ARENA_SIZE + SKEP_ARENA_GUARD,
			 start + want - (base + SKEP_ARENA_SIZE + SKEP_ARENA_GUARD));
	/* Core dumps and forks do not need 64 GiB of mostly untouched range spelled out. */
	skep_raw(__NR_madvise, base, SKEP_ARENA_SIZE + SKEP_ARENA_GUARD, MADV_DONTDUMP);
	__atomic_store_n(&arena_next, UNIT, __ATOMIC_RELAXED); /* index 0 means none */
	if (!__atomic_compare_exchange_n(&skep_arena_base, &expect, base, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		skep_raw(__NR_munmap, base, SKEP_ARENA_SIZE + SKEP_ARENA_GUARD);
	return 0;
}

/*
 * Bytes below @end may be written. Any context: whoever comes second opens the same piece again,
 * which changes nothing.
 */
static bool open_up_to(u64 end)
{
	u64 open = __atomic_load_n(&arena_open, __ATOMIC_ACQUIRE);

	while (open < end) {
		u64 to = SKEP_ALIGN_UP(end, OPEN_STEP);

		if (skep_raw(__NR_mprotect, skep_arena_base + open, to - open,
			     PROT_READ | PROT_WRITE))
			return false;
		if (__atomic_compare_exchange_n(&arena_open, &open, to, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
	}
	return true;
}

void *skep_arena_alloc(size_t size, size_t align)
{
	u64 off = SKEP_READ(arena_next), start;

	if (!skep_arena_base || size > SKEP_ARENA_SIZE / 2)
		return NULL;
	do {
		start = SKEP_ALIGN_UP(off, (u64)(align < UNIT ? UNIT : align));
		if (start + size > SKEP_ARENA_SIZE)
			return NULL;
	} while (!__atomic_compare_exchange_n(&arena_next, &off, start + size, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return open_up_to(start + size) ? (void *)(skep_arena_base + start) : NULL;
}

void skep_pool_init(struct skep_pool *p, u32 size)
{
	memset(p, 0, sizeof(*p));
	p->size = SKEP_ALIGN_UP(size, UNIT);
	p->align = UNIT;
}

/* Readers of stale objects are expected; ThreadSanitizer would mind a memset under them. */
static void zero(void *p, size_t size)
{
#ifdef __SANITIZE_THREAD__
	asm volatile("rep stosb" : "+D"(p), "+c"(size) : "a"(0) : "memory");
#else
	memset(p, 0, size);
#endif
}

/* The link of an object that may have been taken meanwhile. */
static u64 link_of(const u64 *o)
{
#ifdef __SANITIZE_THREAD__
	u64 v;

	asm volatile("mov %1, %0" : "=r"(v) : "m"(*o));
	return v;
#else
	return SKEP_READ(*o);
#endif
}

void *skep_pool_alloc(struct skep_pool *p)
{
	u64 head = __atomic_load_n(&p->free, __ATOMIC_ACQUIRE);
	void *obj = NULL;

	while (head & INDEX_MASK) {
		u64 *o = (u64 *)(skep_arena_base + (head & INDEX_MASK) * UNIT);
		u64 next = (link_of(o) & INDEX_MASK) | (head & ~INDEX_MASK);

		if (__atomic_compare_exchange_n(&p->free, &head, next, true, __ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE)) {
			obj = o;
			zero(obj, SKEP_READ(p->size));
			break;
		}
	}
	if (!obj)
		obj = skep_arena_alloc(SKEP_READ(p->size), SKEP_READ(p->align));
	if (obj)
		__atomic_fetch_add(&p->live, 1, __ATOMIC_RELAXED);
	return obj;
}

void skep_pool_free(struct skep_pool *p, void *obj)
{
	u64 index, head, next;

	if (!obj)
		return;
	index = ((u64)obj - skep_arena_base) / UNIT;
	head = SKEP_READ(p->free);
	do {
		SKEP_WRITE(*(u64 *)obj, head & INDEX_MASK);
		next = ((head & ~INDEX_MASK) + (INDEX_MASK + 1)) | index;
	} while (!__atomic_compare_exchange_n(&p->free, &head, next, true, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	__atomic_fetch_sub(&p->live, 1, __ATOMIC_RELAXED);
}

/*
 * Size classes: four to a power of two beyond 256 bytes, multiples of 64 below, so that at
 * most a quarter of an object is waste.
 */
#define CLASSES 64
static struct skep_pool classes[CLASSES];

static u32 class_of(u32 size, u32 *ret_size)
{
	u32 shift, step, n;

	if (size < 256) {
		n = (size + 63) / 64;
		n = n ? n : 1;
		*ret_size = n * 64;
		return n - 1; /* 64, 128, 192, 256 */
	}
	shift = 31 - (u32)__builtin_clz(size);
	step = 1u << (shift - 2);
	n = (size - (1u << shift) + step - 1) / step; /* 0 .. 4 */
	*ret_size = (1u << shift) + n * step;
	return 4 + (shift - 8) * 4 + n;
}

void *skep_sized_alloc(u32 size)
{
	u32 bytes, c;

	if (size > SKEP_SIZED_MAX)
		return NULL;
	c = class_of(size, &bytes);
	SKEP_WRITE(classes[c].size, bytes); /* the same value from every thread */
	SKEP_WRITE(classes[c].align, UNIT);
	return skep_pool_alloc(&classes[c]);
}

void skep_sized_free(void *p, u32 size)
{
	u32 bytes;

	skep_pool_free(&classes[class_of(size, &bytes)], p);
}

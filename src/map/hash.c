/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash maps, plain and of maps.
 *
 * Elements lie in one lazily backed block and never move; an element is { next, hash, key, value }.
 * Buckets are heads of singly linked chains of element numbers. A chain ends with a marker that
 * names its bucket. Writers take one of a set of striped locks; readers take none.
 *
 * Deleted elements are reused at once, as in the kernel: a value pointer stays readable, its
 * contents may become another key's. A reader that stands on an element while it moves to another
 * chain follows that chain to its end, sees a foreign marker, and starts again. The hash word of
 * a free element links the list of free ones; `next` is left alone, so readers standing on it
 * still arrive somewhere.
 *
 * Two lists of free elements: `free_list` holds those that a new key may take (never-used ones
 * come from a bump counter, so that an unfilled map touches no memory), `spare` those that only a
 * replacement takes: an update of a present key links the new element before it unlinks the old,
 * so readers see one or the other, and must not fail in a full map.
 *
 * Ordering: an element's key, value and hash are written before the release store that links it;
 * a reader's acquire load of the link pairs with it.
 *
 * The hash is keyed with a random seed per map (zero with BPF_F_ZERO_SEED).
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/raw.h"
#include "base/vcpu.h"
#include "isa/uapi.h"
#include "map/map.h"

#define END 0x80000000u	    /* set: a marker, the rest names the bucket */
#define FREE_END UINT32_MAX /* end of a list of free elements */
#define SPARES 64
#define LOCK_STRIPES 256

struct elem {
	u32 next; /* element number, or END | bucket */
	u32 hash; /* of the key; of a free element: number of the next free one */
	u8 key[] __attribute__((aligned(8)));
};

struct free_list {
	u64 head; /* number in the low half, a tag against ABA in the high */
} __attribute__((aligned(64)));

struct hash {
	struct skep_map map;
	u32 mask;      /* buckets - 1 */
	u32 elem_size; /* bytes, 8-aligned */
	u32 value_off; /* from the element */
	u32 nr_elems;  /* max_entries + SPARES */
	u64 seed[2];
	u32 *heads;
	u8 *elems;
	u64 heads_bytes, elems_bytes;
	struct free_list free_list, spare;
	u32 bump __attribute__((aligned(64))); /* never-used elements start here; < max_entries */
	struct {
		struct skep_lock l;
	} __attribute__((aligned(64))) locks[LOCK_STRIPES];
};

static struct hash *hash_of_map(const struct skep_map *m)
{
	return container_of((struct skep_map *)m, struct hash, map);
}

static struct elem *elem_at(const struct hash *h, u32 n)
{
	return (struct elem *)(h->elems + (u64)n * h->elem_size);
}

static u32 elem_number(const struct hash *h, const struct elem *e)
{
	return (u32)(((const u8 *)e - h->elems) / h->elem_size);
}

static void *elem_value(const struct hash *h, struct elem *e)
{
	return (u8 *)e + h->value_off;
}

/* Multiply-and-fold hashing (the "mum" construction of wyhash) over 8-byte words. */
static u64 fold(u64 a, u64 b)
{
	unsigned __int128 p = (unsigned __int128)a * b;

	return (u64)p ^ (u64)(p >> 64);
}

static u32 hash_key(const struct hash *h, const void *key)
{
	u32 n = h->map.facts.key_size;
	const u8 *p = key;
	u64 x = h->seed[0] ^ n, w;

	if (likely(n == 4)) {
		u32 k;

		memcpy(&k, p, 4);
		x = fold(k ^ h->seed[0] ^ 0x9e3779b97f4a7c15ull,
			 h->seed[1] ^ 0xa0761d6478bd642full);
		return (u32)(x ^ x >> 32);
	}
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		x = fold(x ^ w ^ 0x9e3779b97f4a7c15ull, h->seed[1] ^ 0xa0761d6478bd642full);
	}
	if (n) {
		w = 0;
		memcpy(&w, p, n);
		x = fold(x ^ w ^ 0xe7037ed1a0b428dbull, h->seed[1] ^ 0x8ebc6af09c88c6e3ull);
	}
	return (u32)(x ^ x >> 32);
}

static bool key_equal(const void *a, const void *b, u32 n)
{
	/* A program's key lies on its stack wherever it likes; sizes known here need no call. */
	if (n == 4)
		return !memcmp(a, b, 4);
	if (n == 8)
		return !memcmp(a, b, 8);
	return !memcmp(a, b, n);
}

static struct skep_lock *lock_of(struct hash *h, u32 bucket)
{
	return &h->locks[bucket % LOCK_STRIPES].l;
}

/* --- free elements --- */

static void push_free(struct hash *h, struct free_list *l, u32 n)
{
	u64 head = SKEP_READ(l->head);

	do {
		SKEP_WRITE(elem_at(h, n)->hash, (u32)head);
	} while (!__atomic_compare_exchange_n(&l->head, &head, ((head >> 32) + 1) << 32 | n, true,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static u32 pop_free(struct hash *h, struct free_list *l)
{
	u64 head = __atomic_load_n(&l->head, __ATOMIC_ACQUIRE);

	while ((u32)head != FREE_END) {
		u32 next = SKEP_READ(elem_at(h, (u32)head)->hash);

		if (__atomic_compare_exchange_n(&l->head, &head, ((head >> 32) + 1) << 32 | next,
						true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			return (u32)head;
	}
	return FREE_END;
}

/* An element for a new key; FREE_END: the map is full. */
static u32 take_new(struct hash *h)
{
	u32 n = pop_free(h, &h->free_list);

	if (n != FREE_END)
		return n;
	n = SKEP_READ(h->bump);
	while (n < h->map.facts.max_entries)
		if (__atomic_compare_exchange_n(&h->bump, &n, n + 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return n;
	return FREE_END;
}

/* --- readers --- */

static struct elem *find(const struct hash *h, const void *key, u32 hash)
{
	u32 bucket = hash & h->mask, n, size = h->map.facts.key_size;

again:
	n = __atomic_load_n(&h->heads[bucket], __ATOMIC_ACQUIRE);
	while (!(n & END)) {
		struct elem *e = elem_at(h, n);

		if (SKEP_READ(e->hash) == hash && key_equal(e->key, key, size))
			return e;
		n = __atomic_load_n(&e->next, __ATOMIC_ACQUIRE);
	}
	if (unlikely(n != (END | bucket)))
		goto again;
	return NULL;
}

static void *hash_lookup(struct skep_map *m, const void *key)
{
	struct hash *h = hash_of_map(m);
	struct elem *e = find(h, key, hash_key(h, key));

	return e ? elem_value(h, e) : NULL;
}

/* --- writers, under the bucket's lock --- */

static void unlink_elem(struct hash *h, u32 bucket, struct elem *e)
{
	u32 *link = &h->heads[bucket], n = elem_number(h, e);

	while (*link != n)
		link = &elem_at(h, *link)->next;
	__atomic_store_n(link, e->next, __ATOMIC_RELEASE);
}

static void link_elem(struct hash *h, u32 bucket, u32 n)
{
	SKEP_WRITE(elem_at(h, n)->next, h->heads[bucket]); /* a late reader may be there still */
	__atomic_store_n(&h->heads[bucket], n, __ATOMIC_RELEASE);
}

static void fill(struct hash *h, u32 n, const void *key, u32 hash, const void *value)
{
	struct elem *e = elem_at(h, n);

	memcpy(e->key, key, h->map.facts.key_size);
	if (h->map.facts.record)
		memset(elem_value(h, e), 0, h->map.facts.value_size);
	skep_map_copy_value(&h->map, elem_value(h, e), value, false);
	__atomic_store_n(&e->hash, hash, __ATOMIC_RELEASE);
}

static s64 insert(struct hash *h, u32 bucket, u32 hash, const void *key, const void *value)
{
	u32 n = take_new(h);

	if (n == FREE_END)
		return -E2BIG;
	fill(h, n, key, hash, value);
	link_elem(h, bucket, n);
	return 0;
}

static void replace(struct hash *h, u32 bucket, u32 hash, struct elem *old, const void *key,
		    const void *value)
{
	u32 n = pop_free(h, &h->spare);

	if (n == FREE_END || h->map.facts.record) {
		/* More updaters at work than spares, or a value with a lock in it: in place. */
		skep_map_copy_value(&h->map, elem_value(h, old), value, false);
		if (n != FREE_END)
			push_free(h, &h->spare, n);
		return;
	}
	fill(h, n, key, hash, value);
	link_elem(h, bucket, n);
	unlink_elem(h, bucket, old);
	push_free(h, &h->spare, elem_number(h, old));
}

static s64 hash_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	struct hash *h = hash_of_map(m);
	u32 hash = hash_key(h, key), bucket = hash & h->mask;
	struct elem *old;
	s64 err = skep_map_check_flags(m, flags);

	if (err)
		return err;
	skep_lock(lock_of(h, bucket));
	old = find(h, key, hash);
	if (old && (flags & ~(u64)BPF_F_LOCK) == BPF_NOEXIST)
		err = -EEXIST;
	else if (!old && (flags & ~(u64)BPF_F_LOCK) == BPF_EXIST)
		err = -ENOENT;
	else if (!old)
		err = insert(h, bucket, hash, key, value);
	else if (flags & BPF_F_LOCK)
		skep_map_copy_value(m, elem_value(h, old), value, true);
	else
		replace(h, bucket, hash, old, key, value);
	skep_unlock(lock_of(h, bucket));
	return err;
}

static s64 hash_erase(struct skep_map *m, const void *key)
{
	struct hash *h = hash_of_map(m);
	u32 hash = hash_key(h, key), bucket = hash & h->mask;
	struct elem *e;

	skep_lock(lock_of(h, bucket));
	e = find(h, key, hash);
	if (e) {
		unlink_elem(h, bucket, e);
		push_free(h, &h->free_list, elem_number(h, e));
	}
	skep_unlock(lock_of(h, bucket));
	return e ? 0 : -ENOENT;
}

static int hash_sys_lookup_erase(struct skep_map *m, const void *key, void *value, u64 flags)
{
	struct hash *h = hash_of_map(m);
	u32 hash = hash_key(h, key), bucket = hash & h->mask;
	struct elem *e;

	if (flags & ~(u64)BPF_F_LOCK)
		return -EINVAL;
	skep_lock(lock_of(h, bucket));
	e = find(h, key, hash);
	if (e) {
		skep_map_read_value(m, value, elem_value(h, e), flags & BPF_F_LOCK);
		unlink_elem(h, bucket, e);
		push_free(h, &h->free_list, elem_number(h, e));
	}
	skep_unlock(lock_of(h, bucket));
	return e ? 0 : -ENOENT;
}

/* --- iteration --- */

static struct elem *first_from(const struct hash *h, u32 bucket)
{
	for (; bucket <= h->mask; bucket++) {
		u32 n = __atomic_load_n(&h->heads[bucket], __ATOMIC_ACQUIRE);

		if (!(n & END))
			return elem_at(h, n);
	}
	return NULL;
}

static int hash_next_key(struct skep_map *m, const void *key, void *next)
{
	struct hash *h = hash_of_map(m);
	struct elem *e = NULL;
	u32 bucket = 0;

	if (key) {
		u32 hash = hash_key(h, key);

		e = find(h, key, hash);
		bucket = hash & h->mask;
	}
	if (e) {
		u32 n = __atomic_load_n(&e->next, __ATOMIC_ACQUIRE);

		e = n & END ? first_from(h, bucket + 1) : elem_at(h, n);
	} else {
		e = first_from(h, 0); /* no key, or a vanished one: from the start */
	}
	if (!e)
		return -ENOENT;
	memcpy(next, e->key, m->facts.key_size);
	return 0;
}

static s64 hash_for_each(struct skep_map *m, u64 fn, u64 ctx)
{
	struct hash *h = hash_of_map(m);
	s64 visited = 0;

	for (u32 bucket = 0; bucket <= h->mask; bucket++) {
		u32 n = __atomic_load_n(&h->heads[bucket], __ATOMIC_ACQUIRE);

		/* An element that moves away takes the walk to a foreign marker: end of the bucket.
		 */
		while (!(n & END)) {
			struct elem *e = elem_at(h, n);
			u32 after = __atomic_load_n(&e->next, __ATOMIC_ACQUIRE);

			visited++;
			if (skep_call_callback(fn, (u64)m, (u64)e->key, (u64)elem_value(h, e), ctx,
					       0))
				return visited;
			n = after;
		}
	}
	return visited;
}

/* --- life --- */

static int hash_check(const struct skep_attr_map_create *a)
{
	u32 allowed = BPF_F_NO_PREALLOC | BPF_F_NUMA_NODE | BPF_F_ZERO_SEED | BPF_F_RDONLY |
		      BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;
	u32 both = BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;

	if (a->map_flags & ~allowed || (a->map_flags & both) == both)
		return -EINVAL;
	if (!a->max_entries || !a->key_size || !a->value_size)
		return -EINVAL;
	if ((u64)a->key_size + a->value_size >= (1u << 22) - sizeof(struct elem))
		return -E2BIG;
	return 0;
}

static struct skep_map *hash_alloc(const struct skep_map_facts *t)
{
	bool of_maps = t->type == BPF_MAP_TYPE_HASH_OF_MAPS;
	struct hash *h;
	u64 buckets;

	if (t->max_entries > 1u << 30)
		return skep_err_ptr(-E2BIG);
	h = skep_zalloc(sizeof(*h));
	if (!h)
		return skep_err_ptr(-ENOMEM);
	buckets = skep_roundup_pow2(t->max_entries);
	h->mask = (u32)buckets - 1;
	h->value_off = sizeof(struct elem) + SKEP_ALIGN_UP(t->key_size, 8u);
	h->elem_size = h->value_off + (of_maps ? 8 : SKEP_ALIGN_UP(t->value_size, 8u));
	h->nr_elems = t->max_entries + SPARES;
	h->heads_bytes = buckets * sizeof(u32);
	h->elems_bytes = (u64)h->nr_elems * h->elem_size;
	h->heads = skep_pages_alloc(h->heads_bytes);
	h->elems = skep_pages_alloc(h->elems_bytes);
	if (!h->heads || !h->elems) {
		skep_pages_free(h->heads, h->heads_bytes);
		skep_pages_free(h->elems, h->elems_bytes);
		skep_free(h);
		return skep_err_ptr(-ENOMEM);
	}
	for (u64 i = 0; i < buckets; i++)
		h->heads[i] = END | (u32)i;
	if (!(t->flags & BPF_F_ZERO_SEED) &&
	    skep_raw(__NR_getrandom, h->seed, sizeof(h->seed), GRND_NONBLOCK) != sizeof(h->seed))
		h->seed[0] = (u64)h ^ __builtin_ia32_rdtsc();
	h->free_list.head = FREE_END;
	h->spare.head = FREE_END;
	for (u32 i = 0; i < SPARES; i++)
		push_free(h, &h->spare, t->max_entries + i);
	skep_map_init(&h->map, t, of_maps ? &skep_hash_of_maps_ops : &skep_hash_ops);
	return &h->map;
}

static void hash_free(struct skep_map *m)
{
	struct hash *h = hash_of_map(m);

	skep_pages_free(h->heads, h->heads_bytes);
	skep_pages_free(h->elems, h->elems_bytes);
	skep_free(h);
}

static u64 hash_mem_usage(const struct skep_map *m)
{
	struct hash *h = hash_of_map(m);

	return sizeof(*h) + h->heads_bytes + h->elems_bytes;
}

/* --- hash of maps --- */

static int of_maps_check(const struct skep_attr_map_create *a)
{
	return a->value_size == 4 ? hash_check(a) : -EINVAL;
}

static void *of_maps_lookup(struct skep_map *m, const void *key)
{
	void **p = hash_lookup(m, key);

	return p ? skep_rcu_deref(*p) : NULL;
}

static int of_maps_sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	struct hash *h = hash_of_map(m);
	u32 hash = hash_key(h, key), bucket = hash & h->mask, n;
	struct skep_map *inner, *old_map = NULL;
	struct elem *old;
	int err = 0;

	inner = skep_inner_get(m, *(const u32 *)value);
	if (skep_is_err(inner))
		return (int)skep_ptr_err(inner);
	if (flags > BPF_EXIST) {
		skep_map_put(inner);
		return -EINVAL;
	}
	skep_lock(lock_of(h, bucket));
	old = find(h, key, hash);
	if (old && flags == BPF_NOEXIST) {
		err = -EEXIST;
	} else if (!old && flags == BPF_EXIST) {
		err = -ENOENT;
	} else if (old) {
		old_map = __atomic_exchange_n((struct skep_map **)elem_value(h, old), inner,
					      __ATOMIC_ACQ_REL);
	} else {
		n = take_new(h);
		if (n == FREE_END) {
			err = -E2BIG;
		} else {
			memcpy(elem_at(h, n)->key, key, m->facts.key_size);
			*(struct skep_map **)elem_value(h, elem_at(h, n)) = inner;
			__atomic_store_n(&elem_at(h, n)->hash, hash, __ATOMIC_RELEASE);
			link_elem(h, bucket, n);
		}
	}
	skep_unlock(lock_of(h, bucket));
	skep_map_put(err ? inner : old_map);
	return err;
}

static int of_maps_sys_erase(struct skep_map *m, const void *key)
{
	struct hash *h = hash_of_map(m);
	u32 hash = hash_key(h, key), bucket = hash & h->mask;
	struct skep_map *old = NULL;
	struct elem *e;

	skep_lock(lock_of(h, bucket));
	e = find(h, key, hash);
	if (e) {
		/* The pointer goes before the element does: a late reader finds NULL. */
		old = __atomic_exchange_n((struct skep_map **)elem_value(h, e), NULL,
					  __ATOMIC_ACQ_REL);
		unlink_elem(h, bucket, e);
		push_free(h, &h->free_list, elem_number(h, e));
	}
	skep_unlock(lock_of(h, bucket));
	skep_map_put(old);
	return e ? 0 : -ENOENT;
}

static void of_maps_free(struct skep_map *m)
{
	struct hash *h = hash_of_map(m);

	for (u32 b = 0; b <= h->mask; b++)
		for (u32 n = h->heads[b]; !(n & END); n = elem_at(h, n)->next)
			skep_map_put(*(struct skep_map **)elem_value(h, elem_at(h, n)));
	hash_free(m);
}

const struct skep_map_ops skep_hash_ops = {
	.check = hash_check,
	.alloc = hash_alloc,
	.free = hash_free,
	.lookup = hash_lookup,
	.update = hash_update,
	.erase = hash_erase,
	.sys_lookup_erase = hash_sys_lookup_erase,
	.next_key = hash_next_key,
	.for_each = hash_for_each,
	.mem_usage = hash_mem_usage,
};

const struct skep_map_ops skep_hash_of_maps_ops = {
	.check = of_maps_check,
	.alloc = hash_alloc,
	.free = of_maps_free,
	.lookup = of_maps_lookup,
	.sys_lookup = skep_inner_sys_lookup,
	.sys_update = of_maps_sys_update,
	.sys_erase = of_maps_sys_erase,
	.next_key = hash_next_key,
	.mem_usage = hash_mem_usage,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash maps: plain, per CPU, with eviction (LRU), and of maps.
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
 * Per-CPU values lie outside the elements, in one lazily backed block per virtual CPU indexed by
 * element number: two CPUs share no line, and a CPU that never writes takes no memory. A present
 * key is updated in place; replacement would move the other CPUs' values.
 *
 * Eviction is a clock. A byte per element, set by a plain store when a program looks the key up or
 * anybody updates it, and tested first so that a hit on a hot key writes nothing; no list is
 * kept in order and no lock is taken. Who finds the map full moves a common hand over the
 * elements: a set byte is cleared, a linked element whose byte is clear goes. Each step of the
 * hand either undoes one touch, frees an element, or passes one of the few free ones: O(1)
 * amortised per update. A batch at a time, small in small maps. The hand runs with no lock held
 * and takes the victim's bucket only, so two locks never nest; the element's hash names the
 * bucket, and only finding the element in that chain under the lock proves that it is linked.
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
#define MAX_PERCPU_VALUE (32u << 10)

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
	u8 *values;	/* per CPU: skep_nr_vcpus copies of copy_bytes; else NULL */
	u64 copy_bytes; /* one CPU's values */
	u32 stride;	/* bytes of one per-CPU value */
	u8 *touched;	/* LRU: one byte per element; else NULL */
	u64 hand __attribute__((aligned(64))); /* of the clock, modulo nr_elems */
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

static void *cpu_value(const struct hash *h, const struct elem *e, u32 cpu)
{
	return h->values + cpu * h->copy_bytes + (u64)elem_number(h, e) * h->stride;
}

static void touch(const struct hash *h, const struct elem *e)
{
	u8 *t = &h->touched[elem_number(h, e)];

	if (!SKEP_READ(*t))
		SKEP_WRITE(*t, 1);
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

static void *lru_lookup(struct skep_map *m, const void *key)
{
	struct hash *h = hash_of_map(m);
	struct elem *e = find(h, key, hash_key(h, key));

	if (!e)
		return NULL;
	touch(h, e);
	return elem_value(h, e);
}

static void *percpu_lookup_cpu(struct skep_map *m, const void *key, u32 cpu)
{
	struct hash *h = hash_of_map(m);
	struct elem *e = cpu < skep_nr_vcpus ? find(h, key, hash_key(h, key)) : NULL;

	if (!e)
		return NULL;
	if (h->touched)
		touch(h, e);
	return cpu_value(h, e, cpu);
}

static void *percpu_lookup(struct skep_map *m, const void *key)
{
	return percpu_lookup_cpu(m, key, skep_vcpu_id());
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
	if (h->touched)
		SKEP_WRITE(h->touched[n], 0);
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
		if (h->touched)
			touch(h, old);
		if (n != FREE_END)
			push_free(h, &h->spare, n);
		return;
	}
	fill(h, n, key, hash, value);
	if (h->touched)
		touch(h, elem_at(h, n));
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

/* --- eviction --- */

/* Let element @n go if it is linked and untouched. */
static bool evict_one(struct hash *h, u32 n)
{
	struct elem *e = elem_at(h, n);
	u32 bucket, at;

	if (SKEP_READ(h->touched[n])) {
		SKEP_WRITE(h->touched[n], 0);
		return false;
	}
	bucket = SKEP_READ(e->hash) & h->mask;
	skep_lock(lock_of(h, bucket));
	for (at = h->heads[bucket]; !(at & END) && at != n;)
		at = elem_at(h, at)->next;
	if (at == n) {
		unlink_elem(h, bucket, e);
		push_free(h, &h->free_list, n);
	}
	skep_unlock(lock_of(h, bucket));
	return at == n;
}

/* Free a batch of elements; false: two rounds of the clock found none. No lock is held. */
static bool evict(struct hash *h)
{
	u32 want = h->map.facts.max_entries / 64, done = 0;

	want = want > 16 ? 16 : want ? want : 1;
	for (u64 step = 0; step < 2ull * h->nr_elems && done < want; step++)
		done += evict_one(
			h, (u32)(__atomic_fetch_add(&h->hand, 1, __ATOMIC_RELAXED) % h->nr_elems));
	return done;
}

static s64 lru_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	struct hash *h = hash_of_map(m);
	s64 err;

	if (flags > BPF_EXIST)
		return -EINVAL;
	/* What one thread freed, others may take: they made progress, but not without end. */
	for (int tries = 0; tries < 64; tries++) {
		err = hash_update(m, key, value, flags);
		if (err != -E2BIG)
			return err;
		if (!evict(h))
			break;
	}
	return -ENOMEM;
}

/* --- per-CPU values --- */

/* Write all CPUs' values of @e from the user-shaped @value, or this one's alone. */
static void percpu_write(struct hash *h, struct elem *e, const void *value, bool all)
{
	for (u32 cpu = 0; all && cpu < skep_nr_vcpus; cpu++)
		skep_map_copy_value(&h->map, cpu_value(h, e, cpu),
				    (const u8 *)value + (u64)cpu * h->stride, false);
	if (!all)
		skep_map_copy_value(&h->map, cpu_value(h, e, skep_vcpu_id()), value, false);
}

static s64 percpu_insert(struct hash *h, u32 hash, const void *key, const void *value, bool all)
{
	u32 n = take_new(h);
	struct elem *e;

	if (n == FREE_END)
		return -E2BIG;
	e = elem_at(h, n);
	memcpy(e->key, key, h->map.facts.key_size);
	for (u32 cpu = 0; cpu < skep_nr_vcpus; cpu++)
		memset(cpu_value(h, e, cpu), 0, h->stride);
	percpu_write(h, e, value, all);
	if (h->touched)
		SKEP_WRITE(h->touched[n], 0);
	__atomic_store_n(&e->hash, hash, __ATOMIC_RELEASE);
	link_elem(h, hash & h->mask, n);
	return 0;
}

static s64 percpu_set(struct hash *h, const void *key, const void *value, u64 flags, bool all)
{
	u32 hash = hash_key(h, key), bucket = hash & h->mask;
	struct elem *e;
	s64 err = 0;

	skep_lock(lock_of(h, bucket));
	e = find(h, key, hash);
	if (e && flags == BPF_NOEXIST) {
		err = -EEXIST;
	} else if (!e && flags == BPF_EXIST) {
		err = -ENOENT;
	} else if (!e) {
		err = percpu_insert(h, hash, key, value, all);
	} else {
		percpu_write(h, e, value, all);
		if (h->touched)
			touch(h, e);
	}
	skep_unlock(lock_of(h, bucket));
	return err;
}

static s64 percpu_store(struct skep_map *m, const void *key, const void *value, u64 flags, bool all)
{
	struct hash *h = hash_of_map(m);
	s64 err;

	if (flags > BPF_EXIST)
		return -EINVAL;
	for (int tries = 0; tries < 64; tries++) {
		err = percpu_set(h, key, value, flags, all);
		if (err != -E2BIG || !h->touched)
			return err;
		if (!evict(h))
			break;
	}
	return -ENOMEM;
}

static s64 percpu_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	return percpu_store(m, key, value, flags, false);
}

static int percpu_sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	return (int)percpu_store(m, key, value, flags, true);
}

static u32 percpu_user_size(const struct skep_map *m)
{
	return SKEP_ALIGN_UP(m->facts.value_size, 8u) * skep_nr_vcpus;
}

/* Copy @e's value out, in the shape that system calls see. */
static void read_out(struct hash *h, struct elem *e, void *value, bool lock)
{
	if (!h->values) {
		skep_map_read_value(&h->map, value, elem_value(h, e), lock);
		return;
	}
	for (u32 cpu = 0; cpu < skep_nr_vcpus; cpu++)
		skep_map_read_value(&h->map, (u8 *)value + (u64)cpu * h->stride,
				    cpu_value(h, e, cpu), false);
}

/* Look-ups by system calls do not count as uses: a dump of the map leaves its order alone. */
static int quiet_sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	struct hash *h = hash_of_map(m);
	struct elem *e;

	skep_rcu_read_lock();
	e = find(h, key, hash_key(h, key));
	if (e)
		read_out(h, e, value, flags & BPF_F_LOCK);
	skep_rcu_read_unlock();
	return e ? 0 : -ENOENT;
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
		read_out(h, e, value, flags & BPF_F_LOCK);
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

			void *value =
				h->values ? cpu_value(h, e, skep_vcpu_id()) : elem_value(h, e);

			visited++;
			if (skep_call_callback(fn, (u64)m, (u64)e->key, (u64)value, ctx, 0))
				return visited;
			n = after;
		}
	}
	return visited;
}

/* --- life --- */

static bool is_lru(u32 type)
{
	return type == BPF_MAP_TYPE_LRU_HASH || type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_percpu(u32 type)
{
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static const struct skep_map_ops *ops_of(u32 type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return &skep_hash_of_maps_ops;
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return &skep_percpu_hash_ops;
	case BPF_MAP_TYPE_LRU_HASH:
		return &skep_lru_hash_ops;
	default:
		return &skep_hash_ops;
	}
}

static void free_blocks(struct hash *h)
{
	skep_pages_free(h->heads, h->heads_bytes);
	skep_pages_free(h->elems, h->elems_bytes);
	skep_pages_free(h->values, h->copy_bytes * skep_nr_vcpus);
	skep_pages_free(h->touched, h->nr_elems);
	skep_free(h);
}

static int hash_check(const struct skep_attr_map_create *a)
{
	u32 allowed = BPF_F_NO_PREALLOC | BPF_F_NUMA_NODE | BPF_F_ZERO_SEED | BPF_F_RDONLY |
		      BPF_F_NO_COMMON_LRU | BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;
	u32 both = BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;

	bool lru = is_lru(a->map_type), percpu = is_percpu(a->map_type);

	if (a->map_flags & ~allowed || (a->map_flags & both) == both)
		return -EINVAL;
	if (a->map_flags & BPF_F_NO_COMMON_LRU && !lru)
		return -EINVAL;
	if (a->map_flags & BPF_F_NO_PREALLOC && lru)
		return -SKEP_ENOTSUPP;
	/* A node of memory to come from, for what is spread over the CPUs. */
	if (a->map_flags & BPF_F_NUMA_NODE && (percpu || a->map_flags & BPF_F_NO_COMMON_LRU) &&
	    (int)a->numa_node != -1)
		return -EINVAL;
	if (!a->max_entries || !a->key_size || !a->value_size)
		return -EINVAL;
	if ((u64)a->key_size + a->value_size >= (1u << 22) - sizeof(struct elem))
		return -E2BIG;
	if (percpu && SKEP_ALIGN_UP((u64)a->value_size, 8u) > MAX_PERCPU_VALUE)
		return -E2BIG;
	return 0;
}

static struct skep_map *hash_alloc(const struct skep_map_facts *tmpl)
{
	struct skep_map_facts facts = *tmpl, *t = &facts;
	bool percpu = is_percpu(t->type), lru = is_lru(t->type);
	bool of_maps = t->type == BPF_MAP_TYPE_HASH_OF_MAPS;
	struct hash *h;
	u64 buckets;

	if (t->max_entries > 1u << 30)
		return skep_err_ptr(-E2BIG);
	/* Lists of one CPU each have equal shares, in the kernel; the size shows in the info. */
	if (t->flags & BPF_F_NO_COMMON_LRU)
		t->max_entries =
			(t->max_entries + skep_nr_vcpus - 1) / skep_nr_vcpus * skep_nr_vcpus;
	h = skep_zalloc(sizeof(*h));
	if (!h)
		return skep_err_ptr(-ENOMEM);
	buckets = skep_roundup_pow2(t->max_entries);
	h->mask = (u32)buckets - 1;
	h->value_off = sizeof(struct elem) + SKEP_ALIGN_UP(t->key_size, 8u);
	h->elem_size = h->value_off + (of_maps ? 8 : percpu ? 0 : SKEP_ALIGN_UP(t->value_size, 8u));
	h->stride = SKEP_ALIGN_UP(t->value_size, 8u);
	h->nr_elems = t->max_entries + SPARES;
	h->heads_bytes = buckets * sizeof(u32);
	h->elems_bytes = (u64)h->nr_elems * h->elem_size;
	h->heads = skep_pages_alloc(h->heads_bytes);
	h->elems = skep_pages_alloc(h->elems_bytes);
	if (percpu) {
		h->copy_bytes = SKEP_ALIGN_UP((u64)h->nr_elems * h->stride, 4096ull);
		h->values = skep_pages_alloc(h->copy_bytes * skep_nr_vcpus);
	}
	if (lru)
		h->touched = skep_pages_alloc(h->nr_elems);
	if (!h->heads || !h->elems || (percpu && !h->values) || (lru && !h->touched)) {
		free_blocks(h);
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
	skep_map_init(&h->map, t, ops_of(t->type));
	return &h->map;
}

static void hash_free(struct skep_map *m)
{
	free_blocks(hash_of_map(m));
}

static u64 hash_mem_usage(const struct skep_map *m)
{
	struct hash *h = hash_of_map(m);

	return sizeof(*h) + h->heads_bytes + h->elems_bytes + h->copy_bytes * skep_nr_vcpus +
	       (h->touched ? h->nr_elems : 0);
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

const struct skep_map_ops skep_percpu_hash_ops = {
	.check = hash_check,
	.alloc = hash_alloc,
	.free = hash_free,
	.lookup = percpu_lookup,
	.lookup_percpu = percpu_lookup_cpu,
	.update = percpu_update,
	.erase = hash_erase,
	.sys_lookup = quiet_sys_lookup,
	.sys_update = percpu_sys_update,
	.sys_lookup_erase = hash_sys_lookup_erase,
	.user_value_size = percpu_user_size,
	.next_key = hash_next_key,
	.for_each = hash_for_each,
	.mem_usage = hash_mem_usage,
};

const struct skep_map_ops skep_lru_hash_ops = {
	.check = hash_check,
	.alloc = hash_alloc,
	.free = hash_free,
	.lookup = lru_lookup,
	.update = lru_update,
	.erase = hash_erase,
	.sys_lookup = quiet_sys_lookup,
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps of maps whose inner maps have timers, work, locks, rings: what belongs to which. */
#include "common.h"

struct bpf_map {
	__u32 id;
} __attribute__((preserve_access_index));

extern __s64 bpf_map_sum_elem_count(const struct bpf_map *map) __ksym;
extern int bpf_wq_init(struct bpf_wq *wq, void *p__map, unsigned int flags) __ksym;

struct val {
	long a;
	struct bpf_spin_lock lock;
	long b;
};
struct timed {
	long a;
	struct bpf_timer timer;
};
struct worked {
	long a;
	struct bpf_wq wq;
};

#define PLAIN(v)                                                                                   \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(max_entries, 1);                                                            \
		__type(key, int);                                                                  \
		__type(value, struct v);                                                           \
	} plain_##v SEC(".maps")
/* Without these, libbpf would not find the types. */
PLAIN(val);
PLAIN(timed);
PLAIN(worked);
struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct timed);
};
struct inner inner1 SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner);
} outer SEC(".maps") = {.values = {[0] = &inner1}};
struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner);
} outer_hash SEC(".maps") = {.values = {[0] = &inner1}};
struct inner_work {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct worked);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner_work);
} outer_work SEC(".maps");
struct inner_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner_ring);
} outer_ring SEC(".maps");
struct inner_lock {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct val);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, int);
	__array(values, struct inner_lock);
} outer_lock SEC(".maps");

long result;

#define TC(name) SEC("tc") int name(struct __sk_buff *skb)

static int tick(void *map, int *key, struct timed *v) { return 0; }
TC(ok_inner)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	return v->a & 1;
}
TC(no_inner_unchecked)
{
	int k = 0;

	return bpf_map_lookup_elem(bpf_map_lookup_elem(&outer, &k), &k) != NULL;
}
TC(ok_inner_constant_key)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m)
		return 0;
	v = bpf_map_lookup_elem(m, &k);
	return v->a & 1;
}
TC(ok_inner_timer)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_init(&v->timer, m, 0);
	return 0;
}
TC(no_inner_timer_two)
{
	int k = 0, l = 1;
	void *m = bpf_map_lookup_elem(&outer, &k), *n = bpf_map_lookup_elem(&outer, &l);
	struct timed *v;

	if (!m || !n || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_init(&v->timer, n, 0);
	return 0;
}
TC(no_inner_timer_same_key)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k), *n = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !n || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_init(&v->timer, n, 0);
	return 0;
}
TC(no_inner_timer_outer)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_init(&v->timer, &inner1, 0);
	return 0;
}
TC(no_inner_timer_hash)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k), *n = bpf_map_lookup_elem(&outer_hash, &k);
	struct timed *v;

	if (!m || !n || !(v = bpf_map_lookup_elem(n, &k)))
		return 0;
	bpf_timer_init(&v->timer, m, 0);
	return 0;
}
TC(ok_inner_timer_callback)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_init(&v->timer, m, 0);
	bpf_timer_set_callback(&v->timer, tick);
	bpf_timer_start(&v->timer, 5, 0);
	return 0;
}
static int tick_init(void *map, int *key, struct timed *v)
{
	bpf_timer_init(&v->timer, map, 0);
	return 0;
}
TC(ok_inner_timer_callback_init)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_set_callback(&v->timer, tick_init);
	return 0;
}
static int tick_looks(void *map, int *key, struct timed *v)
{
	int k = 1;
	struct timed *w = bpf_map_lookup_elem(map, &k);

	if (w)
		bpf_timer_init(&w->timer, map, 0);
	return 0;
}
TC(ok_inner_timer_callback_looks)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);
	struct timed *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_timer_set_callback(&v->timer, tick_looks);
	return 0;
}
TC(ok_inner_work)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer_work, &k);
	struct worked *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_wq_init(&v->wq, m, 0);
	return 0;
}
TC(no_inner_work_two)
{
	int k = 0, l = 1;
	void *m = bpf_map_lookup_elem(&outer_work, &k), *n = bpf_map_lookup_elem(&outer_work, &l);
	struct worked *v;

	if (!m || !n || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_wq_init(&v->wq, n, 0);
	return 0;
}
TC(ok_inner_lock)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer_lock, &k);
	struct val *v;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_spin_lock(&v->lock);
	v->a++;
	bpf_spin_unlock(&v->lock);
	return 0;
}
TC(no_inner_lock_second_lookup)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer_lock, &k);
	struct val *v, *w;

	if (!m || !(v = bpf_map_lookup_elem(m, &k)) || !(w = bpf_map_lookup_elem(m, &k)))
		return 0;
	bpf_spin_lock(&v->lock);
	v->a++;
	bpf_spin_unlock(&w->lock);
	return 0;
}
TC(ok_inner_ring)
{
	int k = 0;
	long x = 1;
	void *m = bpf_map_lookup_elem(&outer_ring, &k);

	return m ? bpf_ringbuf_output(m, &x, 8, 0) : 0;
}
TC(no_inner_ring_reserve_kept)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer_ring, &k);

	return m && bpf_ringbuf_reserve(m, 8, 0);
}
TC(no_inner_ring_lookup)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer_ring, &k);

	return m && bpf_map_lookup_elem(m, &k);
}
TC(ok_inner_update)
{
	int k = 0;
	struct timed v = {};
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? bpf_map_update_elem(m, &k, &v, 0) : 0;
}
TC(no_inner_add)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? bpf_map_lookup_elem(m + 8, &k) != NULL : 0;
}
TC(ok_inner_read_map)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? *(volatile __u8 *)(m + 0) & 1 : 0;
}
static long each(struct bpf_map *map, int *key, struct timed *v, void *ctx) { return 0; }
static long each_init(struct bpf_map *map, int *key, struct timed *v, void *ctx)
{
	bpf_timer_init(&v->timer, map, 0);
	return 0;
}
static long each_init_other(struct bpf_map *map, int *key, struct timed *v, void **ctx)
{
	bpf_timer_init(&v->timer, *ctx, 0);
	return 0;
}
TC(ok_inner_each)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? bpf_for_each_map_elem(m, each, NULL, 0) : 0;
}
TC(no_inner_each_init)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? bpf_for_each_map_elem(m, each_init, NULL, 0) : 0;
}
TC(no_inner_each_init_same)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? bpf_for_each_map_elem(m, each_init_other, &m, 0) : 0;
}
TC(no_inner_each_init_other)
{
	int k = 0, l = 1;
	void *m = bpf_map_lookup_elem(&outer, &k), *n = bpf_map_lookup_elem(&outer, &l);

	return m && n ? bpf_for_each_map_elem(m, each_init_other, &n, 0) : 0;
}
TC(no_each_outer) { return bpf_for_each_map_elem(&outer, each, NULL, 0); }
TC(ok_sum_inner)
{
	int k = 0;
	void *m = bpf_map_lookup_elem(&outer, &k);

	return m ? bpf_map_sum_elem_count(m) & 1 : 0;
}
TC(no_sum_inner_unchecked)
{
	int k = 0;

	return bpf_map_sum_elem_count(bpf_map_lookup_elem(&outer, &k)) & 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Storage of tasks, inodes and cgroups; maps of each CPU, queues, filters, rings, programs. */
#include "common.h"

struct inode {
	unsigned long i_ino;
} __attribute__((preserve_access_index));
struct file {
	struct inode *f_inode;
} __attribute__((preserve_access_index));
struct cgroup {
	int level;
} __attribute__((preserve_access_index));
struct css_set {
	struct cgroup *dfl_cgrp;
} __attribute__((preserve_access_index));
struct task_struct {
	int pid;
	struct css_set *cgroups;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct task_struct *last_wakee;
	struct mm_struct *mm;
} __attribute__((preserve_access_index));
struct mm_struct {
	struct file *exe_file;
} __attribute__((preserve_access_index));
struct bpf_map {
	__u32 id;
} __attribute__((preserve_access_index));
#define BPF_MAP_TYPE_CGRP_STORAGE 32 /* newer than some headers */

extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern struct cgroup *bpf_cgroup_from_id(__u64 cgid) __ksym;
extern void bpf_cgroup_release(struct cgroup *cgrp) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern __s64 bpf_map_sum_elem_count(const struct bpf_map *map) __ksym;

struct val {
	long a;
	struct bpf_spin_lock lock;
	struct task_struct KPTR *task;
	long b;
};
#define STORE(name, kind, val)                                                                     \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_##kind);                                                 \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__type(key, int);                                                                  \
		__type(value, val);                                                                \
	} name SEC(".maps")
#define MAP(name, kind, k, v, n)                                                                   \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_##kind);                                                 \
		__uint(max_entries, n);                                                            \
		__type(key, k);                                                                    \
		__type(value, v);                                                                  \
	} name SEC(".maps")
STORE(tasks, TASK_STORAGE, struct val);
STORE(longs, TASK_STORAGE, long);
STORE(inodes, INODE_STORAGE, long);
STORE(cgroups, CGRP_STORAGE, long);
MAP(array, ARRAY, int, long, 4);
MAP(wide, ARRAY, int, struct val, 4);
MAP(hash, HASH, int, long, 4);
MAP(lru, LRU_HASH, int, long, 4);
MAP(per_array, PERCPU_ARRAY, int, long, 4);
MAP(per_hash, PERCPU_HASH, int, long, 4);
MAP(per_lru, LRU_PERCPU_HASH, int, long, 4);
struct tasked {
	struct task_struct KPTR *task;
};
MAP(per_tasks, PERCPU_ARRAY, int, struct tasked, 4);
struct lpm_key {
	__u32 len;
	__u32 addr;
};
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4);
	__type(key, struct lpm_key);
	__type(value, long);
} trie SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__type(value, long);
} queue SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 4);
	__type(value, long);
} stack SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 4);
	__type(value, long);
} bloom SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring2 SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} user_ring SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, int);
} progs SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, int);
	__type(value, int);
} events SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long[16]);
} traces SEC(".maps");
long result;

#define TP(name) SEC("tp_btf/task_newtask") int name(__u64 *ctx)
#define TASK struct task_struct *t = (void *)ctx[0]
#define TC(name) SEC("tc") int name(struct __sk_buff *skb)
#define SYS(name) SEC("syscall") int name(void *ctx)

/* Storage. */
TP(ok_task) { TASK; long *v = bpf_task_storage_get(&longs, t, NULL, 1); return v ? *v & 1 : 0; }
TP(no_task_unchecked) { TASK; long *v = bpf_task_storage_get(&longs, t, NULL, 1); return *v & 1; }
TP(no_task_past) { TASK; long *v = bpf_task_storage_get(&longs, t, NULL, 1); return v ? v[1] & 1 : 0; }
TP(ok_task_null) { return bpf_task_storage_get(&longs, NULL, NULL, 1) != NULL; }
TP(ok_task_value) { TASK; long x = 1; return bpf_task_storage_get(&longs, t, &x, 1) != NULL; }
TP(no_task_value_short) { TASK; int x = 1; return bpf_task_storage_get(&longs, t, &x, 1) != NULL; }
TP(ok_task_value_no_flag) { TASK; long x = 1; return bpf_task_storage_get(&longs, t, &x, 0) != NULL; }
TP(ok_task_flags_odd) { TASK; return bpf_task_storage_get(&longs, t, NULL, 77) != NULL; }
TP(no_task_value_number) { TASK; return bpf_task_storage_get(&longs, t, (void *)8, 1) != NULL; }
TP(ok_task_value_of_map)
{
	TASK;
	int k = 0;
	long *x = bpf_map_lookup_elem(&array, &k);

	return bpf_task_storage_get(&longs, t, x, 1) != NULL;
}
TP(ok_task_value_maybe)
{
	TASK;
	int k = bpf_get_prandom_u32();
	long *x = bpf_map_lookup_elem(&hash, &k);

	return bpf_task_storage_get(&longs, t, x, 1) != NULL;
}
TP(no_task_value_of_task) { TASK; return bpf_task_storage_get(&longs, t, t, 1) != NULL; }
TP(ok_task_leader) { TASK; return bpf_task_storage_get(&longs, t->group_leader, NULL, 1) != NULL; }
TP(ok_task_parent) { TASK; return bpf_task_storage_get(&longs, t->real_parent, NULL, 1) != NULL; }
TP(ok_task_wakee) { TASK; return bpf_task_storage_get(&longs, t->last_wakee, NULL, 1) != NULL; }
TP(no_task_middle) { TASK; return bpf_task_storage_get(&longs, (void *)t + 8, NULL, 1) != NULL; }
SYS(ok_task_sleepable) { return bpf_task_storage_get(&longs, bpf_get_current_task_btf(), NULL, 1) != NULL; }
SYS(no_task_sleepable_leader)
{
	struct task_struct *t = bpf_get_current_task_btf();
	return bpf_task_storage_get(&longs, t->group_leader, NULL, 1) != NULL;
}
SYS(no_task_sleepable_parent)
{
	struct task_struct *t = bpf_get_current_task_btf();
	return bpf_task_storage_get(&longs, t->real_parent, NULL, 1) != NULL;
}
SYS(ok_task_sleepable_parent_rcu)
{
	struct task_struct *t = bpf_get_current_task_btf();
	bpf_rcu_read_lock();
	result = bpf_task_storage_get(&longs, t->real_parent, NULL, 1) != NULL;
	bpf_rcu_read_unlock();
	return 0;
}
SYS(ok_value_after_rcu)
{
	struct task_struct *t = bpf_get_current_task_btf();
	bpf_rcu_read_lock();
	long *v = bpf_task_storage_get(&longs, t, NULL, 1);

	bpf_rcu_read_unlock();
	return v ? *v & 1 : 0;
}
SYS(ok_task_owned)
{
	struct task_struct *t = bpf_task_from_pid(1);

	if (!t)
		return 0;
	long *v = bpf_task_storage_get(&longs, t, NULL, 1);

	bpf_task_release(t);
	return v ? *v & 1 : 0;
}
SYS(no_task_owned_released)
{
	struct task_struct *t = bpf_task_from_pid(1);

	if (!t)
		return 0;
	bpf_task_release(t);
	return bpf_task_storage_get(&longs, t, NULL, 1) != NULL;
}
SYS(ok_task_owned_unchecked)
{
	struct task_struct *t = bpf_task_from_pid(1);

	result = bpf_task_storage_get(&longs, t, NULL, 1) != NULL;
	if (t)
		bpf_task_release(t);
	return 0;
}
TP(ok_task_lock)
{
	TASK;
	struct val *v = bpf_task_storage_get(&tasks, t, NULL, 1);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	v->a++;
	bpf_spin_unlock(&v->lock);
	return 0;
}
SEC("raw_tp") int no_task_lock_raw(void *ctx)
{
	struct val *v = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	v->a++;
	bpf_spin_unlock(&v->lock);
	return 0;
}
SYS(ok_task_lock_syscall)
{
	struct val *v = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	v->a++;
	bpf_spin_unlock(&v->lock);
	return 0;
}
SYS(no_task_lock_other)
{
	struct val *v = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1);
	struct val *w = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1);

	if (!v || !w)
		return 0;
	bpf_spin_lock(&v->lock);
	v->a++;
	bpf_spin_unlock(&w->lock);
	return 0;
}
SYS(no_task_get_locked)
{
	struct val *v = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	result = bpf_task_storage_get(&longs, bpf_get_current_task_btf(), NULL, 1) != NULL;
	bpf_spin_unlock(&v->lock);
	return 0;
}
SYS(ok_task_kptr)
{
	struct val *v = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1);
	struct task_struct *t;

	if (!v)
		return 0;
	t = bpf_task_from_pid(1);
	if (!t)
		return 0;
	t = bpf_kptr_xchg(&v->task, t);
	if (t)
		bpf_task_release(t);
	return 0;
}
SYS(ok_task_init_kptr)
{
	struct val x = {};
	x.task = bpf_get_current_task_btf();
	return bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), &x.a, 1) != NULL;
}
TP(ok_task_delete) { TASK; return bpf_task_storage_delete(&longs, t); }
TP(ok_task_delete_null) { return bpf_task_storage_delete(&longs, NULL); }
TP(no_task_as_inode) { TASK; return bpf_inode_storage_get(&inodes, t, NULL, 1) != NULL; }
TP(no_task_in_inodes) { TASK; return bpf_task_storage_get(&inodes, t, NULL, 1) != NULL; }
TP(no_task_lookup) { int k = 0; return bpf_map_lookup_elem(&longs, &k) != NULL; }
TP(no_task_update) { int k = 0; long v = 0; return bpf_map_update_elem(&longs, &k, &v, 0); }
TP(no_task_each) { return bpf_for_each_map_elem(&longs, NULL, NULL, 0); }
TP(ok_cgrp) { TASK; return bpf_cgrp_storage_get(&cgroups, t->cgroups->dfl_cgrp, NULL, 1) != NULL; }
TP(no_cgrp_task) { TASK; return bpf_cgrp_storage_get(&cgroups, (void *)t, NULL, 1) != NULL; }
TP(no_cgrp_set) { TASK; return bpf_cgrp_storage_get(&cgroups, (void *)t->cgroups, NULL, 1) != NULL; }
TP(ok_cgrp_null) { return bpf_cgrp_storage_get(&cgroups, NULL, NULL, 1) != NULL; }
SYS(no_cgrp_sleepable)
{
	struct task_struct *t = bpf_get_current_task_btf();
	return bpf_cgrp_storage_get(&cgroups, t->cgroups->dfl_cgrp, NULL, 1) != NULL;
}
SYS(ok_cgrp_sleepable_rcu)
{
	struct task_struct *t = bpf_get_current_task_btf();
	bpf_rcu_read_lock();
	result = bpf_cgrp_storage_get(&cgroups, t->cgroups->dfl_cgrp, NULL, 1) != NULL;
	bpf_rcu_read_unlock();
	return 0;
}
TC(ok_cgrp_tc)
{
	struct cgroup *c = bpf_cgroup_from_id(1);

	if (!c)
		return 0;
	long *v = bpf_cgrp_storage_get(&cgroups, c, NULL, 1);

	bpf_cgroup_release(c);
	return v ? *v & 1 : 0;
}
TC(ok_task_tc) { return bpf_task_storage_get(&longs, bpf_get_current_task_btf(), NULL, 1) != NULL; }
TC(no_inode_tc) { return bpf_inode_storage_get(&inodes, NULL, NULL, 1) != NULL; }
SEC("lsm/file_open") int ok_inode(__u64 *ctx)
{
	struct file *f = (void *)ctx[0];
	long *v = bpf_inode_storage_get(&inodes, f->f_inode, NULL, 1);

	return v ? 0 : -1;
}

/* All elements. */
static long each(struct bpf_map *map, int *key, long *v, void *ctx) { return 0; }
TC(ok_each_hash) { return bpf_for_each_map_elem(&hash, each, NULL, 0); }
TC(ok_each_lru) { return bpf_for_each_map_elem(&lru, each, NULL, 0); }
TC(ok_each_percpu) { return bpf_for_each_map_elem(&per_hash, each, NULL, 0); }
TC(no_each_trie) { return bpf_for_each_map_elem(&trie, each, NULL, 0); }
TC(no_each_queue) { return bpf_for_each_map_elem(&queue, each, NULL, 0); }
TC(ok_each_flags) { return bpf_for_each_map_elem(&hash, each, NULL, 5); }
static long each_writes_key(struct bpf_map *map, int *key, long *v, void *ctx) { *key = 1; return 0; }
static long each_past_key(struct bpf_map *map, int *key, long *v, void *ctx) { return key[1] & 1; }
static long each_writes(struct bpf_map *map, int *key, long *v, void *ctx) { *v = *key; return 0; }
static long each_deletes(struct bpf_map *map, int *key, long *v, void *ctx) { bpf_map_delete_elem(map, key); return 0; }
static long each_updates(struct bpf_map *map, int *key, long *v, void *ctx) { bpf_map_update_elem(map, key, v, 0); return 0; }
static long each_two(struct bpf_map *map, int *key, long *v, void *ctx) { return 2; }
TC(no_each_writes_key) { return bpf_for_each_map_elem(&hash, each_writes_key, NULL, 0); }
TC(no_each_past_key) { return bpf_for_each_map_elem(&hash, each_past_key, NULL, 0); }
TC(ok_each_writes) { return bpf_for_each_map_elem(&hash, each_writes, NULL, 0); }
TC(ok_each_writes_percpu) { return bpf_for_each_map_elem(&per_array, each_writes, NULL, 0); }
TC(ok_each_deletes) { return bpf_for_each_map_elem(&hash, each_deletes, NULL, 0); }
TC(ok_each_updates) { return bpf_for_each_map_elem(&hash, each_updates, NULL, 0); }
TC(no_each_two) { return bpf_for_each_map_elem(&hash, each_two, NULL, 0); }

/* Of each CPU. */
TC(ok_percpu) { int k = 0; long *v = bpf_map_lookup_percpu_elem(&per_array, &k, 0); return v ? *v & 1 : 0; }
TC(no_percpu_unchecked) { int k = 0; long *v = bpf_map_lookup_percpu_elem(&per_array, &k, 0); return *v & 1; }
TC(ok_percpu_plain_unchecked) { int k = 0; long *v = bpf_map_lookup_elem(&per_array, &k); return *v & 1; }
TC(no_percpu_array) { int k = 0; return bpf_map_lookup_percpu_elem(&array, &k, 0) != NULL; }
TC(ok_percpu_lru) { int k = 0; return bpf_map_lookup_percpu_elem(&per_lru, &k, 0) != NULL; }
TC(ok_percpu_random_cpu) { int k = 0; return bpf_map_lookup_percpu_elem(&per_lru, &k, bpf_get_prandom_u32()) != NULL; }
TC(ok_percpu_kptr)
{
	int k = 0;
	struct tasked *v = bpf_map_lookup_elem(&per_tasks, &k);
	struct task_struct *t;

	if (!v)
		return 0;
	t = bpf_kptr_xchg(&v->task, NULL);
	if (t)
		bpf_task_release(t);
	return 0;
}
TC(ok_percpu_kptr_cpu)
{
	int k = 0;
	struct tasked *v = bpf_map_lookup_percpu_elem(&per_tasks, &k, 1);
	struct task_struct *t;

	if (!v)
		return 0;
	t = bpf_kptr_xchg(&v->task, NULL);
	if (t)
		bpf_task_release(t);
	return 0;
}
TC(no_percpu_kptr_copied)
{
	int k = 0;
	struct tasked *v = bpf_map_lookup_elem(&per_tasks, &k);

	return v ? bpf_map_update_elem(&per_tasks, &k, v, 0) : 0;
}

/* Queues, filters, tries. */
TC(ok_pop) { long v; return bpf_map_pop_elem(&queue, &v) ? 0 : v & 1; }
TC(no_pop_short) { int v; return bpf_map_pop_elem(&queue, &v) ? 0 : v & 1; }
TC(ok_pop_stack) { long v; return bpf_map_pop_elem(&stack, &v) ? 0 : v & 1; }
TC(no_pop_hash) { long v; return bpf_map_pop_elem(&hash, &v) ? 0 : v & 1; }
TC(ok_peek) { long v; return bpf_map_peek_elem(&queue, &v) ? 0 : v & 1; }
TC(ok_peek_bloom_unset) { volatile long v; return bpf_map_peek_elem(&bloom, (void *)&v); }
TC(ok_peek_bloom) { long v = 5; return bpf_map_peek_elem(&bloom, &v); }
TC(ok_push_unset) { volatile long v; return bpf_map_push_elem(&queue, (void *)&v, 0); }
TC(ok_push_flags) { long v = 1; return bpf_map_push_elem(&queue, &v, BPF_EXIST); }
TC(ok_push_flags_odd) { long v = 1; return bpf_map_push_elem(&queue, &v, 99); }
TC(no_queue_lookup) { int k = 0; return bpf_map_lookup_elem(&queue, &k) != NULL; }
TC(no_queue_update) { int k = 0; long v = 0; return bpf_map_update_elem(&queue, &k, &v, 0); }
TC(no_bloom_pop) { long v; return bpf_map_pop_elem(&bloom, &v); }
TC(no_bloom_delete) { long v = 0; return bpf_map_delete_elem(&bloom, &v); }
TC(ok_trie) { struct lpm_key k = {32, 1}; long *v = bpf_map_lookup_elem(&trie, &k); return v ? *v & 1 : 0; }
TC(no_trie_key_short) { int k = 32; return bpf_map_lookup_elem(&trie, &k) != NULL; }
TC(ok_trie_key_half_set)
{
	volatile struct lpm_key k;

	k.len = 32;
	return bpf_map_lookup_elem(&trie, (void *)&k) != NULL;
}
TC(ok_trie_delete) { struct lpm_key k = {32, 1}; return bpf_map_delete_elem(&trie, &k); }
TC(no_lru_unchecked) { int k = 0; long *v = bpf_map_lookup_elem(&lru, &k); return *v & 1; }
TC(ok_sum) { return bpf_map_sum_elem_count((void *)&hash) & 1; }
TC(no_sum_stack) { long v = 0; return bpf_map_sum_elem_count((void *)&v) & 1; }

/* Rings. */
TC(ok_ring) { long *p = bpf_ringbuf_reserve(&ring, 8, 0); if (p) { *p = 1; bpf_ringbuf_submit(p, 0); } return 0; }
TC(no_ring_past) { long *p = bpf_ringbuf_reserve(&ring, 8, 0); if (p) { p[1] = 1; bpf_ringbuf_submit(p, 0); } return 0; }
TC(ok_ring_odd) { char *p = bpf_ringbuf_reserve(&ring, 7, 0); if (p) { p[6] = 1; bpf_ringbuf_submit(p, 0); } return 0; }
TC(no_ring_odd) { char *p = bpf_ringbuf_reserve(&ring, 7, 0); if (p) { p[7] = 1; bpf_ringbuf_submit(p, 0); } return 0; }
TC(ok_ring_none) { char *p = bpf_ringbuf_reserve(&ring, 0, 0); if (p) bpf_ringbuf_submit(p, 0); return 0; }
TC(no_ring_none) { char *p = bpf_ringbuf_reserve(&ring, 0, 0); if (p) { *p = 1; bpf_ringbuf_submit(p, 0); } return 0; }
TC(no_ring_random) { char *p = bpf_ringbuf_reserve(&ring, bpf_get_prandom_u32() & 7, 0); if (p) bpf_ringbuf_submit(p, 0); return 0; }
TC(ok_ring_huge) { char *p = bpf_ringbuf_reserve(&ring, 1 << 28, 0); if (p) { p[(1 << 28) - 1] = 0; bpf_ringbuf_submit(p, 0); } return 0; }
TC(ok_ring_huge_2) { char *p = bpf_ringbuf_reserve(&ring, 1 << 29, 0); if (p) bpf_ringbuf_submit(p, 0); return 0; }
TC(ok_ring_huger) { char *p = bpf_ringbuf_reserve(&ring, 1ull << 40, 0); if (p) bpf_ringbuf_submit(p, 0); return 0; }
TC(ok_ring_negative) { char *p = bpf_ringbuf_reserve(&ring, -8, 0); if (p) bpf_ringbuf_submit(p, 0); return 0; }
TC(no_ring_middle) { long *p = bpf_ringbuf_reserve(&ring, 16, 0); if (p) bpf_ringbuf_submit(p + 1, 0); return 0; }
TC(ok_ring_flags) { long *p = bpf_ringbuf_reserve(&ring, 16, 99); if (p) bpf_ringbuf_submit(p, 99); return 0; }
TC(ok_ring_as_value)
{
	int k = 0;
	long *p = bpf_ringbuf_reserve(&ring, 8, 0);

	if (!p)
		return 0;
	*p = 1;
	bpf_map_update_elem(&array, &k, p, 0);
	bpf_ringbuf_discard(p, 0);
	return 0;
}
TC(ok_ring_unset_as_value)
{
	int k = 0;
	long *p = bpf_ringbuf_reserve(&ring, 8, 0);

	if (!p)
		return 0;
	bpf_map_update_elem(&array, &k, p, 0);
	bpf_ringbuf_discard(p, 0);
	return 0;
}
TC(no_ring_as_ring_data)
{
	long *p = bpf_ringbuf_reserve(&ring, 8, 0);

	if (!p)
		return 0;
	bpf_ringbuf_discard(p, 0);
	bpf_ringbuf_output(&ring2, p, 8, 0);
	return 0;
}
TC(no_ring_value_submitted)
{
	int k = 0;
	long *v = bpf_map_lookup_elem(&array, &k);

	if (v)
		bpf_ringbuf_submit(v, 0);
	return 0;
}
TC(ok_ring_query) { return bpf_ringbuf_query(&ring, 0) & 1; }
TC(no_ring_query_array) { return bpf_ringbuf_query(&array, 0) & 1; }
TC(no_ring_output_none) { long v = 0; return bpf_ringbuf_output(&ring, &v, bpf_get_prandom_u32() & 15, 0); }
TC(ok_ring_output_zero) { long v = 0; return bpf_ringbuf_output(&ring, &v, 0, 0); }
TC(no_ring_output_null) { return bpf_ringbuf_output(&ring, NULL, 0, 0); }
static long drained(struct bpf_dynptr *d, void *ctx) { return 0; }
static long drained_reads(struct bpf_dynptr *d, void *ctx)
{
	long v;

	bpf_dynptr_read(&v, 8, d, 0, 0);
	return v & 1;
}
static long drained_two(struct bpf_dynptr *d, void *ctx) { return 2; }
TC(ok_drain) { return bpf_user_ringbuf_drain(&user_ring, drained, NULL, 0); }
TC(ok_drain_reads) { return bpf_user_ringbuf_drain(&user_ring, drained_reads, NULL, 0); }
TC(no_drain_two) { return bpf_user_ringbuf_drain(&user_ring, drained_two, NULL, 0); }
TC(no_drain_ring) { return bpf_user_ringbuf_drain(&ring, drained, NULL, 0); }
TC(no_user_ring_output) { long v = 0; return bpf_ringbuf_output(&user_ring, &v, 8, 0); }

/* Programs. */
TC(ok_call) { bpf_tail_call(skb, &progs, 1); return 0; }
TC(no_call_array) { bpf_tail_call(skb, &array, 1); return 0; }
TC(no_call_ctx) { long x = 0; bpf_tail_call(&x, &progs, 1); return 0; }
TC(no_call_lookup) { int k = 0; return bpf_map_lookup_elem(&progs, &k) != NULL; }
TC(no_call_update) { int k = 0, v = 0; return bpf_map_update_elem(&progs, &k, &v, 0); }
TC(no_call_delete) { int k = 0; return bpf_map_delete_elem(&progs, &k); }
TC(no_call_held)
{
	long *p = bpf_ringbuf_reserve(&ring, 8, 0);

	bpf_tail_call(skb, &progs, 1);
	if (p)
		bpf_ringbuf_submit(p, 0);
	return 0;
}
TC(no_events_update) { int k = 0, v = 0; return bpf_map_update_elem(&events, &k, &v, 0); }
TC(no_traces_lookup) { int k = 0; return bpf_map_lookup_elem(&traces, &k) != NULL; }
TC(ok_array_flags_odd) { int k = 0; long v = 0; return bpf_map_update_elem(&array, &k, &v, 99); }
TC(ok_array_delete) { int k = 0; return bpf_map_delete_elem(&array, &k); }
TC(no_wide_copied)
{
	int k = 0;
	struct val *v = bpf_map_lookup_elem(&wide, &k);

	return v ? bpf_map_update_elem(&wide, &k, v, 0) : 0;
}
TC(ok_wide_from_stack)
{
	int k = 0;
	struct {
		long x[sizeof(struct val) / 8];
	} v = {};

	return bpf_map_update_elem(&wide, &k, &v, 0);
}

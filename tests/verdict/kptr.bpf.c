/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel pointers in map values. */
#include "common.h"

struct task_struct {
	int pid;
	struct task_struct *real_parent;
} __attribute__((preserve_access_index));
struct cgroup {
	int level;
} __attribute__((preserve_access_index));
struct nf_conn {
	int mark;
} __attribute__((preserve_access_index));

extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;

struct elem {
	long counter;
	struct task_struct KPTR *task;
	struct task_struct KPTR_UNTRUSTED *seen;
	struct cgroup KPTR_UNTRUSTED *cgrp;
};

struct plain {
	long counter;
	long more[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct plain);
} plains SEC(".maps");

static long result;

#define ELEM(e)                                                                                    \
	int key = 0;                                                                               \
	struct elem *e = bpf_map_lookup_elem(&elems, &key);                                        \
	if (!e)                                                                                    \
		return 0

SEC("raw_tp") int ok_store_seen(void *ctx)
{
	ELEM(e);
	e->seen = bpf_get_current_task_btf();
	return 0;
}

SEC("raw_tp") int ok_store_null(void *ctx)
{
	ELEM(e);
	*(volatile long *)&e->seen = 0;
	return 0;
}

SEC("raw_tp") int no_store_number(void *ctx)
{
	ELEM(e);
	*(volatile long *)&e->seen = 1;
	return 0;
}

SEC("raw_tp") int no_store_random(void *ctx)
{
	ELEM(e);
	*(volatile long *)&e->seen = bpf_get_prandom_u32();
	return 0;
}

SEC("raw_tp") int no_store_other_type(void *ctx)
{
	ELEM(e);
	e->cgrp = (void *)bpf_get_current_task_btf();
	return 0;
}

SEC("raw_tp") int no_store_map_value(void *ctx)
{
	ELEM(e);
	*(void *volatile *)&e->seen = e;
	return 0;
}

SEC("raw_tp") int ok_load_seen(void *ctx)
{
	struct task_struct *t;

	ELEM(e);
	t = e->seen;
	if (t)
		result = t->pid;
	return 0;
}

SEC("raw_tp") int ok_load_seen_unchecked(void *ctx)
{
	ELEM(e);
	result = e->seen->pid;
	return 0;
}

SEC("raw_tp") int no_load_half(void *ctx)
{
	ELEM(e);
	result = *(volatile int *)&e->seen;
	return 0;
}

SEC("raw_tp") int no_load_between(void *ctx)
{
	ELEM(e);
	result = *(volatile long *)((char *)e + 12);
	return 0;
}

SEC("raw_tp") int no_load_variable(void *ctx)
{
	ELEM(e);
	result = *(volatile long *)((char *)e + (bpf_get_prandom_u32() & 8));
	return 0;
}

SEC("raw_tp") int no_helper_on_it(void *ctx)
{
	ELEM(e);
	bpf_probe_read_kernel(e, sizeof(*e), NULL);
	return 0;
}

SEC("raw_tp") int no_store_referenced(void *ctx)
{
	ELEM(e);
	e->task = bpf_get_current_task_btf();
	return 0;
}

SEC("raw_tp") int no_atomic(void *ctx)
{
	ELEM(e);
	__sync_fetch_and_add((long *)&e->seen, 1);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_xchg(void *ctx)
{
	struct task_struct *t, *old;

	ELEM(e);
	t = bpf_task_acquire(bpf_get_current_task_btf());
	if (!t)
		return 0;
	old = bpf_kptr_xchg(&e->task, t);
	if (old)
		bpf_task_release(old);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_xchg_null(void *ctx)
{
	struct task_struct *old;

	ELEM(e);
	old = bpf_kptr_xchg(&e->task, NULL);
	if (old)
		bpf_task_release(old);
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg_leak(void *ctx)
{
	ELEM(e);
	bpf_kptr_xchg(&e->task, NULL);
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg_unreferenced(void *ctx)
{
	ELEM(e);
	bpf_kptr_xchg(&e->task, bpf_get_current_task_btf());
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg_untrusted_field(void *ctx)
{
	ELEM(e);
	bpf_kptr_xchg(&e->seen, NULL);
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg_no_field(void *ctx)
{
	ELEM(e);
	bpf_kptr_xchg((void *)&e->counter, NULL);
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg_plain(void *ctx)
{
	int key = 0;
	struct plain *p = bpf_map_lookup_elem(&plains, &key);

	if (p)
		bpf_kptr_xchg((void *)&p->counter, NULL);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_xchg_used_after(void *ctx)
{
	struct task_struct *t, *old;

	ELEM(e);
	t = bpf_task_acquire(bpf_get_current_task_btf());
	if (!t)
		return 0;
	old = bpf_kptr_xchg(&e->task, t);
	result = t->pid;
	if (old)
		bpf_task_release(old);
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg_release_twice(void *ctx)
{
	struct task_struct *t, *old;

	ELEM(e);
	t = bpf_task_acquire(bpf_get_current_task_btf());
	if (!t)
		return 0;
	old = bpf_kptr_xchg(&e->task, t);
	bpf_task_release(t);
	if (old)
		bpf_task_release(old);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_rcu_acquire(void *ctx)
{
	struct task_struct *t, *mine;

	ELEM(e);
	t = e->task;
	if (!t)
		return 0;
	mine = bpf_task_acquire(t);
	if (mine)
		bpf_task_release(mine);
	return 0;
}

SEC("tp_btf/sys_enter") int no_rcu_acquire_unchecked(void *ctx)
{
	struct task_struct *mine;

	ELEM(e);
	mine = bpf_task_acquire(e->task);
	if (mine)
		bpf_task_release(mine);
	return 0;
}

SEC("syscall") int no_acquire_outside_rcu(void *ctx)
{
	struct task_struct *t, *mine;

	ELEM(e);
	t = e->task;
	if (!t)
		return 0;
	mine = bpf_task_acquire(t);
	if (mine)
		bpf_task_release(mine);
	return 0;
}

SEC("tp_btf/sys_enter") int no_release_loaded(void *ctx)
{
	struct task_struct *t;

	ELEM(e);
	t = e->task;
	if (t)
		bpf_task_release(t);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_walk_loaded(void *ctx)
{
	struct task_struct *t;

	ELEM(e);
	t = e->task;
	if (t)
		result = t->real_parent->pid;
	return 0;
}

static NOINLINE int level_of(struct cgroup *c)
{
	return c->level;
}

SEC("tp_btf/sys_enter") int ok_walk_cgroup(void *ctx)
{
	struct cgroup *c;

	ELEM(e);
	c = e->cgrp;
	if (c)
		result = level_of(c);
	return 0;
}

SEC("tc") int no_xchg_unchecked(void *ctx)
{
	ELEM(e);
	struct task_struct *old = bpf_kptr_xchg(&e->task, bpf_task_from_pid(1));

	if (old)
		bpf_task_release(old);
	return 0;
}

SEC("tc") int no_xchg_variable(struct __sk_buff *ctx)
{
	ELEM(e);
	struct task_struct *old = bpf_kptr_xchg((void *)&e->task + (ctx->mark & 8), NULL);

	if (old)
		bpf_task_release(old);
	return 0;
}

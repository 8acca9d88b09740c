/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that programs allocate: made, used, counted, dropped. */
#include "graph.h"

struct task_struct {
	int pid;
};
struct plain {
	long a, b;
	int c;
};
struct pointing {
	long a;
	struct plain *next;
	struct task_struct *task;
};
struct locked {
	long a;
	struct bpf_spin_lock lock;
	long b;
};
struct counted {
	long a;
	struct bpf_refcount ref;
	long b;
};
struct holder {
	long a;
	struct plain KPTR *kept;
	long b;
};
struct nothing {
};
union either {
	long a;
	int b;
};
struct percpu_val {
	long count;
	int id;
};
struct percpu_big {
	char bytes[520];
};
struct percpu_deep {
	long a;
	struct plain *p;
};

struct elem {
	struct plain KPTR *plain;
	struct counted KPTR *counted;
	struct percpu_val KPTR_PERCPU *per;
	struct locked KPTR *locked;
	struct holder KPTR *holder;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");

long result;

#define ELEM(e)                                                                                    \
	int key = 0;                                                                               \
	struct elem *e = bpf_map_lookup_elem(&elems, &key);                                        \
	if (!e)                                                                                    \
		return 0

SEC("tc") int ok_new_drop(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	p->a = 1;
	p->c = (int)p->b;
	DROP(p);
	return 0;
}

SEC("tc") int no_leak(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (p)
		p->a = 1;
	return 0;
}

SEC("tc") int no_null_unchecked(void *ctx)
{
	struct plain *p = NEW(struct plain);

	p->a = 1;
	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_drop_unchecked(void *ctx)
{
	DROP(NEW(struct plain));
	return 0;
}

SEC("tc") int no_drop_twice(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	DROP(p);
	DROP(p);
	return 0;
}

SEC("tc") int no_use_after_drop(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	DROP(p);
	p->a = 1;
	return 0;
}

SEC("tc") int no_drop_middle(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	DROP(&p->b);
	return 0;
}

SEC("tc") int no_beyond(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	*(volatile long *)((void *)p + 24) = 1;
	DROP(p);
	return 0;
}

SEC("tc") int no_before(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	*(volatile long *)((void *)p - 8) = 1;
	DROP(p);
	return 0;
}

SEC("tc") int no_straddle(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	*(volatile long *)((void *)p + 12) = 1;
	DROP(p);
	return 0;
}

SEC("tc") int no_variable(struct __sk_buff *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	*(volatile char *)((void *)p + (ctx->mark & 7)) = 1;
	DROP(p);
	return 0;
}

SEC("tc") int ok_narrow(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	*(volatile short *)((void *)p + 2) = 1;
	DROP(p);
	return 0;
}

SEC("tc") int ok_pointer_member_is_number(void *ctx)
{
	struct pointing *p = NEW(struct pointing);

	if (!p)
		return 0;
	p->next = (void *)1;
	result = (long)p->task;
	DROP(p);
	return 0;
}

SEC("tc") int no_pointer_member_followed(void *ctx)
{
	struct pointing *p = NEW(struct pointing);

	if (!p)
		return 0;
	result = p->next->a;
	DROP(p);
	return 0;
}

SEC("tc") int ok_atomic(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	__sync_fetch_and_add(&p->a, 1);
	DROP(p);
	return 0;
}

SEC("tc") int no_type_unknown(struct __sk_buff *ctx)
{
	void *p = bpf_obj_new_impl(ctx->mark, 0);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_type_beyond(void *ctx)
{
	void *p = bpf_obj_new_impl(4000000, 0);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_type_wide(void *ctx)
{
	void *p = bpf_obj_new_impl(1ull << 32, 0);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_type_int(void *ctx)
{
	int *p = NEW(int);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_type_union(void *ctx)
{
	union either *p = NEW(union either);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int ok_meta_ignored(void *ctx)
{
	struct plain *p = bpf_obj_new_impl(bpf_core_type_id_local(struct plain), ctx);

	if (p)
		bpf_obj_drop_impl(p, ctx);
	return 0;
}

SEC("tc") int no_drop_map_value(void *ctx)
{
	ELEM(e);
	DROP(e);
	return 0;
}

SEC("tc") int no_drop_stack(void *ctx)
{
	struct plain p = {};

	DROP(&p);
	return 0;
}

SEC("tc") int ok_lock_object(void *ctx)
{
	struct locked *p = NEW(struct locked);

	if (!p)
		return 0;
	bpf_spin_lock(&p->lock);
	p->a++;
	bpf_spin_unlock(&p->lock);
	DROP(p);
	return 0;
}

SEC("tc") int no_lock_kept(void *ctx)
{
	struct locked *p = NEW(struct locked);

	if (!p)
		return 0;
	bpf_spin_lock(&p->lock);
	return 0;
}

SEC("tc") int no_drop_under_lock(void *ctx)
{
	struct locked *p = NEW(struct locked);

	if (!p)
		return 0;
	bpf_spin_lock(&p->lock);
	DROP(p);
	return 0;
}

SEC("tc") int no_lock_wrong_place(void *ctx)
{
	struct locked *p = NEW(struct locked);

	if (!p)
		return 0;
	bpf_spin_lock((void *)&p->a);
	bpf_spin_unlock((void *)&p->a);
	DROP(p);
	return 0;
}

SEC("tc") int no_lock_in_plain(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	bpf_spin_lock((void *)&p->a);
	bpf_spin_unlock((void *)&p->a);
	DROP(p);
	return 0;
}

SEC("tc") int no_unlock_other(void *ctx)
{
	struct locked *p = NEW(struct locked), *q;

	if (!p)
		return 0;
	q = NEW(struct locked);
	if (!q) {
		DROP(p);
		return 0;
	}
	bpf_spin_lock(&p->lock);
	bpf_spin_unlock(&q->lock);
	DROP(p);
	DROP(q);
	return 0;
}

SEC("tc") int no_lock_two(void *ctx)
{
	struct locked *p = NEW(struct locked), *q;

	if (!p)
		return 0;
	q = NEW(struct locked);
	if (!q) {
		DROP(p);
		return 0;
	}
	bpf_spin_lock(&p->lock);
	bpf_spin_lock(&q->lock);
	bpf_spin_unlock(&q->lock);
	bpf_spin_unlock(&p->lock);
	DROP(p);
	DROP(q);
	return 0;
}

SEC("tc") int no_read_lock_word(void *ctx)
{
	struct locked *p = NEW(struct locked);

	if (!p)
		return 0;
	result = *(volatile int *)&p->lock;
	DROP(p);
	return 0;
}

SEC("tc") int no_write_lock_word(void *ctx)
{
	struct locked *p = NEW(struct locked);

	if (!p)
		return 0;
	*(volatile char *)((void *)&p->lock + 3) = 1;
	DROP(p);
	return 0;
}

SEC("tc") int ok_refcount(void *ctx)
{
	struct counted *p = NEW(struct counted), *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	p->a = 1;
	DROP(p);
	q->b = 2;
	DROP(q);
	return 0;
}

SEC("tc") int no_refcount_leak(void *ctx)
{
	struct counted *p = NEW(struct counted), *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	DROP(p);
	q->b = 2;
	return 0;
}

SEC("tc") int no_refcount_of_plain(void *ctx)
{
	struct plain *p = NEW(struct plain), *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	DROP(p);
	DROP(q);
	return 0;
}

SEC("tc") int no_refcount_of_map_value(void *ctx)
{
	ELEM(e);
	struct elem *q = ACQUIRE(e);

	if (q)
		DROP(q);
	return 0;
}

SEC("tc") int no_refcount_word(void *ctx)
{
	struct counted *p = NEW(struct counted);

	if (!p)
		return 0;
	*(volatile int *)&p->ref = 1;
	DROP(p);
	return 0;
}

SEC("tc") int ok_keep(void *ctx)
{
	ELEM(e);
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	p = bpf_kptr_xchg(&e->plain, p);
	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_keep_other_type(void *ctx)
{
	ELEM(e);
	struct counted *p = NEW(struct counted);

	if (!p)
		return 0;
	p = bpf_kptr_xchg(&e->plain, p);
	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_keep_old_leaks(void *ctx)
{
	ELEM(e);
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	bpf_kptr_xchg(&e->plain, p);
	return 0;
}

SEC("tc") int ok_read_kept(void *ctx)
{
	ELEM(e);
	struct plain *p = e->plain;

	if (p)
		result = p->a;
	return 0;
}

SEC("tc") int ok_write_kept_in_rcu(void *ctx)
{
	ELEM(e);
	struct plain *p = e->plain;

	if (p)
		p->a = 1;
	return 0;
}

SEC("tc") int no_drop_kept(void *ctx)
{
	ELEM(e);
	struct plain *p = e->plain;

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int ok_acquire_kept(void *ctx)
{
	ELEM(e);
	struct counted *p = e->counted, *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	if (q)
		DROP(q);
	return 0;
}

SEC("tc") int ok_acquire_kept_unchecked(void *ctx)
{
	ELEM(e);
	struct counted *p = e->counted, *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	DROP(q);
	return 0;
}

SEC("tc") int no_acquire_kept_null(void *ctx)
{
	ELEM(e);
	struct counted *p = e->counted, *q;

	q = ACQUIRE(p);
	if (q)
		DROP(q);
	return 0;
}

SEC("syscall") int no_write_kept_outside_rcu(void *ctx)
{
	ELEM(e);
	struct plain *p = e->plain;

	if (p)
		p->a = 1;
	return 0;
}

SEC("syscall") int no_acquire_kept_outside_rcu(void *ctx)
{
	ELEM(e);
	struct counted *p = e->counted, *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	if (q)
		DROP(q);
	return 0;
}

SEC("syscall") int ok_acquire_kept_in_rcu(void *ctx)
{
	ELEM(e);
	struct counted *p, *q = NULL;

	bpf_rcu_read_lock();
	p = e->counted;
	if (p)
		q = ACQUIRE(p);
	bpf_rcu_read_unlock();
	if (q)
		DROP(q);
	return 0;
}

SEC("tc") int ok_keep_in_object(void *ctx)
{
	struct holder *h = NEW(struct holder);
	struct plain *p;

	if (!h)
		return 0;
	p = NEW(struct plain);
	if (!p) {
		DROP(h);
		return 0;
	}
	p = bpf_kptr_xchg(&h->kept, p);
	if (p)
		DROP(p);
	DROP(h);
	return 0;
}

SEC("tc") int no_keep_in_object_misplaced(void *ctx)
{
	struct holder *h = NEW(struct holder);

	if (!h)
		return 0;
	bpf_kptr_xchg(&h->b, NULL);
	DROP(h);
	return 0;
}

SEC("tc") int no_keep_in_plain(void *ctx)
{
	struct plain *h = NEW(struct plain);

	if (!h)
		return 0;
	bpf_kptr_xchg(&h->b, NULL);
	DROP(h);
	return 0;
}

SEC("tc") int no_load_kptr_in_object(void *ctx)
{
	struct holder *h = NEW(struct holder);

	if (!h)
		return 0;
	result = (long)*(void *volatile *)&h->kept;
	DROP(h);
	return 0;
}

SEC("tc") int no_percpu_new_used(void *ctx)
{
	struct percpu_val *p = NEW_PERCPU(struct percpu_val), *v;

	if (!p)
		return 0;
	v = bpf_per_cpu_ptr(p, 0);
	if (v)
		v->count++;
	v = bpf_this_cpu_ptr(p);
	v->count = 1;
	DROP_PERCPU(p);
	return 0;
}

SEC("tc") int no_percpu_direct(void *ctx)
{
	struct percpu_val *p = NEW_PERCPU(struct percpu_val);

	if (!p)
		return 0;
	p->count = 1;
	DROP_PERCPU(p);
	return 0;
}

SEC("tc") int no_percpu_unchecked(void *ctx)
{
	struct percpu_val *p = NEW_PERCPU(struct percpu_val), *v;

	if (!p)
		return 0;
	v = bpf_per_cpu_ptr(p, 0);
	v->count++;
	DROP_PERCPU(p);
	return 0;
}

SEC("tc") int no_percpu_leak(void *ctx)
{
	NEW_PERCPU(struct percpu_val);
	return 0;
}

SEC("tc") int no_percpu_dropped_plain(void *ctx)
{
	struct percpu_val *p = NEW_PERCPU(struct percpu_val);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_plain_dropped_percpu(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (p)
		DROP_PERCPU(p);
	return 0;
}

SEC("tc") int no_percpu_big(void *ctx)
{
	struct percpu_big *p = NEW_PERCPU(struct percpu_big);

	if (p)
		DROP_PERCPU(p);
	return 0;
}

SEC("tc") int no_percpu_pointers(void *ctx)
{
	struct percpu_deep *p = NEW_PERCPU(struct percpu_deep);

	if (p)
		DROP_PERCPU(p);
	return 0;
}

SEC("tc") int no_percpu_fields(void *ctx)
{
	struct locked *p = NEW_PERCPU(struct locked);

	if (p)
		DROP_PERCPU(p);
	return 0;
}

SEC("tc") int ok_percpu_kept(void *ctx)
{
	ELEM(e);
	struct percpu_val *p = NEW_PERCPU(struct percpu_val), *v;

	if (!p)
		return 0;
	p = bpf_kptr_xchg(&e->per, p);
	if (p)
		DROP_PERCPU(p);
	p = e->per;
	if (!p)
		return 0;
	v = bpf_this_cpu_ptr(p);
	v->count++;
	return 0;
}

SEC("tc") int no_percpu_kept_as_plain(void *ctx)
{
	ELEM(e);
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	p = bpf_kptr_xchg(&e->per, p);
	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_plain_as_percpu_arg(void *ctx)
{
	struct plain *p = NEW(struct plain), *v;

	if (!p)
		return 0;
	v = bpf_per_cpu_ptr(p, 0);
	if (v)
		v->a = 1;
	DROP(p);
	return 0;
}

SEC("tc") int ok_to_helper(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (!p)
		return 0;
	bpf_probe_read_kernel(&result, 8, p);
	DROP(p);
	return 0;
}

SEC("tc") int no_to_helper_memory(void *ctx)
{
	struct plain *p = NEW(struct plain);
	int key = 0;

	if (!p)
		return 0;
	bpf_map_update_elem(&elems, &key, p, 0);
	DROP(p);
	return 0;
}

static NOINLINE int fill(struct plain *p, int n)
{
	if (!p)
		return 0;
	p->a = n;
	return (int)p->b;
}

SEC("tc") int ok_to_function(void *ctx)
{
	struct plain *p = NEW(struct plain);
	int r;

	if (!p)
		return 0;
	r = fill(p, 3);
	DROP(p);
	return r;
}

static NOINLINE void let_go(struct plain *p)
{
	if (p)
		DROP(p);
}

SEC("tc") int ok_drop_in_function(void *ctx)
{
	struct plain *p = NEW(struct plain);

	let_go(p);
	return 0;
}

SEC("tc") int no_use_after_drop_in_function(void *ctx)
{
	struct plain *p = NEW(struct plain);

	let_go(p);
	if (p)
		p->a = 1;
	return 0;
}

SEC("tc") int no_new_in_loop(struct __sk_buff *ctx)
{
	struct plain *p = NULL;

	for (int i = 0; i < 10; i++) {
		p = NEW(struct plain);
		if (!p)
			return 0;
		if (ctx->mark == i)
			break;
	}
	DROP(p);
	return 0;
}

SEC("tc") int ok_new_in_loop(struct __sk_buff *ctx)
{
	for (int i = 0; i < 10; i++) {
		struct plain *p = NEW(struct plain);

		if (!p)
			return 0;
		p->a = ctx->mark;
		DROP(p);
	}
	return 0;
}

SEC("socket") int no_context(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (p)
		DROP(p);
	return 0;
}

SEC("xdp") int ok_xdp(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (p)
		DROP(p);
	return 0;
}

SEC("tc") int no_refcount_of_locked(void *ctx)
{
	struct locked *p = NEW(struct locked), *q;

	if (!p)
		return 0;
	q = ACQUIRE(p);
	DROP(p);
	DROP(q);
	return 0;
}

extern void bpf_task_release(struct task_struct *p) __ksym;

SEC("tc") int no_release_percpu_as_task(void *ctx)
{
	struct percpu_val *p = NEW_PERCPU(struct percpu_val);

	if (p)
		bpf_task_release((void *)p);
	return 0;
}

SEC("tc") int no_release_object_as_task(void *ctx)
{
	struct plain *p = NEW(struct plain);

	if (p)
		bpf_task_release((void *)p);
	return 0;
}

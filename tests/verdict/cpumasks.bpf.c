/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU masks, cgroups and tasks: taken, walked to, kept, let go. */
#include "common.h"

struct cpumask {
	unsigned long bits[1];
} __attribute__((preserve_access_index));
typedef struct cpumask cpumask_t;
struct bpf_cpumask {
	cpumask_t cpumask;
} __attribute__((preserve_access_index));
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} __attribute__((preserve_access_index));
struct cgroup {
	struct cgroup_subsys_state self;
	int level;
} __attribute__((preserve_access_index));
struct css_set {
	struct cgroup *dfl_cgrp;
	struct css_set *dom_cset;
} __attribute__((preserve_access_index));
struct task_struct {
	int pid;
	cpumask_t cpus_mask;
	cpumask_t *cpus_ptr;
	cpumask_t *user_cpus_ptr;
	struct css_set *cgroups;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct task_struct *last_wakee;
} __attribute__((preserve_access_index));
struct bpf_map;
#define TRUSTED __attribute__((btf_decl_tag("arg:trusted")))

extern struct bpf_cpumask *bpf_cpumask_create(void) __ksym;
extern struct bpf_cpumask *bpf_cpumask_acquire(struct bpf_cpumask *cpumask) __ksym;
extern void bpf_cpumask_release(struct bpf_cpumask *cpumask) __ksym;
extern void bpf_cpumask_set_cpu(__u32 cpu, struct bpf_cpumask *cpumask) __ksym;
extern bool bpf_cpumask_test_cpu(__u32 cpu, const struct cpumask *cpumask) __ksym;
extern __u32 bpf_cpumask_first(const struct cpumask *cpumask) __ksym;
extern __u32 bpf_cpumask_weight(const struct cpumask *cpumask) __ksym;
extern void bpf_cpumask_copy(struct bpf_cpumask *dst, const struct cpumask *src) __ksym;
extern bool bpf_cpumask_and(struct bpf_cpumask *dst, const struct cpumask *src1,
			    const struct cpumask *src2) __ksym;
extern int bpf_cpumask_populate(struct cpumask *cpumask, void *src, unsigned long src__sz) __ksym;
extern struct cgroup *bpf_cgroup_from_id(__u64 cgid) __ksym;
extern struct cgroup *bpf_cgroup_acquire(struct cgroup *cgrp) __ksym;
extern struct cgroup *bpf_cgroup_ancestor(struct cgroup *cgrp, int level) __ksym;
extern void bpf_cgroup_release(struct cgroup *cgrp) __ksym;
extern long bpf_task_under_cgroup(struct task_struct *task, struct cgroup *ancestor) __ksym;
extern struct cgroup *bpf_task_get_cgroup1(struct task_struct *task, int hierarchy_id) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern struct task_struct *bpf_task_from_vpid(int vpid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

struct elem {
	struct bpf_cpumask KPTR *mask;
	struct cgroup KPTR *cgrp;
	struct task_struct KPTR *task;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} hashed SEC(".maps");

struct bpf_cpumask KPTR *kept SEC(".bss.kept");
struct bpf_cpumask KPTR *pair[2] SEC(".bss.kept");
long result;

#define ELEM(e)                                                                                    \
	int key = 0;                                                                               \
	struct elem *e = bpf_map_lookup_elem(&elems, &key);                                        \
	if (!e)                                                                                    \
	return 0
#define MASK(m)                                                                                    \
	struct bpf_cpumask *m = bpf_cpumask_create();                                              \
	if (!m)                                                                                    \
	return 0
#define TASK_PROG(name)                                                                            \
	static int run_##name(struct task_struct *t);                                              \
	SEC("tp_btf/task_newtask")                                                                 \
	int name(__u64 *ctx) { return run_##name((void *)ctx[0]); }                                \
	static __attribute__((always_inline)) int run_##name(struct task_struct *t)
#define SLEEP_PROG(name)                                                                           \
	static int run_##name(struct task_struct *t);                                              \
	SEC("syscall")                                                                             \
	int name(void *ctx) { return run_##name(bpf_get_current_task_btf()); }                     \
	static __attribute__((always_inline)) int run_##name(struct task_struct *t)
#define C(m) ((const struct cpumask *)(m))

/* Masks of the program's own. */
TASK_PROG(ok_mask)
{
	MASK(m);
	bpf_cpumask_set_cpu(1, m);
	result = bpf_cpumask_first(C(m));
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_kept)
{
	MASK(m);
	bpf_cpumask_set_cpu(1, m);
	return 0;
}

TASK_PROG(no_mask_unchecked)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	bpf_cpumask_set_cpu(1, m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_twice)
{
	MASK(m);
	bpf_cpumask_release(m);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_after_release)
{
	MASK(m);
	bpf_cpumask_release(m);
	bpf_cpumask_set_cpu(1, m);
	return 0;
}

TASK_PROG(ok_mask_acquired)
{
	MASK(m);
	struct bpf_cpumask *n = bpf_cpumask_acquire(m);

	bpf_cpumask_release(m);
	bpf_cpumask_set_cpu(1, n);
	bpf_cpumask_release(n);
	return 0;
}

TASK_PROG(no_mask_acquired_first_used)
{
	MASK(m);
	struct bpf_cpumask *n = bpf_cpumask_acquire(m);

	bpf_cpumask_release(m);
	bpf_cpumask_set_cpu(1, m);
	bpf_cpumask_release(n);
	return 0;
}

TASK_PROG(no_mask_acquired_kept)
{
	MASK(m);
	struct bpf_cpumask *n = bpf_cpumask_acquire(m);

	bpf_cpumask_release(n);
	return 0;
}

TASK_PROG(no_mask_acquired_twice)
{
	MASK(m);
	struct bpf_cpumask *n = bpf_cpumask_acquire(m);

	bpf_cpumask_release(n);
	bpf_cpumask_release(n);
	return 0;
}

TASK_PROG(ok_mask_read)
{
	MASK(m);
	result = m->cpumask.bits[0];
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_write)
{
	MASK(m);
	*(volatile long *)m = 1;
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_read_after)
{
	MASK(m);
	bpf_cpumask_release(m);
	result = *(volatile long *)m;
	return 0;
}

TASK_PROG(no_mask_release_offset)
{
	MASK(m);
	bpf_cpumask_release((void *)m + 8);
	return 0;
}

TASK_PROG(no_mask_offset)
{
	MASK(m);
	result = bpf_cpumask_first((void *)m + 8);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(ok_mask_copy_of_task)
{
	MASK(m);
	bpf_cpumask_copy(m, &t->cpus_mask);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(ok_mask_copy_of_pointer)
{
	MASK(m);
	bpf_cpumask_copy(m, t->cpus_ptr);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_copy_of_user)
{
	MASK(m);
	bpf_cpumask_copy(m, t->user_cpus_ptr);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_copy_to_task)
{
	bpf_cpumask_copy((void *)&t->cpus_mask, t->cpus_ptr);
	return 0;
}

TASK_PROG(no_mask_set_task)
{
	bpf_cpumask_set_cpu(1, (void *)t->cpus_ptr);
	return 0;
}

TASK_PROG(no_mask_acquire_task)
{
	struct bpf_cpumask *m = bpf_cpumask_acquire((void *)t->cpus_ptr);

	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_release_task)
{
	bpf_cpumask_release((void *)t);
	return 0;
}

TASK_PROG(no_mask_of_task_itself)
{
	return bpf_cpumask_first((void *)t);
}

TASK_PROG(no_mask_of_task_middle)
{
	return bpf_cpumask_first((void *)&t->pid);
}

TASK_PROG(no_mask_of_stack)
{
	struct cpumask m = {};

	return bpf_cpumask_first(&m);
}

TASK_PROG(no_mask_null)
{
	return bpf_cpumask_first(NULL);
}

TASK_PROG(ok_mask_populate)
{
	MASK(m);
	long bits[4] = {1};

	bpf_cpumask_populate((void *)m, bits, sizeof(bits));
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_populate_past)
{
	MASK(m);
	long bits[1] = {1};

	bpf_cpumask_populate((void *)m, bits, 16);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(ok_mask_populate_task)
{
	long bits[1] = {1};

	bpf_cpumask_populate((void *)t->cpus_ptr, bits, 8);
	return 0;
}

TASK_PROG(no_mask_populate_random)
{
	MASK(m);
	long bits[1] = {1};

	bpf_cpumask_populate((void *)m, bits, bpf_get_prandom_u32());
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_populate_from_task)
{
	MASK(m);

	bpf_cpumask_populate((void *)m, t, 8);
	bpf_cpumask_release(m);
	return 0;
}

/* Through copies, functions, callbacks. */
static NOINLINE void let_go(struct bpf_cpumask *m)
{
	bpf_cpumask_release(m);
}

TASK_PROG(ok_mask_release_function)
{
	MASK(m);
	let_go(m);
	return 0;
}

TASK_PROG(no_mask_release_function_twice)
{
	MASK(m);
	let_go(m);
	let_go(m);
	return 0;
}

TASK_PROG(no_mask_used_after_function)
{
	MASK(m);
	let_go(m);
	bpf_cpumask_set_cpu(1, m);
	return 0;
}

static NOINLINE struct bpf_cpumask *make(void)
{
	return bpf_cpumask_create();
}

TASK_PROG(ok_mask_made_by_function)
{
	struct bpf_cpumask *m = make();

	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_made_by_function)
{
	return !make();
}

static NOINLINE void let_go_of(struct bpf_cpumask *volatile *m)
{
	if (*m)
		bpf_cpumask_release(*m);
}

TASK_PROG(ok_mask_reread)
{
	struct bpf_cpumask *volatile m = bpf_cpumask_create();

	let_go_of(&m);
	return 0;
}

static NOINLINE void let_go_once(struct bpf_cpumask **p)
{
	struct bpf_cpumask *m = *(struct bpf_cpumask *volatile *)p;

	if (m)
		bpf_cpumask_release(m);
}

TASK_PROG(ok_mask_through_stack)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	let_go_once(&m);
	return 0;
}

TASK_PROG(no_mask_through_stack_again)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	let_go_once(&m);
	let_go_once(&m);
	return 0;
}

static int release_in_loop(__u32 i, struct bpf_cpumask **p)
{
	let_go_once(p);
	return 1;
}

TASK_PROG(no_mask_release_in_loop)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	bpf_loop(1, release_in_loop, &m, 0);
	return 0;
}

TASK_PROG(no_mask_release_in_loop_and_after)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	bpf_loop(1, release_in_loop, &m, 0);
	let_go_once(&m);
	return 0;
}

static int make_in_loop(__u32 i, void *ctx)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(ok_mask_in_loop)
{
	bpf_loop(5, make_in_loop, NULL, 0);
	return 0;
}

static int leak_in_loop(__u32 i, void *ctx)
{
	return bpf_cpumask_create() == NULL;
}

TASK_PROG(no_mask_leak_in_loop)
{
	bpf_loop(5, leak_in_loop, NULL, 0);
	return 0;
}

static int use_in_loop(__u32 i, struct bpf_cpumask **p)
{
	bpf_cpumask_set_cpu(i, *p);
	return 0;
}

TASK_PROG(ok_mask_used_in_loop)
{
	MASK(m);
	bpf_loop(5, use_in_loop, &m, 0);
	bpf_cpumask_release(m);
	return 0;
}

static int replace_in_loop(__u32 i, struct bpf_cpumask **p)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	if (!m)
		return 1;
	bpf_cpumask_release(*p);
	*p = m;
	return 0;
}

TASK_PROG(ok_mask_replaced_in_loop)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	if (!m)
		return 0;
	bpf_loop(5, replace_in_loop, &m, 0);
	bpf_cpumask_release(m);
	return 0;
}

NOINLINE int global_use(struct bpf_cpumask *m TRUSTED)
{
	bpf_cpumask_set_cpu(1, m);
	return 0;
}

TASK_PROG(ok_mask_global)
{
	MASK(m);
	global_use(m);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_global_unchecked)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	global_use(m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(ok_mask_global_rcu)
{
	struct bpf_cpumask *m = kept;

	if (m)
		global_use(m);
	return 0;
}

NOINLINE int global_release(struct bpf_cpumask *m TRUSTED)
{
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_mask_global_release)
{
	MASK(m);
	global_release(m);
	return 0;
}

/* Kept in maps and in globals. */
TASK_PROG(ok_kept)
{
	MASK(m);
	m = bpf_kptr_xchg(&kept, m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_old)
{
	MASK(m);
	bpf_kptr_xchg(&kept, m);
	return 0;
}

TASK_PROG(ok_kept_read)
{
	struct bpf_cpumask *m = kept;

	if (m)
		result = bpf_cpumask_first(C(m));
	return 0;
}

TASK_PROG(no_kept_read_unchecked)
{
	return bpf_cpumask_first(C(kept));
}

TASK_PROG(no_kept_release)
{
	struct bpf_cpumask *m = kept;

	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_acquire)
{
	struct bpf_cpumask *m = kept;

	if (m)
		bpf_cpumask_release(bpf_cpumask_acquire(m));
	return 0;
}

SLEEP_PROG(no_kept_sleepable)
{
	struct bpf_cpumask *m = kept;

	if (m)
		result = bpf_cpumask_first(C(m));
	return 0;
}

SLEEP_PROG(ok_kept_sleepable_rcu)
{
	bpf_rcu_read_lock();
	struct bpf_cpumask *m = kept;

	if (m)
		result = bpf_cpumask_first(C(m));
	bpf_rcu_read_unlock();
	return 0;
}

SLEEP_PROG(no_kept_sleepable_after_rcu)
{
	bpf_rcu_read_lock();
	struct bpf_cpumask *m = kept;

	bpf_rcu_read_unlock();
	if (m)
		result = bpf_cpumask_first(C(m));
	return 0;
}

SLEEP_PROG(no_kept_sleepable_checked_after_rcu)
{
	bpf_rcu_read_lock();
	struct bpf_cpumask *m = kept;

	if (!m) {
		bpf_rcu_read_unlock();
		return 0;
	}
	bpf_rcu_read_unlock();
	result = bpf_cpumask_first(C(m));
	return 0;
}

TASK_PROG(ok_kept_pair)
{
	MASK(m);
	m = bpf_kptr_xchg(&pair[1], m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_between)
{
	MASK(m);
	m = bpf_kptr_xchg((void *)&pair[0] + 4, m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_random)
{
	MASK(m);
	m = bpf_kptr_xchg(&pair[bpf_get_prandom_u32() & 1], m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_task_as_mask)
{
	t = bpf_task_acquire(t);
	if (!t)
		return 0;
	t = bpf_kptr_xchg((void *)&kept, t);
	if (t)
		bpf_task_release(t);
	return 0;
}

TASK_PROG(ok_kept_elem)
{
	MASK(m);
	struct elem *e;
	int key = 0;

	e = bpf_map_lookup_elem(&elems, &key);
	if (!e) {
		bpf_cpumask_release(m);
		return 0;
	}
	m = bpf_kptr_xchg(&e->mask, m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_elem_field)
{
	MASK(m);
	struct elem *e;
	int key = 0;

	e = bpf_map_lookup_elem(&elems, &key);
	if (!e) {
		bpf_cpumask_release(m);
		return 0;
	}
	m = bpf_kptr_xchg((void *)&e->cgrp, m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_elem_leak)
{
	MASK(m);
	struct elem *e;
	int key = 9;

	e = bpf_map_lookup_elem(&elems, &key);
	if (!e)
		return 0;
	m = bpf_kptr_xchg(&e->mask, m);
	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_used_after_put)
{
	MASK(m);
	struct bpf_cpumask *old = bpf_kptr_xchg(&kept, m);

	if (old)
		bpf_cpumask_release(old);
	bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(no_kept_read_after_put)
{
	MASK(m);
	struct bpf_cpumask *old = bpf_kptr_xchg(&kept, m);

	if (old)
		bpf_cpumask_release(old);
	return bpf_cpumask_first(C(m));
}

SLEEP_PROG(no_kept_read_after_put_sleepable)
{
	MASK(m);
	struct bpf_cpumask *old = bpf_kptr_xchg(&kept, m);

	if (old)
		bpf_cpumask_release(old);
	return bpf_cpumask_first(C(m));
}

SLEEP_PROG(no_kept_read_after_put_rcu)
{
	MASK(m);
	bpf_rcu_read_lock();
	struct bpf_cpumask *old = bpf_kptr_xchg(&kept, m);

	result = bpf_cpumask_first(C(m));
	bpf_rcu_read_unlock();
	if (old)
		bpf_cpumask_release(old);
	return 0;
}

SLEEP_PROG(no_kept_read_after_put_after_rcu)
{
	MASK(m);
	bpf_rcu_read_lock();
	struct bpf_cpumask *old = bpf_kptr_xchg(&kept, m);

	bpf_rcu_read_unlock();
	result = bpf_cpumask_first(C(m));
	if (old)
		bpf_cpumask_release(old);
	return 0;
}

static long release_elem(struct bpf_map *map, int *key, struct elem *e, void *ctx)
{
	struct bpf_cpumask *m = bpf_kptr_xchg(&e->mask, NULL);

	if (m)
		bpf_cpumask_release(m);
	return 0;
}

TASK_PROG(ok_kept_all_released)
{
	bpf_for_each_map_elem(&hashed, release_elem, NULL, 0);
	return 0;
}

static long take_elem(struct bpf_map *map, int *key, struct elem *e, void *ctx)
{
	return bpf_kptr_xchg(&e->mask, NULL) != NULL;
}

TASK_PROG(no_kept_all_taken)
{
	bpf_for_each_map_elem(&hashed, take_elem, NULL, 0);
	return 0;
}

/* cgroups */
SEC("tc") int ok_cgroup(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SEC("tc") int no_cgroup_unchecked(void *ctx)
{
	bpf_cgroup_release(bpf_cgroup_from_id(1));
	return 0;
}

SEC("tc") int ok_cgroup_ancestor(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1), *a;

	if (!c)
		return 0;
	a = bpf_cgroup_ancestor(c, 0);
	bpf_cgroup_release(c);
	if (a)
		bpf_cgroup_release(a);
	return 0;
}

SEC("tc") int no_cgroup_ancestor_kept(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1), *a;

	if (!c)
		return 0;
	a = bpf_cgroup_ancestor(c, 0);
	bpf_cgroup_release(c);
	return a != NULL;
}

SEC("tc") int no_cgroup_ancestor_of_released(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1), *a;

	if (!c)
		return 0;
	bpf_cgroup_release(c);
	a = bpf_cgroup_ancestor(c, 0);
	if (a)
		bpf_cgroup_release(a);
	return 0;
}

SEC("tc") int no_cgroup_release_as_task(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1);

	if (c)
		bpf_task_release((void *)c);
	return 0;
}

SEC("tc") int no_cgroup_release_css(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1);

	if (c)
		bpf_cgroup_release(c->self.cgroup);
	return 0;
}

SEC("tc") int no_cgroup_through_css(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1), *d;

	if (!c)
		return 0;
	d = bpf_cgroup_acquire(c->self.cgroup);
	if (d)
		bpf_cgroup_release(d);
	bpf_cgroup_release(c);
	return 0;
}

SEC("tc") int no_cgroup_parent_field(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1), *d;

	if (!c)
		return 0;
	d = bpf_cgroup_acquire((void *)c->self.parent);
	if (d)
		bpf_cgroup_release(d);
	bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(ok_cgroup_of_task)
{
	struct cgroup *c = bpf_cgroup_acquire(t->cgroups->dfl_cgrp);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(no_cgroup_of_dom_set)
{
	struct cgroup *c = bpf_cgroup_acquire(t->cgroups->dom_cset->dfl_cgrp);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(no_cgroup_of_task_sleepable)
{
	struct cgroup *c = bpf_cgroup_acquire(t->cgroups->dfl_cgrp);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(ok_cgroup_of_task_rcu)
{
	bpf_rcu_read_lock();
	struct cgroup *c = bpf_cgroup_acquire(t->cgroups->dfl_cgrp);

	bpf_rcu_read_unlock();
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(no_cgroup_set_before_rcu)
{
	struct css_set *s = t->cgroups;

	bpf_rcu_read_lock();
	struct cgroup *c = bpf_cgroup_acquire(s->dfl_cgrp);

	bpf_rcu_read_unlock();
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(no_cgroup_after_rcu)
{
	bpf_rcu_read_lock();
	struct cgroup *d = t->cgroups->dfl_cgrp;

	bpf_rcu_read_unlock();
	struct cgroup *c = bpf_cgroup_acquire(d);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(no_cgroup_in_second_rcu)
{
	bpf_rcu_read_lock();
	struct cgroup *d = t->cgroups->dfl_cgrp;

	bpf_rcu_read_unlock();
	bpf_rcu_read_lock();
	struct cgroup *c = bpf_cgroup_acquire(d);

	bpf_rcu_read_unlock();
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(ok_cgroup_walk_read_sleepable)
{
	return t->cgroups->dfl_cgrp->level & 1;
}

TASK_PROG(ok_under)
{
	struct cgroup *c = bpf_cgroup_from_id(1);

	if (!c)
		return 0;
	result = bpf_task_under_cgroup(t, c);
	bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(no_under_swapped)
{
	struct cgroup *c = bpf_cgroup_from_id(1);

	if (!c)
		return 0;
	result = bpf_task_under_cgroup((void *)c, (void *)t);
	bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(ok_under_parent)
{
	return bpf_task_under_cgroup(t->real_parent, t->cgroups->dfl_cgrp);
}

TASK_PROG(no_under_wakee)
{
	return bpf_task_under_cgroup(t->last_wakee, t->cgroups->dfl_cgrp);
}

TASK_PROG(ok_cgroup1)
{
	struct cgroup *c = bpf_task_get_cgroup1(t, 1);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(no_cgroup1_kept)
{
	return bpf_task_get_cgroup1(t, 1) != NULL;
}

TASK_PROG(ok_cgroup_kept)
{
	ELEM(e);
	struct cgroup *c = bpf_cgroup_acquire(t->cgroups->dfl_cgrp);

	if (!c)
		return 0;
	c = bpf_kptr_xchg(&e->cgrp, c);
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(no_cgroup_kept_unowned)
{
	ELEM(e);
	struct cgroup *c = t->cgroups->dfl_cgrp;

	c = bpf_kptr_xchg(&e->cgrp, c);
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(ok_cgroup_loaded)
{
	ELEM(e);
	struct cgroup *c = e->cgrp;

	if (!c)
		return 0;
	c = bpf_cgroup_ancestor(c, 1);
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

TASK_PROG(no_cgroup_loaded_unchecked)
{
	ELEM(e);
	struct cgroup *c = bpf_cgroup_ancestor(e->cgrp, 1);

	if (c)
		bpf_cgroup_release(c);
	return 0;
}

SLEEP_PROG(no_cgroup_loaded_sleepable)
{
	ELEM(e);
	struct cgroup *c = e->cgrp;

	if (!c)
		return 0;
	c = bpf_cgroup_ancestor(c, 1);
	if (c)
		bpf_cgroup_release(c);
	return 0;
}

/* Tasks. */
TASK_PROG(ok_leader)
{
	t = bpf_task_acquire(t->group_leader);
	if (t)
		bpf_task_release(t);
	return 0;
}

SLEEP_PROG(no_leader_sleepable)
{
	t = bpf_task_acquire(t->group_leader);
	if (t)
		bpf_task_release(t);
	return 0;
}

SLEEP_PROG(ok_leader_rcu)
{
	bpf_rcu_read_lock();
	t = bpf_task_acquire(t->group_leader);
	bpf_rcu_read_unlock();
	if (t)
		bpf_task_release(t);
	return 0;
}

SLEEP_PROG(ok_leader_of_parent_rcu)
{
	bpf_rcu_read_lock();
	t = bpf_task_acquire(t->real_parent->group_leader);
	bpf_rcu_read_unlock();
	if (t)
		bpf_task_release(t);
	return 0;
}

SLEEP_PROG(ok_current_acquired)
{
	t = bpf_task_acquire(t);
	if (t)
		bpf_task_release(t);
	return 0;
}

SLEEP_PROG(ok_vpid_parent_rcu)
{
	t = bpf_task_from_vpid(1);
	if (!t)
		return 0;
	bpf_rcu_read_lock();
	struct task_struct *p = bpf_task_acquire(t->real_parent);

	bpf_rcu_read_unlock();
	bpf_task_release(t);
	if (p)
		bpf_task_release(p);
	return 0;
}

SLEEP_PROG(no_vpid_parent_released_before)
{
	t = bpf_task_from_vpid(1);
	if (!t)
		return 0;
	bpf_rcu_read_lock();
	bpf_task_release(t);
	struct task_struct *p = bpf_task_acquire(t->real_parent);

	bpf_rcu_read_unlock();
	if (p)
		bpf_task_release(p);
	return 0;
}

SLEEP_PROG(ok_vpid_parent_released_between)
{
	t = bpf_task_from_vpid(1);
	if (!t)
		return 0;
	bpf_rcu_read_lock();
	struct task_struct *q = t->real_parent;

	bpf_task_release(t);
	struct task_struct *p = bpf_task_acquire(q);

	bpf_rcu_read_unlock();
	if (p)
		bpf_task_release(p);
	return 0;
}

TASK_PROG(no_cast_task)
{
	struct task_struct *p = bpf_rdonly_cast(t, bpf_core_type_id_kernel(struct task_struct));

	p = bpf_task_acquire(p);
	if (p)
		bpf_task_release(p);
	return 0;
}

TASK_PROG(no_cast_release)
{
	t = bpf_task_from_pid(1);
	if (!t)
		return 0;
	t = bpf_rdonly_cast(t, bpf_core_type_id_kernel(struct task_struct));
	bpf_task_release(t);
	return 0;
}

TASK_PROG(no_release_masks_order)
{
	MASK(m);
	t = bpf_task_from_pid(1);
	if (t)
		bpf_task_release((void *)m);
	return 0;
}

SEC("xdp") int no_mask_in_xdp(void *ctx)
{
	struct bpf_cpumask *m = bpf_cpumask_create();

	if (m)
		bpf_cpumask_release(m);
	return 0;
}

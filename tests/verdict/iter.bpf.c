/* SPDX-License-Identifier: BSD-2-Clause */
/* Open-coded iterators of each kind. */
#include "common.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));
struct cgroup_subsys_state {
	int id;
} __attribute__((preserve_access_index));
struct vm_area_struct {
	unsigned long vm_start;
} __attribute__((preserve_access_index));
struct cgroup {
	struct cgroup_subsys_state self;
} __attribute__((preserve_access_index));
struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;
struct bpf_iter_task {
	__u64 opaque[3];
} __attribute__((aligned(8)));
struct bpf_iter_css {
	__u64 opaque[3];
} __attribute__((aligned(8)));
struct bpf_iter_css_task {
	__u64 opaque[1];
} __attribute__((aligned(8)));
struct bpf_iter_task_vma {
	__u64 opaque[1];
} __attribute__((aligned(8)));
struct bpf_iter_bits {
	__u64 opaque[2];
} __attribute__((aligned(8)));

extern int bpf_iter_task_new(struct bpf_iter_task *it, struct task_struct *task, unsigned int flags) __ksym;
extern struct task_struct *bpf_iter_task_next(struct bpf_iter_task *it) __ksym;
extern void bpf_iter_task_destroy(struct bpf_iter_task *it) __ksym;
extern int bpf_iter_css_new(struct bpf_iter_css *it, struct cgroup_subsys_state *start, unsigned int flags) __ksym;
extern struct cgroup_subsys_state *bpf_iter_css_next(struct bpf_iter_css *it) __ksym;
extern void bpf_iter_css_destroy(struct bpf_iter_css *it) __ksym;
extern int bpf_iter_css_task_new(struct bpf_iter_css_task *it, struct cgroup_subsys_state *css, unsigned int flags) __ksym;
extern struct task_struct *bpf_iter_css_task_next(struct bpf_iter_css_task *it) __ksym;
extern void bpf_iter_css_task_destroy(struct bpf_iter_css_task *it) __ksym;
extern int bpf_iter_task_vma_new(struct bpf_iter_task_vma *it, struct task_struct *task, __u64 addr) __ksym;
extern struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *it) __ksym;
extern void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *it) __ksym;
extern int bpf_iter_bits_new(struct bpf_iter_bits *it, const __u64 *p, __u32 n) __ksym;
extern int *bpf_iter_bits_next(struct bpf_iter_bits *it) __ksym;
extern void bpf_iter_bits_destroy(struct bpf_iter_bits *it) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern struct cgroup *bpf_cgroup_from_id(__u64 id) __ksym;
extern void bpf_cgroup_release(struct cgroup *c) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;

static long result;

SEC("tp_btf/sys_enter") int ok_task(void *ctx)
{
	struct bpf_iter_task it;
	struct task_struct *t;

	bpf_iter_task_new(&it, NULL, 0);
	while ((t = bpf_iter_task_next(&it)))
		result += t->pid;
	bpf_iter_task_destroy(&it);
	return 0;
}

SEC("syscall") int no_task_outside_rcu(void *ctx)
{
	struct bpf_iter_task it;
	struct task_struct *t;

	bpf_iter_task_new(&it, NULL, 0);
	while ((t = bpf_iter_task_next(&it)))
		result += t->pid;
	bpf_iter_task_destroy(&it);
	return 0;
}

SEC("syscall") int ok_task_in_rcu(void *ctx)
{
	struct bpf_iter_task it;
	struct task_struct *t;

	bpf_rcu_read_lock();
	bpf_iter_task_new(&it, NULL, 0);
	while ((t = bpf_iter_task_next(&it)))
		result += t->pid;
	bpf_iter_task_destroy(&it);
	bpf_rcu_read_unlock();
	return 0;
}

SEC("syscall") int no_task_rcu_left(void *ctx)
{
	struct bpf_iter_task it;

	bpf_rcu_read_lock();
	bpf_iter_task_new(&it, NULL, 0);
	bpf_rcu_read_unlock();
	bpf_iter_task_next(&it);
	bpf_iter_task_destroy(&it);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_task_acquire(void *ctx)
{
	struct bpf_iter_task it;
	struct task_struct *t, *mine;

	bpf_iter_task_new(&it, NULL, 0);
	while ((t = bpf_iter_task_next(&it))) {
		mine = bpf_task_acquire(t);
		if (mine)
			bpf_task_release(mine);
	}
	bpf_iter_task_destroy(&it);
	return 0;
}

SEC("tp_btf/sys_enter") int no_task_not_destroyed(void *ctx)
{
	struct bpf_iter_task it;

	bpf_iter_task_new(&it, NULL, 0);
	return 0;
}

SEC("tp_btf/sys_enter") int no_task_wrong_iter(void *ctx)
{
	struct bpf_iter_task it;

	bpf_iter_task_new(&it, NULL, 0);
	bpf_iter_css_destroy((void *)&it);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_css(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1);
	struct bpf_iter_css it;
	struct cgroup_subsys_state *s;

	if (!c)
		return 0;
	bpf_iter_css_new(&it, &c->self, 1);
	while ((s = bpf_iter_css_next(&it)))
		result += s->id;
	bpf_iter_css_destroy(&it);
	bpf_cgroup_release(c);
	return 0;
}

SEC("tp_btf/sys_enter") int no_css_null(void *ctx)
{
	struct bpf_iter_css it;

	bpf_iter_css_new(&it, NULL, 1);
	bpf_iter_css_destroy(&it);
	return 0;
}

SEC("tp_btf/sys_enter") int no_css_task_here(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1);
	struct bpf_iter_css_task it;

	if (!c)
		return 0;
	bpf_iter_css_task_new(&it, &c->self, 0);
	bpf_iter_css_task_destroy(&it);
	bpf_cgroup_release(c);
	return 0;
}

SEC("syscall") int ok_css_task_sleepable(void *ctx)
{
	struct cgroup *c = bpf_cgroup_from_id(1);
	struct bpf_iter_css_task it;
	struct task_struct *t;

	if (!c)
		return 0;
	bpf_iter_css_task_new(&it, &c->self, 0);
	while ((t = bpf_iter_css_task_next(&it)))
		result += t->pid;
	bpf_iter_css_task_destroy(&it);
	bpf_cgroup_release(c);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_vma(void *ctx)
{
	struct bpf_iter_task_vma it;
	struct vm_area_struct *v;

	bpf_iter_task_vma_new(&it, bpf_get_current_task_btf(), 0);
	while ((v = bpf_iter_task_vma_next(&it)))
		result += v->vm_start;
	bpf_iter_task_vma_destroy(&it);
	return 0;
}

SEC("tp_btf/sys_enter") int ok_bits(void *ctx)
{
	struct bpf_iter_bits it;
	__u64 words[2] = {5, 6};
	int *bit;

	bpf_iter_bits_new(&it, words, 2);
	while ((bit = bpf_iter_bits_next(&it)))
		result += *bit;
	bpf_iter_bits_destroy(&it);
	return 0;
}

SEC("tp_btf/sys_enter") int no_bits_write(void *ctx)
{
	struct bpf_iter_bits it;
	__u64 words[2] = {5, 6};
	int *bit;

	bpf_iter_bits_new(&it, words, 2);
	while ((bit = bpf_iter_bits_next(&it)))
		*bit = 1;
	bpf_iter_bits_destroy(&it);
	return 0;
}

SEC("tc") int no_iter_variable(struct __sk_buff *ctx)
{
	struct bpf_iter_num place[2];

	bpf_iter_num_new((void *)place + (ctx->mark & 8), 0, 3);
	return 0;
}

SEC("tc") int no_iter_variable_next(struct __sk_buff *ctx)
{
	struct bpf_iter_num place[2];

	bpf_iter_num_new(&place[0], 0, 3);
	bpf_iter_num_next((void *)place + (ctx->mark & 8));
	bpf_iter_num_destroy(&place[0]);
	return 0;
}

SEC("tc") NAKED int no_iter_above_the_frame(void)
{
	asm volatile("r1 = r10;"
		     "r2 = 0;"
		     "r3 = 3;"
		     "call %[bpf_iter_num_new];"
		     "r0 = 0;"
		     "exit;" ::[bpf_iter_num_new] "i"(bpf_iter_num_new));
}

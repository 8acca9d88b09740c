// SPDX-License-Identifier: BSD-2-Clause
/* Storage of cgroups, and what programs see of the current task's: both versions. */
#include "common.h"

#define HIERARCHIES 16
#define GETPGID 121
#define CGRP_STORAGE 32

struct cgroup;
struct kernfs_node {
	__u64 id;
} __attribute__((preserve_access_index));

struct cgroup_root {
	int hierarchy_id;
} __attribute__((preserve_access_index));

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} __attribute__((preserve_access_index));

struct cgroup {
	struct cgroup_subsys_state self;
	int level;
	struct kernfs_node *kn;
	struct cgroup_root *root;
} __attribute__((preserve_access_index));

struct css_set {
	struct cgroup *dfl_cgrp;
} __attribute__((preserve_access_index));

struct task_struct___c {
	struct css_set *cgroups;
} __attribute__((preserve_access_index));

extern struct cgroup *bpf_task_get_cgroup1(struct task_struct *task, int hierarchy_id) __ksym;
extern struct cgroup *bpf_cgroup_acquire(struct cgroup *cgrp) __ksym;
extern struct cgroup *bpf_cgroup_ancestor(struct cgroup *cgrp, int level) __ksym;
extern struct cgroup *bpf_cgroup_from_id(__u64 id) __ksym;
extern long bpf_task_under_cgroup(struct task_struct *task, struct cgroup *ancestor) __ksym;
extern void bpf_cgroup_release(struct cgroup *cgrp) __ksym;

const volatile __u32 target_tgid = 0;

struct {
	__uint(type, CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} entries SEC(".maps"), exits SEC(".maps"), firsts SEC(".maps");

struct locked {
	struct bpf_spin_lock lock;
	__u32 a;
	__u64 b;
};

struct {
	__uint(type, CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct locked);
} guarded SEC(".maps");

__u64 entered, left, absent, id_ok, level_ok, root_ok, self_ok, v1, v1_ids, v1_stored, from_id_ok,
	ancestor_ok, under_ok, deleted, deleted_again, init_ok, bad_flags, locks, none;

static struct cgroup *of_task(struct task_struct *t)
{
	struct task_struct___c *c = (void *)t;

	return c->cgroups->dfl_cgrp;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cgroup *c = of_task(task);
	__u64 *n, init = 41;

	if (task->tgid != target_tgid || id != GETPGID)
		return 0;
	if (!bpf_cgrp_storage_get(&entries, c, 0, 0))
		absent++;
	n = bpf_cgrp_storage_get(&entries, c, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (n)
		entered = ++*n;
	n = bpf_cgrp_storage_get(&firsts, c, &init, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (n && ++*n == 42)
		init_ok++;
	if (bpf_cgrp_storage_get(&entries, c, 0, 2))
		bad_flags++;
	if (c->kn->id == bpf_get_current_cgroup_id())
		id_ok++;
	if (bpf_get_current_ancestor_cgroup_id(c->level) == c->kn->id &&
	    !bpf_get_current_ancestor_cgroup_id(c->level + 1))
		level_ok++;
	if (!c->root->hierarchy_id && bpf_get_current_ancestor_cgroup_id(0) == 1)
		root_ok++;
	if (c->self.cgroup == c)
		self_ok++;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_v1, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->tgid != target_tgid || id != GETPGID)
		return 0;
	for (int h = 0; h < HIERARCHIES; h++) {
		struct cgroup *c = bpf_task_get_cgroup1(task, h);
		__u64 *n;

		if (!c)
			continue;
		v1++;
		if (c->root->hierarchy_id == h && c->kn->id)
			v1_ids++;
		n = bpf_cgrp_storage_get(&entries, c, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (n) {
			*n += 1;
			v1_stored += *n;
		}
		bpf_cgroup_release(c);
	}
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(leave, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cgroup *c, *d;
	struct locked *l;
	__u64 *n;

	if (task->tgid != target_tgid || regs->orig_ax != GETPGID)
		return 0;
	c = of_task(task);
	n = bpf_cgrp_storage_get(&exits, c, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (n)
		left = ++*n;
	l = bpf_cgrp_storage_get(&guarded, c, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (l) {
		bpf_spin_lock(&l->lock);
		l->a++;
		l->b += l->a;
		locks = l->b;
		bpf_spin_unlock(&l->lock);
	}
	d = bpf_cgroup_from_id(c->kn->id);
	if (d) {
		if (d->kn->id == c->kn->id)
			from_id_ok++;
		if (bpf_task_under_cgroup(task, d))
			under_ok++;
		bpf_cgroup_release(d);
	}
	d = bpf_cgroup_acquire(c);
	if (d) {
		struct cgroup *a = bpf_cgroup_ancestor(d, 0);

		if (a) {
			if (a->kn->id == bpf_get_current_ancestor_cgroup_id(0) && !a->level)
				ancestor_ok++;
			bpf_cgroup_release(a);
		}
		a = bpf_cgroup_ancestor(d, d->level + 1);
		if (a)
			bpf_cgroup_release(a);
		else
			none++;
		a = bpf_cgroup_ancestor(d, -1);
		if (a)
			bpf_cgroup_release(a);
		else
			none++;
		bpf_cgroup_release(d);
	}
	d = bpf_cgroup_from_id(~0ull);
	if (d)
		bpf_cgroup_release(d);
	else
		none++;
	if (left == 3) {
		deleted = bpf_cgrp_storage_delete(&firsts, c) + 1;
		deleted_again = bpf_cgrp_storage_delete(&firsts, c);
	}
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_task, struct pt_regs *regs, long id)
{
	bpf_cgrp_storage_get(&entries, (void *)bpf_get_current_task_btf(), 0, 1);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_map, struct pt_regs *regs, long id)
{
	bpf_task_storage_get(&entries, bpf_get_current_task_btf(), 0, 1);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_unreleased, struct pt_regs *regs, long id)
{
	struct cgroup *c = bpf_task_get_cgroup1(bpf_get_current_task_btf(), 1);

	return c ? c->level : 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_v1_null, struct pt_regs *regs, long id)
{
	struct cgroup *c = bpf_task_get_cgroup1(bpf_get_current_task_btf(), 1);

	bpf_cgroup_release(c);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_init_short, struct pt_regs *regs, long id)
{
	__u32 init = 0;

	bpf_cgrp_storage_get(&entries, of_task(bpf_get_current_task_btf()), (void *)&init, 1);
	return 0;
}

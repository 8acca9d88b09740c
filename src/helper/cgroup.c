/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cgroups: the current task's, kfuncs.
 */
#include "helper/helper.h"
#include "isa/uapi.h"
#include "kern/cgroup.h"

/* NULL where a walk ended outside of what skep fills. */
static struct skep_cgroup *cgroup_arg(u64 r)
{
	return skep_arena_has(r) ? skep_cgroup_of_view(r) : NULL;
}

static struct skep_cgroup *current_cgroup(void)
{
	struct skep_task *t = skep_task_current();

	return t ? skep_task_cgroup(t) : NULL;
}

static u64 view_or_null(struct skep_cgroup *c)
{
	return c ? (u64)skep_cgroup_view(c) : 0;
}

SKEP_BODY(get_current_cgroup_id)
{
	struct skep_cgroup *c = current_cgroup();

	return c ? c->ino : 0;
}

SKEP_BODY(get_current_ancestor_cgroup_id)
{
	struct skep_cgroup *c = current_cgroup();

	c = c ? skep_cgroup_ancestor(c, (s32)r1) : NULL;
	return c ? c->ino : 0;
}

SKEP_BODY(cgroup_acquire)
{
	struct skep_cgroup *c = cgroup_arg(r1);

	return c && skep_cgroup_get_unless_zero(c) ? r1 : 0;
}

SKEP_BODY(cgroup_release)
{
	skep_cgroup_put(cgroup_arg(r1));
	return 0;
}

SKEP_BODY(cgroup_ancestor)
{
	struct skep_cgroup *c = cgroup_arg(r1);

	c = c ? skep_cgroup_ancestor(c, (s32)r2) : NULL;
	return c && skep_cgroup_get_unless_zero(c) ? (u64)skep_cgroup_view(c) : 0;
}

SKEP_BODY(cgroup_from_id)
{
	return view_or_null(skep_cgroup_by_id(r1));
}

/* Hierarchies of version 1 only. */
SKEP_BODY(task_get_cgroup1)
{
	struct skep_task *t = skep_task_arg(r1);

	return t && (s32)r2 > 0 ? view_or_null(skep_cgroup_of_thread(t->pid, (u32)r2)) : 0;
}

SKEP_BODY(task_under_cgroup)
{
	struct skep_task *t = skep_task_arg(r1);
	struct skep_cgroup *c = t ? skep_task_cgroup(t) : NULL, *above = cgroup_arg(r2);

	if (!c || !above || above->hierarchy)
		return 0;
	return skep_cgroup_ancestor(c, (s32)above->level) == above;
}

const struct skep_body skep_cgroup_bodies[] = {
	{BPF_FUNC_get_current_cgroup_id, get_current_cgroup_id},
	{BPF_FUNC_get_current_ancestor_cgroup_id, get_current_ancestor_cgroup_id},
	{0, NULL},
};

const struct skep_kfunc_impl skep_cgroup_kfunc_impls[] = {
	{"bpf_cgroup_acquire", cgroup_acquire},
	{"bpf_cgroup_release", cgroup_release},
	{"bpf_cgroup_ancestor", cgroup_ancestor},
	{"bpf_cgroup_from_id", cgroup_from_id},
	{"bpf_task_get_cgroup1", task_get_cgroup1},
	{"bpf_task_under_cgroup", task_under_cgroup},
	{NULL, NULL},
};

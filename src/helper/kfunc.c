/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies of kfuncs.
 */
#include <errno.h>

#include "base/rcu.h"
#include "helper/helper.h"
#include "kern/task.h"

SKEP_BODY(kf_rcu_read_lock)
{
	skep_rcu_read_lock();
	return 0;
}

SKEP_BODY(kf_rcu_read_unlock)
{
	skep_rcu_read_unlock();
	return 0;
}

/* A program already has its virtual CPU to itself. */
SKEP_BODY(preempt_nop)
{
	return 0;
}

SKEP_BODY(task_acquire)
{
	struct skep_task *t = skep_task_arg(r1);

	return t && skep_task_get_unless_zero(t) ? r1 : 0;
}

SKEP_BODY(task_release)
{
	struct skep_task *t = skep_task_arg(r1);

	if (t)
		skep_task_put(t);
	return 0;
}

SKEP_BODY(task_from_pid)
{
	struct skep_task *t = skep_task_by_tid((s32)r1);

	return t ? (u64)skep_task_view(t) : 0;
}

/* struct bpf_iter_num is 8 opaque bytes: the number before the next, and the end. */
struct iter_num {
	s32 cur, end;
};

SKEP_BODY(iter_num_new)
{
	struct iter_num *it = (void *)r1;
	s32 start = (s32)r2, end = (s32)r3;

	it->cur = it->end = 0;
	if (start > end)
		return (u64)-EINVAL;
	if ((s64)end - start > (8 << 20))
		return (u64)-E2BIG;
	it->cur = (s32)((u32)start - 1);
	it->end = end;
	return 0;
}

SKEP_BODY(iter_num_next)
{
	struct iter_num *it = (void *)r1;

	/* cur + 1 in 64 bits: start may be INT_MIN, which stands as INT_MAX here. */
	if ((s64)(s32)((u32)it->cur + 1) >= it->end) {
		it->cur = it->end = 0;
		return 0;
	}
	it->cur = (s32)((u32)it->cur + 1);
	return r1; /* the address of cur */
}

SKEP_BODY(iter_num_destroy)
{
	struct iter_num *it = (void *)r1;

	it->cur = it->end = 0;
	return 0;
}

/* Casts change the verifier's mind only. */
SKEP_BODY(same_pointer)
{
	return r1;
}

const struct skep_kfunc_impl skep_kfunc_impls[] = {
	{"bpf_rcu_read_lock", kf_rcu_read_lock},
	{"bpf_rcu_read_unlock", kf_rcu_read_unlock},
	{"bpf_preempt_disable", preempt_nop},
	{"bpf_preempt_enable", preempt_nop},
	{"bpf_task_acquire", task_acquire},
	{"bpf_task_release", task_release},
	{"bpf_task_from_pid", task_from_pid},
	{"bpf_iter_num_new", iter_num_new},
	{"bpf_iter_num_next", iter_num_next},
	{"bpf_iter_num_destroy", iter_num_destroy},
	{"bpf_cast_to_kern_ctx", same_pointer},
	{"bpf_rdonly_cast", same_pointer},
	{NULL, NULL},
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entering and leaving programs.
 *
 * The order matters: the RCU section keeps the program, its maps and their values; the virtual CPU
 * makes per-CPU data ours; the run context on this C stack is what helpers look at. A traced
 * program that is already running on this virtual CPU is a miss, as in the kernel.
 */
#include "run/run.h"

#include <time.h>

#include "base/lock.h"
#include "base/rcu.h"
#include "interp/interp.h"
#include "isa/insn.h"
#include "kern/cgroup.h"
#include "kern/task.h"

SKEP_TLS struct skep_run_ctx *skep_run_current;
u32 skep_stats_enabled;

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static inline u64 run_engine(const struct skep_prog *p, const void *ctx)
{
	return likely(p->entry) ? p->entry(ctx) : skep_interp_run(&p->code, ctx);
}

static __attribute__((noinline)) u64 run_counted(const struct skep_prog *p, const void *ctx)
{
	struct skep_prog *w = (struct skep_prog *)p; /* statistics are not the program */
	u64 t = now_ns(), ret = run_engine(p, ctx);

	__atomic_fetch_add(&w->run_time_ns, now_ns() - t, __ATOMIC_RELAXED);
	__atomic_fetch_add(&w->run_cnt, 1, __ATOMIC_RELAXED);
	return ret;
}

/* In an RCU section, with a virtual CPU. */
static inline u64 run_inside(const struct skep_prog *p, const void *ctx, u64 cookie, u64 func_ip)
{
	struct skep_run_ctx rc = {
		.prev = skep_run_current,
		.prog = p,
		.ctx = ctx,
		.cookie = cookie,
		.func_ip = func_ip,
	};
	u64 ret;

	/* generated code reads the current task without asking */
	if (unlikely(!skep_current_view) && !skep_task_current())
		return 0;
	if (unlikely(SKEP_READ(skep_cgroup_watched)))
		skep_task_cgroup(skep_task_of_view(skep_current_view));
	skep_run_current = &rc;
	barrier();
	ret = likely(!SKEP_READ(skep_stats_enabled)) ? run_engine(p, ctx) : run_counted(p, ctx);
	barrier();
	skep_run_current = rc.prev;
	return ret;
}

u64 skep_prog_run(const struct skep_prog *p, const void *ctx, u64 cookie)
{
	u64 ret;

	skep_rcu_read_lock();
	skep_vcpu_enter();
	ret = run_inside(p, ctx, cookie, 0);
	skep_vcpu_leave();
	skep_rcu_read_unlock();
	return ret;
}

u64 skep_prog_run_traced(struct skep_prog *p, const void *ctx, u64 cookie, u64 func_ip)
{
	u64 ret = 0;
	u8 *active;

	if (unlikely(skep_busy)) {
		__atomic_fetch_add(&p->misses, 1, __ATOMIC_RELAXED);
		return 0;
	}
	skep_rcu_read_lock();
	active = &p->active[skep_vcpu_enter()->id];
	if (likely(!SKEP_READ(*active))) {
		SKEP_WRITE(*active, 1);
		barrier();
		ret = run_inside(p, ctx, cookie, func_ip);
		barrier();
		SKEP_WRITE(*active, 0);
	} else {
		__atomic_fetch_add(&p->misses, 1, __ATOMIC_RELAXED);
	}
	skep_vcpu_leave();
	skep_rcu_read_unlock();
	return ret;
}

u64 skep_call_callback(u64 fn, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5)
{
	const struct skep_vprog *p;
	u32 subprog;

	if (unlikely(skep_interp_func(fn, &p, &subprog)))
		return skep_interp_call(p, subprog, a1, a2, a3, a4, a5);
	return ((u64(*)(u64, u64, u64, u64, u64))(uintptr_t)fn)(a1, a2, a3, a4, a5);
}

/* Stands for a program that has no code of its own. */
static u64 enter_interpreted(const void *ctx)
{
	return skep_interp_run(&skep_run_current->prog->code, ctx);
}

u64 skep_tail_enter(const struct skep_prog *next)
{
	struct skep_run_ctx *rc = skep_run_current;

	if (rc->tail_calls >= SKEP_MAX_TAIL_CALLS)
		return 0;
	rc->tail_calls++;
	rc->prog = next;
	return (u64)(uintptr_t)(next->entry ? next->entry : enter_interpreted);
}

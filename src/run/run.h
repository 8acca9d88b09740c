/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running programs: the enter/exit protocol, statistics, test_run.
 */
#ifndef SKEP_RUN_RUN_H
#define SKEP_RUN_RUN_H

#include "base/uaccess.h"
#include "obj/prog.h"

/*
 * Run @p with @ctx: RCU section, virtual CPU, run context, one engine. No recursion check: the
 * caller is test_run or a hook that did it. Any thread, any context outside skep_busy.
 */
u64 skep_prog_run(const struct skep_prog *p, const void *ctx, u64 cookie);

/*
 * As skep_prog_run, for tracing hooks: when @p is already running on this virtual CPU, or this
 * thread is inside skep (skep_busy), nothing runs, @p->misses grows and 0 is returned.
 */
u64 skep_prog_run_traced(struct skep_prog *p, const void *ctx, u64 cookie, u64 func_ip);

/* BPF_ENABLE_STATS nesting count; run_cnt and run_time_ns grow while it is > 0. */
extern u32 skep_stats_enabled;

/* PROG_TEST_RUN for socket_filter, sched_cls, xdp, raw_tp, syscall. -errno or 0. */
int skep_test_run(const struct skep_caller *c, struct skep_prog *p, union bpf_attr *attr,
		  u64 uattr);

/* Does a network device with this number exist? */
bool skep_is_ifindex(u32 index);

#endif

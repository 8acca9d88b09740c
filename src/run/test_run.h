/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the families of BPF_PROG_TEST_RUN share.
 */
#ifndef SKEP_RUN_TEST_RUN_H
#define SKEP_RUN_TEST_RUN_H

#include "run/run.h"

struct test_run {
	const struct skep_caller *c;
	struct skep_prog *p;
	union bpf_attr *attr;
	u64 uattr; /* the caller's copy of attr: results go there */
};

/* Memory for a program's input: @size bytes that end at a page that cannot be accessed. */
struct test_mem {
	u8 *data;
	void *map;
	u64 map_size;
};
int test_mem_init(struct test_mem *m, u64 headroom, u64 size);
void test_mem_fini(struct test_mem *m);

/* Write one u32 result. 0 or -EFAULT. */
int test_put_u32(const struct test_run *t, u64 attr_off, u32 v);
/*
 * Data, its size, result and duration to the caller; -ENOSPC after a truncated copy, and before any
 * where there is not even room for the last @frags bytes, which an xdp packet has in fragments.
 */
int test_finish(const struct test_run *t, const void *data, u32 size, u32 frags, u32 retval,
		u32 duration);
/* Copy of the caller's context of at most @max bytes; what is longer must be zero. */
int test_ctx_in(const struct test_run *t, void *ctx, u32 max);
int test_ctx_out(const struct test_run *t, const void *ctx, u32 size);
/* Run it attr.repeat times; average ns a run. */
u32 test_repeat(const struct test_run *t, const void *ctx, u32 *ret_duration);

/* test_packet.c */
int test_run_skb(const struct test_run *t);
int test_run_xdp(const struct test_run *t);

#endif

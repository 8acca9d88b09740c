/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF_PROG_TEST_RUN: checks and errnos are the kernel's.
 *
 * Input is placed so that it ends right before memory that cannot be accessed: a program, or a
 * mistake of ours, that goes one byte too far is stopped at once.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/alloc.h"
#include "base/raw.h"
#include "base/vcpu.h"
#include "run/test_run.h"

#define PAGE 4096ull
#define RAW_TP_ARGS_SIZE (12 * 8)
#define SYSCALL_CTX_MAX 65535

int test_mem_init(struct test_mem *m, u64 headroom, u64 size)
{
	u64 body = SKEP_ALIGN_UP(headroom + size, PAGE);
	long at = skep_raw(__NR_mmap, 0, body + PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at < 0 && at >= -SKEP_MAX_ERRNO)
		return -ENOMEM;
	skep_raw(__NR_mprotect, (u64)at + body, PAGE, PROT_NONE);
	m->map = (void *)at;
	m->map_size = body + PAGE;
	m->data = (u8 *)at + body - size;
	return 0;
}

void test_mem_fini(struct test_mem *m)
{
	if (m->map)
		skep_raw(__NR_munmap, m->map, m->map_size);
	m->map = NULL;
}

#define RESULT(field) offsetof(union bpf_attr, test.field)

int test_put_u32(const struct test_run *t, u64 attr_off, u32 v)
{
	return skep_copy_to_user(t->c, t->uattr + attr_off, &v, sizeof(v));
}

int test_finish(const struct test_run *t, const void *data, u32 size, u32 frags, u32 retval,
		u32 duration)
{
	u32 hint = t->attr->test.data_size_out, copy = size;
	int err = 0;

	if (hint && copy > hint) {
		copy = hint;
		err = -ENOSPC;
	}
	if (t->attr->test.data_out && copy < frags)
		return -ENOSPC;
	/* No room is told before no memory. */
	if (t->attr->test.data_out && skep_copy_to_user(t->c, t->attr->test.data_out, data, copy))
		return err ? err : -EFAULT;
	if (test_put_u32(t, RESULT(data_size_out), size) ||
	    test_put_u32(t, RESULT(retval), retval) || test_put_u32(t, RESULT(duration), duration))
		return -EFAULT;
	return err;
}

int test_ctx_in(const struct test_run *t, void *ctx, u32 max)
{
	u32 size = t->attr->test.ctx_size_in;
	u64 from = t->attr->test.ctx_in;
	int r;

	memset(ctx, 0, max);
	if (!from)
		return 0;
	if (size > PAGE)
		return -E2BIG;
	if (size > max) {
		r = skep_user_is_nonzero(t->c, from + max, size - max);
		if (r)
			return r < 0 ? r : -E2BIG;
	}
	return skep_copy_from_user(t->c, ctx, from, SKEP_MIN(size, max));
}

int test_ctx_out(const struct test_run *t, const void *ctx, u32 size)
{
	u32 hint = t->attr->test.ctx_size_out, copy = size;
	int err = 0;

	if (!t->attr->test.ctx_out)
		return 0;
	if (copy > hint) {
		copy = hint;
		err = -ENOSPC;
	}
	if (skep_copy_to_user(t->c, t->attr->test.ctx_out, ctx, copy) ||
	    test_put_u32(t, RESULT(ctx_size_out), size))
		return err ? err : -EFAULT;
	return err;
}

u32 test_repeat(const struct test_run *t, const void *ctx, u32 *ret_duration)
{
	u32 repeat = t->attr->test.repeat ? t->attr->test.repeat : 1, i, ret = 0;
	struct timespec a, b;
	u64 ns;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (i = 0; i < repeat; i++)
		ret = (u32)skep_prog_run(t->p, ctx, 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ns = ((u64)(b.tv_sec - a.tv_sec) * 1000000000ull + (u64)b.tv_nsec - (u64)a.tv_nsec) /
	     repeat;
	*ret_duration = ns > UINT32_MAX ? UINT32_MAX : (u32)ns;
	return ret;
}

static int run_raw_tp(const struct test_run *t)
{
	const union bpf_attr *a = t->attr;
	u32 size = a->test.ctx_size_in, flags = a->test.flags, ret;
	struct test_mem m = {0};
	int err;

	if (a->test.data_in || a->test.data_out || a->test.ctx_out || a->test.duration ||
	    a->test.repeat || a->test.batch_size)
		return -EINVAL;
	if (size < t->p->code.max_ctx_offset || size > RAW_TP_ARGS_SIZE)
		return -EINVAL;
	if (!(flags & BPF_F_TEST_RUN_ON_CPU) && a->test.cpu)
		return -EINVAL;
	if (size) {
		err = test_mem_init(&m, 0, size);
		if (!err)
			err = skep_copy_from_user(t->c, m.data, a->test.ctx_in, size);
		if (err)
			goto out;
	}
	/* a virtual CPU cannot be asked for; one that does not exist is refused */
	err = flags & BPF_F_TEST_RUN_ON_CPU && a->test.cpu >= skep_nr_vcpus ? -ENXIO : 0;
	if (!err) {
		ret = (u32)skep_prog_run(t->p, m.data, 0);
		err = test_put_u32(t, RESULT(retval), ret);
	}
out:
	test_mem_fini(&m);
	return err;
}

static int run_syscall(const struct test_run *t)
{
	const union bpf_attr *a = t->attr;
	u32 size = a->test.ctx_size_in, ret;
	struct test_mem m = {0};
	int err = 0;

	if (a->test.data_in || a->test.data_out || a->test.ctx_out || a->test.duration ||
	    a->test.repeat || a->test.flags || a->test.batch_size)
		return -EINVAL;
	if (size < t->p->code.max_ctx_offset || size > SYSCALL_CTX_MAX)
		return -EINVAL;
	if (size) {
		err = test_mem_init(&m, 0, size);
		if (!err)
			err = skep_copy_from_user(t->c, m.data, a->test.ctx_in, size);
	}
	if (!err) {
		ret = (u32)skep_prog_run(t->p, m.data, 0);
		if (test_put_u32(t, RESULT(retval), ret) ||
		    (size && skep_copy_to_user(t->c, a->test.ctx_in, m.data, size)))
			err = -EFAULT;
	}
	test_mem_fini(&m);
	return err;
}

int skep_test_run(const struct skep_caller *c, struct skep_prog *p, union bpf_attr *attr, u64 uattr)
{
	struct test_run t = {c, p, attr, uattr};

	if (!attr->test.ctx_size_in != !attr->test.ctx_in ||
	    !attr->test.ctx_size_out != !attr->test.ctx_out)
		return -EINVAL;
	switch (p->type) {
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
		return test_run_skb(&t);
	case BPF_PROG_TYPE_XDP:
		return test_run_xdp(&t);
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
		return run_raw_tp(&t);
	case BPF_PROG_TYPE_SYSCALL:
		return run_syscall(&t);
	case BPF_PROG_TYPE_TRACING:
		if (attr->test.flags || attr->test.cpu || attr->test.batch_size)
			return -EINVAL;
		/* The kernel has functions to trace for such runs, but for fentry and its kin only.
		 */
		return p->attach_type == BPF_TRACE_FENTRY || p->attach_type == BPF_TRACE_FEXIT ||
				       p->attach_type == BPF_MODIFY_RETURN
			       ? -SKEP_ENOTSUPP
			       : -EFAULT;
	default:
		return -SKEP_ENOTSUPP;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What typed programs may be attached to, and what they may return. */
#include "common.h"

SEC("fentry/bpf_fentry_test1") int ok_fentry(__u64 *ctx)
{
	return 0;
}

SEC("fentry/bpf_fentry_test1") MSG("At program exit the register R0 has smin=1 smax=1 should have been in [0, 0]")
int no_fentry_returns_one(__u64 *ctx)
{
	return 1;
}

SEC("fentry/bpf_fentry_test1") MSG("invalid bpf_context access off=8 size=8")
int no_fentry_second_argument(__u64 *ctx)
{
	return *(volatile __u64 *)&ctx[1];
}

SEC("fexit/bpf_fentry_test1") int ok_fexit_result(__u64 *ctx)
{
	return ctx[1] & 0;
}

SEC("fentry.s/bpf_fentry_test1") int ok_fentry_sleepable(__u64 *ctx)
{
	long x;

	bpf_copy_from_user(&x, sizeof(x), NULL);
	return 0;
}

SEC("fentry/bpf_fentry_test1") MSG("helper call might sleep in a non-sleepable prog")
int no_fentry_sleeps(__u64 *ctx)
{
	long x;

	bpf_copy_from_user(&x, sizeof(x), NULL);
	return 0;
}

SEC("fentry.s/vfs_open") MSG("skep: it is not known whether vfs_open may sleep")
int no_fentry_sleepable_anywhere(__u64 *ctx)
{
	return 0;
}

SEC("fmod_ret/bpf_modify_return_test") int ok_fmod_ret(__u64 *ctx)
{
	return 1;
}

SEC("fmod_ret/vfs_open") MSG("skep: it is not known whether vfs_open() may be modified")
int no_fmod_ret_anywhere(__u64 *ctx)
{
	return 0;
}

SEC("lsm/file_open") int ok_lsm(__u64 *ctx)
{
	return -1;
}

SEC("lsm/file_open") MSG("At program exit the register R0 has smin=1 smax=1 should have been in [-4095, 0]")
int no_lsm_returns_one(__u64 *ctx)
{
	return 1;
}

SEC("lsm/getprocattr") MSG("skep: hook getprocattr may be closed to programs")
int no_lsm_closed(__u64 *ctx)
{
	return 0;
}

SEC("iter/task") int ok_iter(__u64 *ctx)
{
	return ctx[1] != 0;
}

SEC("iter/task") int no_iter_returns_two(__u64 *ctx)
{
	return 2;
}

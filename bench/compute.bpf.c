// SPDX-License-Identifier: BSD-2-Clause
/*
 * The computations of compute.h as BPF programs, one program each.
 */
#include "trigger.bpf.h"
#include "compute.h"

const volatile __u32 rounds = 1;

struct compute data;
__u64 result;

#define PROGRAM(name)                                                                              \
	static long round_##name(__u32 i, void *unused)                                            \
	{                                                                                          \
		result = do_##name(&data);                                                         \
		return 0;                                                                          \
	}                                                                                          \
	SEC("?tp_btf/sys_enter")                                                                   \
	int BPF_PROG(name, struct pt_regs *regs, long id)                                          \
	{                                                                                          \
		if (triggered(bpf_get_current_task_btf(), id))                                     \
			__sync_add_and_fetch(&hits, bpf_loop(rounds, round_##name, NULL, 0));      \
		return 0;                                                                          \
	}

COMPUTE_LIST(PROGRAM)

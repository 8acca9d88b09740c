/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The iterator over numbers (bpf_for, bpf_repeat) as straight code.
 *
 * struct bpf_iter_num is the number before the next one and the end, 32 bits each; 0 and 0 when it
 * is done or could not be made. It lies on the stack, so once the three functions are code, the
 * frame's address goes nowhere and a loop over it is a loop. They do what the bodies in helper/ do;
 * R1-R5 are theirs to use, as a call's.
 */
#include <errno.h>
#include <string.h>

#include "rewrite/code.h"

enum { CUR = 0, END = 4 };

/* R1 iterator, R2 first number, R3 the one behind the last, both ints. */
static void put_new(struct rw *rw)
{
	u32 bad, big, out;

	bad = rw_put_jump(rw, SKEP_INSN(BPF_JMP32 | BPF_JSGT | BPF_X, 2, 3, 0, 0), 0);
	rw_put(rw, SKEP_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 4, 3, 32, 0));
	rw_put(rw, SKEP_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 5, 2, 32, 0));
	rw_put(rw, SKEP_ALU64_REG(BPF_SUB, 4, 5));
	big = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JGT, 4, SKEP_MAX_LOOPS, 0), 0);
	rw_put(rw, SKEP_ALU32_IMM(BPF_ADD, 2, -1));
	rw_put(rw, SKEP_STX(BPF_W, 1, 2, CUR));
	rw_put(rw, SKEP_STX(BPF_W, 1, 3, END));
	rw_put(rw, SKEP_MOV64_IMM(0, 0));
	out = rw_put_jump(rw, SKEP_JA(0), 0);
	rw_land(rw, bad);
	rw_put(rw, SKEP_MOV64_IMM(0, -EINVAL));
	rw_put(rw, SKEP_ST(BPF_DW, 1, 0, 0));
	bad = rw_put_jump(rw, SKEP_JA(0), 0);
	rw_land(rw, big);
	rw_put(rw, SKEP_MOV64_IMM(0, -E2BIG));
	rw_put(rw, SKEP_ST(BPF_DW, 1, 0, 0));
	rw_land(rw, bad);
	rw_land(rw, out);
}

/* R1 iterator; R0 = the address of the number, or 0. */
static void put_next(struct rw *rw, u32 i)
{
	struct null_test test = rw_null_test(rw, i);
	u32 done, out;

	rw_put(rw, SKEP_LDX(BPF_W, 2, 1, CUR));
	rw_put(rw, SKEP_LDX(BPF_W, 3, 1, END));
	rw_put(rw, SKEP_ALU32_IMM(BPF_ADD, 2, 1));
	done = rw_put_jump(rw, SKEP_INSN(BPF_JMP32 | BPF_JSGE | BPF_X, 2, 3, 0, 0), 0);
	rw_put(rw, SKEP_STX(BPF_W, 1, 2, CUR));
	rw_put(rw, SKEP_MOV64_REG(0, 1));
	if (test.at != RW_NO_TARGET && !rw->is_target[i + 1]) {
		rw->drop = test.at + 1;
		rw_put_moves(rw, i, &test);
		rw_put_jump(rw, SKEP_JA(0), test.found);
		rw_land(rw, done);
		rw_put(rw, SKEP_ST(BPF_DW, 1, 0, 0));
		rw_put(rw, SKEP_MOV64_IMM(0, 0));
		rw_put_moves(rw, i, &test);
		rw_put_jump(rw, SKEP_JA(0), test.null);
		return;
	}
	out = rw_put_jump(rw, SKEP_JA(0), 0);
	rw_land(rw, done);
	rw_put(rw, SKEP_ST(BPF_DW, 1, 0, 0));
	rw_put(rw, SKEP_MOV64_IMM(0, 0));
	rw_land(rw, out);
}

bool rw_inline_kfunc(struct rw *rw, u32 i, const char *name)
{
	if (strncmp(name, "bpf_iter_num_", 13))
		return false;
	rw_synth(rw);
	if (!strcmp(name + 13, "new"))
		put_new(rw);
	else if (!strcmp(name + 13, "next"))
		put_next(rw, i);
	else if (!strcmp(name + 13, "destroy"))
		rw_put(rw, SKEP_ST(BPF_DW, 1, 0, 0));
	else
		return false;
	return true;
}

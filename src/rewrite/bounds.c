/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons that the greatest value of a register decides.
 *
 * The verifier made the program mask an index; the inlined look-up compares it with the number of
 * elements. Inside a basic block the greatest value that a register can have is followed through
 * masks, shifts and narrow loads, and what it decides is hard-wired.
 */
#include "base/alloc.h"
#include "rewrite/code.h"

#define ANY UINT64_MAX

/* The greatest result of @in, whose operands are at most @d and @s. */
static u64 alu_max(const struct bpf_insn *in, u64 d, u64 s)
{
	bool w = BPF_CLASS(in->code) == BPF_ALU64, k = BPF_SRC(in->code) == BPF_K;
	u64 all = w ? ANY : UINT32_MAX, imm = w ? (u64)(s64)in->imm : (u32)in->imm, r;

	if (!w && d > UINT32_MAX)
		d = UINT32_MAX;
	if (!w && s > UINT32_MAX)
		s = UINT32_MAX;
	switch (BPF_OP(in->code)) {
	case BPF_MOV:
		return k ? imm : in->off ? all : s;
	case BPF_AND:
		return SKEP_MIN(d, k ? imm : s);
	case BPF_RSH:
		return k ? d >> (imm & (w ? 63 : 31)) : d;
	case BPF_LSH:
		imm &= w ? 63 : 31;
		r = d << imm;
		return k && r >> imm == d && r <= all ? r : all;
	case BPF_ADD:
		return k && imm <= INT32_MAX && d + imm >= d && d + imm <= all ? d + imm : all;
	case BPF_MOD:
		return k && imm && !in->off ? SKEP_MIN(d, imm - 1) : all;
	case BPF_DIV:
		return k && imm && !in->off ? d / imm : all;
	default:
		return all;
	}
}

static void learn(u64 max[SKEP_NR_REGS], const struct bpf_insn *in)
{
	static const u64 narrow[] = {[BPF_W >> 3] = UINT32_MAX,
				     [BPF_H >> 3] = 0xffff,
				     [BPF_B >> 3] = 0xff,
				     [BPF_DW >> 3] = ANY};
	u32 writes = skep_insn_writes(in);
	u64 value = ANY;

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		value = alu_max(in, max[in->dst_reg],
				BPF_SRC(in->code) == BPF_X ? max[in->src_reg] : ANY);
		break;
	case BPF_LDX:
		if (BPF_MODE(in->code) == BPF_MEM)
			value = narrow[BPF_SIZE(in->code) >> 3];
		break;
	}
	for (u32 left = writes; left; left &= left - 1)
		max[__builtin_ctz(left)] = ANY;
	if (writes >> in->dst_reg & 1)
		max[in->dst_reg] = value;
}

/* 1: the jump at @in is always taken, 0: never, -1: who knows. */
static int decide(const struct bpf_insn *in, u64 max)
{
	u64 imm = BPF_CLASS(in->code) == BPF_JMP ? (u64)(s64)in->imm : (u32)in->imm;

	if ((BPF_CLASS(in->code) != BPF_JMP && BPF_CLASS(in->code) != BPF_JMP32) ||
	    BPF_SRC(in->code) != BPF_K || !skep_insn_is_jump(in) ||
	    (BPF_CLASS(in->code) == BPF_JMP32 && max > UINT32_MAX))
		return -1;
	switch (BPF_OP(in->code)) {
	case BPF_JGE:
	case BPF_JEQ:
		return max < imm ? 0 : -1;
	case BPF_JGT:
		return max <= imm ? 0 : -1;
	case BPF_JLT:
	case BPF_JNE:
		return max < imm ? 1 : -1;
	case BPF_JLE:
		return max <= imm ? 1 : -1;
	default:
		return -1;
	}
}

/* What not jumping at @in says. */
static u64 after(const struct bpf_insn *in, u64 max)
{
	if (BPF_CLASS(in->code) != BPF_JMP || BPF_SRC(in->code) != BPF_K || in->imm < 0)
		return max;
	if (BPF_OP(in->code) == BPF_JGE && in->imm > 0)
		return SKEP_MIN(max, (u64)in->imm - 1);
	return BPF_OP(in->code) == BPF_JGT ? SKEP_MIN(max, (u64)in->imm) : max;
}

void rw_bounds(struct rw *rw)
{
	u8 *is_target = rw->err ? NULL : rw_find_targets(rw);
	u64 max[SKEP_NR_REGS];
	u32 i, n;

	if (!is_target)
		return;
	rw_begin_pass(rw);
	for (i = 0; i < rw->in.len && !rw->err; i += n) {
		const struct bpf_insn *in = &rw->in.insns[i];
		int known;

		n = rw_slots(in);
		if (!i || is_target[i])
			for (u32 r = 0; r < SKEP_NR_REGS; r++)
				max[r] = ANY;
		rw_begin(rw, i);
		known = decide(in, max[in->dst_reg]);
		if (known == 1)
			rw_put_jump(rw, SKEP_JA(0), rw->in.target[i]);
		else if (known < 0)
			rw_copy(rw, i);
		learn(max, in);
		if (skep_insn_is_jump(in) && !skep_insn_is_may_goto(in))
			max[in->dst_reg] = after(in, max[in->dst_reg]);
	}
	rw_end_pass(rw);
	skep_free(is_target);
}

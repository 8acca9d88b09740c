/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What instructions read, write and where they go.
 */
#include "isa/insn.h"

#include "base/alloc.h"
#include "isa/facts.h"

u8 skep_insn_size_code(u32 bytes)
{
	switch (bytes) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	default:
		return BPF_DW;
	}
}

static bool is_jmp_class(const struct bpf_insn *in)
{
	return BPF_CLASS(in->code) == BPF_JMP || BPF_CLASS(in->code) == BPF_JMP32;
}

bool skep_insn_is_jump(const struct bpf_insn *in)
{
	return is_jmp_class(in) && BPF_OP(in->code) != BPF_CALL && BPF_OP(in->code) != BPF_EXIT;
}

bool skep_insn_ends_block(const struct bpf_insn *in)
{
	return is_jmp_class(in) && (BPF_OP(in->code) == BPF_JA || in->code == (BPF_JMP | BPF_EXIT));
}

bool skep_insn_set_target(struct bpf_insn *in, u32 at, u32 target)
{
	s64 d = (s64)target - (s64)at - 1;

	if (skep_insn_is_gotol(in)) {
		in->imm = (s32)d;
		return true;
	}
	if (d < INT16_MIN || d > INT16_MAX) {
		if (in->code != (BPF_JMP | BPF_JA))
			return false;
		in->code = BPF_JMP32 | BPF_JA;
		in->off = 0;
		in->imm = (s32)d;
		return true;
	}
	in->off = (s16)d;
	return true;
}

#define REG(r) (1u << (r))
#define ARGS (REG(1) | REG(2) | REG(3) | REG(4) | REG(5))

u32 skep_insn_reads(const struct bpf_insn *in)
{
	bool x = BPF_SRC(in->code) == BPF_X;

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		if (BPF_OP(in->code) == BPF_END || BPF_OP(in->code) == BPF_NEG)
			return REG(in->dst_reg);
		if (BPF_OP(in->code) == BPF_MOV)
			return x ? REG(in->src_reg) : 0;
		return REG(in->dst_reg) | (x ? REG(in->src_reg) : 0);
	case BPF_JMP:
	case BPF_JMP32:
		switch (BPF_OP(in->code)) {
		case BPF_JA:
		case SKEP_BPF_JCOND:
			return 0;
		case BPF_CALL:
			return ARGS;
		case BPF_EXIT:
			return REG(0);
		}
		return REG(in->dst_reg) | (x ? REG(in->src_reg) : 0);
	case BPF_LDX:
		return REG(in->src_reg);
	case BPF_ST:
		return REG(in->dst_reg);
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC) {
			if (in->imm == SKEP_BPF_LOAD_ACQ)
				return REG(in->src_reg);
			if (in->imm == BPF_CMPXCHG)
				return REG(in->dst_reg) | REG(in->src_reg) | REG(0);
		}
		return REG(in->dst_reg) | REG(in->src_reg);
	default: /* BPF_LD */
		if (BPF_MODE(in->code) == BPF_ABS)
			return REG(6);
		if (BPF_MODE(in->code) == BPF_IND)
			return REG(6) | REG(in->src_reg);
		return 0;
	}
}

u32 skep_insn_writes(const struct bpf_insn *in)
{
	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
	case BPF_LDX:
		return REG(in->dst_reg);
	case BPF_JMP:
		return BPF_OP(in->code) == BPF_CALL ? REG(0) | ARGS : 0;
	case BPF_STX:
		if (BPF_MODE(in->code) != BPF_ATOMIC)
			return 0;
		if (in->imm == SKEP_BPF_LOAD_ACQ)
			return REG(in->dst_reg);
		if (in->imm == BPF_CMPXCHG)
			return REG(0);
		return in->imm != SKEP_BPF_STORE_REL && (in->imm & BPF_FETCH) ? REG(in->src_reg)
									      : 0;
	case BPF_LD:
		if (BPF_MODE(in->code) == BPF_ABS || BPF_MODE(in->code) == BPF_IND)
			return REG(0) | ARGS;
		return REG(in->dst_reg);
	default:
		return 0;
	}
}

void skep_vprog_fini(struct skep_vprog *p)
{
	skep_free(p->insns);
	skep_free(p->facts);
	skep_free(p->calls);
	skep_free(p->subprogs);
	skep_free(p->maps);
	skep_free(p->kfuncs);
	skep_free(p->ksyms);
	skep_free(p->targets);
	*p = (struct skep_vprog){0};
}

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

/* --- what opcodes do, as constants --- */

#define CLASS(c) ((c)&7)
#define OP(c) ((c)&0xf0)
#define IS_ALU(c) (CLASS(c) == BPF_ALU || CLASS(c) == BPF_ALU64)
#define IS_JMP(c) (CLASS(c) == BPF_JMP || CLASS(c) == BPF_JMP32)
#define IS_X(c) ((c)&BPF_X)
/* both operands, or one and an immediate */
#define TWO(c) (OP(c) != BPF_END && OP(c) != BPF_NEG && IS_X(c))
#define IS_SPECIAL(c)                                                                              \
	((IS_JMP(c) && (OP(c) == BPF_CALL || OP(c) == BPF_EXIT)) ||                                \
	 (CLASS(c) == BPF_STX && ((c)&0xe0) == BPF_ATOMIC) ||                                      \
	 (CLASS(c) == BPF_LD && ((c)&0xe0) != BPF_IMM))
#define IS_COND(c) (IS_JMP(c) && OP(c) != BPF_JA && OP(c) != SKEP_BPF_JCOND)
#define READS_DST(c)                                                                               \
	((IS_ALU(c) && OP(c) != BPF_MOV) || IS_COND(c) || CLASS(c) == BPF_ST || CLASS(c) == BPF_STX)
#define READS_SRC(c)                                                                               \
	((IS_ALU(c) && TWO(c)) || (IS_COND(c) && IS_X(c)) || CLASS(c) == BPF_LDX ||                \
	 CLASS(c) == BPF_STX)
#define WRITES_DST(c) (IS_ALU(c) || CLASS(c) == BPF_LDX || CLASS(c) == BPF_LD)
#define IS_JUMP(c) (IS_JMP(c) && OP(c) != BPF_CALL && OP(c) != BPF_EXIT)
#define ENDS(c) ((IS_JMP(c) && OP(c) == BPF_JA) || (c) == (BPF_JMP | BPF_EXIT))

#define BITS(c)                                                                                    \
	((READS_DST(c) ? SKEP_OP_READS_DST : 0) | (READS_SRC(c) ? SKEP_OP_READS_SRC : 0) |         \
	 (WRITES_DST(c) ? SKEP_OP_WRITES_DST : 0) | (IS_JUMP(c) ? SKEP_OP_JUMP : 0) |              \
	 (ENDS(c) ? SKEP_OP_ENDS : 0) | (IS_SPECIAL(c) ? SKEP_OP_SPECIAL : 0))
#define BITS4(c) BITS(c), BITS((c) + 1), BITS((c) + 2), BITS((c) + 3)
#define BITS16(c) BITS4(c), BITS4((c) + 4), BITS4((c) + 8), BITS4((c) + 12)
#define BITS64(c) BITS16(c), BITS16((c) + 16), BITS16((c) + 32), BITS16((c) + 48)

const u8 skep_op_bits[256] = {BITS64(0), BITS64(64), BITS64(128), BITS64(192)};

#define REG(r) (1u << (r))
#define ARGS (REG(1) | REG(2) | REG(3) | REG(4) | REG(5))

u32 skep_insn_reads_special(const struct bpf_insn *in)
{
	switch (BPF_CLASS(in->code)) {
	case BPF_JMP:
	case BPF_JMP32:
		return BPF_OP(in->code) == BPF_CALL ? ARGS : REG(0);
	case BPF_STX:
		if (in->imm == SKEP_BPF_LOAD_ACQ)
			return REG(in->src_reg);
		if (in->imm == BPF_CMPXCHG)
			return REG(in->dst_reg) | REG(in->src_reg) | REG(0);
		return REG(in->dst_reg) | REG(in->src_reg);
	default: /* BPF_LD */
		if (BPF_MODE(in->code) == BPF_ABS)
			return REG(6);
		if (BPF_MODE(in->code) == BPF_IND)
			return REG(6) | REG(in->src_reg);
		return 0;
	}
}

u32 skep_insn_writes_special(const struct bpf_insn *in)
{
	switch (BPF_CLASS(in->code)) {
	case BPF_JMP:
		return BPF_OP(in->code) == BPF_CALL ? REG(0) | ARGS : 0;
	case BPF_STX:
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

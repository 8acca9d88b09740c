/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions: building them, taking them apart, and asking what they do.
 *
 * Beyond the architecture's R0–R10 two registers exist in rewritten code only: SKEP_REG_AX, lost
 * at every call and at every instruction that rewrite did not emit, and SKEP_REG_LOOP, kept across
 * calls (each function that uses it saves the caller's).
 */
#ifndef SKEP_ISA_INSN_H
#define SKEP_ISA_INSN_H

#include "isa/uapi.h"

#define SKEP_REG_AX 11
#define SKEP_REG_LOOP 12
#define SKEP_NR_REGS 13

/* Iterations that one may_goto counter and one bpf_loop allow. */
#define SKEP_MAX_LOOPS (1u << 23)
#define SKEP_MAX_TAIL_CALLS 33
#define SKEP_MAX_FRAMES 8

#define SKEP_INSN(c, d, s, o, i)                                                                   \
	((struct bpf_insn){                                                                        \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (s16)(o), .imm = (s32)(i)})

#define SKEP_MOV64_REG(d, s) SKEP_INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SKEP_MOV64_IMM(d, i) SKEP_INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define SKEP_MOV32_REG(d, s) SKEP_INSN(BPF_ALU | BPF_MOV | BPF_X, d, s, 0, 0)
#define SKEP_MOV32_IMM(d, i) SKEP_INSN(BPF_ALU | BPF_MOV | BPF_K, d, 0, 0, i)
#define SKEP_ALU64_REG(op, d, s) SKEP_INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define SKEP_ALU64_IMM(op, d, i) SKEP_INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define SKEP_ALU32_REG(op, d, s) SKEP_INSN(BPF_ALU | (op) | BPF_X, d, s, 0, 0)
#define SKEP_ALU32_IMM(op, d, i) SKEP_INSN(BPF_ALU | (op) | BPF_K, d, 0, 0, i)
#define SKEP_LDX(sz, d, s, o) SKEP_INSN(BPF_LDX | BPF_MEM | (sz), d, s, o, 0)
#define SKEP_STX(sz, d, s, o) SKEP_INSN(BPF_STX | BPF_MEM | (sz), d, s, o, 0)
#define SKEP_ST(sz, d, o, i) SKEP_INSN(BPF_ST | BPF_MEM | (sz), d, 0, o, i)
#define SKEP_JMP_IMM(op, d, i, o) SKEP_INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define SKEP_JMP_REG(op, d, s, o) SKEP_INSN(BPF_JMP | (op) | BPF_X, d, s, o, 0)
#define SKEP_JA(o) SKEP_INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define SKEP_CALL(s, i) SKEP_INSN(BPF_JMP | BPF_CALL, 0, s, 0, i)
#define SKEP_EXIT SKEP_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* Source register of a call. */
enum {
	SKEP_CALL_HELPER = 0,
	SKEP_CALL_SUBPROG = 1,
	SKEP_CALL_KFUNC = 2,
};

static inline bool skep_insn_is_ldimm64(const struct bpf_insn *in)
{
	return in->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static inline u64 skep_insn_imm64(const struct bpf_insn *in)
{
	return (u32)in[0].imm | (u64)(u32)in[1].imm << 32;
}

static inline void skep_insn_set_imm64(struct bpf_insn *in, u64 v)
{
	in[0].imm = (s32)v;
	in[1].imm = (s32)(v >> 32);
}

static inline bool skep_insn_is_call(const struct bpf_insn *in, u32 src)
{
	return in->code == (BPF_JMP | BPF_CALL) && in->src_reg == src;
}

static inline bool skep_insn_is_exit(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_EXIT);
}

static inline bool skep_insn_is_gotol(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP32 | BPF_JA);
}

static inline bool skep_insn_is_may_goto(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | SKEP_BPF_JCOND);
}

/* Bytes of a load or store's size field. */
static inline u32 skep_insn_bytes(const struct bpf_insn *in)
{
	switch (BPF_SIZE(in->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* The size field for 1, 2, 4 or 8 bytes. */
u8 skep_insn_size_code(u32 bytes);

/* What an opcode does by itself. */
enum {
	SKEP_OP_READS_DST = 1 << 0,
	SKEP_OP_READS_SRC = 1 << 1,
	SKEP_OP_WRITES_DST = 1 << 2,
	SKEP_OP_JUMP = 1 << 3,
	SKEP_OP_ENDS = 1 << 4,
	SKEP_OP_SPECIAL = 1 << 5, /* registers that the opcode alone does not tell */
};
extern const u8 skep_op_bits[256];

/* Goes to another place of the same function: conditional jumps, goto, gotol, may_goto. */
static inline bool skep_insn_is_jump(const struct bpf_insn *in)
{
	return skep_op_bits[in->code] & SKEP_OP_JUMP;
}
/* Never falls through: goto, gotol, exit. */
static inline bool skep_insn_ends_block(const struct bpf_insn *in)
{
	return skep_op_bits[in->code] & SKEP_OP_ENDS;
}
/* Instruction index a jump at @at goes to. */
static inline s64 skep_insn_target(const struct bpf_insn *in, u32 at)
{
	return (s64)at + 1 + (skep_insn_is_gotol(in) ? in->imm : in->off);
}
/* Point the jump at @at to @target; false when its offset field is too short. */
bool skep_insn_set_target(struct bpf_insn *in, u32 at, u32 target);

/* The rest of the two below, for opcodes marked special. */
u32 skep_insn_reads_special(const struct bpf_insn *in);
u32 skep_insn_writes_special(const struct bpf_insn *in);

/*
 * Registers read and written, as masks. A call reads R1–R5 and R10 nothing, writes R0–R5; exit
 * reads R0. Both halves of ldimm64 are asked through the first.
 */
static inline u32 skep_insn_reads(const struct bpf_insn *in)
{
	u32 bits = skep_op_bits[in->code];

	if (unlikely(bits & SKEP_OP_SPECIAL))
		return skep_insn_reads_special(in);
	return (bits & 1) << in->dst_reg | (bits >> 1 & 1) << in->src_reg;
}
static inline u32 skep_insn_writes(const struct bpf_insn *in)
{
	u32 bits = skep_op_bits[in->code];

	if (unlikely(bits & SKEP_OP_SPECIAL))
		return skep_insn_writes_special(in);
	return (bits >> 2 & 1) << in->dst_reg;
}

#endif

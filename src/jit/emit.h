/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64 encodings, and the state of one compilation.
 *
 * Registers: R0 rax, R1–R5 rdi rsi rdx rcx r8 (the SysV argument registers, so calls move nothing),
 * R6–R9 rbx r13 r14 r15, R10 rbp, AX r10, LOOP r12. r9 and r11 are the JIT's own.
 *
 * Code is emitted again and again until no jump has to grow; emitting never fails: what does not
 * fit in the buffer is counted, not written.
 */
#ifndef SKEP_JIT_EMIT_H
#define SKEP_JIT_EMIT_H

#include <string.h>

#include "isa/facts.h"
#include "isa/insn.h"

enum x86_reg {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
};

enum x86_cc {
	CC_O = 0,
	CC_B = 2,
	CC_AE = 3,
	CC_E = 4,
	CC_NE = 5,
	CC_BE = 6,
	CC_A = 7,
	CC_S = 8,
	CC_NS = 9,
	CC_L = 12,
	CC_GE = 13,
	CC_LE = 14,
	CC_G = 15,
};

#define T1 R11
#define T2 R9

/* Code that is rarely run, placed behind its function. */
struct jit_cold {
	u32 from; /* offset of the rel32 field that goes to it */
	u32 back; /* offset it returns to */
	u8 dst;	  /* register that becomes 0 */
};

struct jit_frame {
	u8 saved[6]; /* x86 registers, in pushing order */
	u32 nr_saved;
	bool has_rbp;
	u32 size;     /* bytes below rbp */
	s32 may_goto; /* offset of the counter from rbp, 0: none */
	u32 calls;    /* some instruction calls out */
};

struct jit {
	const struct skep_vprog *p;
	u8 *buf; /* written at most cap bytes */
	u32 cap, n;
	u64 base; /* address that buf[0] will run at */

	u32 *off;      /* offset of each instruction, len + 1 */
	u8 *is_long;   /* jump at this instruction needs rel32 */
	u8 *is_target; /* 1: jumped to; 2: by a backward jump (loop head) */
	u32 *sub_off;  /* entry of each subprogram */
	bool grown;    /* something moved in this pass */
	bool guessing; /* offsets are not to be trusted yet: keep jumps short */
	bool bmi2;
	u64 arena; /* upper bits of addresses inside the arena */

	u32 sub; /* subprogram being emitted */
	struct jit_frame frame;
	struct jit_cold *cold;
	u32 nr_cold, cap_cold;
	bool oom;
};

static const u8 jit_reg[16] = {
	RAX, RDI, RSI, RDX, RCX, R8, RBX, R13, R14, R15, RBP, R10, R12,
};

static inline void emit_bytes(struct jit *j, const void *src, u32 n)
{
	if (j->n + n <= j->cap)
		memcpy(j->buf + j->n, src, n);
	j->n += n;
}
static inline void emit1(struct jit *j, u8 b)
{
	if (j->n < j->cap)
		j->buf[j->n] = b;
	j->n++;
}
static inline void emit4(struct jit *j, u32 v)
{
	emit_bytes(j, &v, 4);
}
static inline void emit8(struct jit *j, u64 v)
{
	emit_bytes(j, &v, 8);
}
static inline void patch4(struct jit *j, u32 at, u32 v)
{
	if (at + 4 <= j->cap)
		memcpy(j->buf + at, &v, 4);
}

static inline bool is_s8(s64 v)
{
	return v == (s8)v;
}
static inline bool is_s32(s64 v)
{
	return v == (s32)v;
}

/* REX when it is needed. @force: byte registers sil, dil, bpl, spl. */
static inline void emit_rex(struct jit *j, bool w, u8 reg, u8 index, u8 rm, bool force)
{
	u8 rex = (u8)(w << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | (rm >> 3));

	if (rex || force)
		emit1(j, 0x40 | rex);
}

/* op reg, rm with both registers; @op may be 0x0fxx. */
static inline void emit_opcode(struct jit *j, u32 op)
{
	if (op > 0xff)
		emit1(j, (u8)(op >> 8));
	emit1(j, (u8)op);
}
static inline void emit_rr(struct jit *j, bool w, u32 op, u8 reg, u8 rm)
{
	emit_rex(j, w, reg, 0, rm, false);
	emit_opcode(j, op);
	emit1(j, (u8)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}
/* As emit_rr with a byte register in @rm. */
static inline void emit_rr8(struct jit *j, bool w, u32 op, u8 reg, u8 rm)
{
	emit_rex(j, w, reg, 0, rm, rm >= RSP);
	emit_opcode(j, op);
	emit1(j, (u8)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}
/* ModRM, SIB and displacement for reg, [base + disp]. */
static inline void emit_mem(struct jit *j, u8 reg, u8 base, s32 disp)
{
	u8 mod = !disp && (base & 7) != RBP ? 0 : is_s8(disp) ? 1 : 2;

	emit1(j, (u8)(mod << 6 | (reg & 7) << 3 | (base & 7)));
	if ((base & 7) == RSP)
		emit1(j, 0x24);
	if (mod == 1)
		emit1(j, (u8)disp);
	else if (mod == 2)
		emit4(j, (u32)disp);
}
static inline void emit_rm(struct jit *j, bool w, u32 op, u8 reg, u8 base, s32 disp)
{
	emit_rex(j, w, reg, 0, base, false);
	emit_opcode(j, op);
	emit_mem(j, reg, base, disp);
}

static inline void emit_mov_rr(struct jit *j, bool w, u8 dst, u8 src)
{
	emit_rr(j, w, 0x8b, dst, src);
}

/* add 0, or 1, and 4, sub 5, xor 6, cmp 7 with an immediate. */
static inline void emit_alu_ri(struct jit *j, bool w, u8 ext, u8 reg, s32 imm)
{
	if (is_s8(imm)) {
		emit_rr(j, w, 0x83, ext, reg);
		emit1(j, (u8)imm);
	} else if (reg == RAX) {
		emit_rex(j, w, 0, 0, 0, false);
		emit1(j, (u8)(ext << 3 | 5));
		emit4(j, (u32)imm);
	} else {
		emit_rr(j, w, 0x81, ext, reg);
		emit4(j, (u32)imm);
	}
}

/* shl 4, shr 5, sar 7, rol 0 by a constant. */
static inline void emit_shift_ri(struct jit *j, bool w, u8 ext, u8 reg, u8 n)
{
	if (n == 1) {
		emit_rr(j, w, 0xd1, ext, reg);
	} else {
		emit_rr(j, w, 0xc1, ext, reg);
		emit1(j, n);
	}
}

/* Shortest form; flags are lost. */
static inline void emit_mov_ri(struct jit *j, u8 reg, u64 v)
{
	if (!v) {
		emit_rr(j, false, 0x31, reg, reg);
	} else if (v <= UINT32_MAX) {
		emit_rex(j, false, 0, 0, reg, false);
		emit1(j, (u8)(0xb8 | (reg & 7)));
		emit4(j, (u32)v);
	} else if (is_s32((s64)v)) {
		emit_rr(j, true, 0xc7, 0, reg);
		emit4(j, (u32)v);
	} else {
		emit_rex(j, true, 0, 0, reg, false);
		emit1(j, (u8)(0xb8 | (reg & 7)));
		emit8(j, v);
	}
}

/* Shortest form for an address: as emit_mov_ri, or relative to rip. */
static inline void emit_mov_addr(struct jit *j, u8 reg, u64 v)
{
	s64 d = (s64)(v - (j->base + j->n + 7));

	if (v > UINT32_MAX && !is_s32((s64)v) && is_s32(d)) {
		emit_rex(j, true, reg, 0, 0, false);
		emit1(j, 0x8d);
		emit1(j, (u8)((reg & 7) << 3 | 5));
		emit4(j, (u32)d);
	} else {
		emit_mov_ri(j, reg, v);
	}
}

static inline void emit_push(struct jit *j, u8 reg)
{
	emit_rex(j, false, 0, 0, reg, false);
	emit1(j, (u8)(0x50 | (reg & 7)));
}
static inline void emit_pop(struct jit *j, u8 reg)
{
	emit_rex(j, false, 0, 0, reg, false);
	emit1(j, (u8)(0x58 | (reg & 7)));
}

/* A short forward jump inside one instruction's code; land_short() sets where it goes. */
static inline u32 emit_jcc_short(struct jit *j, u8 cc)
{
	emit1(j, (u8)(0x70 | cc));
	emit1(j, 0);
	return j->n;
}
static inline u32 emit_jmp_short(struct jit *j)
{
	emit1(j, 0xeb);
	emit1(j, 0);
	return j->n;
}
static inline void land_short(struct jit *j, u32 from)
{
	if (from <= j->cap)
		j->buf[from - 1] = (u8)(j->n - from);
}

/* Direct when @fn is within reach, else through T1. */
static inline void emit_call(struct jit *j, const void *fn)
{
	s64 d = (s64)((u64)(uintptr_t)fn - (j->base + j->n + 5));

	if (is_s32(d)) {
		emit1(j, 0xe8);
		emit4(j, (u32)d);
	} else {
		emit_mov_ri(j, T1, (u64)(uintptr_t)fn);
		emit_rr(j, false, 0xff, 2, T1);
	}
}

/* alu.c: arithmetic of instruction @pc. -EINVAL for an unknown one. */
int jit_alu(struct jit *j, u32 pc);
/* mem.c: loads, stores, atomics. */
int jit_load(struct jit *j, u32 pc);
int jit_store(struct jit *j, u32 pc);
int jit_atomic(struct jit *j, u32 pc);
/* fuse.c: instructions from @pc on that are fewer of the processor's; how many, 0: none. */
u32 jit_fuse(struct jit *j, u32 pc, u32 end);
/* compile.c: jump (@cc < 0) or conditional jump of instruction @pc to instruction @target. */
void jit_jump(struct jit *j, u32 pc, s32 cc, u32 target);
/* compile.c: condition of a BPF jump; -1: it has none. */
s32 jit_cc(u8 op);
/* compile.c: set the flags for conditional jump @in; the condition to jump on, -1: no such jump. */
s32 jit_compare(struct jit *j, const struct bpf_insn *in);
/* compile.c: code behind the function that zeroes @dst and comes back to @back. */
void jit_cold_zero(struct jit *j, u8 dst, u32 from, u32 back);

#endif

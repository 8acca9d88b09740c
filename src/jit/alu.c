/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic. Division by a constant multiplies (T. Granlund, P. Montgomery, "Division by
 * Invariant Integers using Multiplication", 1994; A. D. Robison, "N-Bit Unsigned Division via
 * N-Bit Multiply-Add", 2005).
 */
#include <errno.h>

#include "jit/emit.h"

static void emit_vex(struct jit *j, u8 opmap, u8 pp, bool w, u8 op, u8 reg, u8 vvvv, u8 rm)
{
	emit1(j, 0xc4);
	emit1(j, (u8)((reg < 8) << 7 | 1 << 6 | (rm < 8) << 5 | opmap));
	emit1(j, (u8)(w << 7 | (~vvvv & 15) << 3 | pp));
	emit1(j, op);
	emit1(j, (u8)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}

static void shift_reg(struct jit *j, bool w, u8 op, u8 dst, u8 src)
{
	u8 ext = op == BPF_LSH ? 4 : op == BPF_RSH ? 5 : 7;
	u8 work = dst;

	if (j->bmi2) {
		/* shlx 66, shrx F2, sarx F3 */
		u8 pp = op == BPF_LSH ? 1 : op == BPF_RSH ? 3 : 2;

		emit_vex(j, 2, pp, w, 0xf7, dst, src, dst);
		return;
	}
	if (src == RCX && dst != RCX) {
		emit_rr(j, w, 0xd3, ext, dst);
		return;
	}
	/* T1 holds what rcx held: the value itself, or somebody else's. */
	emit_mov_rr(j, true, T1, RCX);
	if (src != RCX)
		emit_mov_rr(j, true, RCX, src);
	if (dst == RCX)
		work = T1;
	emit_rr(j, w, 0xd3, ext, work);
	emit_mov_rr(j, true, RCX, T1);
}

/* dst = rdx:rax-style division of dst by T1, which is neither 0 nor, when signed, -1. */
static void divide(struct jit *j, bool w, bool mod, bool sign, u8 dst)
{
	u8 from = mod ? RDX : RAX;
	u8 save = dst == RAX ? RDX : RAX; /* goes to T2 */
	bool both = dst != RAX && dst != RDX;

	emit_mov_rr(j, true, T2, save);
	if (both)
		emit_push(j, RDX);
	if (dst != RAX)
		emit_mov_rr(j, w, RAX, dst);
	if (sign) {
		emit_rex(j, w, 0, 0, 0, false);
		emit1(j, 0x99);
		emit_rr(j, w, 0xf7, 7, T1);
	} else {
		emit_rr(j, false, 0x31, RDX, RDX);
		emit_rr(j, w, 0xf7, 6, T1);
	}
	if (dst != from)
		emit_mov_rr(j, w, dst, from);
	if (both)
		emit_pop(j, RDX);
	emit_mov_rr(j, true, save, T2);
}

static void div_reg(struct jit *j, bool w, bool mod, bool sign, u8 dst, u8 src)
{
	u32 ok, end_zero, do_it, end_minus = 0;

	emit_mov_rr(j, w, T1, src);
	emit_rr(j, w, 0x85, T1, T1);
	ok = emit_jcc_short(j, CC_NE);
	if (!mod)
		emit_rr(j, false, 0x31, dst, dst);
	else if (!w)
		emit_mov_rr(j, false, dst, dst);
	end_zero = emit_jmp_short(j);
	land_short(j, ok);
	if (sign) {
		emit_alu_ri(j, w, 7, T1, -1);
		do_it = emit_jcc_short(j, CC_NE);
		if (mod)
			emit_rr(j, false, 0x31, dst, dst);
		else
			emit_rr(j, w, 0xf7, 3, dst);
		end_minus = emit_jmp_short(j);
		land_short(j, do_it);
	}
	divide(j, w, mod, sign, dst);
	land_short(j, end_zero);
	if (sign)
		land_short(j, end_minus);
}

struct magic {
	u64 m;
	u8 shift; /* after the high half is taken */
	bool add; /* the multiplier has one more bit: average in the dividend */
};

/* @d >= 3, no power of two; @bits 32 or 64. */
static struct magic magic_of(u64 d, u32 bits)
{
	typedef unsigned __int128 u128;
	u32 l = 64 - (u32)__builtin_clzll(d - 1), s;
	u128 n = (u128)1 << bits;

	for (s = 0; s < l; s++) {
		/* floor(2^(bits+s) / d) + 1, exact enough when its excess is at most 2^s */
		u128 pow = n << s, m;

		if (s + bits > 127)
			break;
		m = pow / d + 1;
		if (m >= n)
			break;
		if (m * d - pow <= (u128)1 << s)
			return (struct magic){(u64)m, (u8)s, false};
	}
	/* 2^l - d < 2^63, so the product fits 128 bits */
	return (struct magic){(u64)((((u128)1 << l) - d) * n / d + 1), (u8)(l - 1), true};
}

static void udiv32_imm(struct jit *j, bool mod, u8 dst, u32 d)
{
	struct magic g = magic_of(d, 32);
	u8 shift = g.shift;

	emit_mov_rr(j, false, T2, dst);
	if (g.add) {
		/*
		 * The multiplier rounded up has 33 bits. Rounded down it has 32, and is exact for
		 * the dividend plus one, which a 64-bit register holds.
		 */
		shift = (u8)(31 - __builtin_clz(d));
		g.m = (1ull << (32 + shift)) / d;
		emit_alu_ri(j, true, 0, T2, 1);
	}
	emit_mov_ri(j, T1, g.m);
	emit_rr(j, true, 0x0faf, T1, T2);
	emit_shift_ri(j, true, 5, T1, (u8)(32 + shift));
	if (mod) {
		emit_rr(j, false, 0x69, T1, T1);
		emit4(j, d);
		emit_rr(j, false, 0x2b, dst, T1);
	} else {
		emit_mov_rr(j, false, dst, T1);
	}
}

static void udiv64_imm(struct jit *j, bool mod, u8 dst, u64 d)
{
	struct magic g = magic_of(d, 64);

	emit_mov_rr(j, true, T2, RDX); /* rdx as it was, or the dividend when that is rdx */
	if (dst != RDX)
		emit_mov_rr(j, true, RDX, dst);
	emit_mov_ri(j, T1, g.m);
	emit_vex(j, 2, 3, true, 0xf6, T1, T1, T1); /* mulx: T1 = high half of rdx * T1 */
	if (g.add) {
		emit_rr(j, true, 0x2b, RDX, T1);
		emit_shift_ri(j, true, 5, RDX, 1);
		emit_rr(j, true, 0x03, T1, RDX);
	}
	if (g.shift)
		emit_shift_ri(j, true, 5, T1, g.shift);
	emit_mov_rr(j, true, RDX, T2);
	if (mod) {
		emit_rr(j, true, 0x69, T1, T1);
		emit4(j, (u32)d);
		emit_rr(j, true, 0x2b, dst, T1);
	} else {
		emit_mov_rr(j, true, dst, T1);
	}
}

static void div_imm(struct jit *j, bool w, bool mod, bool sign, u8 dst, s32 imm)
{
	u64 d = w ? (u64)(s64)imm : (u32)imm;

	if (!d) {
		if (!mod)
			emit_rr(j, false, 0x31, dst, dst);
		else if (!w)
			emit_mov_rr(j, false, dst, dst);
		return;
	}
	if (sign && imm == -1) {
		if (mod)
			emit_rr(j, false, 0x31, dst, dst);
		else
			emit_rr(j, w, 0xf7, 3, dst);
		return;
	}
	if (!sign && !(d & (d - 1))) {
		u32 s = (u32)__builtin_ctzll(d);

		if (mod) {
			if (d - 1 <= INT32_MAX) { /* clears the upper half as well */
				emit_alu_ri(j, false, 4, dst, (s32)(d - 1));
			} else {
				emit_mov_ri(j, T1, d - 1);
				emit_rr(j, w, 0x23, dst, T1);
			}
		} else if (s) {
			emit_shift_ri(j, w, 5, dst, (u8)s);
		} else if (!w) {
			emit_mov_rr(j, false, dst, dst);
		}
		return;
	}
	if (!sign && !w) {
		udiv32_imm(j, mod, dst, (u32)imm);
		return;
	}
	if (!sign && j->bmi2) {
		udiv64_imm(j, mod, dst, d);
		return;
	}
	emit_mov_ri(j, T1, d);
	divide(j, w, mod, sign, dst);
}

static void swap(struct jit *j, u8 dst, u32 bits)
{
	if (bits == 16) {
		emit1(j, 0x66);
		emit_shift_ri(j, false, 0, dst, 8);
		emit_rr(j, false, 0x0fb7, dst, dst);
	} else {
		emit_rex(j, bits == 64, 0, 0, dst, false);
		emit1(j, 0x0f);
		emit1(j, (u8)(0xc8 | (dst & 7)));
	}
}

static int end(struct jit *j, const struct bpf_insn *in, u8 dst)
{
	if (in->imm != 16 && in->imm != 32 && in->imm != 64)
		return -EINVAL;
	if (BPF_CLASS(in->code) == BPF_ALU64 || BPF_SRC(in->code) == BPF_TO_BE)
		swap(j, dst, (u32)in->imm);
	else if (in->imm == 16)
		emit_rr(j, false, 0x0fb7, dst, dst);
	else if (in->imm == 32)
		emit_mov_rr(j, false, dst, dst);
	return 0;
}

static int mov(struct jit *j, const struct bpf_insn *in, bool w)
{
	u8 dst = jit_reg[in->dst_reg], src = jit_reg[in->src_reg];

	if (BPF_SRC(in->code) == BPF_K) {
		emit_mov_ri(j, dst, w ? (u64)(s64)in->imm : (u32)in->imm);
		return 0;
	}
	switch (in->off) {
	case 0:
		if (!w || dst != src)
			emit_mov_rr(j, w, dst, src);
		return 0;
	case 8:
		emit_rr8(j, w, 0x0fbe, dst, src);
		return 0;
	case 16:
		emit_rr(j, w, 0x0fbf, dst, src);
		return 0;
	case 32:
		if (!w)
			return -EINVAL;
		emit_rr(j, true, 0x63, dst, src);
		return 0;
	default:
		return -EINVAL;
	}
}

static void mul_imm(struct jit *j, bool w, u8 dst, s32 imm)
{
	if (imm > 0 && !(imm & (imm - 1))) {
		if (imm > 1)
			emit_shift_ri(j, w, 4, dst, (u8)__builtin_ctz((u32)imm));
		else if (!w)
			emit_mov_rr(j, false, dst, dst);
		return;
	}
	if (is_s8(imm)) {
		emit_rr(j, w, 0x6b, dst, dst);
		emit1(j, (u8)imm);
	} else {
		emit_rr(j, w, 0x69, dst, dst);
		emit4(j, (u32)imm);
	}
}

static void and_imm(struct jit *j, bool w, u8 dst, s32 imm)
{
	if (imm == 0xff) {
		emit_rr8(j, false, 0x0fb6, dst, dst);
	} else if (imm == 0xffff) {
		emit_rr(j, false, 0x0fb7, dst, dst);
	} else if (imm == -1) {
		if (!w)
			emit_mov_rr(j, false, dst, dst);
	} else {
		/* a non-negative mask clears the upper half anyway */
		emit_alu_ri(j, w && imm < 0, 4, dst, imm);
	}
}

static int alu_imm(struct jit *j, const struct bpf_insn *in, bool w)
{
	u8 dst = jit_reg[in->dst_reg];
	s32 imm = in->imm;

	switch (BPF_OP(in->code)) {
	case BPF_ADD:
	case BPF_SUB:
		if (BPF_OP(in->code) == BPF_SUB && imm != INT32_MIN) {
			emit_alu_ri(j, w, imm == 128 ? 0 : 5, dst, imm == 128 ? -128 : imm);
		} else if (BPF_OP(in->code) == BPF_SUB) {
			emit_alu_ri(j, w, 5, dst, imm);
		} else if (imm == 128) { /* -128 fits a byte */
			emit_alu_ri(j, w, 5, dst, -128);
		} else if (imm || !w) {
			emit_alu_ri(j, w, 0, dst, imm);
		}
		return 0;
	case BPF_MUL:
		mul_imm(j, w, dst, imm);
		return 0;
	case BPF_OR:
		emit_alu_ri(j, w, 1, dst, imm);
		return 0;
	case BPF_AND:
		and_imm(j, w, dst, imm);
		return 0;
	case BPF_XOR:
		if (imm == -1)
			emit_rr(j, w, 0xf7, 2, dst);
		else
			emit_alu_ri(j, w, 6, dst, imm);
		return 0;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH: {
		u8 n = (u8)imm & (w ? 63 : 31);

		if (n)
			emit_shift_ri(j, w,
				      BPF_OP(in->code) == BPF_LSH   ? 4
				      : BPF_OP(in->code) == BPF_RSH ? 5
								    : 7,
				      dst, n);
		else if (!w)
			emit_mov_rr(j, false, dst, dst);
		return 0;
	}
	default:
		return -EINVAL;
	}
}

int jit_alu(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u8 dst = jit_reg[in->dst_reg], src = jit_reg[in->src_reg], op = BPF_OP(in->code);
	bool w = BPF_CLASS(in->code) == BPF_ALU64;

	switch (op) {
	case BPF_MOV:
		return mov(j, in, w);
	case BPF_END:
		return end(j, in, dst);
	case BPF_NEG:
		emit_rr(j, w, 0xf7, 3, dst);
		return 0;
	case BPF_DIV:
	case BPF_MOD:
		if (BPF_SRC(in->code) == BPF_X)
			div_reg(j, w, op == BPF_MOD, in->off, dst, src);
		else
			div_imm(j, w, op == BPF_MOD, in->off, dst, in->imm);
		return 0;
	}
	if (BPF_SRC(in->code) == BPF_K)
		return alu_imm(j, in, w);
	switch (op) {
	case BPF_ADD:
		emit_rr(j, w, 0x03, dst, src);
		return 0;
	case BPF_SUB:
		emit_rr(j, w, 0x2b, dst, src);
		return 0;
	case BPF_MUL:
		emit_rr(j, w, 0x0faf, dst, src);
		return 0;
	case BPF_OR:
		emit_rr(j, w, 0x0b, dst, src);
		return 0;
	case BPF_AND:
		emit_rr(j, w, 0x23, dst, src);
		return 0;
	case BPF_XOR:
		emit_rr(j, w, 0x33, dst, src);
		return 0;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		shift_reg(j, w, op, dst, src);
		return 0;
	default:
		return -EINVAL;
	}
}

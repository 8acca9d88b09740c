/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants from frozen read-only maps, carried to the instructions that use them.
 *
 * `const volatile` configuration lies in a map that is frozen before the load and that no program
 * can write: its bytes never change again. A load from there becomes a constant, and a constant
 * operand becomes an immediate, which the JIT turns into shorter code (a division into a
 * multiplication). Knowledge is kept inside a basic block; jumps forget nothing, targets
 * everything.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "rewrite/code.h"
#include "spec/host.h"

enum { UNKNOWN, CONSTANT, MAP_VALUE };

struct known {
	u8 kind;
	u32 map;
	u64 v; /* the constant, or the offset in the map's value */
};

struct fold {
	struct rw *rw;
	struct known reg[SKEP_NR_REGS];
	u32 narrow; /* bit r: the upper half of register r is zero */
};

static bool fits_s32(u64 v)
{
	return (s64)v == (s32)v;
}

static bool is_constant_map(const struct skep_map_facts *m)
{
	return m->type == BPF_MAP_TYPE_ARRAY && m->frozen && (m->flags & BPF_F_RDONLY_PROG);
}

/* The value that the load at @in reads, when it can never change. */
static bool constant_load(struct fold *f, const struct bpf_insn *in, u64 *ret)
{
	const struct skep_rewrite_host *h = f->rw->host;
	const struct known *k = &f->reg[in->src_reg];
	u32 bytes = skep_insn_bytes(in);
	struct skep_map_facts *m;
	const void *at;
	u64 off, v = 0;

	if (k->kind != MAP_VALUE || BPF_MODE(in->code) != BPF_MEM || !h->map_value_addr)
		return false;
	m = f->rw->p->maps[k->map];
	off = k->v + (u64)(s64)in->off;
	if (!is_constant_map(m) || off > m->value_size || m->value_size - off < bytes)
		return false;
	at = h->map_value_addr(h->priv, m, (u32)off);
	if (!at)
		return false;
	memcpy(&v, at, bytes);
	*ret = v;
	return true;
}

static void put_constant(struct rw *rw, u8 dst, u64 v)
{
	rw_synth(rw);
	if (v <= UINT32_MAX)
		rw_put(rw, SKEP_MOV32_IMM(dst, v));
	else if (fits_s32(v))
		rw_put(rw, SKEP_MOV64_IMM(dst, v));
	else
		rw_put_imm64(rw, dst, SKEP_PSEUDO_IMM, v);
}

/* @in with its source register, the constant @v, as an immediate. False: it does not fit. */
static bool immediate_form(struct bpf_insn *in, u64 v)
{
	u8 class = BPF_CLASS(in->code), op = BPF_OP(in->code);
	bool narrow = class == BPF_ALU || class == BPF_JMP32;

	if (class == BPF_LD || class == BPF_LDX || class == BPF_ST)
		return false;
	if (class == BPF_STX) {
		if (BPF_MODE(in->code) != BPF_MEM || (!fits_s32(v) && skep_insn_bytes(in) == 8))
			return false;
		in->code = BPF_ST | BPF_MEM | BPF_SIZE(in->code);
	} else {
		if (BPF_SRC(in->code) != BPF_X || op == BPF_END || op == BPF_NEG)
			return false;
		if (class == BPF_ALU || class == BPF_ALU64) {
			if (op == BPF_MOV && in->off)
				return false;
			if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH)
				v &= narrow ? 31 : 63;
			if ((op == BPF_DIV || op == BPF_MOD) && !(narrow ? (u32)v : v))
				return false;
		} else if (op == BPF_JA || op == BPF_CALL || op == BPF_EXIT ||
			   op == SKEP_BPF_JCOND) {
			return false;
		}
		if (!narrow && !fits_s32(v))
			return false;
		in->code &= (u8)~BPF_X;
	}
	in->src_reg = 0;
	in->imm = (s32)v;
	return true;
}

static bool compare(u8 op, u64 a, u64 b, s64 sa, s64 sb)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JSET:
		return a & b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	default:
		return sa <= sb;
	}
}

/* The conditional jump at @i, when what it compares is known: it goes, or always goes. */
static bool fold_jump(struct fold *f, u32 i)
{
	struct rw *rw = f->rw;
	const struct bpf_insn *in = &rw->in.insns[i];
	const struct known *a = &f->reg[in->dst_reg], *b = &f->reg[in->src_reg];
	bool w = BPF_CLASS(in->code) == BPF_JMP;
	u64 x = a->v, y = (u64)(s64)in->imm;

	if ((!w && BPF_CLASS(in->code) != BPF_JMP32) || !skep_insn_is_jump(in) ||
	    BPF_OP(in->code) == BPF_JA || skep_insn_is_may_goto(in) || a->kind != CONSTANT)
		return false;
	if (BPF_SRC(in->code) == BPF_X) {
		if (b->kind != CONSTANT)
			return false;
		y = b->v;
	}
	if (w ? compare(BPF_OP(in->code), x, y, (s64)x, (s64)y)
	      : compare(BPF_OP(in->code), (u32)x, (u32)y, (s32)x, (s32)y)) {
		rw_synth(rw);
		rw_put_jump(rw, SKEP_JA(0), rw->in.target[i]);
	}
	return true;
}

/* Does @in leave the upper half of its destination zero? */
static bool clears_upper(const struct fold *f, const struct bpf_insn *in)
{
	bool src = f->narrow >> in->src_reg & 1, dst = f->narrow >> in->dst_reg & 1;

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
		return BPF_OP(in->code) != BPF_END || in->imm < 64;
	case BPF_ALU64:
		if (BPF_SRC(in->code) == BPF_X)
			return BPF_OP(in->code) == BPF_MOV && !in->off && src;
		if (BPF_OP(in->code) == BPF_RSH)
			return dst || in->imm >= 32;
		return (BPF_OP(in->code) == BPF_MOV && in->imm >= 0) ||
		       (BPF_OP(in->code) == BPF_AND && (dst || in->imm >= 0));
	case BPF_LDX:
		return BPF_MODE(in->code) == BPF_MEM && BPF_SIZE(in->code) != BPF_DW;
	default:
		return false;
	}
}

/* A 64-bit division of a 32-bit value by a positive constant needs only 32 bits. */
static void narrow_division(const struct fold *f, struct bpf_insn *in)
{
	u8 op = BPF_OP(in->code);

	if (BPF_CLASS(in->code) == BPF_ALU64 && BPF_SRC(in->code) == BPF_K &&
	    (op == BPF_DIV || op == BPF_MOD) && !in->off && in->imm > 0 &&
	    (f->narrow >> in->dst_reg & 1))
		in->code = BPF_ALU | op | BPF_K;
}

/* What is known after @in, of the register it writes. */
static void learn(struct fold *f, const struct bpf_insn *in)
{
	struct known k = {0}, *r = f->reg;
	bool w = BPF_CLASS(in->code) == BPF_ALU64;
	u32 writes = skep_insn_writes(in);
	bool narrow = clears_upper(f, in);

	f->narrow &= ~writes;
	if (narrow)
		f->narrow |= 1u << in->dst_reg;
	if (skep_insn_is_ldimm64(in)) {
		if (in->src_reg == SKEP_PSEUDO_IMM)
			k = (struct known){CONSTANT, 0, skep_insn_imm64(in)};
		else if (in->src_reg == SKEP_PSEUDO_MAP_VALUE && (u32)in->imm < f->rw->p->nr_maps)
			k = (struct known){MAP_VALUE, (u32)in->imm, (u32)in[1].imm};
	} else if (BPF_CLASS(in->code) == BPF_ALU || w) {
		bool x = BPF_SRC(in->code) == BPF_X;

		if (BPF_OP(in->code) == BPF_MOV && !x)
			k = (struct known){CONSTANT, 0, w ? (u64)(s64)in->imm : (u32)in->imm};
		else if (BPF_OP(in->code) == BPF_MOV && !in->off && w)
			k = r[in->src_reg];
		else if (BPF_OP(in->code) == BPF_MOV && !in->off && r[in->src_reg].kind == CONSTANT)
			k = (struct known){CONSTANT, 0, (u32)r[in->src_reg].v};
		else if (BPF_OP(in->code) == BPF_ADD && !x && w && r[in->dst_reg].kind)
			k = (struct known){r[in->dst_reg].kind, r[in->dst_reg].map,
					   r[in->dst_reg].v + (u64)(s64)in->imm};
	}
	for (u32 left = writes; left; left &= left - 1)
		r[__builtin_ctz(left)] = (struct known){0};
	if (k.kind)
		r[in->dst_reg] = k;
}

void rw_fold(struct rw *rw)
{
	struct fold f = {.rw = rw};
	u8 *is_target;
	u32 i, n;

	is_target = rw->err ? NULL : rw_find_targets(rw);
	if (!is_target)
		return;
	rw_begin_pass(rw);
	for (i = 0; i < rw->in.len && !rw->err; i += n) {
		struct bpf_insn *in = &rw->in.insns[i];
		const struct known *src = &f.reg[in->src_reg];
		u64 v;

		n = rw_slots(in);
		if (is_target[i]) {
			memset(f.reg, 0, sizeof(f.reg));
			f.narrow = 0;
		}
		rw_begin(rw, i);
		if (BPF_CLASS(in->code) == BPF_LDX && rw->in.facts[i].mem == SKEP_MEM_DIRECT &&
		    constant_load(&f, in, &v)) {
			put_constant(rw, in->dst_reg, v);
			f.reg[in->dst_reg] = (struct known){CONSTANT, 0, v};
			f.narrow &= ~(1u << in->dst_reg);
			continue;
		}
		if (n == 1 && fold_jump(&f, i))
			continue;
		if (n == 1 && src->kind == CONSTANT && rw->in.facts[i].mem != SKEP_MEM_CTX)
			immediate_form(in, src->v);
		narrow_division(&f, in);
		rw_copy(rw, i);
		learn(&f, in);
		if (rw->in.facts[i].mem == SKEP_MEM_CTX) /* may become an address */
			f.narrow &= ~(1u << in->dst_reg);
	}
	rw_end_pass(rw);
	skep_free(is_target);
}

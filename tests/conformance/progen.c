/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator of random programs.
 */
#include "progen.h"

#include <stdio.h>

#include "isa/disasm.h"
#include "isa/insn.h"

static u64 state;

static u64 rnd(void)
{
	/* splitmix64 */
	u64 z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}
static u32 below(u32 n)
{
	return (u32)(rnd() % n);
}

static s32 some_imm(void)
{
	static const s32 edge[] = {0,	  1,	     2,		3,    7,      10,  -1,
				   -2,	  127,	     128,	-128, -129,   255, 256,
				   65535, INT32_MAX, INT32_MIN, 641,  1000003};

	return below(3) ? edge[below(ARRAY_SIZE(edge))] : (s32)rnd();
}

static void put(struct gen *g, struct bpf_insn in)
{
	g->in[g->n++] = in;
}

/* R6 counts loops and R10 is the frame: the others are free. */
static u8 reg(void)
{
	static const u8 free_regs[] = {0, 1, 2, 3, 4, 5, 7, 8, 9};

	return free_regs[below(9)];
}

static void put_alu(struct gen *g)
{
	static const u8 ops[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND,	BPF_LSH,
				 BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH, BPF_END};
	u8 class = below(2) ? BPF_ALU64 : BPF_ALU, op = ops[below(ARRAY_SIZE(ops))];
	bool x = below(2), w = class == BPF_ALU64;
	struct bpf_insn in = SKEP_INSN(class | op | (x ? BPF_X : BPF_K), reg(), x ? reg() : 0, 0,
				       x ? 0 : some_imm());

	switch (op) {
	case BPF_NEG:
		in = SKEP_INSN(class | op, in.dst_reg, 0, 0, 0);
		break;
	case BPF_END:
		in = SKEP_INSN(class | op | (x && !w ? BPF_X : BPF_K), in.dst_reg, 0, 0,
			       16 << below(3));
		break;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		in.imm &= w ? 63 : 31;
		break;
	case BPF_DIV:
	case BPF_MOD:
		in.off = (s16)below(2);
		if (!x && !in.imm) /* no verifier lets it pass */
			in.imm = 7;
		break;
	case BPF_MOV:
		if (x)
			in.off = (s16)((8 << below(w ? 3 : 2)) * (below(2) ? 1 : 0));
		break;
	}
	put(g, in);
}

#define STACK_WORDS 8

static void put_mem(struct gen *g)
{
	static const u8 sizes[] = {BPF_B, BPF_H, BPF_W, BPF_DW};
	static const u16 atomics[] = {BPF_ADD,
				      BPF_OR,
				      BPF_AND,
				      BPF_XOR,
				      BPF_ADD | BPF_FETCH,
				      BPF_OR | BPF_FETCH,
				      BPF_AND | BPF_FETCH,
				      BPF_XOR | BPF_FETCH,
				      BPF_XCHG,
				      BPF_CMPXCHG,
				      SKEP_BPF_LOAD_ACQ,
				      SKEP_BPF_STORE_REL};
	u8 size = sizes[below(4)];
	struct bpf_insn probe = SKEP_INSN(BPF_LDX | size, 0, 0, 0, 0);
	u32 bytes = skep_insn_bytes(&probe), imm;
	s16 off = (s16)(-(s32)(8 * STACK_WORDS) + (s32)(bytes * below(8 * STACK_WORDS / bytes)));

	switch (below(5)) {
	case 0:
		put(g, SKEP_LDX(size, reg(), 10, off));
		break;
	case 1:
		if (bytes < 8)
			put(g, SKEP_INSN(BPF_LDX | SKEP_BPF_MEMSX | size, reg(), 10, off, 0));
		break;
	case 2:
		put(g, SKEP_STX(size, 10, reg(), off));
		break;
	case 3:
		put(g, SKEP_ST(size, 10, off, some_imm()));
		break;
	default:
		imm = atomics[below(ARRAY_SIZE(atomics))];
		if (imm == SKEP_BPF_LOAD_ACQ)
			put(g, SKEP_INSN(BPF_STX | BPF_ATOMIC | size, reg(), 10, off, imm));
		else if (imm == SKEP_BPF_STORE_REL || bytes >= 4)
			put(g, SKEP_INSN(BPF_STX | BPF_ATOMIC | size, 10, reg(), off, imm));
	}
}

/* The access put last, through another register that holds a frame address for a while. */
static void through_copy(struct gen *g)
{
	struct bpf_insn in = g->in[--g->n];
	bool load = BPF_CLASS(in.code) == BPF_LDX ||
		    (BPF_MODE(in.code) == BPF_ATOMIC && in.imm == SKEP_BPF_LOAD_ACQ);
	u8 base = reg();
	s32 shift = -8 * (s32)below(4);

	if (base == in.dst_reg || base == in.src_reg || !base) {
		g->n++;
		return;
	}
	put(g, SKEP_MOV64_REG(base, 10));
	put(g, SKEP_ALU64_IMM(BPF_ADD, base, shift));
	if (load)
		in.src_reg = base;
	else
		in.dst_reg = base;
	in.off = (s16)(in.off - shift);
	put(g, in);
	put(g, SKEP_MOV64_IMM(base, some_imm()));
}

/* A register that is none of @a, @b and @c. */
static u8 other_reg(u8 a, u8 b, u8 c)
{
	u8 r;

	do
		r = reg();
	while (r == a || r == b || r == c);
	return r;
}

/* Mostly: what was in @r is read no more. */
static void put_kill(struct gen *g, u8 r)
{
	if (below(4))
		put(g, SKEP_MOV64_IMM(r, some_imm()));
}

/* A rotation as compilers write it, or nearly. */
static void put_rotation(struct gen *g)
{
	static const u8 joins[] = {BPF_OR, BPF_OR, BPF_ADD, BPF_XOR, BPF_SUB};
	u8 class = below(2) ? BPF_ALU64 : BPF_ALU, first = below(2) ? BPF_LSH : BPF_RSH;
	u8 x = reg(), t = other_reg(x, x, x), y = below(2) ? x : other_reg(x, t, t);
	u32 bits = class == BPF_ALU64 ? 64 : 32, k = 1 + below(bits - 1);
	bool into_t = below(2);

	put(g, SKEP_INSN(class | BPF_MOV | BPF_X, t, x, 0, 0));
	put(g, SKEP_INSN(class | first | BPF_K, t, 0, 0, k));
	if (y != x)
		put(g, SKEP_INSN(class | BPF_MOV | BPF_X, y, x, 0, 0));
	put(g, SKEP_INSN(class | (first == BPF_LSH ? BPF_RSH : BPF_LSH) | BPF_K, y, 0, 0,
			 below(8) ? bits - k : k));
	put(g, SKEP_INSN(class | joins[below(5)] | BPF_X, into_t ? t : y, into_t ? y : t, 0, 0));
	put_kill(g, into_t ? y : t);
}

static void put_select(struct gen *g)
{
	static const u8 ops[] = {BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				 BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE};
	bool x = below(2), from = below(2);

	put(g, SKEP_INSN((below(2) ? BPF_JMP : BPF_JMP32) | ops[below(ARRAY_SIZE(ops))] |
				 (x ? BPF_X : BPF_K),
			 reg(), x ? reg() : 0, 1, x ? 0 : some_imm()));
	put(g, SKEP_INSN((below(2) ? BPF_ALU64 : BPF_ALU) | BPF_MOV | (from ? BPF_X : BPF_K), reg(),
			 from ? reg() : 0, 0, from ? 0 : some_imm()));
}

static u64 buffers[2];

void gen_buffers(u64 a, u64 b)
{
	buffers[0] = a;
	buffers[1] = b;
}

/* base = where STACK_WORDS words are: the stack or a buffer; base += idx, in some order. */
static void put_address(struct gen *g, u8 base, u8 idx)
{
	u64 buffer = buffers[below(2)];
	u32 shift = below(4);

	if (below(4)) {
		put(g, SKEP_ALU64_IMM(BPF_AND, idx, 56 >> shift));
	} else {
		put(g, SKEP_ALU64_IMM(BPF_AND, idx, 48 >> shift));
		put(g, SKEP_ALU64_IMM(BPF_ADD, idx, 8 >> shift));
	}
	if (shift && below(2)) {
		put(g, SKEP_ALU64_IMM(BPF_LSH, idx, shift));
		shift = 0;
	}
	if (buffer && below(2)) {
		put(g, SKEP_INSN(BPF_LD | BPF_IMM | BPF_DW, base, 0, 0, buffer));
		put(g, SKEP_INSN(0, 0, 0, 0, buffer >> 32));
	} else {
		put(g, SKEP_MOV64_REG(base, 10));
		put(g, SKEP_ALU64_IMM(BPF_ADD, base, -8 * STACK_WORDS));
	}
	if (shift)
		put(g, SKEP_ALU64_IMM(BPF_LSH, idx, shift));
	put(g, SKEP_ALU64_REG(BPF_ADD, base, idx));
}

/* An indexed access and what may go with it. Its widths are whole words: those are written. */
static void put_indexed(struct gen *g)
{
	static const u8 sizes[] = {BPF_B, BPF_H, BPF_W, BPF_DW};
	static const u8 ops[] = {BPF_ADD, BPF_SUB, BPF_OR, BPF_AND, BPF_XOR, BPF_MUL};
	static const u8 jumps[] = {BPF_JEQ, BPF_JGT, BPF_JLE, BPF_JNE, BPF_JSGT, BPF_JSLE};
	u8 size = sizes[below(4)], base = reg(), idx = other_reg(base, base, base);
	u8 t = below(4) ? other_reg(base, idx, idx) : idx,
	   x = below(6) ? other_reg(base, idx, t) : idx;
	u8 class = below(2) ? BPF_ALU64 : BPF_ALU, op = ops[below(ARRAY_SIZE(ops))];
	bool imm = below(2);

	put_address(g, base, idx);
	switch (below(6)) {
	case 0:
		put(g, SKEP_LDX(size, below(2) ? base : t, base, 0));
		break;
	case 1:
		put(g, SKEP_STX(size, base, x, 0));
		break;
	case 2:
		put(g, SKEP_ST(size, base, 0, some_imm()));
		break;
	case 3:
		put(g, SKEP_LDX(size, t, base, 0));
		put(g, SKEP_INSN(class | op | (imm ? BPF_K : BPF_X), t, imm ? 0 : x, 0,
				 imm ? some_imm() : 0));
		put(g, SKEP_STX(size, base, t, 0));
		put_kill(g, t);
		break;
	case 4:
		put(g, SKEP_LDX(size, t, base, 0));
		put(g, SKEP_INSN(class | op | BPF_X, x, t, 0, 0));
		put_kill(g, t);
		break;
	default:
		put(g, SKEP_LDX(size, t, base, 0));
		op = jumps[below(ARRAY_SIZE(jumps))];
		class = below(2) ? BPF_JMP : BPF_JMP32;
		if (imm)
			put(g, SKEP_INSN(class | op | BPF_K, t, 0, 1, some_imm()));
		else if (below(2))
			put(g, SKEP_INSN(class | op | BPF_X, t, x, 1, 0));
		else
			put(g, SKEP_INSN(class | op | BPF_X, x, t, 1, 0));
		put(g, SKEP_ALU64_IMM(BPF_ADD, x, 7));
		put_kill(g, t);
	}
	/* a frame address is no number to fold into the result */
	put(g, SKEP_MOV64_IMM(base, some_imm()));
	put_kill(g, idx);
}

static void put_block(struct gen *g, u32 len, u32 depth);

static void put_jump(struct gen *g, u32 depth)
{
	static const u8 ops[] = {BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				 BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE};
	u32 at = g->n;
	bool x = below(2);

	put(g, SKEP_INSN((below(2) ? BPF_JMP : BPF_JMP32) | ops[below(ARRAY_SIZE(ops))] |
				 (x ? BPF_X : BPF_K),
			 reg(), x ? reg() : 0, 0, x ? 0 : some_imm()));
	put_block(g, 1 + below(depth ? 12 : 40), depth + 1);
	g->in[at].off = (s16)(g->n - at - 1);
}

static void put_loop(struct gen *g, u32 depth)
{
	u32 top;

	put(g, SKEP_MOV64_IMM(6, 1 + below(5)));
	top = g->n;
	put_block(g, 1 + below(10), depth + 2);
	put(g, SKEP_ALU64_IMM(BPF_SUB, 6, 1));
	put(g, SKEP_JMP_IMM(BPF_JNE, 6, 0, (s32)top - (s32)g->n - 1));
}

static void put_block(struct gen *g, u32 len, u32 depth)
{
	while (len-- && g->n < GEN_MAX - 600) {
		u32 k = below(20);

		if (k == 0 && depth < 3) {
			put_jump(g, depth);
		} else if (k == 1 && depth < 1) {
			put_loop(g, depth);
		} else if (k >= 16) {
			if (k == 16)
				put_rotation(g);
			else if (k == 17)
				put_select(g);
			else
				put_indexed(g);
		} else if (k < 6) {
			u32 n = g->n;

			put_mem(g);
			if (g->n > n && !below(3))
				through_copy(g);
		} else {
			put_alu(g);
		}
	}
}

static void put_setup(struct gen *g, bool arguments)
{
	u32 i;

	for (i = 0; i < 10; i++) {
		u64 v = below(2) ? rnd() : (u64)(s64)some_imm();

		if (arguments && i >= 1 && i <= 5)
			continue;
		put(g, SKEP_INSN(BPF_LD | BPF_IMM | BPF_DW, i, 0, 0, v));
		put(g, SKEP_INSN(0, 0, 0, 0, v >> 32));
	}
	for (i = 0; i < STACK_WORDS; i++)
		put(g, SKEP_STX(BPF_DW, 10, below(10), -(s32)(8 * (i + 1))));
}

static void put_fold(struct gen *g)
{
	u32 i;

	for (i = 1; i < 10; i++) {
		put(g, SKEP_ALU64_IMM(BPF_MUL, 0, 31));
		put(g, SKEP_ALU64_REG(BPF_ADD, 0, i));
	}
	for (i = 0; i < STACK_WORDS; i++) {
		put(g, SKEP_LDX(BPF_DW, 1, 10, -(s32)(8 * (i + 1))));
		put(g, SKEP_ALU64_IMM(BPF_MUL, 0, 37));
		put(g, SKEP_ALU64_REG(BPF_XOR, 0, 1));
	}
}

void gen_plain(struct gen *g, u64 seed)
{
	u32 call, i;

	state = seed;
	*g = (struct gen){.nr_subprogs = 2};
	put_setup(g, false);
	put_block(g, 5 + below(60), 0);
	call = g->n;
	put(g, SKEP_CALL(SKEP_CALL_SUBPROG, 0));
	for (i = 1; i <= 5; i++) /* lost in a call */
		put(g, SKEP_MOV64_IMM(i, some_imm()));
	put_block(g, 1 + below(20), 0);
	put_fold(g);
	put(g, SKEP_EXIT);
	g->starts[1] = g->n;
	g->in[call].imm = (s32)(g->n - call - 1);
	put_setup(g, true);
	put_block(g, 1 + below(40), 0);
	put_fold(g);
	put(g, SKEP_EXIT);
}

/* The word that a callback's context points to; beyond what random accesses touch. */
#define CTX_SLOT (-(8 * STACK_WORDS) - 8)
#define MINE_SLOT (-(8 * STACK_WORDS) - 16)

static void put_loop_call(struct gen *g, u32 which, u32 loop_id)
{
	u32 i;

	put(g, SKEP_MOV64_IMM(1, 1 + below(5)));
	put(g, SKEP_INSN(BPF_LD | BPF_IMM | BPF_DW, 2, SKEP_PSEUDO_FUNC, 0, which + 1));
	put(g, SKEP_INSN(0, 0, 0, 0, 0));
	put(g, SKEP_MOV64_REG(3, 10));
	put(g, SKEP_ALU64_IMM(BPF_ADD, 3, CTX_SLOT));
	put(g, SKEP_MOV64_IMM(4, 0));
	g->loops[which] = g->n;
	put(g, SKEP_CALL(SKEP_CALL_HELPER, loop_id));
	for (i = 1; i <= 5; i++)
		put(g, SKEP_MOV64_IMM(i, some_imm()));
}

/* Adds what it computes to its context; returns 0, 1 or a bit of it. */
static void put_callback(struct gen *g, u32 level, bool nested, u32 loop_id)
{
	u32 i, kind = below(4);

	g->starts[level] = g->n;
	put(g, SKEP_STX(BPF_DW, 10, 2, MINE_SLOT));
	put(g, SKEP_ST(BPF_DW, 10, CTX_SLOT, 3));
	for (i = 0; i < 10; i++)
		if (i != 1)
			put(g, SKEP_MOV64_IMM(i, some_imm()));
	for (i = 0; i < STACK_WORDS; i++)
		put(g, SKEP_STX(BPF_DW, 10, below(10), -(s32)(8 * (i + 1))));
	put_block(g, below(30), 0);
	if (nested)
		put_loop_call(g, level, loop_id);
	put_block(g, below(10), 0);
	put_fold(g);
	put(g, SKEP_LDX(BPF_DW, 1, 10, CTX_SLOT));
	put(g, SKEP_ALU64_REG(BPF_ADD, 0, 1));
	put(g, SKEP_LDX(BPF_DW, 1, 10, MINE_SLOT));
	put(g, SKEP_LDX(BPF_DW, 2, 1, 0));
	put(g, SKEP_ALU64_IMM(BPF_MUL, 2, 41));
	put(g, SKEP_ALU64_REG(BPF_ADD, 2, 0));
	put(g, SKEP_STX(BPF_DW, 1, 2, 0));
	if (kind == 0) {
		put(g, SKEP_MOV64_IMM(0, 0));
	} else if (kind == 1) {
		put(g, SKEP_ALU64_IMM(BPF_AND, 0, 1));
	} else {
		put(g, SKEP_INSN(BPF_JMP | BPF_JSET | BPF_K, 0, 0, 2, 7));
		put(g, SKEP_MOV64_IMM(0, kind == 2));
		put(g, SKEP_EXIT);
		put(g, SKEP_MOV64_IMM(0, kind == 3));
	}
	put(g, SKEP_EXIT);
}

void gen_loops(struct gen *g, u64 seed, u32 loop_id)
{
	bool nested;

	state = seed;
	nested = below(2);
	*g = (struct gen){.nr_subprogs = nested ? 3 : 2};
	put_setup(g, false);
	put(g, SKEP_ST(BPF_DW, 10, CTX_SLOT, 1));
	put_block(g, below(20), 0);
	put_loop_call(g, 0, loop_id);
	put_block(g, below(20), 0);
	put_fold(g);
	put(g, SKEP_LDX(BPF_DW, 1, 10, CTX_SLOT));
	put(g, SKEP_ALU64_REG(BPF_ADD, 0, 1));
	put(g, SKEP_EXIT);
	put_callback(g, 1, nested, loop_id);
	if (nested)
		put_callback(g, 2, false, loop_id);
}

void gen_dump(const struct gen *g)
{
	char buf[128];
	u32 i;

	for (i = 0; i < g->n; i++) {
		skep_disasm(&g->in[i], NULL, buf, sizeof(buf));
		printf("%u: %s\n", i, buf);
		i += skep_insn_is_ldimm64(&g->in[i]);
	}
}

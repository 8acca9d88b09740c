/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disassembly in the form that the kernel logs and bpftool prints.
 */
#include "isa/disasm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "isa/insn.h"

struct out {
	char *buf;
	u32 size, len;
};

SKEP_PRINTF(2, 3) static void put(struct out *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->len + 1 >= o->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(o->buf + o->len, o->size - o->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		o->len = SKEP_MIN(o->len + (u32)n, o->size - 1);
}

static const char *const alu_op[16] = {
	[BPF_ADD >> 4] = "+=",	  [BPF_SUB >> 4] = "-=",  [BPF_MUL >> 4] = "*=",
	[BPF_DIV >> 4] = "/=",	  [BPF_OR >> 4] = "|=",	  [BPF_AND >> 4] = "&=",
	[BPF_LSH >> 4] = "<<=",	  [BPF_RSH >> 4] = ">>=", [BPF_NEG >> 4] = "neg",
	[BPF_MOD >> 4] = "%=",	  [BPF_XOR >> 4] = "^=",  [BPF_MOV >> 4] = "=",
	[BPF_ARSH >> 4] = "s>>=",
};
static const char *const jmp_op[16] = {
	[BPF_JEQ >> 4] = "==",	 [BPF_JGT >> 4] = ">",	  [BPF_JLT >> 4] = "<",
	[BPF_JGE >> 4] = ">=",	 [BPF_JLE >> 4] = "<=",	  [BPF_JSET >> 4] = "&",
	[BPF_JNE >> 4] = "!=",	 [BPF_JSGT >> 4] = "s>",  [BPF_JSLT >> 4] = "s<",
	[BPF_JSGE >> 4] = "s>=", [BPF_JSLE >> 4] = "s<=",
};

static const char *width(const struct bpf_insn *in)
{
	static const char *const u[] = {"u32", "u16", "u8", "u64"};

	return u[BPF_SIZE(in->code) >> 3];
}

static void bad(struct out *o, const struct bpf_insn *in, const char *what)
{
	put(o, "BUG_%s_%02x", what, in->code);
}

static void alu(struct out *o, const struct bpf_insn *in)
{
	char r = BPF_CLASS(in->code) == BPF_ALU64 ? 'r' : 'w';
	const char *op = alu_op[BPF_OP(in->code) >> 4];
	bool is_div = BPF_OP(in->code) == BPF_DIV || BPF_OP(in->code) == BPF_MOD;

	if (BPF_OP(in->code) == BPF_END) {
		const char *kind = BPF_CLASS(in->code) == BPF_ALU64 ? "bswap"
				   : BPF_SRC(in->code) == BPF_TO_BE ? "be"
								    : "le";

		put(o, "r%d = %s%d r%d", in->dst_reg, kind, in->imm, in->dst_reg);
	} else if (BPF_OP(in->code) == BPF_NEG) {
		put(o, "%c%d = -%c%d", r, in->dst_reg, r, in->dst_reg);
	} else if (!op) {
		bad(o, in, "alu");
	} else if (BPF_OP(in->code) == BPF_MOV && BPF_SRC(in->code) == BPF_X && in->off) {
		if (in->imm && r == 'r')
			put(o, "r%d = addr_space_cast(r%d, %u, %u)", in->dst_reg, in->src_reg,
			    (u32)in->imm >> 16, (u32)in->imm & 0xffff);
		else
			put(o, "%c%d = (s%d)%c%d", r, in->dst_reg, in->off, r, in->src_reg);
	} else {
		put(o, "%c%d %s%s ", r, in->dst_reg, is_div && in->off == 1 ? "s" : "", op);
		if (BPF_SRC(in->code) == BPF_X)
			put(o, "%c%d", r, in->src_reg);
		else
			put(o, "%d", in->imm);
	}
}

static void atomic(struct out *o, const struct bpf_insn *in)
{
	const char *w = width(in);
	const char *suffix = BPF_SIZE(in->code) == BPF_DW ? "64" : "";
	const char *name = NULL;

	switch (in->imm & ~BPF_FETCH) {
	case BPF_ADD:
		name = "add";
		break;
	case BPF_AND:
		name = "and";
		break;
	case BPF_OR:
		name = "or";
		break;
	case BPF_XOR:
		name = "xor";
		break;
	}
	if (in->imm == BPF_CMPXCHG)
		put(o, "r0 = atomic%s_cmpxchg((%s *)(r%d %+d), r0, r%d)", suffix, w, in->dst_reg,
		    in->off, in->src_reg);
	else if (in->imm == BPF_XCHG)
		put(o, "r%d = atomic%s_xchg((%s *)(r%d %+d), r%d)", in->src_reg, suffix, w,
		    in->dst_reg, in->off, in->src_reg);
	else if (in->imm == SKEP_BPF_LOAD_ACQ)
		put(o, "r%d = load_acquire((%s *)(r%d %+d))", in->dst_reg, w, in->src_reg, in->off);
	else if (in->imm == SKEP_BPF_STORE_REL)
		put(o, "store_release((%s *)(r%d %+d), r%d)", w, in->dst_reg, in->off, in->src_reg);
	else if (name && (in->imm & BPF_FETCH))
		put(o, "r%d = atomic%s_fetch_%s((%s *)(r%d %+d), r%d)", in->src_reg, suffix, name,
		    w, in->dst_reg, in->off, in->src_reg);
	else if (name)
		put(o, "lock *(%s *)(r%d %+d) %s r%d", w, in->dst_reg, in->off,
		    alu_op[(in->imm & 0xf0) >> 4], in->src_reg);
	else
		bad(o, in, "stx");
}

static void jump(struct out *o, const struct bpf_insn *in, const struct skep_disasm_names *names)
{
	char r = BPF_CLASS(in->code) == BPF_JMP ? 'r' : 'w';
	const char *op = jmp_op[BPF_OP(in->code) >> 4];
	char buf[128];
	const char *s = NULL;

	switch (BPF_OP(in->code)) {
	case BPF_CALL:
		if (names && names->call)
			s = names->call(names->priv, in, buf, sizeof(buf));
		if (s)
			put(o, "call %s", s);
		else if (in->src_reg == SKEP_CALL_SUBPROG)
			put(o, "call pc%+d", in->imm);
		else if (in->src_reg == SKEP_CALL_KFUNC)
			put(o, "call kernel-function");
		else
			put(o, "call unknown#%d", in->imm);
		return;
	case BPF_EXIT:
		put(o, "exit");
		return;
	case BPF_JA:
		if (skep_insn_is_gotol(in))
			put(o, "gotol pc%+d", in->imm);
		else
			put(o, "goto pc%+d", in->off);
		return;
	case SKEP_BPF_JCOND:
		put(o, "may_goto pc%+d", in->off);
		return;
	}
	if (!op) {
		bad(o, in, "jmp");
	} else if (BPF_SRC(in->code) == BPF_X) {
		put(o, "if %c%d %s %c%d goto pc%+d", r, in->dst_reg, op, r, in->src_reg, in->off);
	} else {
		put(o, "if %c%d %s 0x%x goto pc%+d", r, in->dst_reg, op, (u32)in->imm, in->off);
	}
}

static void load(struct out *o, const struct bpf_insn *in, const struct skep_disasm_names *names)
{
	char buf[128];
	const char *s = NULL;

	switch (BPF_MODE(in->code)) {
	case BPF_ABS:
		put(o, "r0 = *(%s *)skb[%d]", width(in), in->imm);
		return;
	case BPF_IND:
		put(o, "r0 = *(%s *)skb[r%d + %d]", width(in), in->src_reg, in->imm);
		return;
	}
	if (!skep_insn_is_ldimm64(in)) {
		bad(o, in, "ld");
		return;
	}
	if (names && names->imm)
		s = names->imm(names->priv, in, buf, sizeof(buf));
	if (s)
		put(o, "r%d = %s", in->dst_reg, s);
	else
		put(o, "r%d = 0x%" PRIx64, in->dst_reg, skep_insn_imm64(in));
}

u32 skep_disasm(const struct bpf_insn *in, const struct skep_disasm_names *names, char *buf,
		u32 size)
{
	struct out o = {buf, size, 0};
	const char *w = width(in);

	if (!size)
		return 0;
	buf[0] = '\0';
	put(&o, "(%02x) ", in->code);
	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		alu(&o, in);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		jump(&o, in, names);
		break;
	case BPF_LD:
		load(&o, in, names);
		break;
	case BPF_LDX:
		if (BPF_MODE(in->code) != BPF_MEM && BPF_MODE(in->code) != SKEP_BPF_MEMSX)
			bad(&o, in, "ldx");
		else
			put(&o, "r%d = *(%c%s *)(r%d %+d)", in->dst_reg,
			    BPF_MODE(in->code) == BPF_MEM ? 'u' : 's', w + 1, in->src_reg, in->off);
		break;
	case BPF_ST:
		if (BPF_MODE(in->code) != BPF_MEM)
			bad(&o, in, "st");
		else
			put(&o, "*(%s *)(r%d %+d) = %d", w, in->dst_reg, in->off, in->imm);
		break;
	default:
		if (BPF_MODE(in->code) == BPF_MEM)
			put(&o, "*(%s *)(r%d %+d) = r%d", w, in->dst_reg, in->off, in->src_reg);
		else if (BPF_MODE(in->code) == BPF_ATOMIC)
			atomic(&o, in);
		else
			bad(&o, in, "stx");
	}
	return o.len;
}

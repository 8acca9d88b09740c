/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One instruction as the verifier's log shows it: "0: (b7) r0 = 0".
 */
#include "verifier/env.h"

static const char *const alu_ops[16] = {
	"+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=", "endian",
};
static const char *const jmp_ops[16] = {
	"jmp",	"==",	">", ">=", "&",	 "!=",	"s>",	  "s>=",
	"call", "exit", "<", "<=", "s<", "s<=", "(null)", "(null)",
};
static const char *const sizes[4] = {"u32", "u16", "u8", "u64"};
static const char *const sized[4] = {"s32", "s16", "s8", "s64"};

static void log_alu(struct env *env, const struct bpf_insn *in)
{
	bool is64 = BPF_CLASS(in->code) == BPF_ALU64;
	char c = is64 ? 'r' : 'w';
	u8 op = BPF_OP(in->code);

	if (op == BPF_END) {
		if (is64)
			vf_log(env, "(%02x) r%d = bswap%d r%d\n", in->code, in->dst_reg, in->imm,
			       in->dst_reg);
		else
			vf_log(env, "(%02x) r%d = %s%d r%d\n", in->code, in->dst_reg,
			       BPF_SRC(in->code) == BPF_TO_BE ? "be" : "le", in->imm, in->dst_reg);
	} else if (op == BPF_NEG) {
		vf_log(env, "(%02x) %c%d = -%c%d\n", in->code, c, in->dst_reg, c, in->dst_reg);
	} else if (op == BPF_MOV && BPF_SRC(in->code) == BPF_X && in->off == 1 && is64 && in->imm) {
		vf_log(env, "(%02x) r%d = addr_space_cast(r%d, %d, %d)\n", in->code, in->dst_reg,
		       in->src_reg, (u32)in->imm >> 16, in->imm & 0xffff);
	} else if (op == BPF_MOV && BPF_SRC(in->code) == BPF_X && in->off == -1 && is64) {
		vf_log(env, "(%02x) r%d = &(void __percpu *)(r%d)\n", in->code, in->dst_reg,
		       in->src_reg);
	} else if (BPF_SRC(in->code) == BPF_X) {
		if (op == BPF_MOV && (in->off == 8 || in->off == 16 || in->off == 32))
			vf_log(env, "(%02x) %c%d = (s%d)%c%d\n", in->code, c, in->dst_reg, in->off,
			       c, in->src_reg);
		else
			vf_log(env, "(%02x) %c%d %s%s %c%d\n", in->code, c, in->dst_reg,
			       in->off == 1 && (op == BPF_DIV || op == BPF_MOD) ? "s" : "",
			       alu_ops[op >> 4], c, in->src_reg);
	} else {
		vf_log(env, "(%02x) %c%d %s%s %d\n", in->code, c, in->dst_reg,
		       in->off == 1 && (op == BPF_DIV || op == BPF_MOD) ? "s" : "",
		       alu_ops[op >> 4], in->imm);
	}
}

static void log_atomic(struct env *env, const struct bpf_insn *in)
{
	const char *sz = sizes[BPF_SIZE(in->code) >> 3];
	const char *w = BPF_SIZE(in->code) == BPF_DW ? "64" : "";
	u32 rmw = (u32)in->imm & ~(u32)BPF_FETCH;
	bool known = rmw == BPF_ADD || rmw == BPF_AND || rmw == BPF_OR || rmw == BPF_XOR;
	const char *op = alu_ops[BPF_OP(in->imm) >> 4];
	const char *name = BPF_OP(in->imm) == BPF_ADD	? "add"
			   : BPF_OP(in->imm) == BPF_AND ? "and"
			   : BPF_OP(in->imm) == BPF_OR	? "or"
							: "xor";

	if (in->imm == SKEP_BPF_LOAD_ACQ)
		vf_log(env, "(%02x) r%d = load_acquire((%s *)(r%d %+d))\n", in->code, in->dst_reg,
		       sz, in->src_reg, in->off);
	else if (in->imm == SKEP_BPF_STORE_REL)
		vf_log(env, "(%02x) store_release((%s *)(r%d %+d), r%d)\n", in->code, sz,
		       in->dst_reg, in->off, in->src_reg);
	else if (in->imm == BPF_CMPXCHG)
		vf_log(env, "(%02x) r0 = atomic%s_cmpxchg((%s *)(r%d %+d), r0, r%d)\n", in->code, w,
		       sz, in->dst_reg, in->off, in->src_reg);
	else if (in->imm == BPF_XCHG)
		vf_log(env, "(%02x) r%d = atomic%s_xchg((%s *)(r%d %+d), r%d)\n", in->code,
		       in->src_reg, w, sz, in->dst_reg, in->off, in->src_reg);
	else if (!known)
		vf_log(env, "BUG_%02x\n", in->code);
	else if (in->imm & BPF_FETCH)
		vf_log(env, "(%02x) r%d = atomic%s_fetch_%s((%s *)(r%d %+d), r%d)\n", in->code,
		       in->src_reg, w, name, sz, in->dst_reg, in->off, in->src_reg);
	else
		vf_log(env, "(%02x) lock *(%s *)(r%d %+d) %s r%d\n", in->code, sz, in->dst_reg,
		       in->off, op, in->src_reg);
}

static void log_mem(struct env *env, const struct bpf_insn *in, u32 idx)
{
	const char *sz = sizes[BPF_SIZE(in->code) >> 3];

	switch (BPF_CLASS(in->code)) {
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC)
			log_atomic(env, in);
		else
			vf_log(env, "(%02x) *(%s *)(r%d %+d) = r%d\n", in->code, sz, in->dst_reg,
			       in->off, in->src_reg);
		break;
	case BPF_ST:
		vf_log(env, "(%02x) *(%s *)(r%d %+d) = %d\n", in->code, sz, in->dst_reg, in->off,
		       in->imm);
		break;
	case BPF_LDX:
		if (BPF_MODE(in->code) == SKEP_BPF_MEMSX)
			sz = sized[BPF_SIZE(in->code) >> 3];
		vf_log(env, "(%02x) r%d = *(%s *)(r%d %+d)\n", in->code, in->dst_reg, sz,
		       in->src_reg, in->off);
		break;
	default:
		if (BPF_MODE(in->code) == BPF_ABS)
			vf_log(env, "(%02x) r0 = *(%s *)skb[%d]\n", in->code, sz, in->imm);
		else if (BPF_MODE(in->code) == BPF_IND)
			vf_log(env, "(%02x) r0 = *(%s *)skb[r%d + %d]\n", in->code, sz, in->src_reg,
			       in->imm);
		else
			vf_log(env, "(%02x) r%d = 0x%llx\n", in->code, in->dst_reg,
			       (unsigned long long)((u64)(u32)in[1].imm << 32 | (u32)in->imm));
		break;
	}
	(void)idx;
}

static void log_call(struct env *env, const struct bpf_insn *in)
{
	const char *name;

	if (in->src_reg == BPF_PSEUDO_CALL) {
		vf_log(env, "(%02x) call pc%+d\n", in->code, in->imm);
	} else if (in->src_reg == BPF_PSEUDO_KFUNC_CALL) {
		const struct skep_btf *kb = env->host->kernel_btf(env->host->priv);
		const struct btf_type *t = kb && !in->off ? skep_btf_type(kb, (u32)in->imm) : NULL;

		vf_log(env, "(%02x) call %s#%d\n", in->code,
		       t ? skep_btf_name(kb, t) : "kernel-function", in->imm);
	} else {
		name = in->src_reg ? NULL : skep_helper_name((u32)in->imm);
		if (name)
			vf_log(env, "(%02x) call bpf_%s#%d\n", in->code, name, in->imm);
		else
			vf_log(env, "(%02x) call unknown#%d\n", in->code, in->imm);
	}
}

static void log_jmp(struct env *env, const struct bpf_insn *in)
{
	bool is32 = BPF_CLASS(in->code) == BPF_JMP32;
	char c = is32 ? 'w' : 'r';
	u8 op = BPF_OP(in->code);

	if (op == BPF_CALL)
		log_call(env, in);
	else if (op == BPF_EXIT)
		vf_log(env, "(%02x) exit\n", in->code);
	else if (op == BPF_JA && is32)
		vf_log(env, "(%02x) gotol pc%+d\n", in->code, in->imm);
	else if (op == BPF_JA)
		vf_log(env, "(%02x) goto pc%+d\n", in->code, in->off);
	else if (op == SKEP_BPF_JCOND && !in->src_reg && in->code == (BPF_JMP | op))
		vf_log(env, "(%02x) may_goto pc%+d\n", in->code, in->off);
	else if (BPF_SRC(in->code) == BPF_X)
		vf_log(env, "(%02x) if %c%d %s %c%d goto pc%+d\n", in->code, c, in->dst_reg,
		       jmp_ops[op >> 4], c, in->src_reg, in->off);
	else
		vf_log(env, "(%02x) if %c%d %s 0x%x goto pc%+d\n", in->code, c, in->dst_reg,
		       jmp_ops[op >> 4], (u32)in->imm, in->off);
}

void vf_log_insn(struct env *env, u32 idx)
{
	const struct bpf_insn *in = &env->insns[idx];

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		log_alu(env, in);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		log_jmp(env, in);
		break;
	default:
		log_mem(env, in, idx);
		break;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic instructions: numbers through the domain, pointers through their offsets.
 */
#include "verifier/env.h"

static const char *const op_names[16] = {
	"+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=",
};

/* An offset (or a pointer with its own) that is small enough to add to a pointer. */
static bool sane_offset(struct env *env, const struct reg *r, const struct reg *ptr)
{
	char name[64];
	s64 val = (s64)r->v.tn.value, smin = r->v.smin;

	vf_reg_name(ptr, name);
	if (scalar_is_const(&r->v) && (val >= VF_MAX_OFF || val <= -VF_MAX_OFF)) {
		vf_say(env, "math between %s pointer and %lld is not allowed\n", name,
		       (long long)val);
		return false;
	}
	if (r->off >= VF_MAX_OFF || r->off <= -VF_MAX_OFF) {
		vf_say(env, "%s pointer offset %d is not allowed\n", name, r->off);
		return false;
	}
	if (smin == INT64_MIN) {
		vf_say(env,
		       "math between %s pointer and register with unbounded min value is not "
		       "allowed\n",
		       name);
		return false;
	}
	if (smin >= VF_MAX_OFF || smin <= -VF_MAX_OFF) {
		vf_say(env, "value %lld makes %s pointer be out of bounds\n", (long long)smin,
		       name);
		return false;
	}
	return true;
}

static bool may_move(const struct reg *ptr, const struct reg *off, u8 op)
{
	bool known = scalar_is_const(&off->v);

	switch (ptr->kind) {
	case RK_CTX:
	case RK_MAP_VALUE:
	case RK_MAP_KEY:
	case RK_STACK:
	case RK_PKT_META:
	case RK_PKT:
	case RK_TP_BUFFER:
	case RK_BTF:
	case RK_MEM:
	case RK_BUF:
	case RK_FUNC:
	case RK_DYNPTR:
		return true;
	case RK_FLOW_KEYS:
		return known;
	case RK_MAP_PTR:
		return known && !off->v.smin && op == BPF_ADD;
	default:
		return false;
	}
}

/* dst = ptr op off; @off_is_dst: "scalar op= pointer". Both are copies. */
static int move_ptr(struct env *env, const struct bpf_insn *insn, struct reg *dst, struct reg ptr,
		    struct reg off, bool off_is_dst)
{
	u8 op = BPF_OP(insn->code);
	u32 n = insn->dst_reg;
	bool known = scalar_is_const(&off.v);
	s64 sum;
	char name[64];

	if (scalar_broken(&off.v) && (off.v.smin > off.v.smax || off.v.umin > off.v.umax)) {
		reg_set_unknown(dst);
		return 0;
	}
	if (BPF_CLASS(insn->code) != BPF_ALU64) {
		if (op == BPF_SUB) {
			reg_set_unknown(dst);
			return 0;
		}
		vf_say(env, "R%u 32-bit pointer arithmetic prohibited\n", n);
		return -EACCES;
	}
	if (ptr.flags & RF_MAYBE_NULL) {
		vf_say(env, "R%u pointer arithmetic on %s prohibited, null-check it first\n", n,
		       vf_reg_name(&ptr, name));
		return -EACCES;
	}
	/* Any address of untrusted memory reads as well as any other. */
	if (ptr.kind == RK_MEM && ptr.flags & RF_UNTRUSTED) {
		if (off_is_dst)
			reg_set_unknown(dst);
		return 0;
	}
	if (!may_move(&ptr, &off, op)) {
		vf_say(env, "R%u pointer arithmetic on %s prohibited\n", n,
		       vf_reg_name(&ptr, name));
		return -EACCES;
	}
	if (!sane_offset(env, &off, &ptr) || !sane_offset(env, &ptr, &ptr))
		return -EINVAL;
	switch (op) {
	case BPF_ADD:
	case BPF_SUB:
		break;
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
		vf_say(env, "R%u bitwise operator %s on pointer prohibited\n", n,
		       op_names[op >> 4]);
		return -EACCES;
	default:
		vf_say(env, "R%u pointer arithmetic with %s operator prohibited\n", n,
		       op_names[op >> 4]);
		return -EACCES;
	}
	if (op == BPF_SUB && off_is_dst) {
		vf_say(env, "R%u tried to subtract pointer from scalar\n", n);
		return -EACCES;
	}
	if (op == BPF_SUB && ptr.kind == RK_STACK) {
		vf_say(env, "R%u subtraction from stack pointer prohibited\n", n);
		return -EACCES;
	}
	*dst = ptr;
	dst->subreg_def = 0;
	/* The kernel forgets whose it is when it is added to a number; what runs here may not. */
	if (off_is_dst && !vf_will_run(env)) {
		dst->ref_id = 0;
		dst->frameno = off.frameno;
	}
	sum = op == BPF_ADD ? (s64)ptr.off + off.v.smin : (s64)ptr.off - off.v.smin;
	if (known && sum == (s32)sum) {
		dst->off = (s32)sum;
	} else {
		struct scalar o = off.v;

		if (op == BPF_SUB && ptr.v.umin < o.umax) {
			/* Borrow at one end or both: the unsigned view is lost. */
			scalar_alu(op, true, &dst->v, &o);
			dst->v.umin = 0;
			dst->v.umax = UINT64_MAX;
		} else {
			scalar_alu(op, true, &dst->v, &o);
		}
		dst->v.s32min = INT32_MIN;
		dst->v.s32max = INT32_MAX;
		dst->v.u32min = 0;
		dst->v.u32max = UINT32_MAX;
		if (ptr.kind == RK_PKT || ptr.kind == RK_PKT_META) {
			dst->id = ++env->id_gen;
			if (op == BPF_ADD || off.v.smin < 0)
				dst->range = 0;
		}
	}
	if (!sane_offset(env, dst, &ptr))
		return -EINVAL;
	scalar_sync(&dst->v);
	return 0;
}

/* x & c and x | c for x in {-1, 0} is two constants: walk both. */
static int fork_mask(struct env *env, const struct bpf_insn *insn, struct reg *dst)
{
	bool whole = dst->v.smin == -1 && dst->v.smax == 0;
	bool half = dst->v.s32min == -1 && dst->v.s32max == 0;
	struct state *other;
	struct reg *r;

	if (!whole && !half)
		return 0;
	other = vf_push_branch(env, env->insn_idx, env->insn_idx);
	if (!other)
		return -EFAULT;
	r = &other->frame[other->curframe]->regs[insn->dst_reg];
	if (whole) {
		scalar_set_const(&r->v, 0);
		scalar_set_const(&dst->v, ~0ull);
	} else {
		scalar_set_const32(&r->v, 0);
		scalar_set_const32(&dst->v, ~0u);
	}
	return 0;
}

/* Both are numbers. */
static int combine(struct env *env, const struct bpf_insn *insn, struct reg *dst, struct scalar src)
{
	u8 op = BPF_OP(insn->code);
	bool is64 = BPF_CLASS(insn->code) == BPF_ALU64;
	int err;

	if ((op == BPF_AND || op == BPF_OR) && scalar_is_const(&src)) {
		err = fork_mask(env, insn, dst);
		if (err)
			return err;
	}
	if (!scalar_alu(op, is64, &dst->v, &src))
		dst->precise = false;
	if (scalar_broken(&dst->v))
		scalar_forget_ranges(&dst->v);
	return 0;
}

/* After dst += constant: copies of the number it came from differ by that constant. */
static void keep_link(struct reg *dst, const struct bpf_insn *insn, const struct scalar *src,
		      bool was_zext)
{
	bool is64 = BPF_CLASS(insn->code) == BPF_ALU64;
	u8 op = BPF_OP(insn->code);
	s64 delta = is64 ? (s64)src->tn.value : (s32)src->tn.value;

	if (!dst->id)
		return;
	if (op == BPF_SUB)
		delta = (s64) - (u64)delta;
	if ((op != BPF_ADD && op != BPF_SUB) || !scalar_is_const(src) || (!is64 && !was_zext) ||
	    dst->link || delta != (s32)delta) {
		reg_unlink(dst);
		return;
	}
	dst->link = is64 ? LINK_ADD64 : LINK_ADD32;
	dst->off = (s32)delta;
}

static int step_binary(struct env *env, const struct bpf_insn *insn)
{
	struct reg *regs = vf_regs(env), *dst = &regs[insn->dst_reg], *src;
	u8 op = BPF_OP(insn->code);
	struct reg imm = {0};
	bool was_zext;
	struct scalar s;
	int err;

	src = BPF_SRC(insn->code) == BPF_X ? &regs[insn->src_reg] : NULL;
	/* Whatever is done to them, they point into the arena. */
	if (dst->kind == RK_ARENA || (src && src->kind == RK_ARENA)) {
		if (dst->kind != RK_ARENA)
			*dst = *src;
		dst->subreg_def = env->insn_idx + 1;
		return 0;
	}
	if (BPF_SRC(insn->code) == BPF_X) {
		if (src->kind != RK_SCALAR && dst->kind != RK_SCALAR) {
			if (op == BPF_SUB) {
				reg_set_unknown(dst);
				return 0;
			}
			vf_say(env, "R%u pointer %s pointer prohibited\n", insn->dst_reg,
			       op_names[op >> 4]);
			return -EACCES;
		}
		if (src->kind != RK_SCALAR) {
			err = vf_mark_precise(env, insn->dst_reg);
			return err ? err : move_ptr(env, insn, dst, *src, *dst, true);
		}
		if (dst->kind != RK_SCALAR) {
			err = vf_mark_precise(env, insn->src_reg);
			return err ? err : move_ptr(env, insn, dst, *dst, *src, false);
		}
		if (dst->precise) {
			err = vf_mark_precise(env, insn->src_reg);
			if (err)
				return err;
		}
	} else {
		reg_set_const(&imm, (u64)(s64)insn->imm);
		src = &imm;
		if (dst->kind != RK_SCALAR)
			return move_ptr(env, insn, dst, *dst, imm, false);
	}
	was_zext = dst->v.umax <= UINT32_MAX;
	s = src->v;
	err = combine(env, insn, dst, s);
	if (err)
		return err;
	if (BPF_SRC(insn->code) == BPF_X && insn->src_reg == insn->dst_reg)
		reg_unlink(dst);
	else
		keep_link(dst, insn, &s, was_zext);
	return 0;
}

/* Between the address spaces of the program (0) and of its arena (1). */
static int step_cast(struct env *env, const struct bpf_insn *insn)
{
	struct reg *dst = &vf_regs(env)[insn->dst_reg];
	int err;

	if (insn->imm != 1 && insn->imm != 1 << 16) {
		vf_say(env, "addr_space_cast insn can only convert between address space 1 and "
			    "0\n");
		return -EINVAL;
	}
	if (!env->arena) {
		vf_say(env, "addr_space_cast insn can only be used in a program that has an "
			    "associated arena\n");
		return -EINVAL;
	}
	err = vf_check_reg(env, insn->src_reg, USE_SRC);
	if (!err)
		err = vf_check_reg(env, insn->dst_reg, USE_DST);
	if (!err && insn->imm == 1) {
		dst->kind = RK_ARENA;
		dst->subreg_def = env->insn_idx + 1;
	}
	return err;
}

static int step_mov(struct env *env, const struct bpf_insn *insn)
{
	struct reg *regs = vf_regs(env), *dst = &regs[insn->dst_reg], *src;
	bool is64 = BPF_CLASS(insn->code) == BPF_ALU64, fits;
	u32 bytes = (u32)insn->off / 8;
	int err;

	if (BPF_SRC(insn->code) == BPF_X) {
		if (is64 && insn->off == SKEP_BPF_ADDR_SPACE_CAST)
			return step_cast(env, insn);
		if ((insn->off && insn->off != 8 && insn->off != 16 &&
		     !(is64 && insn->off == 32)) ||
		    insn->imm) {
			vf_say(env, "BPF_MOV uses reserved fields\n");
			return -EINVAL;
		}
		err = vf_check_reg(env, insn->src_reg, USE_SRC);
	} else if (insn->src_reg || insn->off) {
		vf_say(env, "BPF_MOV uses reserved fields\n");
		return -EINVAL;
	} else {
		err = 0;
	}
	if (!err)
		err = vf_check_reg(env, insn->dst_reg, USE_DST_NO_MARK);
	if (err)
		return err;
	if (BPF_SRC(insn->code) == BPF_K) {
		reg_set_const(dst, is64 ? (u64)(s64)insn->imm : (u32)insn->imm);
		return 0;
	}
	src = &regs[insn->src_reg];
	if (is64 && !insn->off) {
		vf_link_scalar(env, src);
		*dst = *src;
		dst->subreg_def = 0;
		return 0;
	}
	if (src->kind != RK_SCALAR) {
		reg_set_unknown(dst);
		if (!is64) {
			scalar_zext32(&dst->v);
			scalar_sync(&dst->v);
		}
		return 0;
	}
	/* Does the copy have the same value? Then it stays linked. */
	fits = insn->off ? src->v.umax < 1ull << (insn->off - 1) : src->v.umax <= UINT32_MAX;
	if (fits)
		vf_link_scalar(env, src);
	*dst = *src;
	if (!fits)
		reg_unlink(dst);
	if (insn->off && is64)
		scalar_sign_extend(&dst->v, bytes);
	else if (insn->off)
		scalar_sign_extend32(&dst->v, bytes);
	dst->subreg_def = is64 ? 0 : env->insn_idx + 1;
	if (!is64)
		scalar_zext32(&dst->v);
	scalar_sync(&dst->v);
	return 0;
}

static int step_unary(struct env *env, const struct bpf_insn *insn)
{
	bool neg = BPF_OP(insn->code) == BPF_NEG;
	struct reg *dst = &vf_regs(env)[insn->dst_reg];
	bool is64 = BPF_CLASS(insn->code) == BPF_ALU64, swap;
	struct scalar v;
	int err;

	if (neg ? BPF_SRC(insn->code) != BPF_K || insn->src_reg || insn->off || insn->imm
		: insn->src_reg || insn->off ||
			    (insn->imm != 16 && insn->imm != 32 && insn->imm != 64) ||
			    (is64 && BPF_SRC(insn->code) != BPF_TO_LE)) {
		vf_say(env, "BPF_%s uses reserved fields\n", neg ? "NEG" : "END");
		return -EINVAL;
	}
	err = vf_check_reg(env, insn->dst_reg, USE_SRC);
	if (err)
		return err;
	if (dst->kind != RK_SCALAR)
		return vf_check_reg(env, insn->dst_reg, USE_DST);
	err = vf_check_reg(env, insn->dst_reg, USE_DST_NO_MARK);
	if (err)
		return err;
	if (neg) {
		err = combine(env, insn, dst, dst->v);
		reg_unlink(dst);
		return err;
	}
	swap = is64 || BPF_SRC(insn->code) == BPF_TO_BE;
	v = dst->v;
	if (swap)
		scalar_bswap(&v, (u32)insn->imm);
	else
		scalar_truncate(&v, (u32)insn->imm / 8);
	reg_set_unknown(dst);
	dst->v = v;
	return 0;
}

int vf_step_alu(struct env *env, const struct bpf_insn *insn)
{
	u8 op = BPF_OP(insn->code);
	bool is64 = BPF_CLASS(insn->code) == BPF_ALU64, divides = op == BPF_DIV || op == BPF_MOD;
	int err;

	if (op == BPF_NEG || op == BPF_END)
		return step_unary(env, insn);
	if (op == BPF_MOV)
		return step_mov(env, insn);
	if (op > BPF_END) {
		vf_say(env, "invalid BPF_ALU opcode %x\n", op);
		return -EINVAL;
	}
	if ((BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg) ||
	    (insn->off && insn->off != 1) || (insn->off == 1 && !divides)) {
		vf_say(env, "BPF_ALU uses reserved fields\n");
		return -EINVAL;
	}
	if (BPF_SRC(insn->code) == BPF_X) {
		err = vf_check_reg(env, insn->src_reg, USE_SRC);
		if (err)
			return err;
	}
	err = vf_check_reg(env, insn->dst_reg, USE_SRC);
	if (err)
		return err;
	if (divides && BPF_SRC(insn->code) == BPF_K && !insn->imm) {
		vf_say(env, "div by zero\n");
		return -EINVAL;
	}
	if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && BPF_SRC(insn->code) == BPF_K &&
	    (insn->imm < 0 || insn->imm >= (is64 ? 64 : 32))) {
		vf_say(env, "invalid shift %d\n", insn->imm);
		return -EINVAL;
	}
	err = vf_check_reg(env, insn->dst_reg, USE_DST_NO_MARK);
	if (err)
		return err;
	err = step_binary(env, insn);
	if (!err && !is64)
		vf_regs(env)[insn->dst_reg].subreg_def = env->insn_idx + 1;
	return err;
}

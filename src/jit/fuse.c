/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that are fewer of the processor's.
 *
 * BPF has two operands and one address mode, so a compiler's rotation is four instructions, an
 * indexed access five, an addition to memory three. Such runs are recognised where they stand: no
 * instruction but the first is jumped to, and what lies between is read by nobody else. The latter
 * comes from rewrite (skep_fact.dead); where nothing is known, nothing is fused that needs it.
 *
 * Addresses are followed by value: each register is a sum of at most two registers as they were
 * when the run began, one of them scaled, and a constant. The first access through such a register
 * takes the sum as its address mode, and the instructions that made it are left out, if what they
 * wrote is dead behind the access.
 */
#include "jit/emit.h"

#define NO_REG 0xff
#define MAX_RUN 8

/* [base + index * 2^scale + disp], or beside rip when @far */
struct mem {
	u8 base, index; /* the processor's, or NO_REG */
	u8 scale;
	s64 disp;
};

/* A register's value at the start of the run: the sum of parts. */
struct sum {
	u8 reg[2]; /* BPF registers, NO_REG: none; only the second is scaled */
	u8 scale;
	s64 disp;
};

static bool dead(const struct jit *j, u32 pc, u8 reg)
{
	return j->p->facts[pc].dead >> reg & 1;
}

static bool in_run(const struct jit *j, u32 pc, u32 n, u32 end)
{
	if (pc + n > end)
		return false;
	for (u32 i = pc + 1; i < pc + n; i++)
		if (j->is_target[i])
			return false;
	return true;
}

/* --- encodings with an address --- */

static bool is_rip(const struct jit *j, const struct mem *m)
{
	return m->base == NO_REG && m->index == NO_REG && !is_s32(m->disp);
}

/* @op reg, m; @imm bytes of an immediate follow; @narrow: a 16-bit operation. */
static void emit_at(struct jit *j, bool w, u32 op, u8 reg, const struct mem *m, u32 imm,
		    bool byte_reg, bool narrow)
{
	u8 base = m->base == NO_REG ? 0 : m->base, index = m->index == NO_REG ? 0 : m->index;
	u8 mod;

	if (narrow)
		emit1(j, 0x66);
	emit_rex(j, w, reg, index, base, byte_reg && reg >= RSP);
	emit_opcode(j, op);
	if (is_rip(j, m)) {
		emit1(j, (u8)((reg & 7) << 3 | 5));
		emit4(j, (u32)(m->disp - (s64)(j->base + j->n + 4 + imm)));
		return;
	}
	if (m->index == NO_REG && m->base != NO_REG) {
		emit_mem(j, reg, base, (s32)m->disp);
		return;
	}
	if (m->base == NO_REG)
		mod = 0;
	else
		mod = !m->disp && (base & 7) != RBP ? 0 : is_s8(m->disp) ? 1 : 2;
	emit1(j, (u8)(mod << 6 | (reg & 7) << 3 | 4));
	emit1(j, (u8)(m->scale << 6 | (m->index == NO_REG ? 4 : index & 7) << 3 |
		      (m->base == NO_REG ? 5 : base & 7)));
	if (mod == 1)
		emit1(j, (u8)m->disp);
	else if (mod == 2 || m->base == NO_REG)
		emit4(j, (u32)m->disp);
}

static u32 load_op(u32 bytes, bool sign, bool *w)
{
	*w = sign || bytes == 8;
	switch (bytes) {
	case 1:
		return sign ? 0x0fbe : 0x0fb6;
	case 2:
		return sign ? 0x0fbf : 0x0fb7;
	case 4:
		return sign ? 0x63 : 0x8b;
	default:
		return 0x8b;
	}
}

static void load_at(struct jit *j, u8 dst, const struct mem *m, u32 bytes, bool sign)
{
	bool w;
	u32 op = load_op(bytes, sign, &w);

	emit_at(j, w, op, dst, m, 0, false, false);
}

static void emit_imm(struct jit *j, s32 imm, u32 bytes)
{
	if (bytes == 1)
		emit1(j, (u8)imm);
	else if (bytes == 2)
		emit_bytes(j, &imm, 2);
	else
		emit4(j, (u32)imm);
}

static void store_at(struct jit *j, const struct bpf_insn *in, const struct mem *m)
{
	u32 bytes = skep_insn_bytes(in), imm = SKEP_MIN(bytes, 4u);

	if (BPF_CLASS(in->code) == BPF_STX) {
		emit_at(j, bytes == 8, bytes == 1 ? 0x88 : 0x89, jit_reg[in->src_reg], m, 0,
			bytes == 1, bytes == 2);
		return;
	}
	emit_at(j, bytes == 8, bytes == 1 ? 0xc6 : 0xc7, 0, m, imm, false, bytes == 2);
	emit_imm(j, in->imm, bytes);
}

/* add 0, or 1, and 4, sub 5, xor 6; -1: none of these */
static s32 alu_ext(u8 op)
{
	switch (op) {
	case BPF_ADD:
		return 0;
	case BPF_OR:
		return 1;
	case BPF_AND:
		return 4;
	case BPF_SUB:
		return 5;
	case BPF_XOR:
		return 6;
	default:
		return -1;
	}
}

/* --- addresses --- */

/* What a run of address arithmetic and the access behind it are. */
struct run {
	u32 wrote; /* registers that the arithmetic wrote: these have sums, the others are
		      themselves */
	u32 n;	   /* instructions (slots) before the access */
	struct sum v[SKEP_NR_REGS];
};

static struct sum sum_of(const struct run *r, u8 reg)
{
	return r->wrote >> reg & 1 ? r->v[reg] : (struct sum){{reg, NO_REG}, 0, 0};
}

/* d += s. False: it has too many parts. */
static bool sum_add(struct sum *d, const struct sum *s)
{
	struct sum r = *d;

	r.disp += s->disp;
	for (u32 i = 0; i < 2; i++) {
		bool scaled = i == 1 && s->scale;

		if (s->reg[i] == NO_REG)
			continue;
		if (!scaled && r.reg[0] == NO_REG) {
			r.reg[0] = s->reg[i];
		} else if (r.reg[1] == NO_REG) {
			r.reg[1] = s->reg[i];
			r.scale = scaled ? s->scale : 0;
		} else if (scaled && !r.scale && r.reg[0] == NO_REG) {
			r.reg[0] = r.reg[1];
			r.reg[1] = s->reg[i];
			r.scale = s->scale;
		} else {
			return false;
		}
	}
	*d = r;
	return true;
}

static bool sum_shift(struct sum *d, u32 by)
{
	if (d->reg[0] != NO_REG && d->reg[1] != NO_REG)
		return false;
	if (d->reg[1] == NO_REG) {
		d->reg[1] = d->reg[0];
		d->reg[0] = NO_REG;
		d->scale = 0;
	}
	if (d->scale + by > 3)
		return false;
	d->scale = (u8)(d->scale + by);
	d->disp = (s64)((u64)d->disp << by);
	return true;
}

/* May @in be the first of a run? */
static bool may_start(const struct bpf_insn *in)
{
	return in->code == (BPF_LD | BPF_IMM | BPF_DW) ||
	       in->code == (BPF_ALU64 | BPF_MOV | BPF_X) ||
	       in->code == (BPF_ALU64 | BPF_ADD | BPF_K) ||
	       in->code == (BPF_ALU64 | BPF_ADD | BPF_X) ||
	       in->code == (BPF_ALU64 | BPF_LSH | BPF_K);
}

/* Follow one instruction; false: it is no part of an address. */
static bool sum_step(struct run *r, const struct bpf_insn *in)
{
	struct sum d = sum_of(r, in->dst_reg), s;

	if (skep_insn_is_ldimm64(in)) {
		if (in->src_reg == SKEP_PSEUDO_FUNC)
			return false;
		d = (struct sum){{NO_REG, NO_REG}, 0, (s64)skep_insn_imm64(in)};
	} else {
		switch (in->code) {
		case BPF_ALU64 | BPF_MOV | BPF_X:
			if (in->off)
				return false;
			d = sum_of(r, in->src_reg);
			break;
		case BPF_ALU64 | BPF_ADD | BPF_K:
			d.disp += in->imm;
			break;
		case BPF_ALU64 | BPF_ADD | BPF_X:
			s = sum_of(r, in->src_reg);
			if (!sum_add(&d, &s))
				return false;
			break;
		case BPF_ALU64 | BPF_LSH | BPF_K:
			if (in->imm <= 0 || in->imm > 3 || !sum_shift(&d, (u32)in->imm))
				return false;
			break;
		default:
			return false;
		}
	}
	r->v[in->dst_reg] = d;
	r->wrote |= 1u << in->dst_reg;
	return true;
}

static bool reaches(const struct jit *j, s64 address)
{
	s64 d = address - (s64)(j->base + j->n);

	return d > INT32_MIN + 64 && d < INT32_MAX - 64;
}

/*
 * @s + @off as an address mode. A constant that is no displacement is loaded into T2, which costs
 * one instruction: *@ret_cost.
 */
static bool sum_to_mem(struct jit *j, const struct sum *s, s16 off, struct mem *ret, u32 *ret_cost)
{
	s64 disp = s->disp + off;
	struct mem m = {NO_REG, NO_REG, s->scale, disp};

	*ret_cost = 0;
	if (s->reg[0] != NO_REG)
		m.base = jit_reg[s->reg[0]];
	if (s->reg[1] != NO_REG)
		m.index = jit_reg[s->reg[1]];
	if (m.base == NO_REG && m.index != NO_REG && !m.scale) {
		m.base = m.index;
		m.index = NO_REG;
	}
	if (!is_s32(disp)) {
		if (m.base == NO_REG && m.index == NO_REG) {
			if (!reaches(j, disp))
				return false;
		} else if (m.base == NO_REG) {
			*ret_cost = 1;
		} else {
			return false;
		}
	}
	*ret = m;
	return true;
}

/* Everything that the arithmetic wrote is dead behind instruction @pc, but for @but. */
static bool run_is_dead(const struct jit *j, const struct run *r, u32 pc, u32 but)
{
	return !(r->wrote & ~j->p->facts[pc].dead & ~but);
}

static u8 base_of(const struct bpf_insn *in)
{
	return BPF_CLASS(in->code) == BPF_LDX ? in->src_reg : in->dst_reg;
}

static bool is_plain_access(const struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u8 class = BPF_CLASS(in->code), mode = BPF_MODE(in->code);

	return (class == BPF_LDX && (mode == BPF_MEM || mode == SKEP_BPF_MEMSX) &&
		j->p->facts[pc].mem == SKEP_MEM_DIRECT) ||
	       ((class == BPF_ST || class == BPF_STX) && mode == BPF_MEM);
}

static void materialize(struct jit *j, struct mem *m, u32 cost)
{
	if (!cost)
		return;
	emit_mov_addr(j, T2, (u64)m->disp);
	m->base = T2;
	m->disp = 0;
}

/*
 * t = [m]; t op= x; [m] = t, with t dead behind: an operation on memory. @load is the first; the
 * address arithmetic @r may be empty.
 */
static u32 fuse_update(struct jit *j, const struct run *r, u32 load, struct mem m, u32 cost)
{
	const struct bpf_insn *l = &j->p->insns[load], *op = l + 1, *st = l + 2;
	u8 t = l->dst_reg, class = BPF_CLASS(op->code);
	u32 bytes = skep_insn_bytes(l), imm;
	s32 ext = alu_ext(BPF_OP(op->code));
	bool x = BPF_SRC(op->code) == BPF_X;

	if (BPF_MODE(l->code) != BPF_MEM || st->code != (BPF_STX | BPF_MEM | BPF_SIZE(l->code)) ||
	    st->src_reg != t || st->dst_reg != l->src_reg || st->off != l->off || t == l->src_reg)
		return 0;
	if ((class != BPF_ALU && class != BPF_ALU64) || (class == BPF_ALU && bytes == 8) ||
	    op->dst_reg != t || ext < 0 || (x && (op->src_reg == t || r->wrote >> op->src_reg & 1)))
		return 0;
	if (!dead(j, load + 2, t) || !run_is_dead(j, r, load + 2, 0))
		return 0;
	if (!x && bytes == 2)
		return 0; /* an immediate of two bytes stalls the decoder */
	materialize(j, &m, cost);
	if (x) {
		emit_at(j, bytes == 8, (u32)(ext << 3) | (bytes > 1), jit_reg[op->src_reg], &m, 0,
			bytes == 1, bytes == 2);
		return r->n + 3;
	}
	imm = bytes == 1 || is_s8(op->imm) ? 1 : 4;
	emit_at(j, bytes == 8,
		bytes == 1 ? 0x80
		: imm == 1 ? 0x83
			   : 0x81,
		(u8)ext, &m, imm, false, false);
	emit_imm(j, op->imm, imm);
	return r->n + 3;
}

/* t = [m]; d op= t, with t dead behind. */
static u32 fuse_operand(struct jit *j, const struct run *r, u32 load, struct mem m, u32 cost)
{
	const struct bpf_insn *l = &j->p->insns[load], *op = l + 1;
	u8 t = l->dst_reg, d = op->dst_reg, class = BPF_CLASS(op->code);
	u32 bytes = skep_insn_bytes(l);
	s32 ext = alu_ext(BPF_OP(op->code));
	bool mul = BPF_OP(op->code) == BPF_MUL;

	if (BPF_MODE(l->code) != BPF_MEM || BPF_SRC(op->code) != BPF_X || op->src_reg != t ||
	    d == t || (ext < 0 && !mul) || op->off || r->wrote >> d & 1)
		return 0;
	if (!(class == BPF_ALU64 && bytes == 8) && !(class == BPF_ALU && bytes == 4))
		return 0;
	if (!dead(j, load + 1, t) || !run_is_dead(j, r, load + 1, 1u << t))
		return 0;
	materialize(j, &m, cost);
	emit_at(j, bytes == 8, mul ? 0x0faf : (u32)(ext << 3) | 3, jit_reg[d], &m, 0, false, false);
	return r->n + 2;
}

/* t = [m]; if t op x goto, or x op t, with t dead on both ways: a comparison with memory. */
static u32 fuse_compare(struct jit *j, const struct run *r, u32 load, struct mem m, u32 cost)
{
	const struct bpf_insn *l = &j->p->insns[load], *jump = l + 1;
	u8 t = l->dst_reg, class = BPF_CLASS(jump->code), op = BPF_OP(jump->code);
	u32 bytes = skep_insn_bytes(l), imm;
	s32 cc = jit_cc(op);
	bool is_signed = cc == CC_G || cc == CC_GE || cc == CC_L || cc == CC_LE;
	bool x = BPF_SRC(jump->code) == BPF_X;

	if (BPF_MODE(l->code) != BPF_MEM || (class != BPF_JMP && class != BPF_JMP32) || cc < 0 ||
	    op == BPF_JSET)
		return 0;
	if (!dead(j, load + 1, t) || !run_is_dead(j, r, load + 1, 1u << t))
		return 0;
	if (x) {
		u8 other = jump->src_reg == t ? jump->dst_reg : jump->src_reg;

		if (!(class == BPF_JMP && bytes == 8) && !(class == BPF_JMP32 && bytes == 4))
			return 0;
		if ((jump->src_reg != t && jump->dst_reg != t) || other == t ||
		    r->wrote >> other & 1)
			return 0;
		materialize(j, &m, cost);
		/* cmp reg, m or cmp m, reg */
		emit_at(j, bytes == 8, jump->src_reg == t ? 0x3b : 0x39, jit_reg[other], &m, 0,
			false, false);
	} else {
		bool full = (class == BPF_JMP && bytes == 8) || (class == BPF_JMP32 && bytes == 4);

		if (jump->dst_reg != t || bytes == 2)
			return 0;
		/* a narrow load is a non-negative number: compared unsigned, its width is enough */
		if (!full &&
		    (is_signed || jump->imm < 0 || (bytes == 1 && jump->imm > 255) || bytes == 8))
			return 0;
		materialize(j, &m, cost);
		imm = bytes == 1 || is_s8(jump->imm) ? 1 : 4;
		emit_at(j, bytes == 8,
			bytes == 1 ? 0x80
			: imm == 1 ? 0x83
				   : 0x81,
			7, &m, imm, false, false);
		emit_imm(j, jump->imm, imm);
	}
	jit_jump(j, load + 1, cc, (u32)skep_insn_target(jump, load + 1));
	return r->n + 2;
}

/* Address arithmetic, none or more instructions of it, an access, and what goes with the access. */
static u32 fuse_access(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	struct run r;
	struct mem m;
	struct sum s;
	u32 at = pc, cost, done;
	bool load;

	if (!may_start(in) && BPF_CLASS(in->code) != BPF_LDX)
		return 0;
	r.wrote = r.n = 0;
	while (at < end && r.n < MAX_RUN && !is_plain_access(j, at)) {
		in = &j->p->insns[at];
		if ((at != pc && j->is_target[at]) || !sum_step(&r, in))
			return 0;
		at += skep_insn_is_ldimm64(in) ? 2 : 1;
		r.n = at - pc;
	}
	if (at >= end || r.n >= MAX_RUN || (at != pc && j->is_target[at]))
		return 0;
	in = &j->p->insns[at];
	load = BPF_CLASS(in->code) == BPF_LDX;
	if (r.n && !(r.wrote >> base_of(in) & 1))
		return 0;
	s = sum_of(&r, base_of(in));
	if (!sum_to_mem(j, &s, in->off, &m, &cost))
		return 0;
	if (load) {
		done = in_run(j, at, 3, end) ? fuse_update(j, &r, at, m, cost) : 0;
		if (!done && in_run(j, at, 2, end))
			done = fuse_operand(j, &r, at, m, cost);
		if (!done && in_run(j, at, 2, end))
			done = fuse_compare(j, &r, at, m, cost);
		if (done)
			return done;
	}
	if (!r.n || (r.n <= cost) || !run_is_dead(j, &r, at, load ? 1u << in->dst_reg : 0))
		return 0;
	if (BPF_CLASS(in->code) == BPF_STX && r.wrote >> in->src_reg & 1)
		return 0;
	materialize(j, &m, cost);
	if (load)
		load_at(j, jit_reg[in->dst_reg], &m, skep_insn_bytes(in),
			BPF_MODE(in->code) == SKEP_BPF_MEMSX);
	else
		store_at(j, in, &m);
	return r.n + 1;
}

/* --- others --- */

/* d = s; d += k or r: lea. */
static u32 fuse_lea(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *a = &j->p->insns[pc], *b = a + 1;
	bool w = BPF_CLASS(a->code) == BPF_ALU64;
	struct mem m = {jit_reg[a->src_reg], NO_REG, 0, 0};

	if (!in_run(j, pc, 2, end) || (!w && BPF_CLASS(a->code) != BPF_ALU) ||
	    BPF_CLASS(a->code) != BPF_CLASS(b->code) || BPF_OP(a->code) != BPF_MOV ||
	    BPF_SRC(a->code) != BPF_X || a->off || a->dst_reg != b->dst_reg ||
	    a->src_reg == a->dst_reg || BPF_OP(b->code) != BPF_ADD)
		return 0;
	if (BPF_SRC(b->code) == BPF_X) {
		if (b->src_reg == a->dst_reg)
			return 0;
		m.index = jit_reg[b->src_reg];
	} else {
		m.disp = b->imm;
	}
	emit_at(j, w, 0x8d, jit_reg[a->dst_reg], &m, 0, false, false);
	return 2;
}

/* x <<= k; d += x with x dead, or x <<= k; x += d: scaled lea. */
static u32 fuse_scaled(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *a = &j->p->insns[pc], *add = a + 1;
	struct mem m = {NO_REG, jit_reg[a->dst_reg], (u8)a->imm, 0};

	if (!in_run(j, pc, 2, end) || a->code != (BPF_ALU64 | BPF_LSH | BPF_K) || a->imm < 1 ||
	    a->imm > 3 || add->code != (BPF_ALU64 | BPF_ADD | BPF_X))
		return 0;
	if (add->dst_reg == a->dst_reg && add->src_reg != a->dst_reg)
		m.base = jit_reg[add->src_reg];
	else if (add->src_reg == a->dst_reg && add->dst_reg != a->dst_reg &&
		 dead(j, pc + 1, a->dst_reg))
		m.base = jit_reg[add->dst_reg];
	else
		return 0;
	emit_at(j, true, 0x8d, jit_reg[add->dst_reg], &m, 0, false, false);
	return 2;
}

/* x <<= 32; x >>= 32: extension. */
static u32 fuse_extend(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *a = &j->p->insns[pc], *b = a + 1;
	u8 dst = jit_reg[a->dst_reg];

	if (!in_run(j, pc, 2, end) || a->code != (BPF_ALU64 | BPF_LSH | BPF_K) || a->imm != 32 ||
	    b->imm != 32 || b->dst_reg != a->dst_reg)
		return 0;
	if (b->code == (BPF_ALU64 | BPF_RSH | BPF_K)) {
		emit_mov_rr(j, false, dst, dst);
		return 2;
	}
	if (b->code == (BPF_ALU64 | BPF_ARSH | BPF_K)) {
		emit_rr(j, true, 0x63, dst, dst);
		return 2;
	}
	return 0;
}

static bool is_shift(const struct bpf_insn *in, u8 class, u8 op, u8 reg)
{
	return in->code == (class | op | BPF_K) && in->dst_reg == reg;
}

static bool is_copy(const struct bpf_insn *in, u8 class)
{
	return in->code == (class | BPF_MOV | BPF_X) && !in->off && in->dst_reg != in->src_reg;
}

/* Joined halves: or, and where no bit meets another, add and xor. */
static bool is_join(const struct bpf_insn *in, u8 class, u8 dst, u8 src)
{
	u8 op = BPF_OP(in->code);

	return BPF_CLASS(in->code) == class && BPF_SRC(in->code) == BPF_X && in->dst_reg == dst &&
	       in->src_reg == src && (op == BPF_OR || op == BPF_ADD || op == BPF_XOR);
}

/*
 * A rotation, by shifts of two copies:
 *
 *	t = x; t >>= w - k; x <<= k; x |= t		x
 *	t = x; t >>= w - k; y = x; y <<= k; y |= t	y; x stays
 *
 * with t dead behind, or the same with the directions exchanged.
 */
static u32 fuse_rotate(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u8 class = BPF_CLASS(in->code), x = in->src_reg, t = in->dst_reg, to = x;
	u8 first = BPF_OP(in[1].code), second = first == BPF_RSH ? BPF_LSH : BPF_RSH;
	bool w = class == BPF_ALU64;
	u32 bits = w ? 64 : 32, n = 2, left;

	if ((class != BPF_ALU && class != BPF_ALU64) || !is_copy(in, class) ||
	    !in_run(j, pc, 4, end) || (first != BPF_LSH && first != BPF_RSH) ||
	    !is_shift(&in[1], class, first, t))
		return 0;
	if (is_copy(&in[2], class) && in[2].src_reg == x && in[2].dst_reg != t) {
		if (!in_run(j, pc, 5, end))
			return 0;
		to = in[2].dst_reg;
		n = 3;
	}
	if (!is_shift(&in[n], class, second, to) || in[1].imm <= 0 || in[n].imm <= 0 ||
	    (u32)in[1].imm + (u32)in[n].imm != bits)
		return 0;
	left = (u32)(first == BPF_LSH ? in[1].imm : in[n].imm);
	if (is_join(&in[n + 1], class, to, t) && dead(j, pc + n + 1, t)) {
		/* the sum is in @to */
	} else if (is_join(&in[n + 1], class, t, to) && dead(j, pc + n + 1, to)) {
		to = t;
	} else {
		return 0;
	}
	if (to != x)
		emit_mov_rr(j, w, jit_reg[to], jit_reg[x]);
	emit_shift_ri(j, w, 0, jit_reg[to], (u8)left);
	return n + 2;
}

/* if a op b goto +1; d = s: a conditional move. */
static u32 fuse_select(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *jump = &j->p->insns[pc], *mov = jump + 1;
	u8 class = BPF_CLASS(jump->code), from;
	bool w = BPF_CLASS(mov->code) == BPF_ALU64;
	s32 cc;

	if ((class != BPF_JMP && class != BPF_JMP32) || jit_cc(BPF_OP(jump->code)) < 0 ||
	    !in_run(j, pc, 2, end) || skep_insn_target(jump, pc) != (s64)pc + 2 ||
	    (!w && BPF_CLASS(mov->code) != BPF_ALU) || BPF_OP(mov->code) != BPF_MOV || mov->off)
		return 0;
	if (BPF_SRC(mov->code) == BPF_K) {
		emit_mov_ri(j, T1, w ? (u64)(s64)mov->imm : (u32)mov->imm);
		from = T1;
	} else if (w) {
		from = jit_reg[mov->src_reg];
	} else {
		emit_mov_rr(j, false, T1, jit_reg[mov->src_reg]);
		from = T1;
	}
	cc = jit_compare(j, jump);
	emit_rr(j, true, 0x0f40 | (u32)(cc ^ 1), jit_reg[mov->dst_reg], from);
	return 2;
}

u32 jit_fuse(struct jit *j, u32 pc, u32 end)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u32 n = fuse_access(j, pc, end);

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		if (!n && BPF_OP(in->code) == BPF_MOV)
			n = fuse_rotate(j, pc, end);
		if (!n && BPF_OP(in->code) == BPF_MOV)
			n = fuse_lea(j, pc, end);
		if (!n && BPF_OP(in->code) == BPF_LSH)
			n = fuse_scaled(j, pc, end);
		if (!n && BPF_OP(in->code) == BPF_LSH)
			n = fuse_extend(j, pc, end);
		return n;
	case BPF_JMP:
	case BPF_JMP32:
		return fuse_select(j, pc, end);
	default:
		return n;
	}
}

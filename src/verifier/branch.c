/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditional jumps: decide them, or fork and teach both sides what they imply.
 */
#include "verifier/env.h"

#include <string.h>

/* Packet pointers known to lie at or beyond the end; stored in reg.range. */
enum { AT_END = -1, BEYOND_END = -2 };

static u8 flipped(u8 op)
{
	switch (op) {
	case BPF_JGT:
		return BPF_JLT;
	case BPF_JGE:
		return BPF_JLE;
	case BPF_JLT:
		return BPF_JGT;
	case BPF_JLE:
		return BPF_JGE;
	case BPF_JSGT:
		return BPF_JSLT;
	case BPF_JSGE:
		return BPF_JSLE;
	case BPF_JSLT:
		return BPF_JSGT;
	case BPF_JSLE:
		return BPF_JSGE;
	default:
		return op;
	}
}

static bool is_pkt_any(const struct reg *r)
{
	return reg_is_pkt(r) || r->kind == RK_PKT_END;
}

static int predict_pkt(const struct reg *a, const struct reg *b, u8 op)
{
	const struct reg *pkt = a;

	if (b->kind != RK_PKT_END) {
		if (a->kind != RK_PKT_END)
			return -1;
		pkt = b;
		op = flipped(op);
	}
	if (pkt->range >= 0)
		return -1;
	if ((op == BPF_JLE || op == BPF_JGT) && pkt->range == BEYOND_END)
		return op == BPF_JGT;
	if (op == BPF_JLT || op == BPF_JGE)
		return op == BPF_JGE;
	return -1;
}

static int predict(const struct reg *a, const struct reg *b, u8 op, bool is32)
{
	if (is_pkt_any(a) && is_pkt_any(b) && !is32)
		return predict_pkt(a, b, op);
	if (a->kind == RK_SCALAR && b->kind == RK_SCALAR)
		return scalar_predict(op, is32, &a->v, &b->v);
	/* A pointer against a constant: only "is it null" can be decided. */
	if (!(is32 ? scalar_is_const32(&b->v) && b->kind == RK_SCALAR : reg_is_const(b))) {
		const struct reg *t = a;

		op = flipped(op);
		a = b;
		b = t;
	}
	if (b->kind != RK_SCALAR || !(is32 ? scalar_is_const32(&b->v) : scalar_is_const(&b->v)))
		return -1;
	if (!reg_not_null(a))
		return -1;
	if (is32 ? (u32)b->v.tn.value : b->v.tn.value)
		return -1;
	return op == BPF_JEQ ? 0 : op == BPF_JNE ? 1 : -1;
}

/* --- numbers that are the same up to a constant --- */

static void add_linked(struct hist *h, struct reg *r, u32 id, u32 frameno, bool is_reg, u32 index)
{
	if (r->kind != RK_SCALAR || r->id != id)
		return;
	/* Two compared that are linked fill the list twice, as in Linux. */
	if (h->nr_linked == VF_MAX_LINKED) {
		reg_unlink(r);
		return;
	}
	h->linked[h->nr_linked].frameno = (u8)frameno;
	h->linked[h->nr_linked].is_reg = is_reg;
	h->linked[h->nr_linked].index = (u8)index;
	h->nr_linked++;
}

/* Nearest frames first, so that what does not fit loses its link farthest away. */
static void collect_linked(struct env *env, struct state *st, u32 id, struct hist *h)
{
	for (s32 f = (s32)st->curframe; f >= 0; f--) {
		struct frame *fr = st->frame[f];
		u32 at = (u32)f == st->curframe ? env->insn_idx : st->frame[f + 1]->callsite;

		for (u32 i = 0; i < VF_NR_REGS; i++)
			if (env->aux[at].live >> i & 1)
				add_linked(h, &fr->regs[i], id, (u32)f, true, i);
		for (u32 i = 0; i < fr->nr_slots; i++)
			if (slot_is_spill(&fr->slots[i]))
				add_linked(h, &fr->slots[i].spill, id, (u32)f, false, i);
	}
}

/* @known was narrowed: its relatives follow. */
static void sync_linked(struct state *st, const struct reg *known_, const struct hist *h)
{
	struct reg known = *known_;

	for (u32 i = 0; i < h->nr_linked; i++) {
		struct frame *fr = st->frame[h->linked[i].frameno];
		struct reg *r = h->linked[i].is_reg ? &fr->regs[h->linked[i].index]
						    : &fr->slots[h->linked[i].index].spill;
		struct scalar v = known.v, d;

		if (r->kind != RK_SCALAR || r == known_ || r->id != known.id)
			continue;
		if ((!r->link && !known.link) || (r->link == known.link && r->off == known.off)) {
			r->v = known.v;
			r->precise = known.precise;
			continue;
		}
		if (r->link == LINK_ADD32 || known.link == LINK_ADD32) {
			/* Sums of low halves: relate those only. */
			d = scalar_const((u64)(s64)r->off - (u64)(s64)known.off);
			if (known.link && r->link && known.link != r->link)
				continue;
			scalar_alu(BPF_ADD, false, &v, &d);
		} else {
			d = scalar_const((u64)((s64)r->off - (s64)known.off));
			scalar_alu(BPF_ADD, true, &v, &d);
		}
		r->v = v;
	}
}

/* --- null checks --- */

static void become_not_null(struct reg *r)
{
	if (r->kind == RK_MAP_VALUE) {
		struct skep_map_facts *m = r->map;

		if (m->inner) {
			r->kind = RK_MAP_PTR;
			r->map = (struct skep_map_facts *)m->inner;
			/* Which of several inner maps it is matters for timers. */
			if (m->inner->record &&
			    m->inner->record->mask & (1u << SKEP_FIELD_TIMER | 1u << SKEP_FIELD_WQ |
						      1u << SKEP_FIELD_TASK_WORK))
				r->map_uid = r->id;
		} else if (m->type == BPF_MAP_TYPE_XSKMAP) {
			r->kind = RK_XDP_SOCK;
		} else if (m->type == BPF_MAP_TYPE_SOCKMAP || m->type == BPF_MAP_TYPE_SOCKHASH) {
			r->kind = RK_SOCKET;
		}
	}
	r->flags &= (u16)~RF_MAYBE_NULL;
}

static void settle_null(struct env *env, struct state *st, const struct reg *tested, bool is_null)
{
	u32 id = tested->id, ref = tested->ref_id;
	struct frame *f;
	struct reg *r;

	if (ref && ref == id && is_null)
		vf_drop_ref_entry(st, id);
	vf_for_each_reg(st, f, r)
	{
		if (!(r->flags & RF_MAYBE_NULL) || r->id != id || r->kind <= RK_SCALAR)
			continue;
		if (is_null) {
			if (r->off && !(r->flags & (RF_ALLOC | RF_NON_OWN)))
				continue;
			reg_set_const(r, 0);
			continue;
		}
		become_not_null(r);
		if (!vf_may_spin_lock(env, r))
			r->id = 0;
	}
}

/* --- packet bounds --- */

static void prove_range(struct state *st, const struct reg *p, bool right_open)
{
	u8 kind = p->kind;
	u32 id = p->id;
	s32 range;
	struct frame *f;
	struct reg *r;

	if (p->off < 0 || (!p->off && right_open))
		return;
	if (p->v.umax > VF_MAX_PKT_OFF || p->v.umax + (u64)p->off > VF_MAX_PKT_OFF)
		return;
	range = p->off + right_open;
	vf_for_each_reg(st, f, r) if (r->kind == kind && r->id == id && r->range < range) r->range =
		range;
}

static void mark_beyond(struct state *st, u32 regno, bool beyond)
{
	struct reg *r = &st->frame[st->curframe]->regs[regno];

	if (r->kind == RK_PKT)
		r->range = beyond ? BEYOND_END : AT_END;
}

static bool is_pkt_start(const struct reg *r)
{
	return r->kind == RK_PKT && !r->off && reg_is_pkt(r) && scalar_is_const(&r->v) &&
	       !r->v.tn.value;
}

/* Side @a bounded by side @b: packet by its end, metadata by the packet's start. */
static bool is_bounded_by(const struct reg *a, const struct reg *b)
{
	return (a->kind == RK_PKT && b->kind == RK_PKT_END) ||
	       (a->kind == RK_PKT_META && is_pkt_start(b));
}

static void match_pkt(const struct bpf_insn *insn, const struct reg *dst, const struct reg *src,
		      struct state *fall, struct state *jump)
{
	u8 op = BPF_OP(insn->code);
	const struct reg *p;
	u32 regno;
	struct state *good, *bad;

	if (BPF_SRC(insn->code) != BPF_X || BPF_CLASS(insn->code) == BPF_JMP32)
		return;
	if (is_bounded_by(dst, src)) {
		p = dst;
		regno = insn->dst_reg;
	} else if (is_bounded_by(src, dst)) {
		p = src;
		regno = insn->src_reg;
		op = flipped(op);
	} else {
		return;
	}
	/* Now it reads "p op end". */
	switch (op) {
	case BPF_JGT:
	case BPF_JGE:
		good = fall;
		bad = jump;
		break;
	case BPF_JLT:
	case BPF_JLE:
		good = jump;
		bad = fall;
		break;
	default:
		return;
	}
	{
		bool strict = op == BPF_JGE || op == BPF_JLT; /* p < end where it is good */
		struct reg copy = *p;

		prove_range(good, &copy, strict);
		mark_beyond(bad, regno, !strict);
	}
}

/* --- the instruction --- */

static int may_goto(struct env *env, const struct bpf_insn *insn, u32 *idx)
{
	struct state *st = env->cur, *next, *p;

	if (insn->code != (BPF_JMP | SKEP_BPF_JCOND) || insn->src_reg || insn->dst_reg ||
	    insn->imm) {
		vf_say(env, "invalid may_goto imm %d\n", insn->imm);
		return -EINVAL;
	}
	/* The last round's checkpoint here, not the one just made. */
	for (p = st->parent ? st->parent->parent : NULL; p; p = p->parent)
		if (p->insn_idx == *idx && p->curframe == st->curframe)
			break;
	next = vf_push_branch(env, *idx + 1, *idx);
	if (!next)
		return -ENOMEM;
	next->may_goto_depth++;
	if (p)
		vf_widen(env, p, next);
	*idx += 1 + (u32)insn->off;
	return 0;
}

static void fix_broken(struct reg *r)
{
	if (r->kind == RK_SCALAR && scalar_broken(&r->v))
		scalar_forget_ranges(&r->v);
}

static bool nullness_differs(const struct reg *a, const struct reg *b)
{
	return reg_is_ptr(a) && reg_is_ptr(b) && a->kind != RK_BTF && b->kind != RK_BTF &&
	       ((a->flags ^ b->flags) & RF_MAYBE_NULL);
}

int vf_step_jmp(struct env *env, const struct bpf_insn *insn, u32 *idx)
{
	struct reg *regs = vf_regs(env), *dst = &regs[insn->dst_reg], *src, *odst, *osrc;
	bool is32 = BPF_CLASS(insn->code) == BPF_JMP32, x = BPF_SRC(insn->code) == BPF_X;
	u8 op = BPF_OP(insn->code);
	struct state *cur = env->cur, *other;
	struct hist linked = {0};
	struct reg tested;
	int err, pred;

	if (op == BPF_JA || op > SKEP_BPF_JCOND) {
		vf_say(env, "invalid BPF_JMP/JMP32 opcode %x\n", op);
		return -EINVAL;
	}
	if (op == SKEP_BPF_JCOND)
		return may_goto(env, insn, idx);
	err = vf_check_reg(env, insn->dst_reg, USE_SRC);
	if (err)
		return err;
	if (x ? insn->imm : insn->src_reg) {
		vf_say(env, "BPF_JMP/JMP32 uses reserved fields\n");
		return -EINVAL;
	}
	if (x) {
		err = vf_check_reg(env, insn->src_reg, USE_SRC);
		if (err)
			return err;
		src = &regs[insn->src_reg];
	} else {
		src = &env->fake[0];
		memset(src, 0, sizeof(*src));
		reg_set_const(src, (u64)(s64)insn->imm);
	}
	pred = predict(dst, src, op, is32);
	if (pred >= 0) {
		if (dst->kind == RK_SCALAR)
			err = vf_mark_precise(env, insn->dst_reg);
		if (!err && x && src->kind == RK_SCALAR)
			err = vf_mark_precise(env, insn->src_reg);
		if (err)
			return err;
		if (vf_logging(env) && (env->scratched_regs || env->scratched_slots))
			vf_log_insn_state(env, cur, cur->curframe);
		if (pred)
			env->aux[*idx].took_jump = true;
		else
			env->aux[*idx].took_fall = true;
		*idx += 1 + (pred ? (u32)insn->off : 0);
		return 0;
	}
	env->aux[*idx].took_jump = env->aux[*idx].took_fall = true;
	if (x && src->kind == RK_SCALAR && src->id)
		collect_linked(env, cur, src->id, &linked);
	if (dst->kind == RK_SCALAR && dst->id)
		collect_linked(env, cur, dst->id, &linked);
	if (linked.nr_linked > 1) {
		err = vf_push_hist(env, cur, &linked);
		if (err)
			return err;
	}
	other = vf_push_branch(env, *idx + 1 + (u32)insn->off, *idx);
	if (!other)
		return -EFAULT;
	odst = &other->frame[other->curframe]->regs[insn->dst_reg];
	if (x) {
		osrc = &other->frame[other->curframe]->regs[insn->src_reg];
	} else {
		osrc = &env->fake[1];
		*osrc = *src;
	}
	if (dst->kind == RK_SCALAR && src->kind == RK_SCALAR) {
		scalar_refine(op, is32, false, &dst->v, &src->v);
		scalar_refine(op, is32, true, &odst->v, &osrc->v);
		fix_broken(dst);
		fix_broken(src);
		fix_broken(odst);
		fix_broken(osrc);
	}
	if (x && src->kind == RK_SCALAR && src->id) {
		sync_linked(cur, src, &linked);
		sync_linked(other, osrc, &linked);
	}
	if (dst->kind == RK_SCALAR && dst->id) {
		sync_linked(cur, dst, &linked);
		sync_linked(other, odst, &linked);
	}
	if (!is32 && x && nullness_differs(dst, src) && (op == BPF_JEQ || op == BPF_JNE)) {
		struct reg *eq_dst = op == BPF_JEQ ? odst : dst;
		struct reg *eq_src = op == BPF_JEQ ? osrc : src;

		become_not_null(src->flags & RF_MAYBE_NULL ? eq_src : eq_dst);
	}
	if (!is32 && !x && !insn->imm && (op == BPF_JEQ || op == BPF_JNE) && reg_is_ptr(dst) &&
	    dst->flags & RF_MAYBE_NULL) {
		tested = *dst;
		settle_null(env, cur, &tested, op == BPF_JNE);
		settle_null(env, other, &tested, op == BPF_JEQ);
	} else {
		match_pkt(insn, dst, x ? src : &regs[0], cur, other);
	}
	if (vf_logging(env))
		vf_log_insn_state(env, cur, cur->curframe);
	*idx += 1;
	return 0;
}

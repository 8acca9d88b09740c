/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_loop as a loop, with its callback's body inside.
 *
 * A site qualifies when the callback is the same on every path and the flags are 0; then
 *
 *	if n > 1 << 23: r0 = -E2BIG
 *	else: for (i = 0; i < n; i++) if (body(i, ctx)) { i++; break; }  r0 = i
 *
 * The counter lives in SKEP_REG_LOOP, bound and context in slots below the function's frame. The
 * body is a copy of the callback: its frame is shifted below these slots, R6–R9 that it
 * changes are saved once around the loop instead of once an iteration. A copy is right because
 * a function's frame is its own: R10 occurs only as the base of an access or as the source of
 * a move (anything else keeps the call), and both can be shifted. Callbacks are handled
 * innermost first, so that an inner loop is part of the body that the outer one copies.
 */
#include <errno.h>

#include "base/alloc.h"
#include "rewrite/code.h"

#define BPF_LOOP_ID 181
#define MAX_BODY 512
#define MAX_CODE 200000
#define MAX_DEPTH 8

/* Where a copied exit goes, until the places are known. */
enum { TO_CHECK = 0x7ffffff0, TO_NEXT, TO_BREAK };

struct loop {
	struct rw *rw;
	const struct skep_call_fact *fact;
	u32 site, cb; /* call instruction; callback's subprogram */
	u32 base;     /* bytes of the function's own frame */
	u32 shift;    /* the body's R10 is ours minus this */
	bool inlined, reads_index, reads_ctx, bound_known;
	/* The context as it is made in front of the call: a frame address, or a number. */
	enum { CTX_UNKNOWN, CTX_FRAME, CTX_NUMBER } ctx_kind;
	s32 ctx;
	u32 saved[4], nr_saved;
	u8 *is_target;
};

static s32 slot(const struct loop *l, u32 i)
{
	return -(s32)(l->base + 8 * (i + 1));
}
enum { SLOT_LOOP, SLOT_BOUND, SLOT_CTX, SLOT_REGS };

static const struct skep_call_fact *site_fact(const struct rw *rw, u32 i)
{
	const struct bpf_insn *in = &rw->in.insns[i];
	const struct skep_call_fact *c;

	if (!skep_insn_is_call(in, SKEP_CALL_HELPER) || in->imm != BPF_LOOP_ID)
		return NULL;
	c = rw_call_fact(rw, i);
	if (!c || c->callback <= 0 || (u32)c->callback >= rw->p->nr_subprogs ||
	    !(c->known & 1 << 3) || c->arg[3])
		return NULL;
	return c;
}

static bool has_site(const struct rw *rw, u32 sub)
{
	const struct skep_subprog *s = &rw->p->subprogs[sub];
	u32 i;

	for (i = s->start; i < s->start + s->len; i += rw_slots(&rw->in.insns[i]))
		if (site_fact(rw, i))
			return true;
	return false;
}

/* R10 as the base of a memory access, which a shifted offset replaces. */
static bool fp_is_base(const struct bpf_insn *in)
{
	switch (BPF_CLASS(in->code)) {
	case BPF_LDX:
		return in->src_reg == 10;
	case BPF_ST:
		return in->dst_reg == 10;
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC && in->imm == SKEP_BPF_LOAD_ACQ)
			return in->src_reg == 10;
		return in->dst_reg == 10 && in->src_reg != 10;
	default:
		return false;
	}
}

static bool is_fp_move(const struct bpf_insn *in)
{
	return in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !in->off && in->src_reg == 10;
}

static bool can_inline(const struct rw *rw, u32 cb)
{
	const struct skep_subprog *s = &rw->p->subprogs[cb];
	u32 i;

	if (s->len > MAX_BODY || s->has_tail_call || s->has_ld_abs || rw->out.len > MAX_CODE)
		return false;
	for (i = s->start; i < s->start + s->len; i += rw_slots(&rw->in.insns[i])) {
		const struct bpf_insn *in = &rw->in.insns[i];

		if (skep_insn_is_may_goto(in) || BPF_CLASS(in->code) == BPF_LD) {
			if (skep_insn_is_ldimm64(in))
				continue;
			return false;
		}
		if ((skep_insn_reads(in) | skep_insn_writes(in)) >> 10 & 1 && !fp_is_base(in) &&
		    !is_fp_move(in))
			return false;
	}
	return true;
}

/*
 * What R3 is in front of the call, when the block before it says so: then each round makes it
 * anew, instead of loading it.
 */
static void find_ctx(struct loop *l)
{
	const struct rw *rw = l->rw;
	s64 add = 0;

	for (u32 i = l->site; i-- > rw->p->subprogs[rw->sub].start && !l->is_target[i + 1];) {
		const struct bpf_insn *in = &rw->in.insns[i];

		if (!in->code) /* the second half of ldimm64 */
			continue;
		if (!(skep_insn_writes(in) >> 3 & 1))
			continue;
		if (in->code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
			add += in->imm;
			continue;
		}
		if (is_fp_move(in))
			l->ctx_kind = CTX_FRAME;
		else if (in->code == (BPF_ALU64 | BPF_MOV | BPF_K))
			l->ctx_kind = CTX_NUMBER;
		else
			return;
		add += l->ctx_kind == CTX_NUMBER ? in->imm : 0;
		if (add != (s32)add)
			l->ctx_kind = CTX_UNKNOWN;
		l->ctx = (s32)add;
		return;
	}
}

/* What the body needs around it: saved registers, index and context. */
static int survey(struct loop *l)
{
	struct rw *rw = l->rw;
	const struct skep_subprog *s = &rw->p->subprogs[l->cb];
	u16 *live;
	u32 i, writes = 0;

	l->reads_index = l->reads_ctx = true;
	if (!l->inlined)
		return 0;
	live = skep_calloc(rw->in.len + 1, sizeof(u16));
	if (!live)
		return -ENOMEM;
	rw_liveness(rw, l->cb, live);
	l->reads_index = live[s->start] >> 1 & 1;
	l->reads_ctx = live[s->start] >> 2 & 1;
	skep_free(live);
	for (i = s->start; i < s->start + s->len; i += rw_slots(&rw->in.insns[i]))
		writes |= skep_insn_writes(&rw->in.insns[i]);
	for (i = 6; i <= 9; i++)
		if (writes >> i & 1)
			l->saved[l->nr_saved++] = i;
	return 0;
}

/* The value R0 gets right before the exit at @i, when that is all that reaches it: 0, 1; or -1. */
static s32 exit_value(const struct loop *l, u32 i)
{
	const struct skep_subprog *s = &l->rw->p->subprogs[l->cb];
	const struct bpf_insn *prev = &l->rw->in.insns[i] - 1;

	if (i == s->start || l->is_target[i])
		return -1;
	if (prev->code != (BPF_ALU64 | BPF_MOV | BPF_K) &&
	    prev->code != (BPF_ALU | BPF_MOV | BPF_K))
		return -1;
	if (prev->dst_reg || (prev->imm != 0 && prev->imm != 1))
		return -1;
	return prev->imm;
}

/* Put the copy of @i; true when it took the addition behind it along. */
static bool copy_insn(struct loop *l, u32 i)
{
	struct rw *rw = l->rw;
	struct bpf_insn in = rw->in.insns[i];
	const struct bpf_insn *next = &rw->in.insns[i + 1];

	if (is_fp_move(&in)) {
		bool both = next->code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
			    next->dst_reg == in.dst_reg && !l->is_target[i + 1];

		rw_put(rw, in);
		rw_put(rw,
		       SKEP_ALU64_IMM(BPF_ADD, in.dst_reg, (both ? next->imm : 0) - (s32)l->shift));
		return both;
	}
	if (fp_is_base(&in))
		in.off = (s16)(in.off - (s32)l->shift);
	rw_put_jump(rw, in, rw->in.target[i]);
	if (skep_insn_is_ldimm64(&in))
		rw_put(rw, rw->in.insns[i + 1]);
	return false;
}

/* The callback's instructions; exits become jumps to TO_*. Fills @at: old index -> new index. */
static void copy_body(struct loop *l, u32 *at, bool *ret_check_last, bool *ret_checks)
{
	struct rw *rw = l->rw;
	const struct skep_subprog *s = &rw->p->subprogs[l->cb];
	struct skep_fact keep = rw->fact;
	u32 end = s->start + s->len, i, n, t;

	for (i = s->start; i < end; i += n) {
		const struct bpf_insn *in = &rw->in.insns[i];
		s32 v;

		n = rw_slots(in);
		at[i - s->start] = rw->out.len;
		rw->fact = rw->in.facts[i];
		if (i + 1 < end && skep_insn_is_exit(in + 1) && n == 1 && exit_value(l, i + 1) >= 0)
			continue; /* the move; its exit knows the value */
		if (!skep_insn_is_exit(in)) {
			n += copy_insn(l, i);
			continue;
		}
		v = exit_value(l, i);
		t = v < 0 ? TO_CHECK : v ? TO_BREAK : TO_NEXT;
		*ret_check_last = v < 0;
		*ret_checks |= v < 0;
		if (i + 1 == end && t != TO_BREAK)
			break; /* falls into what follows */
		rw_put_jump(rw, SKEP_JA(0), rw_new(t));
	}
	rw->fact = keep;
}

/* Jumps of new code from @from on: inside the body, and out of it. */
static void link_body(struct loop *l, u32 from, u32 to, const u32 *at, u32 check, u32 next, u32 brk)
{
	struct rw *rw = l->rw;
	const struct skep_subprog *s = &rw->p->subprogs[l->cb];
	u32 i;

	if (rw->err)
		return;
	for (i = from; i < to; i++) {
		u32 *t = &rw->out.target[i];

		if (*t == RW_NO_TARGET)
			continue;
		if (*t & RW_NEW) {
			u32 kind = *t & ~RW_NEW;

			if (kind == TO_CHECK)
				*t = rw_new(check);
			else if (kind == TO_NEXT)
				*t = rw_new(next);
			else if (kind == TO_BREAK)
				*t = rw_new(brk);
		} else if (skep_insn_is_jump(&rw->out.insns[i]) && *t >= s->start &&
			   *t < s->start + s->len) {
			*t = rw_new(at[*t - s->start]);
		}
	}
}

static void put_next(struct loop *l, u32 top)
{
	struct rw *rw = l->rw;

	rw_put(rw, SKEP_ALU64_IMM(BPF_ADD, SKEP_REG_LOOP, 1));
	if (l->bound_known) {
		rw_put_jump(rw, SKEP_JMP_IMM(BPF_JLT, SKEP_REG_LOOP, l->fact->arg[0], 0),
			    rw_new(top));
	} else {
		rw_put(rw, SKEP_LDX(BPF_DW, SKEP_REG_AX, 10, slot(l, SLOT_BOUND)));
		rw_put_jump(rw, SKEP_JMP_REG(BPF_JLT, SKEP_REG_LOOP, SKEP_REG_AX, 0), rw_new(top));
	}
}

/* R2 = the context */
static void put_ctx(struct loop *l)
{
	struct rw *rw = l->rw;

	switch (l->ctx_kind) {
	case CTX_FRAME:
		rw_put(rw, SKEP_MOV64_REG(2, 10));
		rw_put(rw, SKEP_ALU64_IMM(BPF_ADD, 2, l->ctx));
		break;
	case CTX_NUMBER:
		rw_put(rw, SKEP_MOV64_IMM(2, l->ctx));
		break;
	default:
		rw_put(rw, SKEP_LDX(BPF_DW, 2, 10, slot(l, SLOT_CTX)));
	}
}

static void put_loop(struct loop *l, u32 *at)
{
	struct rw *rw = l->rw;
	u32 i, big = 0, empty = 0, top, body, body_end, check, next, brk, done, out, brk_check = 0;
	bool check_last = true, checks = false;

	if (!l->bound_known)
		big = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JGT, 1, SKEP_MAX_LOOPS, 0), 0);
	rw_put(rw, SKEP_STX(BPF_DW, 10, SKEP_REG_LOOP, slot(l, SLOT_LOOP)));
	if (!l->bound_known)
		rw_put(rw, SKEP_STX(BPF_DW, 10, 1, slot(l, SLOT_BOUND)));
	if (l->reads_ctx && l->ctx_kind == CTX_UNKNOWN)
		rw_put(rw, SKEP_STX(BPF_DW, 10, 3, slot(l, SLOT_CTX)));
	for (i = 0; i < l->nr_saved; i++)
		rw_put(rw, SKEP_STX(BPF_DW, 10, l->saved[i], slot(l, SLOT_REGS + i)));
	rw_put(rw, SKEP_MOV64_IMM(SKEP_REG_LOOP, 0));
	if (!l->bound_known)
		empty = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JEQ, 1, 0, 0), 0);

	top = rw->out.len;
	if (l->reads_index)
		rw_put(rw, SKEP_MOV64_REG(1, SKEP_REG_LOOP));
	if (l->reads_ctx)
		put_ctx(l);
	body = rw->out.len;
	if (l->inlined)
		copy_body(l, at, &check_last, &checks);
	else
		rw_put_jump(rw, SKEP_CALL(SKEP_CALL_SUBPROG, 0), rw->p->subprogs[l->cb].start);
	body_end = rw->out.len;

	check = rw->out.len;
	if (check_last)
		brk_check = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JNE, 0, 0, 0), 0);
	next = rw->out.len;
	put_next(l, top);
	done = rw->out.len;
	if (!l->bound_known)
		rw_land(rw, empty);
	rw_put(rw, SKEP_MOV64_REG(0, SKEP_REG_LOOP));
	for (i = 0; i < l->nr_saved; i++)
		rw_put(rw, SKEP_LDX(BPF_DW, l->saved[i], 10, slot(l, SLOT_REGS + i)));
	rw_put(rw, SKEP_LDX(BPF_DW, SKEP_REG_LOOP, 10, slot(l, SLOT_LOOP)));
	out = rw_put_jump(rw, SKEP_JA(0), 0);

	if (!check_last && checks) { /* exits whose value is not known, out of the way */
		check = rw->out.len;
		rw_put_jump(rw, SKEP_JMP_IMM(BPF_JEQ, 0, 0, 0), rw_new(next));
	}
	brk = rw->out.len;
	if (check_last)
		rw_land(rw, brk_check);
	rw_put(rw, SKEP_ALU64_IMM(BPF_ADD, SKEP_REG_LOOP, 1));
	rw_put_jump(rw, SKEP_JA(0), rw_new(done));
	if (!l->bound_known) {
		rw_land(rw, big);
		rw_put(rw, SKEP_MOV64_IMM(0, -E2BIG));
	}
	rw_land(rw, out);
	if (l->inlined)
		link_body(l, body, body_end, at, check, next, brk);
}

/* Replace the call at @site; the new depth of the function's frame goes to *@depth. */
static void expand(struct rw *rw, u32 site, u8 *is_target, u32 *depth)
{
	const struct skep_call_fact *fact = site_fact(rw, site);
	struct loop l = {.rw = rw, .fact = fact, .site = site, .is_target = is_target};
	u32 *at = NULL, cb_depth;

	l.cb = (u32)fact->callback;
	l.base = SKEP_ALIGN_UP((u32)rw->p->subprogs[rw->sub].stack_depth, 8u);
	rw_synth(rw);
	l.bound_known = fact->known & 1;
	if (l.bound_known && (fact->arg[0] > SKEP_MAX_LOOPS || !fact->arg[0])) {
		rw_put(rw, SKEP_MOV64_IMM(0, fact->arg[0] ? -E2BIG : 0));
		return;
	}
	rw->fact.flags |= SKEP_FACT_OWN_SLOT;
	find_ctx(&l);
	l.inlined = can_inline(rw, l.cb);
	if (survey(&l))
		goto nomem;
	if (l.inlined) {
		at = skep_calloc(rw->p->subprogs[l.cb].len, sizeof(u32));
		if (!at)
			goto nomem;
	}
	cb_depth = l.inlined ? SKEP_ALIGN_UP((u32)rw->p->subprogs[l.cb].stack_depth, 8u) : 0;
	l.shift = l.base + 8 * (SLOT_REGS + l.nr_saved);
	*depth = SKEP_MAX(*depth, l.shift + cb_depth);
	put_loop(&l, at);
	skep_free(at);
	return;
nomem:
	rw->err = rw->err ? rw->err : -ENOMEM;
}

/* One level: sites whose callbacks have none. True when there was any. */
static bool one_level(struct rw *rw)
{
	struct skep_vprog *p = rw->p;
	u32 *depth = skep_calloc(p->nr_subprogs, sizeof(u32)), i, n;
	u8 *is_target = rw_find_targets(rw), *busy = skep_zalloc(p->nr_subprogs);
	bool any = false;

	if (!depth || !is_target || !busy) {
		rw->err = -ENOMEM;
		goto out;
	}
	for (i = 0; i < p->nr_subprogs; i++) {
		depth[i] = p->subprogs[i].stack_depth;
		busy[i] = has_site(rw, i);
	}
	rw_begin_pass(rw);
	for (rw->sub = 0; rw->sub < p->nr_subprogs; rw->sub++) {
		const struct skep_subprog *s = &p->subprogs[rw->sub];

		for (i = s->start; i < s->start + s->len && !rw->err; i += n) {
			const struct skep_call_fact *c = site_fact(rw, i);

			rw_begin(rw, i);
			n = rw_slots(&rw->in.insns[i]);
			if (c && !busy[c->callback]) {
				expand(rw, i, is_target, &depth[rw->sub]);
				any = true;
			} else {
				rw_copy(rw, i);
			}
		}
	}
	rw_end_pass(rw);
	for (i = 0; i < p->nr_subprogs; i++)
		p->subprogs[i].stack_depth = (u16)depth[i];
out:
	skep_free(depth);
	skep_free(is_target);
	skep_free(busy);
	return any;
}

void rw_loops(struct rw *rw)
{
	u32 level;

	for (level = 0; level < MAX_DEPTH && !rw->err; level++)
		if (!one_level(rw))
			break;
}

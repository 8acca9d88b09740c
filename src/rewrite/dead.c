/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What never runs and what nobody reads.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "rewrite/code.h"
#include "spec/helper.h"

#define GONE UINT32_MAX

/*
 * Subprograms that have become empty leave the table; numbers that refer to it follow. A callback
 * that no path enters (a loop of no iterations) may still be named: its value becomes 0.
 */
static void drop_subprogs(struct rw *rw)
{
	struct skep_vprog *p = rw->p;
	u32 *renum = skep_calloc(p->nr_subprogs, sizeof(u32)), i, n = 0;

	if (!renum) {
		rw->err = -ENOMEM;
		return;
	}
	for (i = 0; i < p->nr_subprogs; i++) {
		renum[i] = GONE;
		if (!p->subprogs[i].len && i)
			continue;
		renum[i] = n;
		p->subprogs[n++] = p->subprogs[i];
	}
	for (i = 0; i < rw->in.len; i++) {
		struct bpf_insn *in = &rw->in.insns[i];

		if (!skep_insn_is_ldimm64(in))
			continue;
		if (in->src_reg == SKEP_PSEUDO_FUNC && (u32)in->imm < p->nr_subprogs) {
			if (renum[in->imm] == GONE)
				in->src_reg = SKEP_PSEUDO_IMM;
			in->imm = renum[in->imm] == GONE ? 0 : (s32)renum[in->imm];
		}
		i++;
	}
	for (i = 0; i < p->nr_calls; i++)
		if (p->calls[i].callback >= 0 && (u32)p->calls[i].callback < p->nr_subprogs)
			p->calls[i].callback = (s32)renum[p->calls[i].callback]; /* GONE: -1 */
	p->nr_subprogs = n;
	skep_free(renum);
}

static bool falls_to(const struct rw *rw, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		if (rw->in.facts[i].flags & SKEP_FACT_SEEN)
			return false;
	return from <= to;
}

/* Unreached instructions go; jumps that always or never jump are hard-wired. */
void rw_dead_code(struct rw *rw)
{
	u32 i, n;

	rw_begin_pass(rw);
	for (i = 0; i < rw->in.len && !rw->err; i += n) {
		const struct bpf_insn *in = &rw->in.insns[i];
		u8 flags = rw->in.facts[i].flags;
		u32 t = rw->in.target[i];

		n = rw_slots(in);
		rw_begin(rw, i);
		if (!(flags & SKEP_FACT_SEEN)) {
			if (n == 2)
				rw->map[i + 1] = rw->out.len;
			continue;
		}
		if (!skep_insn_is_jump(in) || skep_insn_is_may_goto(in)) {
			rw_copy(rw, i);
			continue;
		}
		if (flags & SKEP_FACT_NEVER_TAKEN || falls_to(rw, i + 1, t))
			continue;
		if (flags & SKEP_FACT_ALWAYS_TAKEN)
			rw_put_jump(rw, SKEP_JA(0), t);
		else
			rw_copy(rw, i);
	}
	rw_end_pass(rw);
	if (!rw->err)
		drop_subprogs(rw);
}

/* R1.. up to the most arguments that any variant of helper @id takes. */
static u32 helper_args(u32 id)
{
	u32 n, i, a, mask = 0;
	const struct skep_helper_row *rows = skep_helper_rows(&n);

	for (i = 0; i < n; i++) {
		if (rows[i].id != id)
			continue;
		mask |= 1; /* known helper */
		for (a = 0; a < 5; a++)
			if (rows[i].arg[a] != SKEP_ARG_NONE)
				mask |= 2u << a;
	}
	return mask ? mask & 0x3e : 0x3e;
}

static u32 reads(const struct rw *rw, const struct bpf_insn *in)
{
	const struct skep_target *t;

	if (!skep_insn_is_call(in, SKEP_CALL_HELPER) || (u32)in->imm >= rw->p->nr_targets)
		return skep_insn_reads(in);
	t = &rw->p->targets[in->imm];
	/* trampolines with a format string read what follows the declared arguments */
	return t->is_kfunc || t->id == BPF_FUNC_trace_printk ? 0x3e : helper_args(t->id);
}

/* A write of one register and nothing else. */
static bool is_pure(const struct rw *rw, u32 i)
{
	const struct bpf_insn *in = &rw->in.insns[i];

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return true;
	case BPF_LD:
		return skep_insn_is_ldimm64(in);
	case BPF_LDX:
		return rw->in.facts[i].mem == SKEP_MEM_DIRECT;
	default:
		return false;
	}
}

/* No register: marks instructions that something jumps back to. */
#define LOOP_HEAD (1u << 15)

/*
 * One sweep from the end up; what is live at a loop's head is known only after the loop, so sweeps
 * go on until no loop's head changes. With @faint, what a pure instruction reads
 * is live only if its result is.
 */
static void liveness(const struct rw *rw, u32 sub, bool faint, u16 *live)
{
	const struct skep_subprog *s = &rw->p->subprogs[sub];
	const struct code *c = &rw->in;
	u32 end = s->start + s->len, i;
	bool again = true;

	memset(live + s->start, 0, s->len * sizeof(*live));
	for (i = s->start; i < end; i++)
		if (skep_insn_is_jump(&c->insns[i]) && c->target[i] <= i)
			live[c->target[i]] = LOOP_HEAD;
	while (again) {
		again = false;
		for (i = end; i-- > s->start;) {
			const struct bpf_insn *in = &c->insns[i];
			u32 after = 0, writes, was = live[i];

			/* the second slot of ldimm64 has code 0 and is transparent */
			if (!in->code) {
				live[i] = i + 1 < end ? live[i + 1] & ~LOOP_HEAD : 0;
				continue;
			}
			if (!skep_insn_ends_block(in) && i + 1 < end)
				after |= live[i + 1];
			if (skep_insn_is_jump(in))
				after |= live[c->target[i]];
			writes = skep_insn_writes(in);
			if (!faint || after & writes || !is_pure(rw, i))
				after = (after & ~writes) | reads(rw, in);
			live[i] = (u16)((after & ~LOOP_HEAD) | (was & LOOP_HEAD));
			again |= was & LOOP_HEAD && live[i] != was;
		}
	}
}

void rw_liveness(const struct rw *rw, u32 sub, u16 *live)
{
	liveness(rw, sub, false, live);
}

void rw_mark_dead(struct rw *rw)
{
	const struct code *c = &rw->in;
	u16 *live = rw->err ? NULL : skep_calloc(c->len + 1, sizeof(u16));
	u32 sub, i;

	if (!live)
		return; /* the code is as right without */
	for (sub = 0; sub < rw->p->nr_subprogs; sub++)
		rw_liveness(rw, sub, live);
	for (i = 0; i < c->len; i += rw_slots(&c->insns[i])) {
		const struct bpf_insn *in = &c->insns[i];
		u32 next = i + rw_slots(in), after = 0;

		if (!skep_insn_ends_block(in) && next < c->len)
			after |= live[next];
		if (skep_insn_is_jump(in))
			after |= live[c->target[i]];
		c->facts[i].dead = (u16) ~(after | 1u << 10);
	}
	skep_free(live);
}

static bool is_dead(const struct rw *rw, u32 i, const u16 *live)
{
	u32 next = i + rw_slots(&rw->in.insns[i]);

	/* nobody can fall off the end: an instruction follows a pure one */
	return next < rw->in.len && !(live[next] & skep_insn_writes(&rw->in.insns[i])) &&
	       is_pure(rw, i);
}

void rw_dead_writes(struct rw *rw)
{
	u16 *live = rw->err ? NULL : skep_calloc(rw->in.len + 1, sizeof(u16));
	bool any = false;
	u32 i, n;

	if (!live) {
		rw->err = rw->err ? rw->err : -ENOMEM;
		return;
	}
	for (rw->sub = 0; rw->sub < rw->p->nr_subprogs; rw->sub++)
		liveness(rw, rw->sub, true, live);
	for (i = 0; i < rw->in.len && !any; i += rw_slots(&rw->in.insns[i]))
		any = is_dead(rw, i, live);
	if (any) {
		rw_begin_pass(rw);
		for (i = 0; i < rw->in.len && !rw->err; i += n) {
			n = rw_slots(&rw->in.insns[i]);
			rw_begin(rw, i);
			if (!is_dead(rw, i, live))
				rw_copy(rw, i);
			else if (n == 2)
				rw->map[i + 1] = rw->out.len;
		}
		rw_end_pass(rw);
	}
	skep_free(live);
}

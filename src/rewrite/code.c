/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers of code and the bookkeeping of passes.
 */
#include "rewrite/code.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

static void code_fini(struct code *c)
{
	skep_free(c->insns);
	skep_free(c->facts);
	skep_free(c->target);
	*c = (struct code){0};
}

static bool code_grow(struct code *c, u32 cap)
{
	void *p;

	if (cap <= c->cap)
		return true;
	cap = SKEP_MAX(cap, c->cap * 2);
	p = skep_realloc(c->insns, cap * sizeof(*c->insns));
	if (!p)
		return false;
	c->insns = p;
	p = skep_realloc(c->facts, cap * sizeof(*c->facts));
	if (!p)
		return false;
	c->facts = p;
	p = skep_realloc(c->target, cap * sizeof(*c->target));
	if (!p)
		return false;
	c->target = p;
	c->cap = cap;
	return true;
}

int rw_start(struct rw *rw, struct skep_vprog *p, const struct skep_rewrite_host *host)
{
	u32 i;

	*rw = (struct rw){.p = p, .host = host, .cap_targets = p->nr_targets};
	if (!code_grow(&rw->in, p->len))
		return -ENOMEM;
	rw->in.len = p->len;
	memcpy(rw->in.insns, p->insns, p->len * sizeof(*p->insns));
	memcpy(rw->in.facts, p->facts, p->len * sizeof(*p->facts));
	for (i = 0; i < p->len; i++) {
		const struct bpf_insn *in = &p->insns[i];

		rw->in.target[i] = RW_NO_TARGET;
		if (skep_insn_is_ldimm64(in)) {
			rw->in.target[++i] = RW_NO_TARGET;
			continue;
		}
		if (skep_insn_is_jump(in))
			rw->in.target[i] = (u32)skep_insn_target(in, i);
		else if (skep_insn_is_call(in, SKEP_CALL_SUBPROG))
			rw->in.target[i] = i + 1 + (u32)in->imm;
		if (rw->in.target[i] != RW_NO_TARGET && rw->in.target[i] >= p->len &&
		    (p->facts[i].flags & SKEP_FACT_SEEN))
			return -EINVAL;
	}
	return 0;
}

void rw_begin_pass(struct rw *rw)
{
	if (rw->err)
		return;
	if (rw->in.len >= rw->cap_map) {
		skep_free(rw->map);
		rw->cap_map = rw->in.len + rw->in.len / 4 + 64;
		rw->map = skep_calloc(rw->cap_map, sizeof(u32));
	}
	rw->out.len = 0;
	if (!rw->map || !code_grow(&rw->out, rw->in.len + 64))
		rw->err = -ENOMEM;
}

void rw_end_pass(struct rw *rw)
{
	struct skep_vprog *p = rw->p;
	struct code tmp;
	u32 i;

	if (rw->err)
		return;
	rw->map[rw->in.len] = rw->out.len;
	for (i = 0; i < rw->out.len; i++) {
		u32 t = rw->out.target[i];

		if (t == RW_NO_TARGET)
			continue;
		rw->out.target[i] = t & RW_NEW ? t & ~RW_NEW : rw->map[t];
	}
	for (i = 0; i < p->nr_subprogs; i++) {
		struct skep_subprog *s = &p->subprogs[i];
		u32 end = s->start + s->len;

		s->start = rw->map[s->start];
		s->len = rw->map[end] - s->start;
	}
	tmp = rw->in;
	rw->in = rw->out;
	rw->out = tmp;
}

void rw_begin(struct rw *rw, u32 i)
{
	if (rw->err)
		return;
	rw->map[i] = rw->out.len;
	rw->fact = rw->in.facts[i];
}

static u32 put(struct rw *rw, struct bpf_insn insn, u32 target)
{
	struct code *o = &rw->out;

	if (rw->err)
		return 0;
	if (unlikely(o->len >= o->cap) && (o->len + 1 >= RW_NEW || !code_grow(o, o->len + 1))) {
		rw->err = -ENOMEM;
		return 0;
	}
	o->insns[o->len] = insn;
	o->facts[o->len] = rw->fact;
	o->target[o->len] = target;
	return o->len++;
}

u32 rw_put(struct rw *rw, struct bpf_insn insn)
{
	return put(rw, insn, RW_NO_TARGET);
}

u32 rw_put_jump(struct rw *rw, struct bpf_insn insn, u32 target)
{
	return put(rw, insn, target);
}

void rw_put_imm64(struct rw *rw, u8 dst, u8 src, u64 v)
{
	rw_put(rw, SKEP_INSN(BPF_LD | BPF_IMM | BPF_DW, dst, src, 0, v));
	rw_put(rw, SKEP_INSN(0, 0, 0, 0, v >> 32));
}

u32 rw_copy(struct rw *rw, u32 i)
{
	const struct bpf_insn *in = &rw->in.insns[i];

	put(rw, *in, rw->in.target[i]);
	if (!skep_insn_is_ldimm64(in))
		return 1;
	if (!rw->err)
		rw->map[i + 1] = rw->out.len;
	put(rw, in[1], RW_NO_TARGET);
	return 2;
}

void rw_land(struct rw *rw, u32 at)
{
	if (!rw->err)
		rw->out.target[at] = rw_new(rw->out.len);
}

const struct skep_call_fact *rw_call_fact(const struct rw *rw, u32 i)
{
	u32 n = rw->in.facts[i].call;

	return n && n <= rw->p->nr_calls ? &rw->p->calls[n - 1] : NULL;
}

u32 rw_target(struct rw *rw, const struct skep_target *t)
{
	struct skep_vprog *p = rw->p;
	struct skep_target *grown;
	u32 i, cap;

	for (i = 0; i < p->nr_targets; i++)
		if (p->targets[i].id == t->id && p->targets[i].is_kfunc == t->is_kfunc &&
		    p->targets[i].fn == t->fn)
			return i;
	if (p->nr_targets == rw->cap_targets) {
		cap = rw->cap_targets ? 2 * rw->cap_targets : 8;
		grown = skep_realloc(p->targets, cap * sizeof(*grown));
		if (!grown) {
			rw->err = rw->err ? rw->err : -ENOMEM;
			return 0;
		}
		p->targets = grown;
		rw->cap_targets = cap;
	}
	p->targets[p->nr_targets] = *t;
	return p->nr_targets++;
}

u8 *rw_find_targets(struct rw *rw)
{
	u8 *is = skep_zalloc(rw->in.len + 1);
	u32 i;

	if (!is) {
		rw->err = -ENOMEM;
		return NULL;
	}
	for (i = 0; i < rw->in.len; i++)
		if (rw->in.target[i] != RW_NO_TARGET)
			is[rw->in.target[i]] = 1;
	for (i = 0; i < rw->p->nr_subprogs; i++)
		is[rw->p->subprogs[i].start] = 1;
	return is;
}

/*
 * Conditional jumps that reach too far go through a gotol beside them. True when some did: the
 * code grew, look again.
 */
static bool relax(struct rw *rw)
{
	bool any = false;
	u32 i;

	for (i = 0; i < rw->in.len && !any; i++) {
		struct bpf_insn copy = rw->in.insns[i];

		if (skep_insn_is_jump(&copy) && rw->in.target[i] != RW_NO_TARGET)
			any = !skep_insn_set_target(&copy, i, rw->in.target[i]);
		i += rw_slots(&copy) - 1;
	}
	if (!any)
		return false;
	rw_begin_pass(rw);
	for (i = 0; i < rw->in.len && !rw->err;) {
		struct bpf_insn copy = rw->in.insns[i];
		u32 t = rw->in.target[i], jump, over;

		rw_begin(rw, i);
		if (!skep_insn_is_jump(&copy) || t == RW_NO_TARGET ||
		    skep_insn_set_target(&copy, i, t)) {
			i += rw_copy(rw, i);
			continue;
		}
		jump = rw_put_jump(rw, rw->in.insns[i], 0);
		over = rw_put_jump(rw, SKEP_JA(0), 0);
		rw_land(rw, jump);
		rw_put_jump(rw, SKEP_INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 0), t);
		rw_land(rw, over);
		i++;
	}
	rw_end_pass(rw);
	return true;
}

int rw_finish(struct rw *rw)
{
	struct skep_vprog *p = rw->p;
	struct code *c = &rw->in;
	u32 i;

	while (!rw->err && relax(rw))
		;
	if (!rw->host->no_inline)
		rw_mark_dead(rw);
	if (rw->err)
		return rw->err;
	for (i = 0; i < c->len; i++) {
		struct bpf_insn *in = &c->insns[i];

		if (skep_insn_is_ldimm64(in)) {
			i++;
			continue;
		}
		if (skep_insn_is_jump(in))
			skep_insn_set_target(in, i, c->target[i]);
		else if (skep_insn_is_call(in, SKEP_CALL_SUBPROG))
			in->imm = (s32)(c->target[i] - i - 1);
	}
	skep_free(p->insns);
	skep_free(p->facts);
	p->insns = c->insns;
	p->facts = c->facts;
	p->len = c->len;
	c->insns = NULL;
	c->facts = NULL;
	return 0;
}

void rw_fini(struct rw *rw)
{
	code_fini(&rw->in);
	code_fini(&rw->out);
	skep_free(rw->map);
	rw->map = NULL;
}

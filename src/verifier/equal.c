/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does an explored state cover the current one?
 *
 * Three grades (enum sameness): ENOUGH ignores numbers that never mattered; WITHIN compares
 * every number by inclusion, for states whose own exploration is not finished; EXACTLY wants
 * identity, to prove that a loop makes no progress. Ids match if a one-to-one map exists.
 */
#include "verifier/env.h"

#include <string.h>

enum { MAX_IDS = (VF_NR_REGS + VF_SLOTS) * VF_MAX_FRAMES };

struct idmap {
	u32 n, tmp;
	struct {
		u32 old, cur;
	} pair[MAX_IDS];
};

static bool same_id(u32 old, u32 cur, struct idmap *m)
{
	if (!old != !cur)
		return false;
	if (!old)
		return true;
	for (u32 i = 0; i < m->n; i++) {
		if (m->pair[i].old == old)
			return m->pair[i].cur == cur;
		if (m->pair[i].cur == cur)
			return false;
	}
	if (m->n == MAX_IDS)
		return false;
	m->pair[m->n].old = old;
	m->pair[m->n++].cur = cur;
	return true;
}

/* An unlinked number may stand for a linked one only as a link of its own. */
static bool same_scalar_id(u32 old, u32 cur, struct idmap *m)
{
	if (!old)
		return true;
	return same_id(old, cur ? cur : ++m->tmp, m);
}

/* How a link was made is a part of the id, where there is one. */
static u8 link_of(const struct reg *r)
{
	return r->id ? r->link : LINK_NONE;
}

static u32 linked_id(const struct reg *r)
{
	return r->id | (u32)link_of(r) << 30;
}

static bool same_shape(const struct reg *a, const struct reg *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->off == b->off && a->map == b->map &&
	       a->map_uid == b->map_uid && a->mem_size == b->mem_size && a->btf == b->btf &&
	       a->btf_id == b->btf_id && a->subprog == b->subprog && a->frameno == b->frameno &&
	       a->range == b->range && link_of(a) == link_of(b) && a->iter_phase == b->iter_phase;
}

static bool same_exactly(const struct reg *a, const struct reg *b, struct idmap *m)
{
	return same_shape(a, b) && !memcmp(&a->v, &b->v, sizeof(a->v)) &&
	       same_id(linked_id(a), linked_id(b), m) && same_id(a->ref_id, b->ref_id, m);
}

static bool within(const struct reg *old, const struct reg *cur)
{
	return scalar_range_within(&old->v, &cur->v) && tnum_contains(old->v.tn, cur->v.tn);
}

static bool reg_covers(const struct reg *old, bool precise, const struct reg *cur, struct idmap *m,
		       enum sameness how)
{
	if (how == SAME_EXACTLY)
		return same_exactly(old, cur, m);
	if (old->kind == RK_NOT_INIT)
		return how == SAME_ENOUGH || cur->kind == RK_NOT_INIT;
	if (old->kind != cur->kind || old->flags != cur->flags)
		return false;
	switch (old->kind) {
	case RK_SCALAR:
		if (!precise && how == SAME_ENOUGH)
			return true;
		/* One that is linked with nothing covers those that are. */
		if (old->id && (old->link != link_of(cur) || (old->link && old->off != cur->off)))
			return false;
		return within(old, cur) && same_scalar_id(old->id, cur->id, m);
	case RK_MAP_KEY:
	case RK_MAP_VALUE:
	case RK_MEM:
	case RK_BUF:
	case RK_TP_BUFFER:
		return same_shape(old, cur) && within(old, cur) && same_id(old->id, cur->id, m) &&
		       same_id(old->ref_id, cur->ref_id, m);
	case RK_ARENA:
		return true;
	case RK_PKT:
	case RK_PKT_META:
		/* At least as much must be proven, from the same place. */
		if (old->range < 0 || cur->range < 0 ? old->range != cur->range
						     : old->range > cur->range)
			return false;
		return old->off == cur->off && same_id(old->id, cur->id, m) && within(old, cur);
	default:
		return same_exactly(old, cur, m);
	}
}

static bool all_misc(const struct slot *s)
{
	for (u32 i = 0; i < 8; i++)
		if (s->type[i] != SK_MISC && s->type[i] != SK_INVALID)
			return false;
	return true;
}

/* The slot's content as one number, if loading it gives one. */
static const struct reg *as_number(const struct slot *s, const struct reg *unknown)
{
	if (slot_is_scalar(s)) {
		for (u32 i = 0; i < 8; i++)
			if (s->type[i] != SK_SPILL)
				return NULL;
		return &s->spill;
	}
	return all_misc(s) ? unknown : NULL;
}

static bool slot_covers(const struct slot *old, bool precise, const struct slot *cur,
			struct idmap *m, enum sameness how)
{
	struct reg unknown = {0};
	const struct reg *a, *b;
	bool relevant = false;

	if (how != SAME_ENOUGH && memcmp(old->type, cur->type, 8))
		return false;
	for (u32 i = 0; i < 8; i++)
		relevant |= old->type[i] != SK_INVALID && old->type[i] != SK_MISC;
	if (!relevant)
		return true;
	reg_set_unknown(&unknown);
	a = as_number(old, &unknown);
	b = as_number(cur, &unknown);
	if (a && b)
		return reg_covers(a, precise, b, m, how);
	for (u32 i = 0; i < 8; i++) {
		if (old->type[i] == SK_INVALID || old->type[i] == SK_MISC)
			continue;
		if (old->type[i] != cur->type[i])
			return false;
	}
	if (old->type[7] == SK_SPILL)
		return reg_covers(&old->spill, precise, &cur->spill, m, how);
	if (old->type[7] == SK_ITER)
		return old->spill.btf == cur->spill.btf && old->spill.btf_id == cur->spill.btf_id &&
		       old->spill.iter_phase == cur->spill.iter_phase &&
		       same_id(old->spill.ref_id, cur->spill.ref_id, m);
	if (old->type[7] == SK_DYNPTR)
		return old->spill.iter_phase == cur->spill.iter_phase &&
		       old->spill.iter_depth == cur->spill.iter_depth &&
		       same_id(old->spill.ref_id, cur->spill.ref_id, m);
	if (old->type[7] == SK_IRQ_FLAG)
		return old->spill.iter_phase == cur->spill.iter_phase &&
		       same_id(old->spill.ref_id, cur->spill.ref_id, m);
	return true;
}

/* Most registers are settled by what their box says of itself. */
static bool stored_covers(const struct frame *old, u32 i, const struct reg *cur, struct idmap *m,
			  enum sameness how)
{
	bool precise = old->precise_regs >> i & 1;
	const struct reg_box *b = old->boxes[i];
	struct reg tmp;

	if (how == SAME_ENOUGH && !b)
		return true;
	if (b && b->kind != cur->kind && how != SAME_EXACTLY && b->kind != RK_NOT_INIT)
		return false;
	if (how == SAME_ENOUGH && b->kind == RK_SCALAR && !precise)
		return true;
	return reg_covers(frame_reg(old, i, &tmp), precise, cur, m, how);
}

static bool frame_covers(struct env *env, const struct frame *old, const struct frame *cur, u32 idx,
			 struct idmap *m, enum sameness how)
{
	static const struct slot empty;
	u16 live = env->aux[idx].live;

	if (old->callback_depth > cur->callback_depth)
		return false;
	for (u32 i = 0; i < VF_NR_REGS; i++)
		if ((live >> i & 1) && !stored_covers(old, i, &cur->regs[i], m, how))
			return false;
	/* A number that may yet matter: the stack must have the same extent as well. */
	if (how != SAME_ENOUGH && old->nr_slots > cur->nr_slots)
		return false;
	for (u32 i = 0; i < old->nr_slots; i++)
		if (!slot_covers(frame_slot(old, i), old->precise_slots >> i & 1,
				 i < cur->nr_slots ? &cur->slots[i] : &empty, m, how))
			return false;
	return true;
}

static bool refs_cover(const struct state *old, const struct state *cur, struct idmap *m)
{
	if (old->nr_refs != cur->nr_refs || old->rcu_depth != cur->rcu_depth ||
	    old->preempt_depth != cur->preempt_depth ||
	    !same_id(old->active_irq_id, cur->active_irq_id, m) ||
	    old->active_locks != cur->active_locks ||
	    old->active_lock_ptr != cur->active_lock_ptr ||
	    !same_id(old->active_lock_id, cur->active_lock_id, m))
		return false;
	for (u32 i = 0; i < old->nr_refs; i++) {
		if (old->refs[i].kind != cur->refs[i].kind ||
		    old->refs[i].ptr != cur->refs[i].ptr ||
		    !same_id(old->refs[i].id, cur->refs[i].id, m))
			return false;
	}
	return true;
}

bool vf_states_equal(struct env *env, struct state *old, struct state *cur, enum sameness how)
{
	struct idmap m;

	if (old->curframe != cur->curframe || old->in_sleepable != cur->in_sleepable)
		return false;
	m.n = 0;
	m.tmp = env->id_gen;
	if (!refs_cover(old, cur, &m))
		return false;
	for (u32 i = 0; i <= old->curframe; i++) {
		u32 idx = i == old->curframe ? old->insn_idx : old->frame[i + 1]->callsite;

		if (old->frame[i]->callsite != cur->frame[i]->callsite ||
		    old->frame[i]->in_async_cb != cur->frame[i]->in_async_cb)
			return false;
		if (!frame_covers(env, old->frame[i], cur->frame[i], idx, &m, how))
			return false;
	}
	return true;
}

/* Numbers of the current round that differ from the last one's and do not matter: forget them. */
static void widen_reg(const struct reg *old, bool precise, struct reg *cur, struct idmap *m)
{
	u32 def = cur->subreg_def;

	if (old->kind != RK_SCALAR || cur->kind != RK_SCALAR || precise ||
	    same_exactly(old, cur, m))
		return;
	reg_set_unknown(cur);
	cur->subreg_def = def;
}

void vf_widen(struct env *env, const struct state *old, struct state *cur)
{
	struct idmap m;

	m.n = 0;
	m.tmp = env->id_gen;
	for (u32 f = SKEP_MIN(cur->curframe, old->curframe); f < VF_MAX_FRAMES; f--) {
		const struct frame *fo = old->frame[f];
		struct frame *fc = cur->frame[f];
		struct reg tmp;

		for (u32 i = 0; i < VF_NR_REGS; i++)
			if (fc->regs[i].kind == RK_SCALAR)
				widen_reg(frame_reg(fo, i, &tmp), fo->precise_regs >> i & 1,
					  &fc->regs[i], &m);
		for (u32 i = 0; i < fo->nr_slots && i < fc->nr_slots; i++)
			if (slot_is_spill(frame_slot(fo, i)) && slot_is_spill(&fc->slots[i]))
				widen_reg(&frame_slot(fo, i)->spill, fo->precise_slots >> i & 1,
					  &fc->slots[i].spill, &m);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which stack slots may still be read: found out during the walk, per chain of calls.
 *
 * Every instruction that was walked remembers, for each frame that it can reach, the slots it
 * ever read and those it wrote whole on each visit. From these a backward data-flow analysis over
 * the control flow graph, calls entered and left with their chain, gives the slots alive before
 * an instruction. Both inputs move one way only, so the solution is kept up to date by a work
 * list that is emptied when somebody asks. The answer is about the paths walked so far; it holds
 * for a state whose own paths are all finished, since a path cut short was cut at a state of the
 * same chain and goes on in that one's tables.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

enum {
	PAGE_INSNS = 64,
	NR_BUCKETS = 1024,
	MAX_BYTES = 256 << 20, /* beyond, every slot is taken as alive */
};

enum { NODE_SEEN = 1, NODE_QUEUED = 2 };

struct masks {
	u64 read, written, alive;
};

struct page {
	u8 flags[PAGE_INSNS];
	struct masks m[]; /* PAGE_INSNS times the frames of the chain */
};

/* One function entered through one chain of calls. */
struct live_inst {
	struct live_inst *hash_next, *all_next;
	struct live_inst *parent;
	u32 callsite, subprog;
	u32 nr_frames;
	bool called_back; /* leaving it leads to the call itself, not behind it */
	struct page **pages;
};

struct work {
	struct live_inst *inst;
	u32 idx;
};

struct stack_live {
	u32 *pred_at, *preds; /* predecessors inside a subprogram: preds[pred_at[i]..] */
	u32 *exits;	      /* instructions that may leave their function, in order */
	u32 exit_at[VF_MAX_SUBPROGS + 1];
	struct live_inst *hash[NR_BUCKETS], *all;
	struct work *work;
	u32 nr_work, cap_work;
	u64 bytes;
	bool off;
	/* the instruction being walked */
	u64 read[VF_MAX_FRAMES], written[VF_MAX_FRAMES];
};

static bool is_static_call(const struct env *env, u32 i)
{
	const struct bpf_insn *in = &env->insns[i];
	s32 n;

	if (in->code != (BPF_JMP | BPF_CALL) || in->src_reg != BPF_PSEUDO_CALL)
		return false;
	n = vf_subprog_at(env, i + 1 + (u32)in->imm);
	return n >= 0 && !env->subs[n].is_global;
}

/* May execution of the function end here? */
static bool may_leave(const struct env *env, u32 i)
{
	const struct bpf_insn *in = &env->insns[i];

	if (BPF_CLASS(in->code) == BPF_LD)
		return BPF_MODE(in->code) == BPF_ABS || BPF_MODE(in->code) == BPF_IND;
	return in->code == (BPF_JMP | BPF_EXIT) ||
	       (in->code == (BPF_JMP | BPF_CALL) && !in->src_reg && in->imm == BPF_FUNC_tail_call);
}

static bool second_half(const struct env *env, u32 i)
{
	return i && !env->insns[i].code && env->insns[i - 1].code == (BPF_LD | BPF_IMM | BPF_DW);
}

int vf_stack_live_init(struct env *env)
{
	struct stack_live *l = skep_zalloc(sizeof(*l));
	u32 next[2], n, sub = 0, nr_exits = 0;

	env->stack_live = l;
	if (!l)
		return -ENOMEM;
	l->pred_at = skep_calloc(env->len + 2, sizeof(*l->pred_at));
	l->preds = skep_calloc(2 * (size_t)env->len + 1, sizeof(*l->preds));
	l->exits = skep_calloc(env->len, sizeof(*l->exits));
	if (!l->pred_at || !l->preds || !l->exits)
		return -ENOMEM;
	for (u32 i = 0; i < env->len; i++) {
		if (second_half(env, i))
			continue;
		n = vf_successors(env->insns, i, next);
		for (u32 k = 0; k < n; k++)
			l->pred_at[next[k] + 1]++;
		while (sub < env->nr_subs && env->subs[sub].start <= i)
			l->exit_at[sub++] = nr_exits;
		if (may_leave(env, i))
			l->exits[nr_exits++] = i;
	}
	l->exit_at[sub] = nr_exits;
	for (u32 i = 0; i <= env->len; i++)
		l->pred_at[i + 1] += l->pred_at[i];
	/* Filling moves each start to its end, which is the next one's start: count down. */
	for (u32 i = env->len; i-- > 0;) {
		if (second_half(env, i))
			continue;
		n = vf_successors(env->insns, i, next);
		for (u32 k = 0; k < n; k++)
			l->preds[--l->pred_at[next[k] + 1]] = i;
	}
	return 0;
}

/* After filling, pred_at[i + 1] is where the predecessors of i begin. */
static const u32 *preds_of(const struct stack_live *l, u32 i, u32 *ret_n)
{
	*ret_n = l->pred_at[i + 2] - l->pred_at[i + 1];
	return l->preds + l->pred_at[i + 1];
}

static void *take(struct stack_live *l, size_t size)
{
	void *p;

	l->bytes += size;
	p = l->off || l->bytes > MAX_BYTES ? NULL : skep_zalloc(size);
	if (!p)
		l->off = true;
	return p;
}

/* --- chains --- */

static u32 bucket_of(const struct live_inst *parent, u32 callsite)
{
	u64 h = ((u64)(uintptr_t)parent >> 4) * 0x9e3779b97f4a7c15ull + callsite * 0x85ebca6bull;

	return (u32)(h >> 20) % NR_BUCKETS;
}

static struct live_inst *first_at(const struct stack_live *l, const struct live_inst *parent,
				  u32 callsite)
{
	struct live_inst *i = l->hash[bucket_of(parent, callsite)];

	while (i && (i->parent != parent || i->callsite != callsite))
		i = i->hash_next;
	return i;
}

static struct live_inst *next_at(struct live_inst *i)
{
	const struct live_inst *first = i;

	do
		i = i->hash_next;
	while (i && (i->parent != first->parent || i->callsite != first->callsite));
	return i;
}

struct live_inst *vf_stack_live_enter(struct env *env, struct live_inst *parent, u32 callsite,
				      u32 subprog)
{
	struct stack_live *l = env->stack_live;
	const struct sub *sub = &env->subs[subprog];
	struct live_inst *i;
	u32 b, nr_pages;

	if (l->off)
		return NULL;
	for (i = first_at(l, parent, callsite); i; i = next_at(i))
		if (i->subprog == subprog)
			return i;
	i = take(l, sizeof(*i));
	if (!i)
		return NULL;
	nr_pages = (sub->end - sub->start + PAGE_INSNS - 1) / PAGE_INSNS;
	i->pages = take(l, nr_pages * sizeof(*i->pages));
	if (!i->pages) {
		skep_free(i);
		return NULL;
	}
	i->parent = parent;
	i->callsite = callsite;
	i->subprog = subprog;
	i->nr_frames = parent ? parent->nr_frames + 1 : 1;
	i->called_back = parent && env->aux[callsite].calls_back;
	b = bucket_of(parent, callsite);
	i->hash_next = l->hash[b];
	l->hash[b] = i;
	i->all_next = l->all;
	l->all = i;
	return i;
}

static struct page *page_of(const struct env *env, const struct live_inst *inst, u32 idx,
			    u32 *ret_at)
{
	u32 n = idx - env->subs[inst->subprog].start;

	*ret_at = n % PAGE_INSNS;
	return inst->pages[n / PAGE_INSNS];
}

/* The masks of an instruction, one per frame; NULL if it was never walked. */
static struct masks *node(const struct env *env, const struct live_inst *inst, u32 idx)
{
	u32 at;
	struct page *p = page_of(env, inst, idx, &at);

	return p && p->flags[at] & NODE_SEEN ? &p->m[at * inst->nr_frames] : NULL;
}

static void queue(struct env *env, struct live_inst *inst, u32 idx)
{
	struct stack_live *l = env->stack_live;
	u32 at;
	struct page *p = page_of(env, inst, idx, &at);

	if (!p || !(p->flags[at] & NODE_SEEN) || p->flags[at] & NODE_QUEUED)
		return;
	if (l->nr_work == l->cap_work) {
		u32 cap = l->cap_work ? l->cap_work * 2 : 256;
		struct work *w = skep_realloc(l->work, cap * sizeof(*w));

		if (!w) {
			l->off = true;
			return;
		}
		l->work = w;
		l->cap_work = cap;
	}
	p->flags[at] |= NODE_QUEUED;
	l->work[l->nr_work++] = (struct work){inst, idx};
}

/* --- during the walk --- */

void vf_stack_read(struct env *env, u32 frameno, u64 slots)
{
	env->stack_live->read[frameno] |= slots;
}

void vf_stack_written(struct env *env, u32 frameno, u64 slots)
{
	env->stack_live->written[frameno] |= slots;
}

void vf_stack_range_read(struct env *env, u32 frameno, s32 lo, s32 hi)
{
	u64 slots = 0;

	for (s32 o = lo; o < hi; o++)
		slots |= 1ull << ((u32)(-o - 1) / 8);
	vf_stack_read(env, frameno, slots);
}

void vf_stack_live_step(struct env *env)
{
	struct stack_live *l = env->stack_live;

	memset(l->read, 0, sizeof(l->read));
	memset(l->written, 0, sizeof(l->written));
}

void vf_stack_live_commit(struct env *env, struct live_inst *inst, u32 idx)
{
	struct stack_live *l = env->stack_live;
	u32 at, n;
	struct page *p;
	bool changed;

	if (!inst || l->off)
		return;
	p = page_of(env, inst, idx, &at);
	if (!p) {
		p = take(l, sizeof(*p) + (size_t)PAGE_INSNS * inst->nr_frames * sizeof(p->m[0]));
		if (!p)
			return;
		n = idx - env->subs[inst->subprog].start;
		inst->pages[n / PAGE_INSNS] = p;
	}
	changed = !(p->flags[at] & NODE_SEEN);
	for (u32 f = 0; f < inst->nr_frames; f++) {
		struct masks *m = &p->m[at * inst->nr_frames + f];
		u64 w = p->flags[at] & NODE_SEEN ? m->written & l->written[f] : l->written[f];

		changed |= w != m->written || (m->read | l->read[f]) != m->read;
		m->written = w;
		m->read |= l->read[f];
	}
	p->flags[at] |= NODE_SEEN;
	if (changed)
		queue(env, inst, idx);
}

/* --- solving --- */

static void join(const struct env *env, const struct live_inst *inst, u32 idx, u32 nr_frames,
		 u64 *out)
{
	const struct masks *m = node(env, inst, idx);

	for (u32 f = 0; m && f < nr_frames; f++)
		out[f] |= m[f].alive;
}

static void alive_after(const struct env *env, const struct live_inst *inst, u32 idx, u64 *out)
{
	const struct stack_live *l = env->stack_live;
	u32 next[2], n;

	if (may_leave(env, idx) && inst->parent)
		join(env, inst->parent, inst->callsite + !inst->called_back, inst->nr_frames - 1,
		     out);
	if (is_static_call(env, idx) || env->aux[idx].calls_back)
		for (struct live_inst *i = first_at(l, inst, idx); i; i = next_at(i))
			join(env, i, env->subs[i->subprog].start, inst->nr_frames, out);
	if (is_static_call(env, idx))
		return;
	n = vf_successors(env->insns, idx, next);
	for (u32 k = 0; k < n; k++)
		join(env, inst, next[k], inst->nr_frames, out);
}

static void queue_exits(struct env *env, const struct live_inst *inst, u32 callsite)
{
	const struct stack_live *l = env->stack_live;

	for (struct live_inst *i = first_at(l, inst, callsite); i; i = next_at(i))
		for (u32 e = l->exit_at[i->subprog]; e < l->exit_at[i->subprog + 1]; e++)
			queue(env, i, l->exits[e]);
}

static void queue_before(struct env *env, struct live_inst *inst, u32 idx)
{
	u32 n, start = env->subs[inst->subprog].start;
	const u32 *p = preds_of(env->stack_live, idx, &n);

	for (u32 k = 0; k < n; k++)
		queue(env, inst, p[k]);
	if (idx == start && inst->parent)
		queue(env, inst->parent, inst->callsite);
	if (idx > start && is_static_call(env, idx - 1))
		queue_exits(env, inst, idx - 1);
	if (env->aux[idx].calls_back)
		queue_exits(env, inst, idx);
}

static void solve(struct env *env)
{
	struct stack_live *l = env->stack_live;

	while (l->nr_work && !l->off) {
		struct work w = l->work[--l->nr_work];
		u64 out[VF_MAX_FRAMES] = {0};
		bool changed = false;
		u32 at;
		struct page *p = page_of(env, w.inst, w.idx, &at);
		struct masks *m = &p->m[at * w.inst->nr_frames];

		p->flags[at] &= (u8)~NODE_QUEUED;
		alive_after(env, w.inst, w.idx, out);
		for (u32 f = 0; f < w.inst->nr_frames; f++) {
			u64 alive = m[f].read | (out[f] & ~m[f].written);

			changed |= alive != m[f].alive;
			m[f].alive = alive;
		}
		if (changed)
			queue_before(env, w.inst, w.idx);
	}
}

void vf_clean_state(struct env *env, struct state *st)
{
	struct stack_live *l = env->stack_live;
	const struct live_inst *inst = st->frame[st->curframe]->live;
	const struct masks *m;

	if (l->off || !inst)
		return;
	solve(env);
	m = node(env, inst, st->insn_idx);
	if (l->off || !m)
		return;
	for (u32 f = 0; f <= st->curframe; f++) {
		/* Taking a slot for alive is true enough where memory is short. */
		if (st->frame[f]->nr_slots && frame_clear_slots(st->frame[f], ~m[f].alive))
			return;
	}
}

void vf_stack_live_reset(struct env *env)
{
	struct stack_live *l = env->stack_live;

	if (!l)
		return;
	while (l->all) {
		struct live_inst *i = l->all;
		const struct sub *sub = &env->subs[i->subprog];
		u32 n = (sub->end - sub->start + PAGE_INSNS - 1) / PAGE_INSNS;

		l->all = i->all_next;
		for (u32 k = 0; k < n; k++)
			skep_free(i->pages[k]);
		skep_free(i->pages);
		skep_free(i);
	}
	memset(l->hash, 0, sizeof(l->hash));
	l->nr_work = 0;
	l->bytes = 0;
	l->off = false;
}

void vf_stack_live_fini(struct env *env)
{
	struct stack_live *l = env->stack_live;

	if (!l)
		return;
	vf_stack_live_reset(env);
	skep_free(l->pred_at);
	skep_free(l->preds);
	skep_free(l->exits);
	skep_free(l->work);
	skep_free(l);
	env->stack_live = NULL;
}

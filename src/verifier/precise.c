/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which numbers mattered: walking the remembered path backwards from a decision to the
 * definitions of its operands, marking them precise in every checkpoint on the way.
 *
 * Scalars are imprecise by default, so that a checkpoint covers states which differ in numbers
 * that never mattered. The tracked set holds registers and stack slots by frame. Where the path
 * cannot be followed, every scalar on it becomes precise, which is always sound.
 */
#include "verifier/env.h"

#include <string.h>

enum { STEP_OK, STEP_GIVE_UP };

struct track {
	u32 frame;
	u16 regs[VF_MAX_FRAMES];
	u64 slots[VF_MAX_FRAMES];
};

static bool tracing(const struct env *env)
{
	return env->log.level & SKEP_LOG_LEVEL2;
}

/* "regs=r1,r2 stack=-8": what is tracked in frame @f. */
static void log_tracked(struct env *env, const struct track *t, u32 f)
{
	const char *sep = "";

	vf_log(env, "regs=");
	for (u32 i = 0; i < VF_NR_REGS; i++)
		if (t->regs[f] >> i & 1) {
			vf_log(env, "%sr%u", sep, i);
			sep = ",";
		}
	vf_log(env, " stack=");
	sep = "";
	for (u32 i = 0; i < VF_SLOTS; i++)
		if (t->slots[f] >> i & 1) {
			vf_log(env, "%s%d", sep, -(int)(i + 1) * 8);
			sep = ",";
		}
}

static bool empty(const struct track *t)
{
	for (u32 i = 0; i <= t->frame; i++)
		if (t->regs[i] || t->slots[i])
			return false;
	return true;
}

static bool has(const struct track *t, u32 r)
{
	return t->regs[t->frame] >> r & 1;
}

static void want(struct track *t, u32 r)
{
	t->regs[t->frame] |= (u16)(1u << r);
}

static void drop(struct track *t, u32 r)
{
	t->regs[t->frame] &= (u16) ~(1u << r);
}

/* Numbers that a compare narrowed together matter together. */
static void sync_linked(struct track *t, const struct hist *h)
{
	bool some = false;

	if (!h)
		return;
	for (u32 i = 0; i < h->nr_linked; i++) {
		u32 f = h->linked[i].frameno, n = h->linked[i].index;

		some |= h->linked[i].is_reg ? t->regs[f] >> n & 1 : t->slots[f] >> n & 1;
	}
	if (!some)
		return;
	for (u32 i = 0; i < h->nr_linked; i++) {
		u32 f = h->linked[i].frameno, n = h->linked[i].index;

		if (h->linked[i].is_reg)
			t->regs[f] |= (u16)(1u << n);
		else
			t->slots[f] |= 1ull << n;
	}
}

static int back_alu(struct track *t, const struct bpf_insn *in)
{
	u8 op = BPF_OP(in->code);
	bool from_reg = BPF_SRC(in->code) == BPF_X;

	if (!has(t, in->dst_reg) || op == BPF_END || op == BPF_NEG)
		return STEP_OK;
	if (op == BPF_MOV) {
		drop(t, in->dst_reg);
		if (from_reg && in->src_reg != 10)
			want(t, in->src_reg);
	} else if (from_reg && in->src_reg != 10) {
		want(t, in->src_reg);
	}
	return STEP_OK;
}

static int back_load(struct track *t, u32 dst, const struct hist *h)
{
	if (!has(t, dst))
		return STEP_OK;
	drop(t, dst);
	/* Anything but the stack gives a number that nothing earlier decides. */
	if (h && h->stack_access)
		t->slots[h->frameno] |= 1ull << h->spi;
	return STEP_OK;
}

static int back_store(struct track *t, const struct bpf_insn *in, const struct hist *h,
		      bool from_reg)
{
	if (has(t, in->dst_reg))
		return STEP_GIVE_UP; /* a number used as a pointer: not ours */
	if (!h || !h->stack_access || !(t->slots[h->frameno] >> h->spi & 1))
		return STEP_OK;
	t->slots[h->frameno] &= ~(1ull << h->spi);
	if (from_reg)
		want(t, in->src_reg);
	return STEP_OK;
}

static int leave_frame(struct track *t)
{
	if (!t->frame)
		return STEP_GIVE_UP;
	t->frame--;
	return STEP_OK;
}

/* The path left the subprogram here; the result came from elsewhere. */
static int back_early_exit(struct track *t)
{
	if (t->frame + 1 >= VF_MAX_FRAMES)
		return STEP_GIVE_UP;
	drop(t, 0);
	t->frame++;
	t->regs[t->frame] = 0;
	t->slots[t->frame] = 0;
	return STEP_OK;
}

static int back_call(struct env *env, struct track *t, u32 idx, s64 next_idx)
{
	const struct bpf_insn *in = &env->insns[idx];
	u16 args = 0x3e;

	if (in->src_reg == BPF_PSEUDO_CALL) {
		s32 sub = vf_subprog_at(env, idx + 1 + (u32)in->imm);

		if (sub < 0)
			return STEP_GIVE_UP;
		if (env->subs[sub].is_global) {
			drop(t, 0);
			return t->regs[t->frame] & args ? STEP_GIVE_UP : STEP_OK;
		}
		/* Backwards over a call is leaving the callee by its entry. */
		if (t->regs[t->frame] & ~args || t->slots[t->frame] || !t->frame)
			return STEP_GIVE_UP;
		t->regs[t->frame - 1] |= t->regs[t->frame] & args;
		t->regs[t->frame] = 0;
		return leave_frame(t);
	}
	if (!in->src_reg && in->imm == BPF_FUNC_tail_call && next_idx >= 0 &&
	    (s64)idx + 1 != next_idx)
		return back_early_exit(t);
	if (vf_calls_back(env, idx) && next_idx >= 0 && (s64)idx != next_idx - 1) {
		/* Out of a callback by its entry: its arguments come from the caller's code. */
		if (t->regs[t->frame] & ~args || t->slots[t->frame])
			return STEP_GIVE_UP;
		t->regs[t->frame] = 0;
		return leave_frame(t);
	}
	drop(t, 0);
	return t->regs[t->frame] & args ? STEP_GIVE_UP : STEP_OK;
}

static int back_exit(struct env *env, struct track *t, s64 next_idx)
{
	bool want_r0;

	if (next_idx >= 0 && vf_calls_back(env, (u32)next_idx))
		t->regs[t->frame] &= (u16)~0x3e;
	if (t->regs[t->frame] & 0x3e)
		return STEP_GIVE_UP;
	/* After a subprogram's exit comes the instruction behind its call. */
	want_r0 = next_idx >= 1 && env->insns[next_idx - 1].code == (BPF_JMP | BPF_CALL) &&
		  env->insns[next_idx - 1].src_reg == BPF_PSEUDO_CALL && has(t, 0);
	drop(t, 0);
	if (t->frame + 1 >= VF_MAX_FRAMES)
		return STEP_GIVE_UP;
	t->frame++;
	t->regs[t->frame] = 0;
	t->slots[t->frame] = 0;
	if (want_r0)
		want(t, 0);
	return STEP_OK;
}

static int back_insn(struct env *env, struct track *t, u32 idx, s64 next_idx, const struct hist *h)
{
	const struct bpf_insn *in = &env->insns[idx];
	u8 cls = BPF_CLASS(in->code), op = BPF_OP(in->code);
	int ret = STEP_OK;

	if (!in->code)
		return STEP_OK;
	if (tracing(env)) {
		vf_log(env, "mark_precise: frame%u: ", t->frame);
		log_tracked(env, t, t->frame);
		vf_log(env, " before %u: ", idx);
		vf_log_insn(env, idx);
	}
	sync_linked(t, h);
	switch (cls) {
	case BPF_ALU:
	case BPF_ALU64:
		ret = back_alu(t, in);
		break;
	case BPF_LDX:
		ret = back_load(t, in->dst_reg, h);
		break;
	case BPF_STX:
		if (BPF_MODE(in->code) != BPF_ATOMIC || in->imm == SKEP_BPF_STORE_REL) {
			ret = back_store(t, in, h, true);
		} else if (in->imm == SKEP_BPF_LOAD_ACQ) {
			ret = back_load(t, in->dst_reg, h);
		} else if (!vf_will_run(env)) {
			/* The kernel takes it for a store and forgets what it fetches. */
			ret = back_store(t, in, h, true);
		} else {
			/* Read, modify, write: the slot became unknown, the fetched value too. */
			if (h && h->stack_access)
				t->slots[h->frameno] &= ~(1ull << h->spi);
			if (in->imm == BPF_CMPXCHG)
				ret = back_load(t, 0, h);
			else if (in->imm & BPF_FETCH)
				ret = back_load(t, in->src_reg, h);
		}
		break;
	case BPF_ST:
		ret = back_store(t, in, h, false);
		break;
	case BPF_LD:
		if (BPF_MODE(in->code) == BPF_ABS || BPF_MODE(in->code) == BPF_IND) {
			if (has(t, 0))
				return STEP_GIVE_UP;
			if (next_idx >= 0 && (s64)idx + 1 != next_idx) {
				ret = back_early_exit(t);
				break;
			}
			drop(t, 0);
			if (t->regs[t->frame] & 0x3e)
				ret = STEP_GIVE_UP;
		} else {
			drop(t, in->dst_reg);
		}
		break;
	default:
		if (op == BPF_CALL && cls == BPF_JMP) {
			ret = back_call(env, t, idx, next_idx);
		} else if (op == BPF_EXIT) {
			ret = back_exit(env, t, next_idx);
		} else if (op != BPF_JA && op != SKEP_BPF_JCOND && BPF_SRC(in->code) == BPF_X) {
			/* Either operand's precision rests on the other's. */
			if (has(t, in->dst_reg) || has(t, in->src_reg)) {
				if (in->dst_reg != 10)
					want(t, in->dst_reg);
				if (in->src_reg != 10)
					want(t, in->src_reg);
			}
		}
		break;
	}
	if (ret == STEP_OK)
		sync_linked(t, h);
	return ret;
}

static const struct hist *hist_of(const struct state *st, u32 n, u32 idx)
{
	return n && st->hist[n - 1].idx == idx ? &st->hist[n - 1] : NULL;
}

/* Step @st's history from instruction *idx to the one before; false at the state's start. */
static bool step_back(const struct state *st, u32 *n, u32 *idx)
{
	if (*idx == st->first_insn && (!*n || (*n == 1 && st->hist[0].idx == *idx)))
		return false;
	if (*n && st->hist[*n - 1].idx == *idx) {
		*idx = st->hist[*n - 1].prev_idx;
		(*n)--;
	} else {
		(*idx)--;
	}
	return true;
}

/* Mark in @st what is tracked; what is precise already, or no number, needs no further search. */
static void mark_state(struct env *env, struct track *t, struct state *st, bool *ret_changed)
{
	for (u32 f = t->frame; f <= t->frame; f--) {
		struct frame *fr = st->frame[f];

		for (u32 i = 0; i < 10; i++) {
			if (!(t->regs[f] >> i & 1))
				continue;
			if (!fr->boxes[i] || fr->boxes[i]->kind != RK_SCALAR ||
			    fr->precise_regs >> i & 1) {
				t->regs[f] &= (u16) ~(1u << i);
			} else {
				fr->precise_regs |= (u16)(1u << i);
				*ret_changed = true;
			}
		}
		for (u32 i = 0; t->slots[f] && i < VF_SLOTS; i++) {
			if (!(t->slots[f] >> i & 1))
				continue;
			if (i >= fr->nr_slots || !slot_is_scalar(frame_slot(fr, i)) ||
			    fr->precise_slots >> i & 1) {
				t->slots[f] &= ~(1ull << i);
			} else {
				fr->precise_slots |= 1ull << i;
				*ret_changed = true;
			}
		}
		if (tracing(env)) {
			vf_log(env, "mark_precise: frame%u: parent state ", f);
			log_tracked(env, t, f);
			vf_log(env, ": ");
			vf_log_state(env, st, f, true);
		}
	}
}

int vf_mark_precise_in(struct env *env, struct state *start, const u16 *regs, const u64 *slots,
		       bool *ret_changed)
{
	struct track t = {.frame = start->curframe};
	struct state *st = start;
	u32 idx = start->insn_idx;
	s64 next = -1;
	bool skip = true, ignored;

	if (!ret_changed)
		ret_changed = &ignored;
	memcpy(t.regs, regs, (start->curframe + 1) * sizeof(*regs));
	memcpy(t.slots, slots, (start->curframe + 1) * sizeof(*slots));
	if (empty(&t))
		return 0;
	for (;;) {
		u32 n = st->nr_hist;

		if (tracing(env))
			vf_log(env,
			       "mark_precise: frame%u: last_idx %d first_idx %u subseq_idx %d \n",
			       t.frame, (int)idx, st->first_insn, (int)next);
		if (idx == UINT32_MAX)
			break;
		for (;;) {
			if (skip)
				skip = false;
			else if (back_insn(env, &t, idx, next, hist_of(st, n, idx)) == STEP_GIVE_UP)
				goto give_up;
			if (empty(&t))
				return 0;
			next = idx;
			if (!step_back(st, &n, &idx))
				break;
			if (idx >= env->len)
				goto give_up;
		}
		next = st->first_insn;
		st = st->parent;
		if (!st)
			break;
		if (t.frame != st->curframe)
			goto give_up;
		mark_state(env, &t, st, ret_changed);
		if (empty(&t))
			return 0;
		idx = st->last_insn;
	}
	/* At a function's entry: arguments of one that is verified by itself are inputs. */
	if (st && !t.frame && !t.slots[0] && !(t.regs[0] & ~0x3e))
		return 0;
give_up:
	if (tracing(env))
		vf_log(env, "mark_precise: frame%u: falling back to forcing all scalars precise\n",
		       start->curframe);
	vf_all_precise(env, start->parent);
	*ret_changed = true;
	return 0;
}

int vf_mark_precise(struct env *env, u32 regno)
{
	u16 regs[VF_MAX_FRAMES] = {0};
	u64 slots[VF_MAX_FRAMES] = {0};
	u32 f = env->cur->curframe;

	if (vf_frame(env)->regs[regno].kind != RK_SCALAR)
		return 0;
	regs[f] = (u16)(1u << regno);
	return vf_mark_precise_in(env, env->cur, regs, slots, NULL);
}

/* What is precise in @from, which covers @to, must become precise on the way to @to. */
int vf_propagate_precision(struct env *env, const struct state *from, struct state *to,
			   bool *ret_changed)
{
	u16 regs[VF_MAX_FRAMES] = {0};
	u64 slots[VF_MAX_FRAMES] = {0};

	for (u32 f = SKEP_MIN(from->curframe, to->curframe); f <= from->curframe; f--) {
		const struct frame *fr = from->frame[f];
		const char *sep = "propagating ";

		for (u32 i = 0; i < 10; i++)
			if (fr->precise_regs >> i & 1 && fr->boxes[i] &&
			    fr->boxes[i]->kind == RK_SCALAR)
				regs[f] |= (u16)(1u << i);
		slots[f] = fr->precise_slots;
		if (!tracing(env) || !(regs[f] || slots[f]))
			continue;
		vf_log(env, "frame %u: ", f);
		for (u32 i = 0; i < 10; i++)
			if (regs[f] >> i & 1) {
				vf_log(env, "%sr%u", sep, i);
				sep = ",";
			}
		for (u32 i = 0; i < VF_SLOTS; i++)
			if (slots[f] >> i & 1) {
				vf_log(env, "%sfp%d", sep, -(int)(i + 1) * 8);
				sep = ",";
			}
		vf_log(env, "\n");
	}
	return vf_mark_precise_in(env, to, regs, slots, ret_changed);
}

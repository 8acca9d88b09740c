/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests behind a join, that the way there decides, are made once for each way.
 *
 *	r0 = 1; if a goto L; r0 = 0; L: store; if r0 != 0 goto M
 *
 * is what a compiler makes of "return a" when the caller, now around it, tests the result. The few
 * instructions between the join and the test are copied for the jump that knows the outcome; what
 * is left of them knows it too. Copies stand where nobody falls into them, behind the next
 * instruction that does not go on.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "rewrite/code.h"

#define MAX_TAIL 4
#define MAX_WAITING 32

struct tail {
	u32 jump;  /* new index of the jump that goes to the copy; RW_NO_TARGET: it stands here */
	u32 start; /* old instructions copied, and where they go on */
	u32 n;
	u32 to;
};

struct tails {
	struct rw *rw;
	u32 known; /* bit r: register r is v[r] here */
	u64 v[SKEP_NR_REGS];
	struct tail waiting[MAX_WAITING];
	u32 nr_waiting;
};

static void learn(u32 *known, u64 v[SKEP_NR_REGS], const struct bpf_insn *in)
{
	*known &= ~skep_insn_writes(in);
	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_K))
		v[in->dst_reg] = (u64)(s64)in->imm;
	else if (in->code == (BPF_ALU | BPF_MOV | BPF_K))
		v[in->dst_reg] = (u32)in->imm;
	else
		return;
	*known |= 1u << in->dst_reg;
}

static bool may_copy(const struct bpf_insn *in)
{
	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		return true;
	default:
		return false;
	}
}

/* A tail at old instruction @t that what is known here decides; false: there is none. */
static bool find_tail(const struct tails *w, u32 t, struct tail *ret)
{
	const struct rw *rw = w->rw;
	const struct skep_subprog *s = &rw->p->subprogs[rw->sub];
	u32 known = w->known, n;
	u64 v[SKEP_NR_REGS];

	memcpy(v, w->v, sizeof(v));
	for (n = 0; n <= MAX_TAIL && t + n + 1 < s->start + s->len; n++) {
		const struct bpf_insn *in = &rw->in.insns[t + n];
		bool eq;

		if (may_copy(in) && n < MAX_TAIL) {
			learn(&known, v, in);
			continue;
		}
		if (!n ||
		    (in->code != (BPF_JMP | BPF_JEQ | BPF_K) &&
		     in->code != (BPF_JMP | BPF_JNE | BPF_K)) ||
		    !(known >> in->dst_reg & 1))
			return false;
		eq = v[in->dst_reg] == (u64)(s64)in->imm;
		*ret = (struct tail){.start = t,
				     .n = n,
				     .to = eq == (BPF_OP(in->code) == BPF_JEQ)
						   ? rw->in.target[t + n]
						   : t + n + 1};
		return true;
	}
	return false;
}

static void put_tail(struct rw *rw, const struct tail *t)
{
	struct skep_fact keep = rw->fact;

	for (u32 i = t->start; i < t->start + t->n; i++) {
		rw->fact = rw->in.facts[i];
		rw_put(rw, rw->in.insns[i]);
	}
	rw->fact = keep;
	rw_synth(rw);
	rw_put_jump(rw, SKEP_JA(0), t->to);
}

static void flush(struct tails *w)
{
	for (u32 i = 0; i < w->nr_waiting; i++) {
		rw_land(w->rw, w->waiting[i].jump);
		put_tail(w->rw, &w->waiting[i]);
	}
	w->nr_waiting = 0;
}

static void pass_jump(struct tails *w, u32 i)
{
	struct rw *rw = w->rw;
	const struct bpf_insn *in = &rw->in.insns[i];
	u32 t = rw->in.target[i];
	struct tail tail;

	/* backwards is a loop: what is known at its end is not what is known in it */
	if (t <= i || skep_insn_is_may_goto(in) || w->nr_waiting == MAX_WAITING ||
	    !find_tail(w, t, &tail)) {
		rw_copy(rw, i);
	} else if (skep_insn_ends_block(in)) {
		put_tail(rw, &tail);
	} else {
		tail.jump = rw_put_jump(rw, *in, 0);
		w->waiting[w->nr_waiting++] = tail;
	}
}

void rw_tails(struct rw *rw)
{
	u8 *is_target = rw->err ? NULL : rw_find_targets(rw);
	struct tails w = {.rw = rw};

	if (!is_target)
		return;
	rw_begin_pass(rw);
	for (rw->sub = 0; rw->sub < rw->p->nr_subprogs; rw->sub++) {
		const struct skep_subprog *s = &rw->p->subprogs[rw->sub];
		u32 n;

		for (u32 i = s->start; i < s->start + s->len && !rw->err; i += n) {
			const struct bpf_insn *in = &rw->in.insns[i];

			n = rw_slots(in);
			if (is_target[i])
				w.known = 0;
			rw_begin(rw, i);
			if (skep_insn_is_jump(in))
				pass_jump(&w, i);
			else
				rw_copy(rw, i);
			if (skep_insn_ends_block(in))
				flush(&w);
			if (skep_insn_is_ldimm64(in))
				w.known &= ~(1u << in->dst_reg);
			else
				learn(&w.known, w.v, in);
		}
	}
	rw_end_pass(rw);
	skep_free(is_target);
}

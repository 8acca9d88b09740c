/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shorter ways: jumps to jumps, tests whose outcome the way to them decides, code nobody reaches.
 *
 * Inlining meets a result ("return 0", a look-up's NULL) with the test of it. Where a register was
 * set to a constant in the block that jumps, a comparison of it at the jump's target is already
 * decided, and the jump goes past it. A conditional jump both ways of which end at one place goes.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "rewrite/code.h"

#define MAX_HOPS 16

struct consts {
	u32 known; /* bit r: register r is v[r] */
	u64 v[SKEP_NR_REGS];
};

static void learn(struct consts *c, const struct bpf_insn *in)
{
	if (skep_insn_is_ldimm64(in)) {
		c->known &= ~(1u << in->dst_reg);
		return;
	}
	c->known &= ~skep_insn_writes(in);
	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_K))
		c->v[in->dst_reg] = (u64)(s64)in->imm;
	else if (in->code == (BPF_ALU | BPF_MOV | BPF_K))
		c->v[in->dst_reg] = (u32)in->imm;
	else
		return;
	c->known |= 1u << in->dst_reg;
}

/* Where a jump to @t really ends, given what is known where it starts. */
static u32 final_target(const struct rw *rw, const struct consts *c, u32 t)
{
	u32 hops;

	for (hops = 0; hops < MAX_HOPS; hops++) {
		const struct bpf_insn *in = &rw->in.insns[t];
		bool eq;

		if (in->code == (BPF_JMP | BPF_JA) || skep_insn_is_gotol(in)) {
			t = rw->in.target[t];
			continue;
		}
		if ((in->code != (BPF_JMP | BPF_JEQ | BPF_K) &&
		     in->code != (BPF_JMP | BPF_JNE | BPF_K)) ||
		    !(c->known >> in->dst_reg & 1))
			break;
		eq = c->v[in->dst_reg] == (u64)(s64)in->imm;
		t = eq == (BPF_OP(in->code) == BPF_JEQ) ? rw->in.target[t] : t + 1;
	}
	return t;
}

static void thread(struct rw *rw, const u8 *is_target)
{
	struct consts c = {0};
	u32 i;

	for (i = 0; i < rw->in.len; i += rw_slots(&rw->in.insns[i])) {
		const struct bpf_insn *in = &rw->in.insns[i];

		if (is_target[i])
			c.known = 0;
		if (skep_insn_is_jump(in)) {
			u32 to = final_target(rw, &c, i);

			/* its own test may be decided: always taken, or never */
			if (to != i && !skep_insn_ends_block(in)) {
				rw->in.insns[i] = SKEP_JA(0);
				rw->in.target[i] = to;
			} else {
				rw->in.target[i] = final_target(rw, &c, rw->in.target[i]);
			}
		}
		learn(&c, in);
	}
}

/* Marks what is reached from the subprograms' first instructions. */
static bool mark_reached(const struct rw *rw, u8 *reached)
{
	u32 *stack = skep_calloc(rw->in.len + 1, sizeof(u32)), n = 0, i;

	if (!stack)
		return false;
	for (i = 0; i < rw->p->nr_subprogs; i++)
		stack[n++] = rw->p->subprogs[i].start;
	while (n) {
		for (i = stack[--n]; i < rw->in.len && !reached[i];
		     i += rw_slots(&rw->in.insns[i])) {
			const struct bpf_insn *in = &rw->in.insns[i];

			reached[i] = 1;
			if (skep_insn_is_jump(in) && !reached[rw->in.target[i]])
				stack[n++] = rw->in.target[i];
			if (skep_insn_ends_block(in))
				break;
		}
	}
	skep_free(stack);
	return true;
}

/* Is the jump at @i superfluous: what it skips is not reached, or both ways end at one place? */
static bool goes_nowhere(const struct rw *rw, const u8 *reached, u32 i)
{
	static const struct consts nothing;
	const struct bpf_insn *in = &rw->in.insns[i];
	u32 t = rw->in.target[i], k;

	if (!skep_insn_is_jump(in) || skep_insn_is_may_goto(in))
		return false;
	for (k = i + 1; k < t && !reached[k]; k++)
		;
	if (k == t)
		return true;
	return !skep_insn_ends_block(in) &&
	       final_target(rw, &nothing, t) == final_target(rw, &nothing, i + 1);
}

void rw_jumps(struct rw *rw)
{
	u8 *is_target = rw->err ? NULL : rw_find_targets(rw), *reached;
	u32 i, n;

	if (!is_target)
		return;
	reached = skep_zalloc(rw->in.len + 1);
	thread(rw, is_target);
	skep_free(is_target);
	if (!reached || !mark_reached(rw, reached)) {
		skep_free(reached);
		rw->err = -ENOMEM;
		return;
	}
	rw_begin_pass(rw);
	for (i = 0; i < rw->in.len && !rw->err; i += n) {
		n = rw_slots(&rw->in.insns[i]);
		rw_begin(rw, i);
		if (reached[i] && !goes_nowhere(rw, reached, i))
			rw_copy(rw, i);
	}
	rw_end_pass(rw);
	skep_free(reached);
}

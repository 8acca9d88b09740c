/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of the stack that live in registers.
 *
 * BPF has ten registers and no more, so what is alive across a loop is often on the stack; when a
 * callback has become a loop's body, so are its context and what the loop keeps for itself. Where
 * the function leaves a register unused, the word that is met most often, loops counting more,
 * moves there: a load or store becomes a move.
 *
 * A word qualifies when every access to it is of the whole word through R10, and nobody else can
 * have its address: the frame's address goes nowhere in the function, or the word is one that
 * rewriting put below the program's own frame (SKEP_FACT_OWN_SLOT). Registers that no call
 * clobbers serve; in a function without calls, any.
 *
 * Stores that nobody reads, under the same condition, go.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "rewrite/code.h"

#define WORTH 8 /* accesses, weighted: below, the register is better left alone */

struct word {
	u32 weight;
	bool own;   /* rewriting put it there */
	bool whole; /* every access so far was of all of it */
	bool loaded;
	u8 reg; /* where it lives; 0xff: on the stack */
};

struct frame {
	struct rw *rw;
	u32 start, end;
	struct word *words; /* word i: bytes -8 * (i + 1) to -8 * i */
	u32 nr_words;
	u16 *depth;  /* loops around each instruction */
	bool leaks;  /* the frame's address goes somewhere */
	bool calls;  /* something clobbers R0-R5 */
	u32 used;    /* registers */
	bool broken; /* an access outside of the frame: leave all alone */
};

/* The access of @in through R10; 0 bytes: it is none. *@ret_off is where it starts. */
static u32 frame_access(const struct bpf_insn *in, s32 *ret_off, bool *ret_load)
{
	u8 class = BPF_CLASS(in->code);
	bool acquire = class == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC &&
		       in->imm == SKEP_BPF_LOAD_ACQ;

	*ret_load = class == BPF_LDX || acquire;
	if (class != BPF_LDX && class != BPF_ST && class != BPF_STX)
		return 0;
	if ((*ret_load ? in->src_reg : in->dst_reg) != 10)
		return 0;
	*ret_off = in->off;
	return skep_insn_bytes(in);
}

static struct word *word_at(struct frame *f, s32 off)
{
	u32 n = (u32)(-off - 1) / 8;

	return off < 0 && n < f->nr_words ? &f->words[n] : NULL;
}

static void survey_access(struct frame *f, u32 i, s32 off, u32 bytes, bool load)
{
	const struct bpf_insn *in = &f->rw->in.insns[i];
	bool plain = BPF_MODE(in->code) == BPF_MEM && bytes == 8 && !(off & 7) &&
		     !(BPF_CLASS(in->code) == BPF_STX && in->src_reg == 10);
	bool reads = load || BPF_MODE(in->code) == BPF_ATOMIC;
	bool own = f->rw->in.facts[i].flags & SKEP_FACT_OWN_SLOT;

	for (s32 at = off; at < off + (s32)bytes; at++) {
		struct word *w = word_at(f, at);

		if (!w) {
			f->broken = true;
			return;
		}
		w->loaded |= reads;
		w->own |= own;
		w->whole &= plain;
	}
	if (plain)
		word_at(f, off)->weight += 1u << SKEP_MIN(3 * f->depth[i], 18u);
}

static void survey(struct frame *f)
{
	const struct code *c = &f->rw->in;
	u32 n;

	for (u32 i = f->start; i < f->end; i += n) {
		const struct bpf_insn *in = &c->insns[i];
		bool load;
		s32 off;
		u32 bytes = frame_access(in, &off, &load);

		n = rw_slots(in);
		f->used |= skep_insn_reads(in) | skep_insn_writes(in);
		f->calls |= in->code == (BPF_JMP | BPF_CALL);
		if (bytes)
			survey_access(f, i, off, bytes, load);
		if ((skep_insn_reads(in) >> 10 & 1) &&
		    (!bytes || (BPF_CLASS(in->code) == BPF_STX && in->src_reg == 10 && !load)))
			f->leaks = true;
		/* a call reads R1-R5 and may be a tail call: frames are no business of it */
	}
}

/* Every instruction between a loop's head and its backward jump counts as inside. */
static void find_depths(struct frame *f)
{
	const struct code *c = &f->rw->in;

	for (u32 i = f->start; i < f->end; i++) {
		u32 t = c->target[i];

		if (!skep_insn_is_jump(&c->insns[i]) || t == RW_NO_TARGET || t > i || t < f->start)
			continue;
		for (u32 k = t; k <= i; k++)
			f->depth[k]++;
	}
}

static struct word *heaviest(struct frame *f)
{
	struct word *best = NULL;

	for (u32 i = 0; i < f->nr_words; i++) {
		struct word *w = &f->words[i];

		if (w->reg == 0xff && w->whole && w->weight >= WORTH && (w->own || !f->leaks) &&
		    (!best || w->weight > best->weight))
			best = w;
	}
	return best;
}

static void assign(struct frame *f)
{
	/* the ones that nobody must save first */
	static const u8 order[] = {5, 4, 3, 2, 1, 0, 6, 7, 8, 9};

	for (u32 i = f->calls ? 6 : 0; i < ARRAY_SIZE(order); i++) {
		struct word *w;

		if (f->used >> order[i] & 1)
			continue;
		/* R0 and R1 arrive and leave with meaning */
		if (order[i] <= 1)
			continue;
		w = heaviest(f);
		if (!w)
			break;
		w->reg = order[i];
	}
}

/* @i with its word in a register, or gone; false: as it is. */
static bool replace(struct frame *f, u32 i)
{
	struct bpf_insn *in = &f->rw->in.insns[i];
	bool load, dead = true;
	s32 off;
	u32 bytes = frame_access(in, &off, &load);
	struct word *w;

	if (!bytes)
		return false;
	w = word_at(f, off);
	if (w->reg != 0xff) {
		if (load)
			*in = SKEP_MOV64_REG(in->dst_reg, w->reg);
		else if (BPF_CLASS(in->code) == BPF_STX)
			*in = SKEP_MOV64_REG(w->reg, in->src_reg);
		else
			*in = SKEP_MOV64_IMM(w->reg, in->imm);
		f->rw->in.facts[i].mem = SKEP_MEM_NONE;
		return true;
	}
	if (load || BPF_MODE(in->code) == BPF_ATOMIC)
		return false;
	for (s32 at = off; at < off + (s32)bytes; at++) {
		w = word_at(f, at);
		dead &= !w->loaded && (w->own || !f->leaks);
	}
	if (dead) {
		*in = SKEP_JA(0);
		f->rw->in.target[i] = i + 1;
		f->rw->in.facts[i].mem = SKEP_MEM_NONE;
	}
	return dead;
}

/* True when something changed. */
static bool promote(struct rw *rw, u32 sub)
{
	const struct skep_subprog *s = &rw->p->subprogs[sub];
	struct frame f = {.rw = rw,
			  .start = s->start,
			  .end = s->start + s->len,
			  .nr_words = SKEP_ALIGN_UP((u32)s->stack_depth, 8u) / 8};
	bool any = false;

	if (!f.nr_words)
		return false;
	f.words = skep_calloc(f.nr_words, sizeof(*f.words));
	f.depth = skep_calloc(rw->in.len + 1, sizeof(*f.depth));
	if (!f.words || !f.depth) {
		rw->err = -ENOMEM;
	} else {
		for (u32 i = 0; i < f.nr_words; i++) {
			f.words[i].whole = true;
			f.words[i].reg = 0xff;
		}
		find_depths(&f);
		survey(&f);
		if (!f.broken) {
			assign(&f);
			for (u32 i = f.start; i < f.end; i += rw_slots(&rw->in.insns[i]))
				any |= replace(&f, i);
		}
	}
	skep_free(f.words);
	skep_free(f.depth);
	return any;
}

void rw_promote(struct rw *rw)
{
	for (u32 sub = 0; sub < rw->p->nr_subprogs && !rw->err; sub++)
		promote(rw, sub);
}

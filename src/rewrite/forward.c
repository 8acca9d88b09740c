/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame addresses, stored values and copies of registers, carried forward.
 *
 * A helper takes a key by address, so programs store the key and pass fp - n. Once the look-up is
 * inline, the address is a detour (an access goes through R10 itself) and so is the memory (a load
 * of what was just stored becomes a move). What then has no reader goes with the dead writes.
 *
 * Stored values are forgotten at every store that may hit the stack through another register,
 * and at every call, and where ways meet. Which registers hold frame addresses is known across
 * joins: what all ways there agree on, found by going over the function until nothing changes.
 */
#include <errno.h>

#include "base/alloc.h"
#include "rewrite/code.h"

#define NR_STORED 8

struct stored {
	s32 off;
	u8 size;
	u8 reg;
};

/* Registers that hold frame addresses. */
struct fps {
	u32 is; /* bit r: register r is R10 + off[r] */
	s32 off[SKEP_NR_REGS];
};

struct forward {
	struct rw *rw;
	struct fps fp;
	u32 stores; /* bit i: stored[i] is known */
	struct stored stored[NR_STORED];
	u32 next;
	u32 copies; /* bit r: register r is a copy of register of[r] */
	u8 of[SKEP_NR_REGS];
};

static const struct fps nothing = {.is = 1u << 10};
#define NOBODY UINT32_MAX /* is: no way here is known yet */

/* What @a and @b agree on, into @a. True when that is less than @a was. */
static bool meet(struct fps *a, const struct fps *b)
{
	u32 was = a->is;

	a->is &= b->is;
	for (u32 left = a->is & ~(1u << 10); left; left &= left - 1) {
		u32 i = (u32)__builtin_ctz(left);

		if (a->off[i] != b->off[i])
			a->is &= ~(1u << i);
	}
	return a->is != was;
}

static void forget_stack(struct forward *f, s32 off, u32 size)
{
	for (u32 left = f->stores; left; left &= left - 1) {
		const struct stored *s = &f->stored[__builtin_ctz(left)];

		if (s->off < off + (s32)size && off < s->off + s->size)
			f->stores &= ~(left & -left);
	}
}

/* The base of @in through R10 where it is a frame address; false: it is not one. */
static bool rebase(struct forward *f, struct bpf_insn *in)
{
	bool load = BPF_CLASS(in->code) == BPF_LDX ||
		    (BPF_MODE(in->code) == BPF_ATOMIC && in->imm == SKEP_BPF_LOAD_ACQ);
	u8 base = load ? in->src_reg : in->dst_reg;
	s32 off;

	if (!(f->fp.is >> base & 1))
		return false;
	off = f->fp.off[base] + in->off;
	if (off != (s16)off)
		return false;
	if (load)
		in->src_reg = 10;
	else
		in->dst_reg = 10;
	in->off = (s16)off;
	return true;
}

static void learn_store(struct forward *f, const struct bpf_insn *in, bool on_stack)
{
	u32 bytes = skep_insn_bytes(in);

	if (!on_stack) {
		f->stores = 0;
		return;
	}
	forget_stack(f, in->off, bytes);
	if (BPF_CLASS(in->code) == BPF_STX && BPF_MODE(in->code) == BPF_MEM && bytes >= 4) {
		u32 i = f->next++ % NR_STORED;

		f->stored[i] = (struct stored){in->off, (u8)bytes, in->src_reg};
		f->stores |= 1u << i;
	}
}

static void learn_fps(struct fps *f, const struct bpf_insn *in)
{
	u32 writes = skep_insn_writes(in);
	bool fp = false;
	s64 off = 0;

	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !in->off) {
		fp = f->is >> in->src_reg & 1;
		off = f->off[in->src_reg];
	} else if (in->code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
		off = (s64)f->off[in->dst_reg] + in->imm;
		fp = (f->is >> in->dst_reg & 1) && off > -65536 && off < 65536;
	}
	f->is &= ~writes | 1u << 10;
	if (fp) {
		f->is |= 1u << in->dst_reg;
		f->off[in->dst_reg] = (s32)off;
	}
}

/* Registers that @in writes, and what it makes of them. */
static void learn_regs(struct forward *f, const struct bpf_insn *in)
{
	u32 writes = skep_insn_writes(in), i;

	learn_fps(&f->fp, in);
	f->copies &= ~writes;
	for (u32 left = f->copies; left; left &= left - 1) {
		i = (u32)__builtin_ctz(left);
		if (writes >> f->of[i] & 1)
			f->copies &= ~(1u << i);
	}
	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !in->off && in->src_reg != 10 &&
	    in->src_reg != SKEP_REG_AX && in->src_reg != in->dst_reg) {
		f->copies |= 1u << in->dst_reg;
		f->of[in->dst_reg] = in->src_reg;
	}
	for (u32 left = f->stores; left; left &= left - 1)
		if (writes >> f->stored[__builtin_ctz(left)].reg & 1)
			f->stores &= ~(left & -left);
}

/* The load @in from the stack as a move. */
static bool load_stored(const struct forward *f, struct bpf_insn *in)
{
	u32 bytes = skep_insn_bytes(in);

	for (u32 left = f->stores; left; left &= left - 1) {
		const struct stored *s = &f->stored[__builtin_ctz(left)];

		if (s->size != bytes || s->off != in->off)
			continue;
		*in = bytes == 8 ? SKEP_MOV64_REG(in->dst_reg, s->reg)
				 : SKEP_MOV32_REG(in->dst_reg, s->reg);
		return true;
	}
	return false;
}

static u8 original(const struct forward *f, u8 reg)
{
	return f->copies >> reg & 1 ? f->of[reg] : reg;
}

/* Registers that @in only reads, from where they were copied: then the copy may be dead. */
static void use_originals(const struct forward *f, struct bpf_insn *in)
{
	u8 class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	switch (class) {
	case BPF_ALU:
	case BPF_ALU64:
		if (BPF_SRC(in->code) == BPF_X && op != BPF_END && op != BPF_NEG)
			in->src_reg = original(f, in->src_reg);
		break;
	case BPF_LDX:
		in->src_reg = original(f, in->src_reg);
		break;
	case BPF_STX:
		if (BPF_MODE(in->code) != BPF_MEM)
			break;
		in->src_reg = original(f, in->src_reg);
		in->dst_reg = original(f, in->dst_reg);
		break;
	case BPF_ST:
		in->dst_reg = original(f, in->dst_reg);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		if (!skep_insn_is_jump(in) || op == BPF_JA || skep_insn_is_may_goto(in))
			break;
		in->dst_reg = original(f, in->dst_reg);
		if (BPF_SRC(in->code) == BPF_X)
			in->src_reg = original(f, in->src_reg);
		break;
	}
}

static void forward(struct forward *f, struct bpf_insn *in, u8 mem)
{
	bool on_stack;

	use_originals(f, in);
	switch (BPF_CLASS(in->code)) {
	case BPF_LDX:
		if (mem == SKEP_MEM_DIRECT && rebase(f, in) && BPF_MODE(in->code) == BPF_MEM)
			load_stored(f, in);
		break;
	case BPF_ST:
	case BPF_STX:
		on_stack = mem == SKEP_MEM_DIRECT && rebase(f, in);
		if (in->code == (BPF_STX | BPF_ATOMIC | BPF_SIZE(in->code)) &&
		    in->imm == SKEP_BPF_LOAD_ACQ)
			break;
		learn_store(f, in, on_stack);
		break;
	case BPF_JMP:
		if (BPF_OP(in->code) == BPF_CALL)
			f->stores = 0;
		break;
	}
	learn_regs(f, in);
}

/*
 * The frame addresses that all ways to each target agree on, into @at: one for each target, which
 * @number counts from 1. Every round can only take away, so this ends; what changes ahead is seen
 * in the same round.
 */
static void find_fps(const struct rw *rw, const u32 *number, struct fps *at)
{
	bool again = true;

	for (u32 i = 0; i < rw->p->nr_subprogs; i++)
		at[number[rw->p->subprogs[i].start]] = nothing;
	while (again) {
		struct fps now = nothing;
		bool alive = false;

		again = false;
		for (u32 i = 0; i < rw->in.len; i += rw_slots(&rw->in.insns[i])) {
			const struct bpf_insn *in = &rw->in.insns[i];

			if (number[i]) {
				struct fps *here = &at[number[i]];

				if (alive && here->is == NOBODY)
					*here = now;
				else if (alive)
					meet(here, &now);
				alive = here->is != NOBODY;
				now = *here;
			}
			if (!alive)
				continue;
			learn_fps(&now, in);
			if (skep_insn_is_jump(in)) {
				struct fps *to = &at[number[rw->in.target[i]]];
				bool first = to->is == NOBODY, less = false;

				if (first)
					*to = now;
				else
					less = meet(to, &now);
				again |= (first || less) && rw->in.target[i] <= i;
			}
			alive = !skep_insn_ends_block(in);
		}
	}
}

/* Instructions that something jumps to, numbered from 1; how many. */
static u32 number_targets(struct rw *rw, u32 *number)
{
	u32 n = 0;

	for (u32 i = 0; i < rw->p->nr_subprogs; i++)
		number[rw->p->subprogs[i].start] = 1;
	for (u32 i = 0; i < rw->in.len; i++)
		if (rw->in.target[i] != RW_NO_TARGET)
			number[rw->in.target[i]] = 1;
	for (u32 i = 0; i < rw->in.len; i++)
		if (number[i])
			number[i] = ++n;
	return n;
}

void rw_forward(struct rw *rw)
{
	struct forward f = {.rw = rw};
	u32 *number = rw->err ? NULL : skep_calloc(rw->in.len + 1, sizeof(*number));
	u32 i, n = number ? number_targets(rw, number) : 0;
	struct fps *at = number ? skep_calloc(n + 1, sizeof(*at)) : NULL;

	if (!at) {
		rw->err = rw->err ? rw->err : -ENOMEM;
		skep_free(number);
		return;
	}
	for (i = 0; i <= n; i++)
		at[i].is = NOBODY;
	find_fps(rw, number, at);
	/* one for one: no pass is needed */
	for (i = 0; i < rw->in.len; i += n) {
		struct bpf_insn *in = &rw->in.insns[i];

		n = rw_slots(in);
		if (number[i]) {
			f.fp = at[number[i]].is == NOBODY ? nothing : at[number[i]];
			f.stores = 0;
			f.copies = 0;
		}
		forward(&f, in, rw->in.facts[i].mem);
	}
	skep_free(at);
	skep_free(number);
}

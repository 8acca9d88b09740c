/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame addresses and stored values, carried forward inside a basic block.
 *
 * A helper takes a key by address, so programs store the key and pass fp - n. Once the look-up is
 * inline, the address is a detour (an access goes through R10 itself) and so is the memory (a load
 * of what was just stored becomes a move). What then has no reader goes with the dead writes.
 *
 * Stored values are forgotten at every store that may hit the stack through another register,
 * and at every call.
 */
#include <string.h>

#include "base/alloc.h"
#include "rewrite/code.h"

#define NR_STORED 8

struct stored {
	s32 off;
	u8 size; /* 0: free */
	u8 reg;
};

struct forward {
	struct rw *rw;
	u32 is_fp; /* bit r: register r is R10 + fp_off[r] */
	s32 fp_off[SKEP_NR_REGS];
	struct stored stored[NR_STORED];
	u32 next;
};

static void forget_all(struct forward *f)
{
	f->is_fp = 1u << 10;
	f->fp_off[10] = 0;
	memset(f->stored, 0, sizeof(f->stored));
}

static void forget_stack(struct forward *f, s32 off, u32 size)
{
	u32 i;

	for (i = 0; i < NR_STORED; i++)
		if (f->stored[i].off < off + (s32)size &&
		    off < f->stored[i].off + f->stored[i].size)
			f->stored[i].size = 0;
}

/* The base of @in through R10 where it is a frame address; false: it is not one. */
static bool rebase(struct forward *f, struct bpf_insn *in)
{
	bool load = BPF_CLASS(in->code) == BPF_LDX ||
		    (BPF_MODE(in->code) == BPF_ATOMIC && in->imm == SKEP_BPF_LOAD_ACQ);
	u8 base = load ? in->src_reg : in->dst_reg;
	s32 off;

	if (!(f->is_fp >> base & 1))
		return false;
	off = f->fp_off[base] + in->off;
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
		memset(f->stored, 0, sizeof(f->stored));
		return;
	}
	forget_stack(f, in->off, bytes);
	if (BPF_CLASS(in->code) == BPF_STX && BPF_MODE(in->code) == BPF_MEM && bytes >= 4)
		f->stored[f->next++ % NR_STORED] = (struct stored){in->off, (u8)bytes, in->src_reg};
}

/* Registers that @in writes, and what it makes of them. */
static void learn_regs(struct forward *f, const struct bpf_insn *in)
{
	u32 writes = skep_insn_writes(in), i;
	bool fp = false;
	s64 off = 0;

	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !in->off) {
		fp = f->is_fp >> in->src_reg & 1;
		off = f->fp_off[in->src_reg];
	} else if (in->code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
		off = (s64)f->fp_off[in->dst_reg] + in->imm;
		fp = (f->is_fp >> in->dst_reg & 1) && off > -65536 && off < 65536;
	}
	f->is_fp &= ~writes | 1u << 10;
	if (fp) {
		f->is_fp |= 1u << in->dst_reg;
		f->fp_off[in->dst_reg] = (s32)off;
	}
	for (i = 0; i < NR_STORED; i++)
		if (writes >> f->stored[i].reg & 1)
			f->stored[i].size = 0;
}

/* The load @in from the stack as a move. */
static bool load_stored(const struct forward *f, struct bpf_insn *in)
{
	u32 bytes = skep_insn_bytes(in), i;

	for (i = 0; i < NR_STORED; i++) {
		const struct stored *s = &f->stored[i];

		if (s->size != bytes || s->off != in->off)
			continue;
		*in = bytes == 8 ? SKEP_MOV64_REG(in->dst_reg, s->reg)
				 : SKEP_MOV32_REG(in->dst_reg, s->reg);
		return true;
	}
	return false;
}

static void forward(struct forward *f, struct bpf_insn *in, u8 mem)
{
	bool on_stack;

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
			memset(f->stored, 0, sizeof(f->stored));
		break;
	}
	learn_regs(f, in);
}

void rw_forward(struct rw *rw)
{
	struct forward f = {.rw = rw};
	u8 *is_target = rw->err ? NULL : rw_find_targets(rw);
	u32 i, n;

	if (!is_target)
		return;
	/* one for one: no pass is needed */
	for (i = 0; i < rw->in.len; i += n) {
		struct bpf_insn *in = &rw->in.insns[i];

		n = rw_slots(in);
		if (is_target[i])
			forget_all(&f);
		forward(&f, in, rw->in.facts[i].mem);
	}
	skep_free(is_target);
}

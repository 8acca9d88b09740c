/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helper calls as straight code: array look-ups and hits in local storage.
 */
#include "base/vcpu.h"
#include "rewrite/code.h"

#define MAP_LOOKUP_ELEM_ID 1
#define GET_SMP_PROCESSOR_ID 8
#define SK_STORAGE_GET_ID 107
#define INODE_STORAGE_GET_ID 145
#define TASK_STORAGE_GET_ID 156
#define CGRP_STORAGE_GET_ID 210

/* Multiply by a constant, as a shift where it is one. */
static void put_mul(struct rw *rw, u8 reg, u32 by)
{
	if (by & (by - 1))
		rw_put(rw, SKEP_ALU64_IMM(BPF_MUL, reg, by));
	else if (by > 1)
		rw_put(rw, SKEP_ALU64_IMM(BPF_LSH, reg, __builtin_ctz(by)));
}

#define MAX_MOVES 3

struct null_test rw_null_test(const struct rw *rw, u32 i)
{
	const struct skep_subprog *s = &rw->p->subprogs[rw->sub];
	struct null_test t = {RW_NO_TARGET, RW_NO_TARGET, RW_NO_TARGET};
	u32 copies = 1, at;

	for (at = i + 1; at < s->start + s->len && at <= i + 1 + MAX_MOVES; at++) {
		const struct bpf_insn *in = &rw->in.insns[at];

		if (at > i + 1 && rw->is_target[at])
			break;
		if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !in->off &&
		    copies >> in->src_reg & 1) {
			copies |= 1u << in->dst_reg;
			continue;
		}
		if ((BPF_CLASS(in->code) == BPF_ALU64 || BPF_CLASS(in->code) == BPF_ALU) &&
		    BPF_OP(in->code) == BPF_MOV) {
			copies &= ~(1u << in->dst_reg);
			continue;
		}
		if ((in->code != (BPF_JMP | BPF_JEQ | BPF_K) &&
		     in->code != (BPF_JMP | BPF_JNE | BPF_K)) ||
		    in->imm || !(copies >> in->dst_reg & 1) || at + 1 >= s->start + s->len)
			break;
		t.at = at;
		t.null = BPF_OP(in->code) == BPF_JEQ ? rw->in.target[at] : at + 1;
		t.found = BPF_OP(in->code) == BPF_JEQ ? at + 1 : rw->in.target[at];
		break;
	}
	return t;
}

void rw_put_moves(struct rw *rw, u32 i, const struct null_test *t)
{
	for (u32 k = i + 1; k < t->at; k++)
		rw_put(rw, rw->in.insns[k]);
}

/* The jump at @at goes to @old, or to what is put next. */
static void land_at(struct rw *rw, u32 at, u32 old)
{
	if (old == RW_NO_TARGET)
		rw_land(rw, at);
	else if (!rw->err)
		rw->out.target[at] = old;
}

/* R0 = address of the element whose index is at R2, or 0. Never reads beyond the key. */
static bool array_lookup(struct rw *rw, u32 i, const struct skep_map_inline *m)
{
	bool percpu = m->kind == SKEP_INLINE_PERCPU_ARRAY;
	const struct skep_run_inline *run = rw->host->run_inline;
	struct null_test test;
	u32 miss;

	if (percpu && (!run || !run->tls_cpu_off || m->percpu_stride > INT32_MAX))
		return false;
	if (m->max_entries > INT32_MAX || m->stride > INT32_MAX)
		return false;
	test = rw_null_test(rw, i);
	rw_synth(rw);
	rw_put(rw, SKEP_LDX(BPF_W, SKEP_REG_AX, 2, 0));
	rw_put(rw, SKEP_MOV64_IMM(0, 0));
	miss = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JGE, SKEP_REG_AX, m->max_entries, 0), 0);
	if (percpu) {
		put_mul(rw, SKEP_REG_AX, m->stride);
		/* a load in the JIT; as a call it keeps AX in the interpreter */
		rw_put_helper(rw, GET_SMP_PROCESSOR_ID);
		put_mul(rw, 0, (u32)m->percpu_stride);
		rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 0, SKEP_REG_AX));
		rw_put_imm64(rw, SKEP_REG_AX, SKEP_PSEUDO_IMM, (u64)(uintptr_t)m->values);
	} else {
		rw_put_imm64(rw, 0, SKEP_PSEUDO_IMM, (u64)(uintptr_t)m->values);
		put_mul(rw, SKEP_REG_AX, m->stride);
	}
	rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 0, SKEP_REG_AX));
	if (m->kind == SKEP_INLINE_ARRAY_OF_MAPS) {
		rw_put(rw, SKEP_LDX(BPF_DW, 0, 0, 0));
	} else if (test.at != RW_NO_TARGET && !rw->is_target[i + 1]) {
		/* an element is never NULL: the test goes, and a miss knows where to */
		rw->drop = test.at + 1;
		rw_put_moves(rw, i, &test);
		if (test.at == i + 1) {
			land_at(rw, miss, test.null);
			if (test.found != test.at + 1)
				rw_put_jump(rw, SKEP_JA(0), test.found);
			return true;
		}
		rw_put_jump(rw, SKEP_JA(0), test.found);
		rw_land(rw, miss);
		rw_put_moves(rw, i, &test);
		rw_put_jump(rw, SKEP_JA(0), test.null);
		return true;
	}
	rw_land(rw, miss);
	return true;
}

/*
 * R0 = what is in the slot of the map at R1 in the table at AX. A map that is known is a constant,
 * and its slot needs no check where every table has it. Jumps to the helper are added at *@n.
 */
static void load_slot(struct rw *rw, const struct skep_map_inline *m, u32 *slow, u32 *n)
{
	const struct skep_run_inline *run = rw->host->run_inline;
	s64 off = m ? run->table_slots_off + 8 * (s64)m->storage_slot : INT64_MAX;

	if (off <= INT16_MAX) {
		if (m->storage_slot >= run->table_min_len) {
			rw_put(rw, SKEP_LDX(BPF_W, 5, SKEP_REG_AX, run->table_len_off));
			slow[(*n)++] =
				rw_put_jump(rw, SKEP_JMP_IMM(BPF_JLE, 5, m->storage_slot, 0), 0);
		}
		rw_put(rw, SKEP_LDX(BPF_DW, 0, SKEP_REG_AX, off));
		return;
	}
	rw_put(rw, SKEP_LDX(BPF_W, 0, 1, run->map_slot_off));
	rw_put(rw, SKEP_LDX(BPF_W, 5, SKEP_REG_AX, run->table_len_off));
	slow[(*n)++] = rw_put_jump(rw, SKEP_JMP_REG(BPF_JGE, 0, 5, 0), 0);
	rw_put(rw, SKEP_ALU64_IMM(BPF_LSH, 0, 3));
	rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 0, SKEP_REG_AX));
	rw_put(rw, SKEP_LDX(BPF_DW, 0, 0, run->table_slots_off));
}

/*
 * R1 map, R2 owner, R3 initial value, R4 flags; the recipe is in spec/inline.h. Everything but a
 * hit goes to the helper with its arguments untouched; R0, R5 and AX are free.
 */
static bool storage_get(struct rw *rw, u32 i, const struct skep_call_fact *fact)
{
	const struct skep_run_inline *run = rw->host->run_inline;
	const struct skep_map_inline *m = NULL;
	bool flags_known = fact && fact->known >> 3 & 1;
	u32 slow[4], n = 0, hit;
	struct null_test test;

	if (!run || (flags_known && fact->arg[3] > 1))
		return false;
	if (fact && fact->map >= 0 && (u32)fact->map < rw->p->nr_maps && rw->host->map_inline)
		m = rw->host->map_inline(rw->host->priv, rw->p->maps[fact->map]);
	if (m && m->kind != SKEP_INLINE_STORAGE)
		return false;
	test = rw_null_test(rw, i);
	rw_synth(rw);
	/* no object lies so low: NULL, and NULL plus the offset of a member */
	if (!fact || !(fact->nonnull >> 1 & 1))
		slow[n++] = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JLE, 2, INT32_MAX, 0), 0);
	if (!flags_known)
		slow[n++] = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JGT, 4, 1, 0), 0);
	rw_put(rw, SKEP_LDX(BPF_DW, SKEP_REG_AX, 2, run->owner_table_off));
	load_slot(rw, m, slow, &n);
	hit = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JNE, 0, 0, 0), 0);
	while (n)
		rw_land(rw, slow[--n]);
	/* constant arguments are set here again: then only this road needs them */
	for (n = 2; n < 4; n++)
		if (fact && fact->known >> n & 1 && fact->arg[n] <= INT32_MAX)
			rw_put(rw, SKEP_MOV64_IMM(n + 1, fact->arg[n]));
	rw_put_helper(rw, (u32)rw->in.insns[i].imm);
	land_at(rw, hit, test.at == i + 1 ? test.found : RW_NO_TARGET);
	return true;
}

bool rw_inline_helper(struct rw *rw, u32 i)
{
	const struct skep_rewrite_host *h = rw->host;
	const struct skep_call_fact *fact = rw_call_fact(rw, i);
	const struct skep_map_inline *m;

	switch (rw->in.insns[i].imm) {
	case MAP_LOOKUP_ELEM_ID:
		if (!fact || fact->map < 0 || (u32)fact->map >= rw->p->nr_maps || !h->map_inline)
			return false;
		m = h->map_inline(h->priv, rw->p->maps[fact->map]);
		if (!m || (m->kind != SKEP_INLINE_ARRAY && m->kind != SKEP_INLINE_ARRAY_OF_MAPS &&
			   m->kind != SKEP_INLINE_PERCPU_ARRAY))
			return false;
		return array_lookup(rw, i, m);
	case TASK_STORAGE_GET_ID:
	case CGRP_STORAGE_GET_ID:
	case SK_STORAGE_GET_ID:
	case INODE_STORAGE_GET_ID:
		return storage_get(rw, i, fact);
	default:
		return false;
	}
}

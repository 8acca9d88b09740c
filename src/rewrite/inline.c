/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helper calls as straight code: array look-ups and hits in local storage.
 */
#include "base/vcpu.h"
#include "rewrite/code.h"

#define MAP_LOOKUP_ELEM_ID 1
#define GET_SMP_PROCESSOR_ID 8
#define TASK_STORAGE_GET_ID 156

/* Multiply by a constant, as a shift where it is one. */
static void put_mul(struct rw *rw, u8 reg, u32 by)
{
	if (by & (by - 1))
		rw_put(rw, SKEP_ALU64_IMM(BPF_MUL, reg, by));
	else if (by > 1)
		rw_put(rw, SKEP_ALU64_IMM(BPF_LSH, reg, __builtin_ctz(by)));
}

/* R0 = address of the element whose index is at R2, or 0. Never reads beyond the key. */
static bool array_lookup(struct rw *rw, const struct skep_map_inline *m)
{
	bool percpu = m->kind == SKEP_INLINE_PERCPU_ARRAY;
	const struct skep_run_inline *run = rw->host->run_inline;
	u8 index = percpu ? SKEP_REG_AX : 0;
	u32 miss, out;

	if (percpu && (!run || !run->tls_cpu_off || m->percpu_stride > INT32_MAX))
		return false;
	if (m->max_entries > INT32_MAX || m->stride > INT32_MAX)
		return false;
	rw_synth(rw);
	rw_put(rw, SKEP_LDX(BPF_W, index, 2, 0));
	miss = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JGE, index, m->max_entries, 0), 0);
	put_mul(rw, index, m->stride);
	if (percpu) {
		/* a load in the JIT; as a call it keeps AX in the interpreter */
		rw_put_helper(rw, GET_SMP_PROCESSOR_ID);
		put_mul(rw, 0, (u32)m->percpu_stride);
		rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 0, SKEP_REG_AX));
	}
	rw_put_imm64(rw, SKEP_REG_AX, SKEP_PSEUDO_IMM, (u64)(uintptr_t)m->values);
	rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 0, SKEP_REG_AX));
	if (m->kind == SKEP_INLINE_ARRAY_OF_MAPS)
		rw_put(rw, SKEP_LDX(BPF_DW, 0, 0, 0));
	out = rw_put_jump(rw, SKEP_JA(0), 0);
	rw_land(rw, miss);
	rw_put(rw, SKEP_MOV64_IMM(0, 0));
	rw_land(rw, out);
	return true;
}

/*
 * R1 map, R2 task, R3 initial value, R4 flags; the recipe is in spec/inline.h. Everything but a
 * hit goes to the helper with its arguments untouched; R0, R5 and AX are free.
 */
static bool task_storage_get(struct rw *rw, const struct skep_call_fact *fact)
{
	const struct skep_run_inline *run = rw->host->run_inline;
	bool flags_known = fact && fact->known >> 3 & 1;
	u32 slow[4], n = 0, out;

	if (!run || (flags_known && fact->arg[3] > 1))
		return false;
	rw_synth(rw);
	if (!fact || !(fact->nonnull >> 1 & 1))
		slow[n++] = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JEQ, 2, 0, 0), 0);
	if (!flags_known)
		slow[n++] = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JGT, 4, 1, 0), 0);
	rw_put(rw, SKEP_LDX(BPF_DW, SKEP_REG_AX, 2, run->owner_table_off));
	rw_put(rw, SKEP_LDX(BPF_W, 0, 1, run->map_slot_off));
	rw_put(rw, SKEP_LDX(BPF_W, 5, SKEP_REG_AX, run->table_len_off));
	slow[n++] = rw_put_jump(rw, SKEP_JMP_REG(BPF_JGE, 0, 5, 0), 0);
	rw_put(rw, SKEP_ALU64_IMM(BPF_LSH, 0, 3));
	rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 0, SKEP_REG_AX));
	rw_put(rw, SKEP_LDX(BPF_DW, 0, 0, run->table_slots_off));
	out = rw_put_jump(rw, SKEP_JMP_IMM(BPF_JNE, 0, 0, 0), 0);
	while (n)
		rw_land(rw, slow[--n]);
	rw_put_helper(rw, TASK_STORAGE_GET_ID);
	rw_land(rw, out);
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
		return array_lookup(rw, m);
	case TASK_STORAGE_GET_ID:
		return task_storage_get(rw, fact);
	default:
		return false;
	}
}

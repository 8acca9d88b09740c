/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lowering: what named objects by number now holds addresses, what needed translation is
 * translated, calls are bound.
 */
#include <errno.h>

#include "base/alloc.h"
#include "rewrite/code.h"
#include "spec/kfunc.h"

#define GET_SMP_PROCESSOR_ID 8
#define GET_CURRENT_TASK 35
#define GET_CURRENT_TASK_BTF 158

void rw_put_helper(struct rw *rw, u32 id)
{
	const struct skep_rewrite_host *h = rw->host;
	const struct skep_run_inline *run = h->no_inline ? NULL : h->run_inline;
	struct skep_target t = {.id = id, .name = ""};

	t.fn = h->helper_fn(h->priv, rw->p, id, &t.name);
	if (!t.fn) {
		rw->err = rw->err ? rw->err : -EINVAL;
		return;
	}
	if (run && (id == GET_CURRENT_TASK || id == GET_CURRENT_TASK_BTF) && run->tls_current_off &&
	    run->tls_current_off == (s32)run->tls_current_off) {
		t.tls_size = 8;
		t.tls_off = (s32)run->tls_current_off;
	}
	if (run && id == GET_SMP_PROCESSOR_ID && run->tls_cpu_off &&
	    run->tls_cpu_off == (s32)run->tls_cpu_off) {
		t.tls_size = 4;
		t.tls_off = (s32)run->tls_cpu_off;
	}
	rw_put(rw, SKEP_CALL(SKEP_CALL_HELPER, rw_target(rw, &t)));
}

static void lower_kfunc(struct rw *rw, u32 i)
{
	const struct skep_rewrite_host *h = rw->host;
	u32 n = (u32)rw->in.insns[i].imm;
	struct skep_target t = {.is_kfunc = true, .name = ""};

	if (n >= rw->p->nr_kfuncs) {
		rw->err = -EINVAL;
		return;
	}
	if (!h->no_inline && rw_inline_kfunc(rw, i, rw->p->kfuncs[n].row->name))
		return;
	t.id = rw->p->kfuncs[n].btf_id;
	t.fn = h->kfunc_fn(h->priv, &rw->p->kfuncs[n], &t.name);
	if (!t.fn) {
		rw->err = -EINVAL;
		return;
	}
	rw_put(rw, SKEP_CALL(SKEP_CALL_KFUNC, rw_target(rw, &t)));
}

static void lower_ldimm64(struct rw *rw, u32 i)
{
	const struct skep_rewrite_host *h = rw->host;
	const struct skep_vprog *p = rw->p;
	const struct bpf_insn *in = &rw->in.insns[i];
	u32 n = (u32)in[0].imm;
	void *addr = NULL;

	switch (in->src_reg) {
	case SKEP_PSEUDO_MAP_FD:
		if (n < p->nr_maps)
			addr = h->map_addr(h->priv, p->maps[n]);
		break;
	case SKEP_PSEUDO_MAP_VALUE:
		if (n < p->nr_maps)
			addr = h->map_value_addr(h->priv, p->maps[n], (u32)in[1].imm);
		break;
	case SKEP_PSEUDO_BTF_ID:
		if (n < p->nr_ksyms) {
			/* a symbol without a twin is address 0: probe loads from it read 0 */
			rw_put_imm64(rw, in->dst_reg, in->src_reg,
				     (u64)(uintptr_t)p->ksyms[n].addr);
			return;
		}
		break;
	default:
		rw_copy(rw, i);
		return;
	}
	if (!addr)
		rw->err = rw->err ? rw->err : -EINVAL;
	rw_put_imm64(rw, in->dst_reg, in->src_reg, (u64)(uintptr_t)addr);
}

static void lower(struct rw *rw, u32 i)
{
	const struct bpf_insn *in = &rw->in.insns[i];
	u8 mem = rw->in.facts[i].mem;

	if (skep_insn_is_ldimm64(in)) {
		lower_ldimm64(rw, i);
	} else if (BPF_CLASS(in->code) == BPF_LD) {
		rw_ld_abs(rw, i);
	} else if (mem == SKEP_MEM_CTX || mem == SKEP_MEM_SOCK) {
		rw_ctx_access(rw, i);
	} else if (mem == SKEP_MEM_MAP_PTR) {
		/* maps are not laid out by BTF: outside the arena a probe load reads 0 */
		rw->fact.mem = SKEP_MEM_BTF;
		rw_copy(rw, i);
	} else if (skep_insn_is_call(in, SKEP_CALL_HELPER)) {
		if (rw->host->no_inline || !rw_inline_helper(rw, i))
			rw_put_helper(rw, (u32)in->imm);
	} else if (skep_insn_is_call(in, SKEP_CALL_KFUNC)) {
		lower_kfunc(rw, i);
	} else {
		rw_copy(rw, i);
	}
}

void rw_lower(struct rw *rw)
{
	struct skep_vprog *p = rw->p;
	u32 i, end;

	rw->drop = 0;
	rw->is_target = rw->err ? NULL : rw_find_targets(rw);
	rw_begin_pass(rw);
	for (rw->sub = 0; rw->sub < p->nr_subprogs; rw->sub++) {
		end = p->subprogs[rw->sub].start + p->subprogs[rw->sub].len;
		for (i = p->subprogs[rw->sub].start; i < end && !rw->err;
		     i += rw_slots(&rw->in.insns[i])) {
			rw_begin(rw, i);
			if (i >= rw->drop)
				lower(rw, i);
		}
	}
	rw_end_pass(rw);
	skep_free(rw->is_target);
	rw->is_target = NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From what the walk has found out to the facts that rewrite, JIT and interpreter read.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

static s32 index_of_map(const struct env *env, const struct skep_map_facts *m)
{
	for (u32 i = 0; m && i < env->nr_maps; i++)
		if (env->maps[i] == m)
			return (s32)i;
	return -1;
}

/* Arguments whose constant value decides how a call is translated, as bits. */
static u8 wanted_constants(const struct bpf_insn *in)
{
	if (in->src_reg)
		return 0;
	switch (in->imm) {
	case BPF_FUNC_loop:
		return 1 << 0 | 1 << 3;
	case BPF_FUNC_task_storage_get:
	case BPF_FUNC_inode_storage_get:
	case BPF_FUNC_sk_storage_get:
	case 210: /* cgrp_storage_get */
		return 1 << 2 | 1 << 3;
	default:
		return 0;
	}
}

/* Called on every path that reaches the call, with its arguments still in R1..R5. */
int vf_note_call(struct env *env, u32 insn_idx, struct skep_map_facts *map, s32 callback)
{
	struct insn_aux *aux = &env->aux[insn_idx];
	const struct reg *regs = vf_regs(env);
	struct skep_call_fact *c;
	s32 m = index_of_map(env, map);
	u8 wanted = wanted_constants(&env->insns[insn_idx]);
	bool first = !aux->call;

	if (first) {
		c = skep_realloc(env->calls, (env->nr_calls + 1) * sizeof(*c));
		if (!c)
			return -ENOMEM;
		env->calls = c;
		c = &env->calls[env->nr_calls++];
		memset(c, 0, sizeof(*c));
		aux->call = env->nr_calls;
		c->map = m;
		c->callback = callback;
		c->known = c->nonnull = c->trusted = 0x1f;
		c->rcu = 1;
		c->visited = true;
	} else {
		c = &env->calls[aux->call - 1];
		if (c->map != m)
			c->map = -1;
		if (c->callback != callback)
			c->callback = -1;
	}
	c->rcu &= vf_in_rcu(env);
	for (u32 i = 0; i < 5; i++) {
		const struct reg *r = &regs[i + 1];
		u8 bit = (u8)(1u << i);

		if (first && reg_is_const(r))
			c->arg[i] = r->v.tn.value;
		if (!reg_is_const(r) || c->arg[i] != r->v.tn.value)
			c->known &= (u8)~bit;
		/* A walk ends in NULL where the kernel's never does: views fill few fields. */
		if (!reg_is_ptr(r) || r->flags & RF_MAYBE_NULL || r->kind == RK_BTF)
			c->nonnull &= (u8)~bit;
		if (r->kind != RK_BTF || r->flags & RF_MAYBE_NULL ||
		    (!reg_is_trusted(r) && !reg_is_rcu(r)))
			c->trusted &= (u8)~bit;
	}
	c->known &= wanted;
	/* A constant that is relied on must not be generalised away by pruning. */
	for (u32 i = 0; i < 5 && vf_will_run(env); i++) {
		if (c->known >> i & 1) {
			int err = vf_mark_precise(env, i + 1);

			if (err)
				return err;
		}
	}
	return 0;
}

static int emit_ksyms(struct env *env, struct skep_vprog *p)
{
	for (u32 i = 0; i < env->len; i++) {
		struct bpf_insn *in = &p->insns[i];
		struct skep_ksym *k;

		if (in->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (in->src_reg == SKEP_PSEUDO_BTF_ID) {
			k = skep_realloc(p->ksyms, (p->nr_ksyms + 1) * sizeof(*k));
			if (!k)
				return -ENOMEM;
			p->ksyms = k;
			k = &p->ksyms[p->nr_ksyms];
			k->btf = env->aux[i].ksym_btf;
			k->btf_id = env->aux[i].ksym_btf_id;
			k->addr = env->host->ksym_addr
					  ? env->host->ksym_addr(env->host->priv, k->btf, k->btf_id)
					  : NULL;
			in->imm = (s32)p->nr_ksyms++;
			in[1].imm = 0;
		} else if (in->src_reg == SKEP_PSEUDO_FUNC) {
			in->imm = vf_subprog_at(env, i + 1 + (u32)in->imm);
			in[1].imm = 0;
		}
	}
	return 0;
}

int vf_emit(struct env *env, struct skep_vprog *p)
{
	const struct skep_verify_req *req = env->req;
	int err;

	p->prog_type = req->prog_type;
	p->attach_type = req->attach_type;
	p->sleepable = env->sleepable;
	p->gpl = req->gpl;
	p->len = env->len;
	p->insns = skep_memdup(env->insns, env->len * sizeof(*p->insns));
	p->facts = skep_calloc(env->len, sizeof(*p->facts));
	p->subprogs = skep_calloc(env->nr_subs, sizeof(*p->subprogs));
	p->maps = skep_calloc(env->nr_maps ? env->nr_maps : 1, sizeof(*p->maps));
	if (!p->insns || !p->facts || !p->subprogs || !p->maps)
		return -ENOMEM;
	memcpy(p->maps, env->maps, env->nr_maps * sizeof(*p->maps));
	p->nr_maps = env->nr_maps;
	p->calls = env->calls;
	p->nr_calls = env->nr_calls;
	env->calls = NULL;
	p->kfuncs = env->kfuncs;
	p->nr_kfuncs = env->nr_kfuncs;
	err = emit_ksyms(env, p);
	for (u32 i = 0; i < env->len; i++) {
		const struct insn_aux *a = &env->aux[i];
		struct skep_fact *f = &p->facts[i];
		struct bpf_insn *in = &p->insns[i];

		f->mem = a->mem;
		f->orig = i;
		f->call = a->call;
		f->flags = (a->seen ? SKEP_FACT_SEEN : 0) |
			   (a->took_fall && !a->took_jump ? SKEP_FACT_NEVER_TAKEN : 0) |
			   (a->took_jump && !a->took_fall ? SKEP_FACT_ALWAYS_TAKEN : 0) |
			   (a->prune_point ? SKEP_FACT_PRUNE_POINT : 0) |
			   (a->calls_back ? SKEP_FACT_CALLBACK : 0);
		/* The second half of a 64-bit immediate lives and dies with the first. */
		if (i && a[-1].seen && in[-1].code == (BPF_LD | BPF_IMM | BPF_DW))
			f->flags |= SKEP_FACT_SEEN;
		if (in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_KFUNC_CALL) {
			for (u32 k = 0; k < p->nr_kfuncs; k++)
				if (p->kfuncs[k].btf_id == (u32)in->imm &&
				    p->kfuncs[k].fd_off == in->off) {
					in->imm = (s32)k;
					in->off = 0;
					break;
				}
		}
	}
	env->kfuncs = NULL;
	for (u32 i = 0; i < env->nr_subs; i++) {
		const struct sub *s = &env->subs[i];

		p->subprogs[i] = (struct skep_subprog){
			.start = s->start,
			.len = s->end - s->start,
			.stack_depth = (u16)s->stack_depth,
			.has_tail_call = s->has_tail_call,
			.is_callback = s->is_cb,
			.is_global = s->is_global,
			.is_async_cb = s->is_async_cb,
			.tail_call_reachable = s->tail_call_reachable,
			.has_ld_abs = s->has_ld_abs,
			.might_sleep = s->might_sleep,
			.changes_pkt = s->changes_pkt,
			.unreliable = s->unreliable,
			.is_exception_cb = s->is_exception_cb,
			.func_type_id = s->func_type_id,
			.name = s->name,
		};
	}
	p->nr_subprogs = env->nr_subs;
	p->max_ctx_offset = env->max_ctx_off;
	p->max_pkt_offset = env->max_pkt_off;
	p->max_tp_access = env->max_tp_access;
	p->verified_insns = env->processed;
	p->changes_pkt_data = env->changes_pkt_data;
	p->seen_direct_write = env->seen_direct_write;
	p->has_tail_call = env->has_tail_call;
	return err;
}

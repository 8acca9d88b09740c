/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control flow: every instruction reachable, pruning points, strongly connected components.
 */
#include "verifier/env.h"

#include "base/alloc.h"

static bool is_ldimm64(const struct bpf_insn *in)
{
	return in->code == (BPF_LD | BPF_IMM | BPF_DW);
}

u32 vf_successors(const struct bpf_insn *insns, u32 i, u32 next[2])
{
	const struct bpf_insn *in = &insns[i];
	u8 cls = BPF_CLASS(in->code), op = BPF_OP(in->code);

	if (is_ldimm64(in)) {
		next[0] = i + 2;
		return 1;
	}
	if ((cls != BPF_JMP && cls != BPF_JMP32) || op == BPF_CALL) {
		next[0] = i + 1;
		return 1;
	}
	if (op == BPF_EXIT)
		return 0;
	if (op == BPF_JA) {
		next[0] = i + 1 + (u32)(cls == BPF_JMP32 ? in->imm : in->off);
		return 1;
	}
	next[0] = i + 1;
	next[1] = i + 1 + (u32)in->off;
	return 2;
}

/* Does this call run one of the program's functions before it returns? */
bool vf_calls_back(const struct env *env, u32 idx)
{
	const struct bpf_insn *in = &env->insns[idx];

	if (in->code != (BPF_JMP | BPF_CALL) || in->src_reg == BPF_PSEUDO_CALL)
		return false;
	if (in->src_reg)
		return vf_kfunc_calls_back(env, idx);
	return in->imm == BPF_FUNC_for_each_map_elem || in->imm == BPF_FUNC_loop ||
	       in->imm == BPF_FUNC_find_vma || in->imm == BPF_FUNC_user_ringbuf_drain;
}

static void mark_points(struct env *env, u32 i)
{
	const struct bpf_insn *in = &env->insns[i];
	u8 cls = BPF_CLASS(in->code), op = BPF_OP(in->code);
	struct insn_aux *aux = env->aux;
	u32 next[2];

	if (is_ldimm64(in) && in->src_reg == SKEP_PSEUDO_FUNC) {
		aux[i].prune_point = true;
		if (i + 2 < env->len)
			aux[i + 2].prune_point = aux[i + 2].jmp_point = true;
		return;
	}
	if (cls != BPF_JMP && cls != BPF_JMP32)
		return;
	switch (op) {
	case BPF_EXIT:
		return;
	case BPF_CALL:
		aux[i].calls_back = vf_calls_back(env, i);
		if (aux[i].calls_back) {
			aux[i].force_checkpoint = true;
			aux[i].prune_point = true;
			/* The callback's exit leads back to the call itself. */
			aux[i].jmp_point = true;
		}
		if (in->src_reg ? vf_kfunc_calls_later(env, i)
				: in->imm == BPF_FUNC_timer_set_callback)
			aux[i].prune_point = true;
		if (in->src_reg == BPF_PSEUDO_KFUNC_CALL && vf_kfunc_is_iter_next(env, i)) {
			aux[i].iter_next = true;
			aux[i].prune_point = true;
			aux[i].force_checkpoint = true;
		}
		if (in->src_reg == BPF_PSEUDO_CALL) {
			aux[i].prune_point = true;
		}
		if (i + 1 < env->len) {
			aux[i + 1].prune_point = true;
			aux[i + 1].jmp_point = true;
		}
		return;
	case BPF_JA:
		vf_successors(env->insns, i, next);
		aux[next[0]].prune_point = true;
		aux[next[0]].jmp_point = true;
		return;
	default:
		aux[i].prune_point = true;
		if (op == SKEP_BPF_JCOND)
			aux[i].force_checkpoint = true;
		vf_successors(env->insns, i, next);
		aux[next[1]].prune_point = true;
		aux[next[1]].jmp_point = true;
		return;
	}
}

/* Facts that hold for a subprogram if they hold for one it calls. */
static void spread_from_callees(struct env *env)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (u32 s = 0; s < env->nr_subs; s++) {
			struct sub *sub = &env->subs[s];

			for (u32 i = sub->start; i < sub->end; i++) {
				const struct bpf_insn *in = &env->insns[i];
				const struct sub *to;
				s32 n;

				if (in->code != (BPF_JMP | BPF_CALL) ||
				    in->src_reg != BPF_PSEUDO_CALL)
					continue;
				n = vf_subprog_at(env, i + 1 + (u32)in->imm);
				if (n < 0)
					continue;
				to = &env->subs[n];
				if (to->changes_pkt && !sub->changes_pkt)
					changed = sub->changes_pkt = true;
				if (to->might_sleep && !sub->might_sleep)
					changed = sub->might_sleep = true;
			}
		}
	}
}

static void own_effects(struct env *env)
{
	for (u32 s = 0; s < env->nr_subs; s++) {
		struct sub *sub = &env->subs[s];

		for (u32 i = sub->start; i < sub->end; i++) {
			const struct bpf_insn *in = &env->insns[i];
			const struct skep_helper_row *row;

			if (in->code != (BPF_JMP | BPF_CALL))
				continue;
			if (!in->src_reg) {
				sub->changes_pkt |= vf_helper_changes_pkt((u32)in->imm);
				row = skep_helper_row((u32)in->imm, env->ctx_id);
				if (row && row->flags & SKEP_HELPER_MIGHT_SLEEP)
					sub->might_sleep = true;
			} else if (in->src_reg == BPF_PSEUDO_KFUNC_CALL) {
				for (u32 k = 0; k < env->nr_kfuncs; k++)
					if (env->kfuncs[k].btf_id == (u32)in->imm &&
					    env->kfuncs[k].fd_off == in->off &&
					    env->kfuncs[k].row &&
					    env->kfuncs[k].row->flags & SKEP_KF_SLEEPABLE)
						sub->might_sleep = true;
			}
		}
	}
	spread_from_callees(env);
}

int vf_check_cfg(struct env *env)
{
	u8 *seen = skep_zalloc(env->len + 1);
	u32 *stack = skep_calloc(env->len + VF_MAX_SUBPROGS, sizeof(*stack)), depth = 0;
	int err = 0;

	if (!seen || !stack) {
		err = -ENOMEM;
		goto out;
	}
	stack[depth++] = 0;
	seen[0] = 1;
	while (depth) {
		u32 i = stack[--depth], next[2], n = vf_successors(env->insns, i, next);
		const struct bpf_insn *in = &env->insns[i];
		bool is_call = in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL;

		if (is_call || (is_ldimm64(in) && in->src_reg == SKEP_PSEUDO_FUNC)) {
			u32 to = i + 1 + (u32)in->imm;

			if (to < env->len && !seen[to]) {
				seen[to] = 1;
				stack[depth++] = to;
			}
		}
		mark_points(env, i);
		for (u32 k = 0; k < n; k++) {
			if (next[k] >= env->len) {
				vf_say(env, "jump out of range from insn %u to %u\n", i, next[k]);
				err = -EINVAL;
				goto out;
			}
			if (!seen[next[k]]) {
				seen[next[k]] = 1;
				stack[depth++] = next[k];
			}
		}
	}
	for (u32 i = 0; i < env->len; i++) {
		if (!seen[i]) {
			vf_say(env, "unreachable insn %u\n", i);
			err = -EINVAL;
			goto out;
		}
		if (is_ldimm64(&env->insns[i])) {
			if (seen[i + 1]) {
				vf_say(env, "jump into the middle of ldimm64 insn %u\n", i);
				err = -EINVAL;
				goto out;
			}
			i++;
		}
	}
	/* The subprogram's first instruction is where calls arrive. */
	for (u32 s = 0; s < env->nr_subs; s++) {
		env->aux[env->subs[s].start].prune_point |= s > 0;
		env->aux[env->subs[s].start].jmp_point |= s > 0;
	}
	own_effects(env);
	env->changes_pkt_data = env->subs[0].changes_pkt;
out:
	skep_free(seen);
	skep_free(stack);
	return err;
}

/* --- strongly connected components (R. Tarjan, 1972), without recursion --- */

int vf_scc(struct env *env)
{
	u32 n = env->len, order = 0, sp = 0, cp = 0, next_scc = 1;
	u32 *index = skep_calloc(n, sizeof(u32)), *low = skep_calloc(n, sizeof(u32));
	u32 *stack = skep_calloc(n, sizeof(u32)), *call = skep_calloc(n, sizeof(u32));
	u8 *edge = skep_zalloc(n), *on = skep_zalloc(n);
	int err = index && low && stack && call && edge && on ? 0 : -ENOMEM;

	for (u32 root = 0; !err && root < n; root++) {
		if (index[root])
			continue;
		if (root && is_ldimm64(&env->insns[root - 1]) && !env->insns[root].code)
			continue;
		call[cp++] = root;
		while (cp) {
			u32 v = call[cp - 1], next[2], cnt = vf_successors(env->insns, v, next);

			if (!index[v]) {
				index[v] = low[v] = ++order;
				stack[sp++] = v;
				on[v] = 1;
			}
			if (edge[v] < cnt) {
				u32 w = next[edge[v]++];

				if (!index[w])
					call[cp++] = w;
				else if (on[w])
					low[v] = SKEP_MIN(low[v], index[w]);
				continue;
			}
			cp--;
			if (cp)
				low[call[cp - 1]] = SKEP_MIN(low[call[cp - 1]], low[v]);
			if (low[v] == index[v]) {
				bool loop = stack[sp - 1] != v;
				bool round;

				for (u32 k = 0; k < cnt; k++)
					loop |= next[k] == v;
				round = !loop && vf_will_run(env) && vf_calls_back(env, v);
				env->aux[v].round_scc = round;
				loop |= round;
				do {
					u32 w = stack[--sp];

					on[w] = 0;
					if (loop)
						env->aux[w].scc = next_scc;
					if (w == v)
						break;
				} while (1);
				next_scc += loop;
			}
		}
	}
	skep_free(index);
	skep_free(low);
	skep_free(stack);
	skep_free(call);
	skep_free(edge);
	skep_free(on);
	return err;
}

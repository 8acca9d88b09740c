/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding subprograms: starts are the targets of pc-relative calls and of function addresses.
 */
#include "verifier/env.h"

#include <string.h>

s32 vf_subprog_at(const struct env *env, u32 start)
{
	u32 lo = 0, hi = env->nr_subs;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (env->subs[mid].start == start)
			return (s32)mid;
		if (env->subs[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -ENOENT;
}

u32 vf_subprog_of(const struct env *env, u32 idx)
{
	u32 i = env->nr_subs;

	while (i > 1 && env->subs[i - 1].start > idx)
		i--;
	return i - 1;
}

static int add_subprog(struct env *env, s64 start)
{
	u32 i;

	if (start < 0 || start >= env->len) {
		vf_say(env, "call to invalid destination\n");
		return -EINVAL;
	}
	if (vf_subprog_at(env, (u32)start) >= 0)
		return 0;
	if (env->nr_subs >= VF_MAX_SUBPROGS) {
		vf_say(env, "too many subprograms\n");
		return -E2BIG;
	}
	for (i = env->nr_subs; i > 0 && env->subs[i - 1].start > (u32)start; i--)
		env->subs[i] = env->subs[i - 1];
	memset(&env->subs[i], 0, sizeof(env->subs[i]));
	env->subs[i].start = (u32)start;
	env->subs[i].name = "";
	env->nr_subs++;
	return 0;
}

/* The function that a tag on the program names, for what is thrown. */
static int find_exception_cb(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	const struct skep_btf *btf = req->prog_btf;
	const char *name = NULL;
	s32 sub = -ENOENT;
	int err;
	u32 id;

	if (!btf || !req->nr_func_info)
		return 0;
	for (u32 i = skep_btf_start_id(btf); i < skep_btf_nr_types(btf); i++) {
		const struct btf_type *t = skep_btf_type(btf, i);
		const char *tag = skep_btf_name(btf, t);

		if (skep_btf_kind(t) != BTF_KIND_DECL_TAG || t->type != req->func_info[0].type_id ||
		    *(const s32 *)(t + 1) != -1 || strncmp(tag, "exception_callback:", 19))
			continue;
		if (name) {
			vf_say(env, "multiple exception callback tags for main subprog\n");
			return -EEXIST;
		}
		name = tag + 19;
	}
	if (!name)
		return 0;
	id = skep_btf_find_own(btf, name, BTF_KIND_FUNC);
	if (!id) {
		vf_say(env, "exception callback '%s' could not be found in BTF\n", name);
		return -ENOENT;
	}
	if (skep_btf_vlen(skep_btf_type(btf, id)) != BTF_FUNC_GLOBAL) {
		vf_say(env, "exception callback '%s' must have global linkage\n", name);
		return -EINVAL;
	}
	for (u32 i = 0; sub < 0 && i < req->nr_func_info; i++)
		if (req->func_info[i].type_id == id)
			sub = (s32)req->func_info[i].insn_off;
	if (sub < 0) {
		vf_say(env, "exception callback type id not found in func_info\n");
		return -EINVAL;
	}
	if (!sub)
		return 0; /* the program itself */
	err = add_subprog(env, sub);
	if (err)
		return err;
	env->exception_cb = (u32)vf_subprog_at(env, (u32)sub);
	env->subs[env->exception_cb].is_exception_cb = true;
	env->subs[env->exception_cb].is_cb = true;
	env->subs[env->exception_cb].is_async_cb = true;
	return 0;
}

int vf_find_subprogs(struct env *env)
{
	int err = add_subprog(env, 0);

	for (u32 i = 0; !err && i < env->len; i++) {
		const struct bpf_insn *in = &env->insns[i];
		bool call = in->code == (BPF_JMP | BPF_CALL);
		bool addr =
			in->code == (BPF_LD | BPF_IMM | BPF_DW) && in->src_reg == SKEP_PSEUDO_FUNC;

		if (call && in->src_reg == BPF_PSEUDO_KFUNC_CALL)
			err = vf_kfunc_resolve(env, i);
		else if (addr || (call && in->src_reg == BPF_PSEUDO_CALL))
			err = add_subprog(env, (s64)i + in->imm + 1);
	}
	if (!err)
		err = find_exception_cb(env);
	if (err)
		return err;
	for (u32 i = 0; i < env->nr_subs; i++) {
		env->subs[i].end = i + 1 < env->nr_subs ? env->subs[i + 1].start : env->len;
		if (env->log.level & SKEP_LOG_LEVEL2)
			vf_log(env, "func#%u @%u\n", i, env->subs[i].start);
	}
	return 0;
}

bool vf_helper_changes_pkt(u32 id)
{
	switch (id) {
	case BPF_FUNC_clone_redirect:
	case BPF_FUNC_l3_csum_replace:
	case BPF_FUNC_l4_csum_replace:
	case BPF_FUNC_lwt_push_encap:
	case BPF_FUNC_lwt_seg6_action:
	case BPF_FUNC_lwt_seg6_adjust_srh:
	case BPF_FUNC_lwt_seg6_store_bytes:
	case BPF_FUNC_msg_pop_data:
	case BPF_FUNC_msg_pull_data:
	case BPF_FUNC_msg_push_data:
	case BPF_FUNC_skb_adjust_room:
	case BPF_FUNC_skb_change_head:
	case BPF_FUNC_skb_change_proto:
	case BPF_FUNC_skb_change_tail:
	case BPF_FUNC_skb_pull_data:
	case BPF_FUNC_skb_store_bytes:
	case BPF_FUNC_skb_vlan_pop:
	case BPF_FUNC_skb_vlan_push:
	case BPF_FUNC_store_hdr_opt:
	case BPF_FUNC_xdp_adjust_head:
	case BPF_FUNC_xdp_adjust_meta:
	case BPF_FUNC_xdp_adjust_tail:
	case BPF_FUNC_tail_call:
		return true;
	}
	return false;
}

/* Jumps stay inside their subprogram, and none falls off its end. */
int vf_check_subprogs(struct env *env)
{
	for (u32 s = 0; s < env->nr_subs; s++) {
		struct sub *sub = &env->subs[s];

		for (u32 i = sub->start; i < sub->end; i++) {
			const struct bpf_insn *in = &env->insns[i];
			u8 cls = BPF_CLASS(in->code), op = BPF_OP(in->code);
			s64 to;

			if (in->code == (BPF_JMP | BPF_CALL) && !in->src_reg &&
			    in->imm == BPF_FUNC_tail_call)
				sub->has_tail_call = true;
			if (cls == BPF_LD &&
			    (BPF_MODE(in->code) == BPF_ABS || BPF_MODE(in->code) == BPF_IND))
				sub->has_ld_abs = true;
			if (cls == BPF_JMP || cls == BPF_JMP32) {
				if (op == BPF_EXIT || op == BPF_CALL)
					goto last;
				to = (s64)i + 1 +
				     (in->code == (BPF_JMP32 | BPF_JA) ? in->imm : in->off);
				if (to < sub->start || to >= sub->end) {
					vf_say(env, "jump out of range from insn %u to %d\n", i,
					       (int)to);
					return -EINVAL;
				}
			}
		last:
			if (i != sub->end - 1)
				continue;
			if (in->code != (BPF_JMP | BPF_EXIT) && in->code != (BPF_JMP | BPF_JA) &&
			    in->code != (BPF_JMP32 | BPF_JA)) {
				vf_say(env, "last insn is not an exit or jmp\n");
				return -EINVAL;
			}
		}
	}
	return 0;
}

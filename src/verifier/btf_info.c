/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * func_info and line_info: what the program's BTF says about its functions and lines.
 */
#include "verifier/env.h"

#include <string.h>

/* Before the program is looked at: each record on its own, then why no more could be read. */
int vf_check_func_info_early(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	u32 n = req->func_info_err ? req->func_info_read : req->nr_func_info;

	if (req->prog_btf_err)
		return req->prog_btf_err;
	/* One more than instructions cannot all be good: the first bad one is met before its end.
	 */
	for (u32 i = 0; i < n && i <= env->len; i++) {
		const struct bpf_func_info *fi = &req->func_info[i];
		const struct btf_type *t = skep_btf_type(req->prog_btf, fi->type_id);

		if (!i && fi->insn_off) {
			vf_say(env, "nonzero insn_off %u for the first func info record",
			       fi->insn_off);
			return -EINVAL;
		}
		if (i && fi->insn_off <= fi[-1].insn_off) {
			vf_say(env,
			       "same or smaller insn offset (%u) than previous func info record "
			       "(%u)",
			       fi->insn_off, fi[-1].insn_off);
			return -EINVAL;
		}
		if (!t || skep_btf_kind(t) != BTF_KIND_FUNC) {
			vf_say(env, "invalid type id %u in func info", fi->type_id);
			return -EINVAL;
		}
	}
	if (req->func_info_err == -EINVAL)
		vf_say(env, "invalid func info rec size %u\n", req->func_info_rec_size);
	else if (req->func_info_err == -E2BIG)
		vf_say(env, "nonzero tailing record in func info");
	return req->func_info_err;
}

static int check_func_info(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	const struct skep_btf *b = req->prog_btf;

	if (!req->nr_func_info) {
		for (u32 i = 0; i < env->nr_subs; i++) {
			if (!env->subs[i].has_tail_call || i == 0)
				continue;
			vf_say(env, "tail_call is not allowed in subprogs without BTF\n");
			return -EINVAL;
		}
		for (u32 i = 1; i < env->nr_subs; i++) {
			if (!env->subs[i].has_ld_abs)
				continue;
			vf_say(env, "LD_ABS is not allowed in subprogs without BTF\n");
			return -EINVAL;
		}
		return 0;
	}
	if (req->nr_func_info != env->nr_subs) {
		vf_say(env, "number of funcs in func_info doesn't match number of subprogs\n");
		return -EINVAL;
	}
	for (u32 i = 0; i < env->nr_subs; i++) {
		const struct bpf_func_info *fi = &req->func_info[i];
		struct sub *sub = &env->subs[i];
		const struct btf_type *t, *proto, *ret;

		if (fi->insn_off != sub->start) {
			vf_say(env, "func_info BTF section doesn't match subprog layout in BPF "
				    "program\n");
			return -EINVAL;
		}
		t = skep_btf_type(b, fi->type_id);
		if (!t || skep_btf_kind(t) != BTF_KIND_FUNC) {
			vf_say(env, "invalid type id %u in func info", fi->type_id);
			return -EINVAL;
		}
		proto = skep_btf_type(b, t->type);
		if (!proto || skep_btf_kind(proto) != BTF_KIND_FUNC_PROTO)
			return -EINVAL;
		sub->func_type_id = fi->type_id;
		sub->name = skep_btf_name(b, t);
		sub->is_global = i && skep_btf_vlen(t) == BTF_FUNC_GLOBAL;
		if (!i)
			env->main_global = skep_btf_vlen(t) == BTF_FUNC_GLOBAL;
		ret = skep_btf_skip_mods(b, proto->type, NULL);
		if (i && sub->has_ld_abs &&
		    !(proto->type && (skep_btf_kind(ret) == BTF_KIND_INT ||
				      skep_btf_kind(ret) == BTF_KIND_ENUM))) {
			vf_say(env, "LD_ABS is only allowed in functions that return 'int'.\n");
			return -EINVAL;
		}
		if (i && sub->has_tail_call &&
		    !(proto->type && (skep_btf_kind(ret) == BTF_KIND_INT ||
				      skep_btf_kind(ret) == BTF_KIND_ENUM))) {
			vf_say(env, "tail_call is only allowed in functions that return 'int'.\n");
			return -EINVAL;
		}
	}
	return 0;
}

static int check_line_info(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	u32 prev = 0, s = 0;

	if (!req->nr_line_info)
		return 0;
	for (u32 i = 0; i < req->nr_line_info; i++) {
		const struct bpf_line_info *li = req->line_info + i;

		if (req->line_info_err && i == req->line_info_read) {
			if (req->line_info_err == -E2BIG)
				vf_say(env, "nonzero tailing record in line_info");
			return req->line_info_err;
		}
		if ((i && li->insn_off <= prev) || li->insn_off >= env->len) {
			vf_say(env,
			       "Invalid line_info[%u].insn_off:%u (prev_offset:%u prog->len:%u)\n",
			       i, li->insn_off, prev, env->len);
			return -EINVAL;
		}
		if (!env->insns[li->insn_off].code) {
			vf_say(env, "Invalid insn code at line_info[%u].insn_off\n", i);
			return -EINVAL;
		}
		if (!skep_btf_has_str(req->prog_btf, li->line_off) ||
		    !skep_btf_has_str(req->prog_btf, li->file_name_off)) {
			vf_say(env, "Invalid line_info[%u].line_off or .file_name_off\n", i);
			return -EINVAL;
		}
		if (s < env->nr_subs) {
			if (li->insn_off == env->subs[s].start) {
				s++;
			} else if (env->subs[s].start < li->insn_off) {
				vf_say(env, "missing bpf_line_info for func#%u\n", s);
				return -EINVAL;
			}
		}
		for (u32 k = i ? prev + 1 : 0; k < li->insn_off && k < env->len; k++)
			env->aux[k].linfo = i ? (s32)i - 1 : -1;
		env->aux[li->insn_off].linfo = (s32)i;
		prev = li->insn_off;
	}
	if (s != env->nr_subs) {
		vf_say(env, "missing bpf_line_info for %u funcs starting from func#%u\n",
		       env->nr_subs - s, s);
		return -EINVAL;
	}
	for (u32 k = prev + 1; k < env->len; k++)
		env->aux[k].linfo = (s32)req->nr_line_info - 1;
	return 0;
}

int vf_check_btf_info(struct env *env)
{
	int err;

	for (u32 i = 0; i < env->len; i++)
		env->aux[i].linfo = -1;
	err = check_func_info(env);
	if (!err)
		err = check_line_info(env);
	/* As the kernel, which looks for them where there are other records of types. */
	if (!err && env->req->core_relo_cnt && (env->req->nr_func_info || env->req->nr_line_info)) {
		vf_say(env, "skep: CO-RE relocations are not applied at load\n");
		err = -EINVAL;
	}
	return err;
}

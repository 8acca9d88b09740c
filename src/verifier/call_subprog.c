/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls between the program's own functions: entering, leaving, calling back; functions with
 * global linkage are checked once by their prototype and then only their arguments are.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

typedef int (*args_fn)(struct env *env, struct frame *caller, struct frame *callee, u32 idx);

static int pass_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	(void)env;
	(void)idx;
	for (u32 i = 1; i <= 5; i++)
		callee->regs[i] = caller->regs[i];
	return 0;
}

static int enter(struct env *env, struct state *st, u32 subprog, u32 callsite, args_fn set)
{
	struct frame *callee, *caller = st->frame[st->curframe];
	int err;

	if (st->curframe + 1 >= VF_MAX_FRAMES) {
		vf_say(env, "the call stack of %u frames is too deep\n", st->curframe + 2);
		return -E2BIG;
	}
	callee = frame_new(callsite, st->curframe + 1, subprog);
	if (!callee)
		return -ENOMEM;
	callee->async_entry_cnt = caller->async_entry_cnt;
	if (caller->live)
		callee->live = vf_stack_live_enter(env, caller->live, callsite, subprog);
	st->frame[st->curframe + 1] = callee;
	err = set(env, caller, callee, callsite);
	if (err) {
		frame_free(callee);
		st->frame[st->curframe + 1] = NULL;
		return err;
	}
	st->curframe++;
	return 0;
}

int vf_push_callback(struct env *env, u32 insn_idx, u32 subprog, args_fn set)
{
	struct state *st;
	int err;

	if (!env->subs[subprog].is_cb)
		env->subs[subprog].is_cb = true;
	st = vf_push_branch(env, env->subs[subprog].start, insn_idx);
	if (!st)
		return -EFAULT;
	err = enter(env, st, subprog, insn_idx, set);
	if (err)
		return err;
	st->callback_unroll_depth++;
	st->frame[st->curframe - 1]->callback_depth++;
	vf_frame(env)->callback_depth = 0;
	return 0;
}

/* Called some day with nothing of what holds now: a walk of its own. */
int vf_push_async(struct env *env, u32 insn_idx, u32 subprog, bool sleepable, args_fn set)
{
	struct frame *caller = vf_frame(env), *f;
	u32 start = env->subs[subprog].start, async = caller->async_entry_cnt + 1;
	struct state *st;
	int err;

	env->subs[subprog].is_cb = env->subs[subprog].is_async_cb = true;
	st = vf_push_branch(env, start, insn_idx);
	if (!st)
		return -EFAULT;
	if (st->parent)
		st->parent->branches--;
	state_free(st);
	*st = (struct state){.branches = 1,
			     .first_insn = start,
			     .last_insn = UINT32_MAX,
			     .in_sleepable = sleepable};
	f = st->frame[0] = frame_new(UINT32_MAX, 0, subprog);
	if (!f)
		return -ENOMEM;
	f->live = vf_stack_live_enter(env, NULL, UINT32_MAX, subprog);
	f->async_entry_cnt = async;
	err = set(env, caller, f, insn_idx);
	f->in_callback = false;
	f->in_async_cb = true;
	return err;
}

/* --- global functions --- */

static bool has_tag(const struct env *env, const struct sub *sub, u32 arg, const char *tag)
{
	const struct skep_btf *b = env->req->prog_btf;
	const char *rest = skep_btf_decl_tag(b, sub->func_type_id, (int)arg, "arg:");

	/* Several tags: look for each by its full text. */
	return rest && (skep_btf_decl_tag(b, sub->func_type_id, (int)arg, tag) != NULL);
}

static bool is_ctx_name(const struct env *env, const char *name)
{
	u32 type = env->req->prog_type;

	if (env->ptype->ctx_name && *name && !strcmp(name, env->ptype->ctx_name))
		return true;
	if (!strcmp(name, "bpf_user_pt_regs_t") || !strcmp(name, "user_pt_regs"))
		return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_PERF_EVENT;
	return type == BPF_PROG_TYPE_RAW_TRACEPOINT && !strcmp(name, "bpf_raw_tracepoint_args");
}

/* Assumptions about one argument from its BTF type and tags. */
static int arg_of(struct env *env, struct sub *sub, u32 i, u32 type_id, bool say)
{
	const struct skep_btf *b = env->req->prog_btf;
	struct sub_arg *a = &sub->args[i];
	const struct btf_type *t, *pt;
	u32 id;
	s64 size;

	t = skep_btf_skip_mods(b, type_id, NULL);
	if (skep_btf_kind(t) == BTF_KIND_INT || skep_btf_kind(t) == BTF_KIND_ENUM ||
	    skep_btf_kind(t) == BTF_KIND_ENUM64) {
		a->cls = ARG_SCALAR;
		return 0;
	}
	if (skep_btf_kind(t) != BTF_KIND_PTR) {
		if (say)
			vf_say(env, "Arg#%u type %s in %s() is not supported yet.\n", i, "?",
			       sub->name);
		return -EINVAL;
	}
	pt = skep_btf_skip_mods(b, t->type, &id);
	if (has_tag(env, sub, i, "arg:ctx") || is_ctx_name(env, skep_btf_name(b, pt))) {
		a->cls = ARG_CTX;
		return 0;
	}
	if (has_tag(env, sub, i, "arg:trusted") || has_tag(env, sub, i, "arg:untrusted") ||
	    has_tag(env, sub, i, "arg:arena")) {
		const struct skep_btf *kb = env->host->kernel_btf(env->host->priv);
		u32 kid;

		if (!has_tag(env, sub, i, "arg:trusted") || !skep_btf_is_struct(pt)) {
			vf_say(env, "skep: the tag of arg#%u of %s() is not supported yet\n", i,
			       sub->name);
			return -EINVAL;
		}
		kid = kb ? skep_btf_find(kb, skep_btf_name(b, pt), BTF_KIND_STRUCT) : 0;
		if (!kid) {
			vf_say(env, "arg#%u has type struct %s unknown to the kernel\n", i,
			       skep_btf_name(b, pt));
			return -EINVAL;
		}
		a->cls = ARG_BTF;
		a->flags = RF_TRUSTED;
		a->btf_id = kid;
		if (has_tag(env, sub, i, "arg:nullable"))
			a->flags |= RF_MAYBE_NULL;
		return 0;
	}
	if (skep_btf_is_struct(pt) && !strcmp(skep_btf_name(b, pt), "bpf_dynptr")) {
		vf_say(env, "skep: dynptr arguments of global functions are not supported yet\n");
		return -EINVAL;
	}
	size = id ? skep_btf_size(b, id) : -EINVAL;
	if (size < 0) {
		if (say)
			vf_say(env,
			       "arg#%u reference type('%s %s') size cannot be determined: %d\n", i,
			       "UNKNOWN", skep_btf_name(b, pt), (int)size);
		return -EINVAL;
	}
	a->cls = ARG_MEM;
	a->mem_size = (u32)size;
	a->flags = has_tag(env, sub, i, "arg:nonnull") ? 0 : RF_MAYBE_NULL;
	return 0;
}

int vf_prepare_args(struct env *env, u32 n)
{
	const struct skep_btf *b = env->req->prog_btf;
	struct sub *sub = &env->subs[n];
	const struct btf_type *f, *proto, *ret;
	const struct btf_param *p;

	if (sub->args_ready)
		return 0;
	if (!sub->func_type_id || !b)
		return -EINVAL;
	f = skep_btf_type(b, sub->func_type_id);
	proto = skep_btf_type(b, f->type);
	p = skep_btf_params(proto);
	sub->nr_args = skep_btf_vlen(proto);
	if (sub->nr_args > 5) {
		if (sub->is_global)
			vf_say(env, "Global function %s() with %u > %d args. Buggy compiler.\n",
			       sub->name, sub->nr_args, 5);
		sub->nr_args = 0;
		return -EINVAL;
	}
	ret = skep_btf_skip_mods(b, proto->type, NULL);
	if (!proto->type ||
	    (skep_btf_kind(ret) != BTF_KIND_INT && skep_btf_kind(ret) != BTF_KIND_ENUM &&
	     skep_btf_kind(ret) != BTF_KIND_ENUM64)) {
		if (!sub->is_global)
			return -EINVAL;
		vf_say(env,
		       "Global function %s() doesn't return scalar. Only those are supported.\n",
		       sub->name);
		return -EINVAL;
	}
	for (u32 i = 0; i < sub->nr_args; i++) {
		int err = arg_of(env, sub, i, p[i].type, sub->is_global);

		if (err)
			return err;
	}
	sub->args_ready = true;
	return 0;
}

static int check_sub_arg(struct env *env, const struct sub *sub, u32 i)
{
	const struct sub_arg *a = &sub->args[i];
	u32 regno = i + 1;
	struct reg *regs = vf_regs(env), *r = &regs[regno];
	const struct skep_btf *kb;
	char name[64];
	int err;

	switch (a->cls) {
	case ARG_SCALAR:
		if (r->kind != RK_SCALAR) {
			vf_say(env, "R%u is not a scalar\n", regno);
			return -EINVAL;
		}
		return 0;
	case ARG_CTX:
		if (r->kind != RK_CTX) {
			vf_say(env, "arg#%u expects pointer to ctx\n", i);
			return -EINVAL;
		}
		return vf_check_no_off(env, r, regno, false);
	case ARG_BTF:
		if (reg_is_null(r) && a->flags & RF_MAYBE_NULL)
			return 0;
		kb = env->host->kernel_btf(env->host->priv);
		if (r->kind != RK_BTF || !(r->flags & RF_TRUSTED || r->ref_id)) {
			vf_say(env, "R%u type=%s expected=%s\n", regno, vf_reg_name(r, name),
			       "ptr_, trusted_ptr_, rcu_ptr_");
			return -EACCES;
		}
		if (r->flags & RF_MAYBE_NULL && !(a->flags & RF_MAYBE_NULL)) {
			vf_say(env, "Possibly NULL pointer passed to trusted arg%u\n", i);
			return -EACCES;
		}
		if (!vf_btf_match(r->btf, r->btf_id, (u32)r->off, kb, a->btf_id, false)) {
			vf_say(env, "R%u is of type %s but %s is expected\n", regno,
			       skep_btf_name(r->btf, skep_btf_type(r->btf, r->btf_id)),
			       skep_btf_name(kb, skep_btf_type(kb, a->btf_id)));
			return -EACCES;
		}
		return 0;
	default:
		break;
	}
	if (reg_is_null(r) && a->flags & RF_MAYBE_NULL)
		return 0;
	if (r->flags & RF_MAYBE_NULL && !(a->flags & RF_MAYBE_NULL)) {
		vf_say(env, "arg#%u is expected to be non-NULL\n", i);
		return -EINVAL;
	}
	/* A pointer that may be NULL is checked as if it were not. */
	{
		struct reg saved = *r;

		if (r->kind == RK_MAP_VALUE || r->kind == RK_MEM || r->kind == RK_MAP_KEY)
			r->flags &= (u16)~RF_MAYBE_NULL;
		err = vf_check_helper_mem(env, regno, a->mem_size, MEM_READ, true, true);
		if (!err)
			err = vf_check_helper_mem(env, regno, a->mem_size, MEM_WRITE, true, true);
		if (saved.flags & RF_MAYBE_NULL)
			*r = saved;
	}
	return err;
}

static int call_global(struct env *env, u32 n)
{
	struct sub *sub = &env->subs[n];
	struct state *st = env->cur;
	int err = vf_prepare_args(env, n);

	if (err)
		goto bad;
	for (u32 i = 0; i < sub->nr_args; i++) {
		err = vf_check_reg(env, i + 1, USE_SRC);
		if (!err)
			err = check_sub_arg(env, sub, i);
		if (err)
			goto bad;
	}
	if (st->active_locks) {
		vf_say(env, "global function calls are not allowed while holding a lock,\n"
			    "use static function instead\n");
		return -EINVAL;
	}
	if (sub->might_sleep && (!st->in_sleepable || vf_atomic_region(env))) {
		vf_say(env,
		       "global functions that may sleep are not allowed in non-sleepable context,\n"
		       "i.e., in a RCU/IRQ/preempt-disabled section, or in\n"
		       "a non-sleepable BPF program context\n");
		return -EINVAL;
	}
	if (env->log.level & (SKEP_LOG_LEVEL1 | SKEP_LOG_LEVEL2))
		vf_log(env, "Func#%u ('%s') is global and assumed valid.\n", n, sub->name);
	if (sub->changes_pkt)
		vf_drop_pkt_ptrs(env);
	sub->called = true;
	vf_clobber_caller_regs(env);
	reg_set_unknown(&vf_regs(env)[0]);
	vf_regs(env)[0].subreg_def = 0;
	return 0;
bad:
	vf_say(env, "Caller passes invalid args into func#%u ('%s')\n", n, sub->name);
	return err;
}

int vf_call_subprog(struct env *env, const struct bpf_insn *insn, u32 *idx)
{
	u32 target = *idx + 1 + (u32)insn->imm;
	s32 n = vf_subprog_at(env, target);
	struct state *st = env->cur;
	u32 caller_frame;
	int err;

	if (n < 0)
		return -EFAULT;
	if (env->subs[n].is_global) {
		err = call_global(env, (u32)n);
		if (!err)
			*idx += 1;
		return err;
	}
	caller_frame = st->curframe;
	err = enter(env, st, (u32)n, *idx, pass_args);
	if (err)
		return err;
	for (u32 i = 0; i <= 5; i++) {
		st->frame[caller_frame]->regs[i].subreg_def = 0;
		reg_set_not_init(&st->frame[caller_frame]->regs[i]);
	}
	*idx = target;
	if (vf_logging(env)) {
		vf_log(env, "caller:\n");
		vf_log_state(env, st, caller_frame, true);
		vf_log(env, "callee:\n");
		vf_log_state(env, st, st->curframe, true);
	}
	return 0;
}

int vf_tail_call_returns(struct env *env, u32 *idx)
{
	struct state *other = vf_push_branch(env, *idx + 1, *idx);

	if (!other)
		return -EFAULT;
	/* The tail-called program's result is whatever it likes. */
	reg_set_unknown(&vf_regs(env)[0]);
	return vf_leave_frame(env, idx);
}

int vf_ld_abs_fails(struct env *env, u32 *idx)
{
	struct state *other = vf_push_branch(env, *idx + 1, *idx);

	if (!other)
		return -EFAULT;
	reg_set_const(&vf_regs(env)[0], 0);
	return vf_leave_frame(env, idx);
}

int vf_leave_frame(struct env *env, u32 *idx)
{
	struct state *st = env->cur, *p;
	struct frame *callee = st->frame[st->curframe], *caller = st->frame[st->curframe - 1];
	struct reg *r0 = &callee->regs[0];
	bool back = callee->in_callback;
	int err;

	if (r0->kind == RK_STACK) {
		/* The frame it points into is about to vanish, or it is the caller's own. */
		vf_say(env, "cannot return stack pointer to the caller\n");
		return -EINVAL;
	}
	if (back) {
		if (r0->kind != RK_SCALAR) {
			vf_say(env, "R0 not a scalar value\n");
			return -EACCES;
		}
		err = vf_mark_precise(env, 0);
		if (err)
			return err;
		if (r0->v.smin < callee->cb_ret_min || r0->v.smax > callee->cb_ret_max) {
			vf_say_bad_scalar(env, r0, callee->cb_ret_min, callee->cb_ret_max,
					  "At callback return", "R0");
			return -EINVAL;
		}
		*idx = callee->callsite;
	} else {
		caller->regs[0] = *r0;
		*idx = callee->callsite + 1;
	}
	if (vf_logging(env)) {
		vf_log(env, "returning from callee:\n");
		vf_log_state(env, st, st->curframe, true);
		vf_log(env, "to caller at %u:\n", *idx);
		vf_log_state(env, st, st->curframe - 1, true);
	}
	frame_free(callee);
	st->frame[st->curframe--] = NULL;
	if (!back)
		return 0;
	/* Another round begins at the call: numbers that do not matter are forgotten. */
	for (p = st->parent; p; p = p->parent)
		if (p->insn_idx == *idx && p->curframe == st->curframe)
			break;
	if (p)
		vf_widen(env, p, st);
	return 0;
}

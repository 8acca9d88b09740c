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
	vf_touch_all(env);
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
	/* The kernel leaves its beginning at 0, and looks there for what mattered. */
	*st = (struct state){.branches = 1,
			     .first_insn = vf_will_run(env) ? start : 0,
			     .last_insn = UINT32_MAX,
			     .in_sleepable = sleepable};
	f = st->frame[0] = frame_new(UINT32_MAX, 0, subprog);
	if (!f)
		return -ENOMEM;
	f->live = vf_stack_live_enter(env, NULL, UINT32_MAX, subprog);
	f->async_entry_cnt = async;
	vf_touch_all(env);
	err = set(env, caller, f, insn_idx);
	f->in_callback = false;
	f->in_async_cb = true;
	return err;
}

/* --- global functions --- */

enum {
	TAG_CTX = 1,
	TAG_NONNULL = 2,
	TAG_NULLABLE = 4,
	TAG_TRUSTED = 8,
	TAG_UNTRUSTED = 16,
	TAG_ARENA = 32
};

/* What the tags "arg:…" on argument @arg of a function say; -EOPNOTSUPP with a reason. */
static int arg_tags(struct env *env, const struct sub *sub, u32 arg, bool is_global)
{
	static const struct {
		const char *name;
		int tag;
	} known[] = {
		{"ctx", TAG_CTX},	  {"nonnull", TAG_NONNULL},	{"nullable", TAG_NULLABLE},
		{"trusted", TAG_TRUSTED}, {"untrusted", TAG_UNTRUSTED}, {"arena", TAG_ARENA}};
	const struct skep_btf *b = env->req->prog_btf;
	int tags = 0;

	for (u32 id = skep_btf_start_id(b); id < skep_btf_nr_types(b); id++) {
		const struct btf_type *t = skep_btf_type(b, id);
		const char *name = skep_btf_name(b, t);
		u32 k = 0;

		if (skep_btf_kind(t) != BTF_KIND_DECL_TAG || t->type != sub->func_type_id ||
		    *(const s32 *)(t + 1) != (s32)arg || strncmp(name, "arg:", 4))
			continue;
		if (!is_global) {
			vf_say(env, "arg#%u type tag is not supported in static functions\n", arg);
			return -EOPNOTSUPP;
		}
		while (k < ARRAY_SIZE(known) && strcmp(known[k].name, name + 4))
			k++;
		if (k == ARRAY_SIZE(known)) {
			vf_say(env, "arg#%u has unsupported set of tags\n", arg);
			return -EOPNOTSUPP;
		}
		tags |= known[k].tag;
	}
	return tags;
}

/* Does a pointer to type @id name the context of this program? */
static bool is_ctx_type(const struct env *env, u32 id)
{
	const struct skep_btf *b = env->req->prog_btf;
	u32 type = env->req->prog_type;
	const struct btf_type *t = skep_btf_type(b, id);
	const char *name;

	for (;
	     t && (skep_btf_kind(t) == BTF_KIND_TYPEDEF || skep_btf_kind(t) == BTF_KIND_CONST ||
		   skep_btf_kind(t) == BTF_KIND_VOLATILE || skep_btf_kind(t) == BTF_KIND_RESTRICT ||
		   skep_btf_kind(t) == BTF_KIND_TYPE_TAG);
	     t = skep_btf_type(b, t->type))
		if (skep_btf_kind(t) == BTF_KIND_TYPEDEF &&
		    (type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_PERF_EVENT) &&
		    !strcmp(skep_btf_name(b, t), "bpf_user_pt_regs_t"))
			return true;
	if (!t || skep_btf_kind(t) != BTF_KIND_STRUCT)
		return false;
	name = skep_btf_name(b, t);
	if (env->ptype->ctx_name && *name && !strcmp(name, env->ptype->ctx_name))
		return true;
	if (type == BPF_PROG_TYPE_KPROBE)
		return !strcmp(name, "pt_regs");
	return type == BPF_PROG_TYPE_RAW_TRACEPOINT && !strcmp(name, "bpf_raw_tracepoint_args");
}

static int bad_tags(struct env *env, u32 i)
{
	vf_say(env, "arg#%u has invalid combination of tags\n", i);
	return -EINVAL;
}

static bool is_u64(const struct btf_type *t)
{
	return skep_btf_kind(t) == BTF_KIND_INT && t->size == 8;
}

/* Can a pointer to type @t, tagged so, be this program's context? */
static int check_tagged_ctx(struct env *env, u32 i, u32 type_id)
{
	const struct skep_btf *b = env->req->prog_btf;
	const struct btf_type *t = skep_btf_skip_mods(b, type_id, NULL);
	const char *name = skep_btf_name(b, t), *want = env->ptype->ctx_name;
	bool is_struct = skep_btf_kind(t) == BTF_KIND_STRUCT;
	u32 attach = env->req->attach_type;

	if (!skep_btf_kind(t)) /* void */
		return 0;
	switch (env->req->prog_type) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_PERF_EVENT:
		if (is_struct && !strcmp(name, "pt_regs"))
			return 0;
		break;
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
		if (is_u64(t))
			return 0;
		break;
	case BPF_PROG_TYPE_TRACING:
		if (attach == BPF_TRACE_ITER ? is_struct && !strncmp(name, "bpf_iter__", 10)
					     : is_u64(t))
			return 0;
		if (attach == BPF_TRACE_RAW_TP && is_struct &&
		    !strcmp(name, "bpf_raw_tracepoint_args"))
			return 0;
		break;
	case BPF_PROG_TYPE_LSM:
	case BPF_PROG_TYPE_STRUCT_OPS:
		if (is_u64(t))
			return 0;
		break;
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_SYSCALL:
	case BPF_PROG_TYPE_EXT:
		return 0;
	}
	if (is_ctx_type(env, type_id))
		return 0;
	if (!want)
		vf_say(env, "arg#%u should be void pointer\n", i);
	else
		vf_say(env, "arg#%u should be `struct %s *`\n", i,
		       env->req->prog_type == BPF_PROG_TYPE_KPROBE ? "pt_regs" : want);
	return -EINVAL;
}

/* The one type of the kernel that has the name and kind of the program's own type @id. */
static int kernel_type(struct env *env, u32 i, u32 id, u32 *ret_id)
{
	const struct skep_btf *b = env->req->prog_btf;
	const struct skep_btf *kb = env->host->kernel_btf(env->host->priv);
	const struct btf_type *t = skep_btf_skip_mods(b, id, NULL);
	const char *name = skep_btf_name(b, t), *flavor = strstr(name, "___");
	size_t len = flavor ? (size_t)(flavor - name) : strlen(name);
	u32 n = 0;

	for (u32 k = 1; kb && len && k < skep_btf_nr_types(kb); k++) {
		const struct btf_type *c = skep_btf_type(kb, k);
		const char *cn;

		if (skep_btf_kind(c) != skep_btf_kind(t))
			continue;
		cn = skep_btf_name(kb, c);
		if (strncmp(cn, name, len) || (cn[len] && strncmp(cn + len, "___", 3)))
			continue;
		*ret_id = k;
		n++;
	}
	if (n == 1)
		return 0;
	vf_say(env, "arg#%u reference type('%s %s') %s\n", i, vf_btf_kind_str(t), name,
	       n ? "is ambiguous" : "has no matches");
	return n ? -ESRCH : -ENOENT;
}

/* Assumptions about one argument from its BTF type and tags. */
static int arg_of(struct env *env, struct sub *sub, u32 i, u32 type_id, bool is_global)
{
	const struct skep_btf *b = env->req->prog_btf;
	struct sub_arg *a = &sub->args[i];
	const struct btf_type *t = skep_btf_skip_mods(b, type_id, NULL), *pt;
	int tags = arg_tags(env, sub, i, is_global);
	u32 id, kind;
	s64 size;

	if (tags < 0)
		return tags;
	if (skep_btf_kind(t) != BTF_KIND_PTR) {
		if (tags) {
			vf_say(env, "arg#%u has pointer tag, but is not a pointer type\n", i);
			return -EINVAL;
		}
		kind = skep_btf_kind(t);
		if (kind == BTF_KIND_INT || kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) {
			a->cls = ARG_SCALAR;
			return 0;
		}
		if (is_global)
			vf_say(env, "Arg#%u type %s in %s() is not supported yet.\n", i,
			       vf_btf_kind_str(t), sub->name);
		return -EINVAL;
	}
	pt = skep_btf_skip_mods(b, t->type, &id);
	kind = skep_btf_kind(pt);
	if (tags & TAG_CTX || is_ctx_type(env, t->type)) {
		if (tags & ~TAG_CTX)
			return bad_tags(env, i);
		a->cls = ARG_CTX;
		return tags ? check_tagged_ctx(env, i, t->type) : 0;
	}
	if (kind == BTF_KIND_STRUCT && !strcmp(skep_btf_name(b, pt), "bpf_dynptr")) {
		if (tags)
			return bad_tags(env, i);
		a->cls = ARG_DYNPTR;
		return 0;
	}
	if (tags & TAG_TRUSTED) {
		if (tags & TAG_NONNULL)
			return bad_tags(env, i);
		a->cls = ARG_BTF;
		a->flags = RF_TRUSTED | (tags & TAG_NULLABLE ? RF_MAYBE_NULL : 0);
		return kernel_type(env, i, t->type, &a->btf_id);
	}
	if (tags & TAG_UNTRUSTED) {
		if (tags & ~TAG_UNTRUSTED) {
			vf_say(env, "arg#%u untrusted cannot be combined with any other tags\n", i);
			return -EINVAL;
		}
		a->flags = RF_UNTRUSTED;
		a->cls = ARG_BTF;
		if (kind != BTF_KIND_INT && kind != BTF_KIND_ENUM && kind != BTF_KIND_ENUM64 &&
		    kind != 0)
			return kernel_type(env, i, t->type, &a->btf_id);
		a->cls = ARG_MEM;
		a->flags |= RF_RDONLY;
		a->mem_size = 0;
		return 0;
	}
	if (tags & TAG_ARENA) {
		if (tags & ~TAG_ARENA) {
			vf_say(env, "arg#%u arena cannot be combined with any other tags\n", i);
			return -EINVAL;
		}
		a->cls = ARG_ARENA;
		return 0;
	}
	/* What else a static function points to is seen when it is walked. */
	if (!is_global)
		return -EINVAL;
	if (tags & TAG_NULLABLE)
		return bad_tags(env, i);
	size = id ? skep_btf_size(b, id) : -EINVAL;
	if (size < 0) {
		vf_say(env, "arg#%u reference type('%s %s') size cannot be determined: %d\n", i,
		       vf_btf_kind_str(pt), skep_btf_name(b, pt), (int)size);
		return -EINVAL;
	}
	a->cls = ARG_MEM;
	a->mem_size = (u32)size;
	a->flags = tags & TAG_NONNULL ? 0 : RF_MAYBE_NULL;
	return 0;
}

int vf_prepare_args(struct env *env, u32 n)
{
	const struct skep_btf *b = env->req->prog_btf;
	struct sub *sub = &env->subs[n];
	const struct btf_type *f, *proto, *ret;
	const struct btf_param *p;
	bool is_global = n ? sub->is_global : env->main_global;

	if (sub->args_ready)
		return 0;
	if (!sub->func_type_id || !b)
		return -EINVAL;
	f = skep_btf_type(b, sub->func_type_id);
	proto = skep_btf_type(b, f->type);
	p = skep_btf_params(proto);
	sub->nr_args = skep_btf_vlen(proto);
	if (sub->nr_args > 5) {
		if (is_global)
			vf_say(env, "Global function %s() with %u > %d args. Buggy compiler.\n",
			       sub->name, sub->nr_args, 5);
		sub->nr_args = 0;
		return -EINVAL;
	}
	ret = skep_btf_skip_mods(b, proto->type, NULL);
	if (!proto->type ||
	    (skep_btf_kind(ret) != BTF_KIND_INT && skep_btf_kind(ret) != BTF_KIND_ENUM &&
	     skep_btf_kind(ret) != BTF_KIND_ENUM64)) {
		if (!is_global)
			return -EINVAL;
		vf_say(env,
		       "Global function %s() doesn't return scalar. Only those are supported.\n",
		       sub->name);
		return -EINVAL;
	}
	for (u32 i = 0; i < sub->nr_args; i++) {
		int err = arg_of(env, sub, i, p[i].type, is_global);

		if (err)
			return err;
	}
	sub->args_ready = true;
	return 0;
}

static int check_btf_arg(struct env *env, const struct sub_arg *a, u32 i)
{
	const struct skep_btf *kb = env->host->kernel_btf(env->host->priv);
	const struct reg *r = &vf_regs(env)[i + 1];
	u32 regno = i + 1, flags = r->flags;
	char name[64];

	if (reg_is_null(r) && a->flags & RF_MAYBE_NULL)
		return 0;
	if (a->flags & RF_MAYBE_NULL)
		flags &= ~(u32)RF_MAYBE_NULL;
	if (r->kind != RK_BTF || (flags && flags != RF_TRUSTED && flags != RF_RCU)) {
		vf_say(env, "R%u type=%s expected=%s\n", regno, vf_reg_name(r, name),
		       "ptr_, trusted_ptr_, rcu_ptr_");
		return -EACCES;
	}
	if (!vf_btf_match(env, r->btf, r->btf_id, (u32)r->off, kb, a->btf_id, false)) {
		vf_say(env, "R%u is of type %s but %s is expected\n", regno,
		       vf_type_name(r->btf, r->btf_id), vf_type_name(kb, a->btf_id));
		return -EACCES;
	}
	return vf_check_no_off(env, r, regno, true);
}

static int check_mem_arg(struct env *env, const struct sub_arg *a, u32 i)
{
	struct reg *r = &vf_regs(env)[i + 1], saved = *r;
	int err;

	if (reg_is_null(r)) {
		/* Linux lets a constant NULL through; what runs here must not. */
		if (a->flags & RF_MAYBE_NULL || !vf_will_run(env))
			return 0;
		vf_say(env, "skep: arg#%u is NULL, and said not to be\n", i);
		return -EINVAL;
	}
	/* A pointer that may be NULL is checked as if it were not. */
	if (r->kind != RK_BTF)
		r->flags &= (u16)~RF_MAYBE_NULL;
	err = vf_check_helper_mem(env, i + 1, a->mem_size, MEM_READ, true, true);
	if (!err)
		err = vf_check_helper_mem(env, i + 1, a->mem_size, MEM_WRITE, true, true);
	if (saved.flags & RF_MAYBE_NULL)
		*r = saved;
	if (err)
		return -EINVAL;
	if (saved.flags & RF_MAYBE_NULL && !(a->flags & RF_MAYBE_NULL)) {
		vf_say(env, "arg#%u is expected to be non-NULL\n", i);
		return -EINVAL;
	}
	return 0;
}

static int check_sub_arg(struct env *env, const struct sub *sub, u32 i)
{
	const struct sub_arg *a = &sub->args[i];
	u32 regno = i + 1;
	struct reg *r = &vf_regs(env)[regno];
	struct vf_dynptr dynptr;

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
	case ARG_ARENA:
		if (r->kind != RK_ARENA && r->kind != RK_SCALAR) {
			vf_say(env, "R%u is not a pointer to arena or scalar.\n", regno);
			return -EINVAL;
		}
		return 0;
	case ARG_DYNPTR:
		return vf_check_dynptr(env, regno, VF_DYN_ANY, VF_DYN_RDONLY, 0, &dynptr);
	case ARG_BTF:
		return a->flags & RF_UNTRUSTED ? 0 : check_btf_arg(env, a, i);
	default:
		return a->flags & RF_UNTRUSTED ? 0 : check_mem_arg(env, a, i);
	}
}

/* A static function is walked with what it gets; does that fit its type? */
static void check_static_args(struct env *env, u32 n)
{
	struct sub *sub = &env->subs[n];
	int err;

	if (!sub->func_type_id)
		return;
	err = vf_prepare_args(env, n);
	for (u32 i = 0; !err && i < sub->nr_args; i++)
		err = check_sub_arg(env, sub, i);
	if (err)
		sub->unreliable = true;
}

static int call_global(struct env *env, u32 n)
{
	struct sub *sub = &env->subs[n];
	struct state *st = env->cur;
	int err = vf_prepare_args(env, n);

	if (err)
		goto bad;
	for (u32 i = 0; i < sub->nr_args; i++) {
		vf_touch_reg(env, i + 1);
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
	check_static_args(env, (u32)n);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stack use along every chain of calls, after the walk has found each function's own.
 */
#include "verifier/env.h"

enum { ROUND = 16, PRIVATE_MIN = 64 };

/* Types whose programs get a stack of their own per function from the JIT. */
static bool private_ok(const struct env *env)
{
	switch (env->req->prog_type) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_PERF_EVENT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_TRACING:
		break;
	default:
		return false;
	}
	for (u32 i = 0; i < env->nr_subs; i++)
		if (env->subs[i].has_tail_call)
			return false;
	return true;
}

static u32 rounded(const struct sub *s)
{
	return (s->stack_depth + ROUND - 1) & ~(u32)(ROUND - 1);
}

static int descend(struct env *env, u32 n, u32 frame, u32 depth, bool own_stack, bool seen_tail,
		   bool in_cb)
{
	struct sub *s = &env->subs[n];
	int err;

	in_cb |= s->is_cb;
	if (s->has_tail_call && depth >= 256) {
		vf_say(env,
		       "tail_calls are not allowed when call stack of previous frames is %u bytes. "
		       "Too large\n",
		       depth);
		return -EACCES;
	}
	depth += rounded(s);
	if (own_stack) {
		if (s->stack_depth > VF_STACK_SIZE) {
			vf_say(env, "stack size of subprog %u is %u. Too large\n", n,
			       s->stack_depth);
			return -EACCES;
		}
	} else if (depth > VF_STACK_SIZE) {
		vf_say(env, "combined stack size of %u calls is %u. Too large\n", frame + 1, depth);
		return -EACCES;
	}
	for (u32 i = s->start; i < s->end; i++) {
		const struct bpf_insn *in = &env->insns[i];
		bool call = in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL;
		bool addr =
			in->code == (BPF_LD | BPF_IMM | BPF_DW) && in->src_reg == SKEP_PSEUDO_FUNC;
		s32 to;

		if (in_cb && in->src_reg == BPF_PSEUDO_KFUNC_CALL && vf_kfunc_throws(env, i)) {
			vf_say(env,
			       "bpf_throw kfunc (insn %u) cannot be called from callback subprog "
			       "%u\n",
			       i, n);
			return -EINVAL;
		}
		if (!call && !addr)
			continue;
		to = vf_subprog_at(env, i + 1 + (u32)in->imm);
		if (to < 0)
			return -EFAULT;
		/* Called later, on a stack of its own. */
		if (!call && env->subs[to].is_async_cb)
			continue;
		if (env->subs[to].is_exception_cb) {
			vf_say(env, "insn %u cannot call exception cb directly", i);
			return -EINVAL;
		}
		if (frame + 1 >= VF_MAX_FRAMES) {
			vf_say(env, "the call stack of %u frames is too deep !\n", frame + 1);
			return -E2BIG;
		}
		err = descend(env, (u32)to, frame + 1, depth, own_stack,
			      seen_tail || s->has_tail_call, in_cb);
		if (err)
			return err;
	}
	if ((seen_tail || s->has_tail_call) && s->is_exception_cb) {
		vf_say(env, "cannot tail call within exception cb\n");
		return -EINVAL;
	}
	if (seen_tail || s->has_tail_call)
		s->tail_call_reachable = true;
	return 0;
}

int vf_check_stack_depth(struct env *env)
{
	bool own_stack = private_ok(env);
	u32 total = 0;

	for (u32 i = 0; i < env->nr_subs; i++)
		total += env->subs[i].stack_depth;
	if (total < PRIVATE_MIN)
		own_stack = false;
	for (u32 i = 0; i < env->nr_subs; i++) {
		int err = !i || env->subs[i].is_async_cb
				  ? descend(env, i, 0, 0, own_stack, false, false)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a program that helpers call: with which arguments, and whether at once or later.
 *
 * Those called at once are walked as if called an unknown number of times (vf_push_callback);
 * those called later start a walk of their own (vf_push_async).
 */
#include "verifier/env.h"

static void cb_args(struct frame *callee, u32 from)
{
	for (u32 i = from; i <= 5; i++)
		reg_set_not_init(&callee->regs[i]);
	callee->in_callback = true;
	callee->cb_ret_min = 0;
	callee->cb_ret_max = 1;
}

static int set_loop_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	(void)env;
	(void)idx;
	/* bpf_loop(nr, fn, ctx, flags) calls fn(index, ctx). */
	reg_set_unknown(&callee->regs[1]);
	callee->regs[2] = caller->regs[3];
	cb_args(callee, 3);
	return 0;
}

static int set_map_elem_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	struct skep_map_facts *map = caller->regs[1].map;

	(void)env;
	(void)idx;
	/* fn(map, key, value, ctx) */
	callee->regs[1] = caller->regs[1];
	reg_set_ptr(&callee->regs[2], RK_MAP_KEY, 0);
	callee->regs[2].map = map;
	reg_set_ptr(&callee->regs[3], RK_MAP_VALUE, 0);
	callee->regs[3].map = map;
	if (vf_may_spin_lock(env, &callee->regs[3]))
		callee->regs[3].id = ++env->id_gen;
	callee->regs[4] = caller->regs[3];
	cb_args(callee, 5);
	return 0;
}

/* fn(map, key, value), for the element that R@regno of the caller tells of */
static void later_args(struct frame *caller, u32 regno, struct frame *callee)
{
	struct skep_map_facts *map = caller->regs[regno].map;

	reg_set_ptr(&callee->regs[1], RK_MAP_PTR, 0);
	callee->regs[1].map = map;
	reg_set_ptr(&callee->regs[2], RK_MAP_KEY, 0);
	callee->regs[2].map = map;
	reg_set_ptr(&callee->regs[3], RK_MAP_VALUE, 0);
	callee->regs[3].map = map;
	cb_args(callee, 4);
}

static int set_timer_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	(void)env;
	(void)idx;
	later_args(caller, 1, callee);
	callee->cb_ret_max = 0;
	return 0;
}

/* What a task does on its way back to user space returns what it likes. */
static int set_task_work_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	(void)env;
	(void)idx;
	later_args(caller, 3, callee);
	callee->cb_ret_min = INT32_MIN;
	callee->cb_ret_max = INT32_MAX;
	return 0;
}

static int set_find_vma_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
	u32 id = btf ? skep_btf_find(btf, "vm_area_struct", BTF_KIND_STRUCT) : 0;

	(void)idx;
	if (!id)
		return -EINVAL;
	/* fn(task, vma, ctx) */
	callee->regs[1] = caller->regs[1];
	reg_set_btf(&callee->regs[2], btf, id, 0);
	callee->regs[3] = caller->regs[4];
	cb_args(callee, 4);
	return 0;
}

static int set_drain_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	(void)idx;
	/* fn(record, ctx) */
	vf_set_const_dynptr(env, &callee->regs[1], VF_DYN_LOCAL);
	callee->regs[2] = caller->regs[3];
	cb_args(callee, 3);
	return 0;
}

static int loop(struct env *env, u32 subprog)
{
	const struct skep_call_fact *c = &env->calls[env->aux[env->insn_idx].call - 1];
	struct frame *f = vf_frame(env);
	int err = 0;

	/* Calls without flags may be made a loop in place. */
	if (c->known >> 3 & 1 && !c->arg[3])
		err = vf_mark_precise(env, 4);
	/* Whether another round follows rests on the bound. */
	if (!err)
		err = vf_mark_precise(env, 1);
	if (err)
		return err;
	if (f->callback_depth < f->regs[1].v.umax)
		return vf_push_callback(env, env->insn_idx, subprog, set_loop_args);
	f->callback_depth = 0;
	if (env->log.level & SKEP_LOG_LEVEL2)
		vf_log(env, "frame%u bpf_loop iteration limit reached\n", env->cur->curframe);
	return 0;
}

int vf_call_back(struct env *env, u32 helper, const struct skep_map_facts *map, u32 subprog)
{
	const struct skep_map_type_row *row;
	u32 idx = env->insn_idx;

	switch (helper) {
	case BPF_FUNC_for_each_map_elem:
		row = skep_map_type(map->type);
		if (!row || !(row->flags & SKEP_MAP_FOR_EACH)) {
			vf_say(env, "callback function not allowed for map\n");
			return -SKEP_ENOTSUPP;
		}
		return vf_push_callback(env, idx, subprog, set_map_elem_args);
	case BPF_FUNC_loop:
		return loop(env, subprog);
	case BPF_FUNC_find_vma:
		return vf_push_callback(env, idx, subprog, set_find_vma_args);
	case BPF_FUNC_user_ringbuf_drain:
		return vf_push_callback(env, idx, subprog, set_drain_args);
	default: /* timer_set_callback */
		return vf_push_async(env, idx, subprog, false, set_timer_args);
	}
}

int vf_call_work(struct env *env, u32 subprog, bool wq)
{
	return vf_push_async(env, env->insn_idx, subprog, true,
			     wq ? set_timer_args : set_task_work_args);
}

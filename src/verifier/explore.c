/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk: all paths through the program, cut where an explored state covers the current one.
 *
 * Depth first. A pending branch is a copy of the state at its fork. Checkpoints (struct known)
 * are kept at pruning points; a checkpoint counts the paths from it that are not finished, and
 * its parent is the checkpoint before it on the path.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

/* No longer the newest, hence not written any more: it can share with its checkpoint. */
static void pack_pending(struct pending *p)
{
	struct state packed = {0};

	if (p->packed)
		return;
	if (state_store(&packed, &p->st)) {
		state_free(&packed);
		return; /* large, but good */
	}
	packed.branches = p->st.branches;
	state_free(&p->st);
	p->st = packed;
	p->packed = true;
}

struct state *vf_push_branch(struct env *env, u32 insn_idx, u32 prev_insn_idx)
{
	struct state *cur = env->cur;
	struct pending *p = skep_zalloc(sizeof(*p));

	if (!p)
		goto fail;
	p->insn_idx = insn_idx;
	p->prev_insn_idx = prev_insn_idx;
	p->log_pos = env->log.end;
	if (state_copy(&p->st, cur)) {
		state_free(&p->st);
		skep_free(p);
		goto fail;
	}
	if (env->pending)
		pack_pending(env->pending);
	p->next = env->pending;
	env->pending = p;
	env->nr_pending++;
	p->st.branches = 1;
	if (p->st.parent)
		p->st.parent->branches++;
	if (env->nr_pending > VF_MAX_PENDING) {
		vf_say(env, "The sequence of %u jumps is too complex.\n", env->nr_pending);
		return NULL;
	}
	return &p->st;
fail:
	env->internal_error = true;
	return NULL;
}

static void free_known(struct env *env, struct known *k)
{
	state_free(&k->st);
	skep_free(k);
	env->live_states--;
}

/* An evicted checkpoint that nothing leads to any more: no open path, no back edge's way here. */
static bool is_forgotten(struct env *env, const struct known *k)
{
	return !k->st.branches && !vf_is_awaited(env, &k->st);
}

static void free_evicted(struct env *env, struct known *k)
{
	*k->prev_next = k->next;
	if (k->next)
		k->next->prev_next = k->prev_next;
	free_known(env, k);
}

/* One path from @st is finished; checkpoints without open paths are complete. */
static int finish_path(struct env *env, struct state *st)
{
	while (st) {
		struct state *parent = st->parent;
		struct known *k = container_of(st, struct known, st), *next;
		u32 edges = env->nr_backedges;
		int err;

		if (--st->branches)
			break;
		err = vf_exit_scc(env, st);
		if (err)
			return err;
		if (env->nr_backedges < edges) {
			/* A loop is done: what its back edges kept may go, @st too. */
			for (k = env->evicted; k; k = next) {
				next = k->next;
				if (is_forgotten(env, k))
					free_evicted(env, k);
			}
		} else if (st->explored && k->evicted && is_forgotten(env, k)) {
			free_evicted(env, k);
		}
		st = parent;
	}
	return 0;
}

static int pop_branch(struct env *env, u32 *idx, u32 *prev)
{
	struct pending *p = env->pending;
	int err;

	if (!p)
		return -ENOENT;
	err = state_copy(env->cur, &p->st);
	env->cur->branches = 1;
	if (!(env->log.level & SKEP_LOG_LEVEL2))
		vlog_reset(&env->log, p->log_pos);
	*idx = p->insn_idx;
	*prev = p->prev_insn_idx;
	env->pending = p->next;
	env->nr_pending--;
	state_free(&p->st);
	skep_free(p);
	return err;
}

/* --- checkpoints --- */

static bool may_be_looping(const struct state *old, const struct state *cur)
{
	const struct frame *a, *b;
	struct reg tmp;

	if (old->curframe != cur->curframe)
		return false;
	a = old->frame[old->curframe];
	b = cur->frame[cur->curframe];
	for (u32 i = 0; i < VF_NR_REGS; i++) {
		const struct reg *r = frame_reg(a, i, &tmp), *s = &b->regs[i];

		if (r->kind != s->kind || r->off != s->off || r->id != s->id ||
		    r->ref_id != s->ref_id || memcmp(&r->v, &s->v, sizeof(r->v)))
			return false;
	}
	return true;
}

static bool iter_depths_differ(const struct state *old, const struct state *cur)
{
	for (u32 f = 0; f <= old->curframe; f++) {
		const struct frame *a = old->frame[f], *b = cur->frame[f];

		for (u32 i = 0; i < a->nr_slots && i < b->nr_slots; i++) {
			const struct slot *s = frame_slot(a, i);

			if (s->type[0] == SK_ITER && s->spill.iter_phase == ITER_ACTIVE &&
			    s->spill.iter_depth != b->slots[i].spill.iter_depth)
				return true;
		}
	}
	return false;
}

/* The iterator that the next() call at @idx steps, as seen by @st. */
static bool iter_active(struct state *st)
{
	const struct reg *r1 = &st->frame[st->curframe]->regs[1];
	struct frame *f;
	u32 spi;

	if (r1->kind != RK_STACK || r1->frameno > st->curframe)
		return false;
	f = st->frame[r1->frameno];
	if (r1->off + (s32)r1->v.tn.value >= 0)
		return false;
	spi = (u32)(-(r1->off + (s32)r1->v.tn.value) - 1) / 8;
	return spi < f->nr_slots && f->slots[spi].spill.iter_phase == ITER_ACTIVE;
}

enum verdict { MISS, MISS_NO_ADD, HIT, HIT_LOOP, LOOPS_FOREVER };

/* Compare with an ancestor that is still being explored. */
static enum verdict compare_open(struct env *env, struct state *old, struct state *cur, u32 idx,
				 bool forced)
{
	const struct insn_aux *aux = &env->aux[idx];
	bool busy = !forced && env->jmps - env->prev_jmps < 20 &&
		    env->processed - env->prev_processed < 100;
	enum verdict miss = busy ? MISS_NO_ADD : MISS;
	struct frame *f = old->frame[old->curframe];

	if (f->in_async_cb && f->async_entry_cnt != cur->frame[cur->curframe]->async_entry_cnt)
		return miss;
	if (aux->iter_next) {
		if (vf_states_equal(env, old, cur, SAME_WITHIN) && iter_active(cur))
			return HIT_LOOP;
		return miss;
	}
	if (env->insns[idx].code == (BPF_JMP | SKEP_BPF_JCOND) &&
	    old->may_goto_depth != cur->may_goto_depth &&
	    vf_states_equal(env, old, cur, SAME_WITHIN))
		return HIT_LOOP;
	if (aux->calls_back)
		/* Later rounds may make numbers matter that this one's states do not know of. */
		return !vf_states_equal(env, old, cur, SAME_WITHIN) ? miss
		       : vf_will_run(env)			    ? HIT_LOOP
								    : HIT;
	if (may_be_looping(old, cur) && vf_states_equal(env, old, cur, SAME_EXACTLY) &&
	    !iter_depths_differ(old, cur) && old->may_goto_depth == cur->may_goto_depth &&
	    old->callback_unroll_depth == cur->callback_unroll_depth)
		return LOOPS_FOREVER;
	return miss;
}

static void evict(struct env *env, struct known **at)
{
	struct known *k = *at;

	*at = k->next;
	if (is_forgotten(env, k)) {
		free_known(env, k);
		return;
	}
	k->evicted = true;
	k->next = env->evicted;
	k->prev_next = &env->evicted;
	if (k->next)
		k->next->prev_next = &k->next;
	env->evicted = k;
}

/*
 * Checkpoints at @idx are kept by who called the function: one list each, as far as the size of
 * the table goes. Which are met decides when new ones are made.
 */
static struct known **known_at(struct env *env, u32 idx)
{
	return &env->known[(idx ^ vf_frame(env)->callsite) % vf_nr_known(env)];
}

static int save_state(struct env *env, struct state *cur, u32 idx)
{
	struct known *k = skep_zalloc(sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	env->total_states++;
	env->live_states++;
	vf_note_peak(env);
	env->prev_jmps = env->jmps;
	env->prev_processed = env->processed;
	k->next = *known_at(env, idx);
	*known_at(env, idx) = k;
	err = state_store(&k->st, cur);
	if (err)
		return err;
	k->st.insn_idx = idx;
	k->st.branches = 1;
	k->st.explored = true;
	err = vf_enter_scc(env, &k->st);
	if (err)
		return err;
	cur->parent = &k->st;
	cur->first_insn = idx;
	cur->nr_hist = 0;
	return 0;
}

/* 1: covered, stop here; 0: go on; negative: rejected. */
static int visit(struct env *env, u32 idx)
{
	struct state *cur = env->cur;
	bool forced = env->aux[idx].force_checkpoint ||
		      env->req->flags & SKEP_PROG_F_TEST_STATE_FREQ || cur->nr_hist > 40;
	bool add = forced ||
		   (env->jmps - env->prev_jmps >= 2 && env->processed - env->prev_processed >= 8);
	struct known **at = known_at(env, idx);
	/*
	 * Whether what covers is unfinished. For the rounds of a callback the kernel goes by the
	 * state compared before.
	 */
	bool loop = false;
	u32 n = 0;
	int err;

	while (*at && !(env->req->watch && env->req->watch->every_path)) {
		struct known *k = *at;
		enum verdict v;
		u32 weight;

		n++;
		if (k->st.insn_idx != idx) {
			at = &k->next;
			continue;
		}
		if (k->st.branches) {
			v = compare_open(env, &k->st, cur, idx, forced);
			loop |= v == HIT_LOOP;
		} else {
			loop = vf_in_open_loop(env, &k->st);
			if (!loop && !k->cleaned) {
				vf_clean_state(env, &k->st);
				k->cleaned = true;
			}
			v = vf_states_equal(env, &k->st, cur, loop ? SAME_WITHIN : SAME_ENOUGH)
				    ? HIT
				    : MISS;
		}
		if (v == LOOPS_FOREVER) {
			vf_log_line_info(env, idx, "; ");
			vf_say(env, "infinite loop detected at insn %u\n", idx);
			if (vf_logging(env)) {
				vf_log(env, "cur state:");
				vf_log_state(env, cur, cur->curframe, true);
				vf_log(env, "old state:");
				vf_log_state(env, &k->st, cur->curframe, true);
			}
			return -EINVAL;
		}
		if (v == HIT || v == HIT_LOOP) {
			k->hits++;
			if (env->aux[idx].jmp_point) {
				err = vf_push_hist(env, cur, NULL);
				if (err)
					return err;
			}
			cur->insn_idx = idx;
			err = vf_propagate_precision(env, &k->st, cur, NULL);
			if (!err && loop)
				err = vf_add_backedge(env, &k->st, cur,
						      k->st.branches && env->aux[idx].calls_back &&
							      !env->aux[idx].iter_next);
			return err ? err : 1;
		}
		if (v == MISS_NO_ADD)
			add = false;
		if (add)
			k->misses++;
		weight = env->aux[idx].force_checkpoint && k->st.branches ? 64 : 3;
		if (k->misses > k->hits * weight + weight)
			evict(env, at);
		else
			at = &k->next;
	}
	env->max_states_per_insn = SKEP_MAX(env->max_states_per_insn, n);
	return add ? save_state(env, cur, idx) : 0;
}

/* --- one instruction --- */

static int step_exit(struct env *env, const struct bpf_insn *in, u32 *idx, bool *ret_done)
{
	struct state *st = env->cur;
	int err;

	if (BPF_SRC(in->code) != BPF_K || in->imm || in->src_reg || in->dst_reg ||
	    BPF_CLASS(in->code) == BPF_JMP32) {
		vf_say(env, "BPF_EXIT uses reserved fields\n");
		return -EINVAL;
	}
	err = vf_check_resources(env, LEAVE_FRAME, "BPF_EXIT instruction in main prog");
	if (err)
		return err;
	if (st->curframe)
		return vf_leave_frame(env, idx);
	err = vf_check_return(env, 0);
	*ret_done = !err;
	return err;
}

static int step_call(struct env *env, const struct bpf_insn *in, u32 *idx, bool *ret_done)
{
	bool kfunc = in->src_reg == BPF_PSEUDO_KFUNC_CALL;
	int err;

	if (BPF_SRC(in->code) != BPF_K || (!kfunc && in->off) || in->src_reg > 2 || in->dst_reg ||
	    BPF_CLASS(in->code) == BPF_JMP32) {
		vf_say(env, "BPF_CALL uses reserved fields\n");
		return -EINVAL;
	}
	if (env->cur->active_locks && !vf_call_under_lock_ok(env, in)) {
		vf_say(env, "function calls are not allowed while holding a lock\n");
		return -EINVAL;
	}
	if (in->src_reg == BPF_PSEUDO_CALL)
		return vf_call_subprog(env, in, idx);
	err = kfunc ? vf_call_kfunc(env, in) : vf_call_helper(env, in);
	vf_touch_reg(env, 0);
	if (err)
		return err;
	if (kfunc && vf_kfunc_throws(env, *idx)) {
		*ret_done = true;
		return vf_check_resources(env, LEAVE_THROWN, "bpf_throw");
	}
	if (!kfunc && in->imm == BPF_FUNC_tail_call && env->cur->curframe)
		return vf_tail_call_returns(env, idx);
	*idx += 1;
	return 0;
}

static int step(struct env *env, u32 *idx, bool *ret_done, bool *ret_full)
{
	const struct bpf_insn *in = &env->insns[*idx];
	int err;

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		err = vf_step_alu(env, in);
		break;
	case BPF_LDX:
		err = vf_step_ldx(env, in);
		break;
	case BPF_STX:
		err = BPF_MODE(in->code) == BPF_ATOMIC ? vf_step_atomic(env, in)
						       : vf_step_st(env, in);
		break;
	case BPF_ST:
		err = vf_step_st(env, in);
		break;
	case BPF_LD:
		if (BPF_MODE(in->code) == BPF_IMM) {
			err = vf_step_ld_imm64(env, in);
			*idx += 1;
		} else {
			err = vf_step_ld_abs(env, in);
			if (!err && env->cur->curframe)
				return vf_ld_abs_fails(env, idx);
		}
		break;
	default:
		env->jmps++;
		switch (BPF_OP(in->code)) {
		case BPF_CALL:
			return step_call(env, in, idx, ret_done);
		case BPF_EXIT:
			*ret_full = env->cur->curframe > 0;
			return step_exit(env, in, idx, ret_done);
		case BPF_JA:
			if (BPF_SRC(in->code) != BPF_K || in->src_reg || in->dst_reg ||
			    (BPF_CLASS(in->code) == BPF_JMP ? in->imm : in->off)) {
				vf_say(env, "BPF_JA uses reserved fields\n");
				return -EINVAL;
			}
			*idx += 1 + (u32)(BPF_CLASS(in->code) == BPF_JMP ? in->off : in->imm);
			return 0;
		default:
			return vf_step_jmp(env, in, idx);
		}
	}
	*idx += 1;
	return err;
}

static void log_before(struct env *env, u32 idx, bool *full)
{
	struct state *st = env->cur;

	if (!vf_logging(env))
		return;
	if (*full && env->log.level & SKEP_LOG_LEVEL2) {
		vf_log(env, "\nfrom %d to %d:", (int)env->prev_insn_idx, (int)idx);
		vf_log_state(env, st, st->curframe, true);
		*full = false;
	}
	if (env->scratched_regs || env->scratched_slots)
		vf_log_insn_state(env, st, st->curframe);
	vf_log_line_info(env, idx, "; ");
	env->prev_log_pos = env->log.end;
	vf_log(env, "%u: ", idx);
	vf_log_insn(env, idx);
	env->prev_insn_len = (u32)(env->log.end - env->prev_log_pos);
	env->prev_log_pos = env->log.end;
}

/* Walk from env->cur at @idx until nothing is pending. */
static int walk(struct env *env, u32 idx)
{
	bool full = false, done;
	int err;

	env->prev_insn_idx = UINT32_MAX;
	for (;;) {
		struct state *st = env->cur;

		if (idx >= env->len) {
			vf_say(env, "invalid insn idx %u insn_cnt %u\n", idx, env->len);
			return -EFAULT;
		}
		env->insn_idx = idx;
		if (++env->processed > VF_MAX_INSNS) {
			vf_say(env, "BPF program is too large. Processed %u insn\n",
			       env->processed);
			return -E2BIG;
		}
		st->last_insn = env->prev_insn_idx;
		st->insn_idx = idx;
		if (env->aux[idx].prune_point) {
			err = visit(env, idx);
			if (err < 0)
				return err;
			if (err) {
				if (vf_logging(env)) {
					if (full)
						vf_log(env, "\nfrom %d to %d: safe\n",
						       (int)env->prev_insn_idx, (int)idx);
					else
						vf_log(env, "%u: safe\n", idx);
				}
				goto next_path;
			}
		}
		if (env->aux[idx].jmp_point) {
			err = vf_push_hist(env, st, NULL);
			if (err)
				return err;
		}
		log_before(env, idx, &full);
		if (unlikely(env->req->watch)) {
			err = env->req->watch->step(env->req->watch->priv, idx, st);
			if (err)
				return err;
		}
		env->aux[idx].seen = true;
		done = false;
		{
			struct live_inst *inst = vf_frame(env)->live;
			bool show = false;

			vf_stack_live_step(env);
			err = step(env, &idx, &done, &show);
			if (err)
				return err;
			vf_stack_live_commit(env, inst, env->insn_idx);
			full |= show;
		}
		env->prev_insn_idx = env->insn_idx;
		if (!done)
			continue;
	next_path:
		vf_touch_all(env);
		err = finish_path(env, env->cur);
		if (err)
			return err;
		err = pop_branch(env, &idx, &env->prev_insn_idx);
		if (err == -ENOENT)
			return 0;
		if (err)
			return err;
		full = true;
	}
}

/* --- one function --- */

static void assume_args(struct env *env, struct frame *f, u32 n)
{
	const struct sub *sub = &env->subs[n];

	for (u32 i = 0; i < sub->nr_args; i++) {
		struct reg *r = &f->regs[i + 1];

		switch (sub->args[i].cls) {
		case ARG_CTX:
			reg_set_ptr(r, RK_CTX, 0);
			break;
		case ARG_MEM:
			reg_set_ptr(r, RK_MEM, sub->args[i].flags);
			r->mem_size = sub->args[i].mem_size;
			if (sub->args[i].flags & RF_MAYBE_NULL)
				r->id = ++env->id_gen;
			break;
		case ARG_BTF:
			reg_set_btf(r, env->host->kernel_btf(env->host->priv), sub->args[i].btf_id,
				    sub->args[i].flags);
			if (sub->args[i].flags & RF_MAYBE_NULL)
				r->id = ++env->id_gen;
			break;
		case ARG_DYNPTR:
			vf_set_const_dynptr(env, r, VF_DYN_LOCAL);
			break;
		default:
			reg_set_unknown(r);
			break;
		}
	}
}

static void drop_known(struct env *env)
{
	u32 live = env->live_states; /* the kernel counts them on */

	for (u32 i = 0; i < vf_nr_known(env); i++) {
		while (env->known[i]) {
			struct known *k = env->known[i];

			env->known[i] = k->next;
			free_known(env, k);
		}
	}
	while (env->pending) {
		struct pending *p = env->pending;

		env->pending = p->next;
		state_free(&p->st);
		skep_free(p);
	}
	env->nr_pending = 0;
	vf_free_sccs(env);
	while (env->evicted) {
		struct known *k = env->evicted;

		env->evicted = k->next;
		free_known(env, k);
	}
	env->live_states = live;
}

/* Does the program's own type say that it takes its context? */
static bool main_is_typed(struct env *env)
{
	return !vf_prepare_args(env, 0) && env->subs[0].nr_args == 1 &&
	       env->subs[0].args[0].cls == ARG_CTX;
}

static int check_function(struct env *env, u32 n)
{
	struct state *st = skep_zalloc(sizeof(*st));
	u32 start = env->subs[n].start;
	int err = 0;

	if (!st)
		return -ENOMEM;
	env->cur = st;
	env->prev_linfo = -1;
	st->branches = 1;
	st->first_insn = start;
	st->last_insn = UINT32_MAX;
	st->in_sleepable = env->sleepable;
	st->frame[0] = frame_new(UINT32_MAX, 0, n);
	if (!st->frame[0])
		err = -ENOMEM;
	else
		st->frame[0]->live = vf_stack_live_enter(env, NULL, UINT32_MAX, n);
	if (!err && (n || env->is_ext)) {
		if (vf_logging(env))
			vf_log(env, "Validating %s() func#%u...\n", env->subs[n].name, n);
		err = vf_prepare_args(env, n);
		if (!err && n && n == env->exception_cb &&
		    (env->subs[n].nr_args != 1 || env->subs[n].args[0].cls != ARG_SCALAR)) {
			vf_say(env, "exception cb only supports single integer argument\n");
			err = -EINVAL;
		}
		if (!err)
			assume_args(env, st->frame[0], n);
	} else if (!err) {
		if (env->subs[0].func_type_id && !main_is_typed(env))
			env->subs[0].unreliable = true;
		reg_set_ptr(&st->frame[0]->regs[1], RK_CTX, 0);
	}
	if (!err) {
		vf_touch_all(env);
		env->prev_log_pos = 0;
		err = walk(env, start);
	}
	drop_known(env);
	vf_stack_live_reset(env);
	state_free(st);
	skep_free(st);
	env->cur = NULL;
	if (!err && !(env->log.level & SKEP_LOG_LEVEL2))
		vlog_reset(&env->log, 0);
	return env->internal_error ? -ENOMEM : err;
}

int vf_walk_all(struct env *env)
{
	bool again = true;
	int err = check_function(env, 0);

	env->subs[env->exception_cb].called = true;

	while (!err && again) {
		again = false;
		for (u32 n = 1; n < env->nr_subs && !err; n++) {
			struct sub *sub = &env->subs[n];

			if (!sub->is_global || !sub->called || sub->verified)
				continue;
			err = check_function(env, n);
			if (err)
				break;
			sub->verified = again = true;
			if (vf_logging(env))
				vf_log(env,
				       "Func#%u ('%s') is safe for any args that match its "
				       "prototype\n",
				       n, sub->name);
		}
	}
	return err;
}

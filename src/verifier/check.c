/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier's passes, in order.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

static int check_fd_array(struct env *env)
{
	for (u32 i = 0; i < env->req->fd_array_cnt; i++) {
		int fd = (int)env->req->fd_array_fds[i], err;
		struct skep_map_facts *m;
		const struct skep_btf *btf;
		s32 idx;

		if (!env->host->map_by_fd(env->host->priv, fd, &m)) {
			err = vf_add_map(env, fd, "", &idx);
			if (err)
				return err;
			continue;
		}
		err = env->host->btf_by_fd ? env->host->btf_by_fd(env->host->priv, fd, &btf)
					   : -EBADF;
		if (err) {
			vf_say(env, "fd %d is not pointing to valid bpf_map or btf\n", fd);
			return err;
		}
	}
	return env->req->fd_array_err;
}

static int check_type(struct env *env)
{
	env->ptype = skep_prog_type(env->req->prog_type);
	if (!env->ptype)
		return -EINVAL;
	if (env->ptype->access == SKEP_CTX_NONE && env->req->prog_type != BPF_PROG_TYPE_EXT) {
		vf_say(env, "skep: programs of type %s are not supported yet\n", env->ptype->name);
		return -EINVAL;
	}
	if (!env->host->verdict_only &&
	    !(env->ptype->flags & (SKEP_PT_RUNNABLE | SKEP_PT_LOADABLE))) {
		vf_say(env, "skep: programs of type %s are not implemented yet\n",
		       env->ptype->name);
		return -EINVAL;
	}
	env->is_ext = env->req->prog_type == BPF_PROG_TYPE_EXT;
	env->ctx_id = skep_context_of(env->req->prog_type, env->req->attach_type, env->sleepable);
	return 0;
}

/* A program that cannot be attached yet but is complete in every other way: fail by name. */
static int (*const passes[])(struct env *env) = {
	check_type,		  /* the program type's row */
	check_fd_array,		  /* maps given whether used or not */
	vf_check_func_info_early, /* its records, one by one */
	vf_find_subprogs,	  /* calls and function addresses */
	vf_check_subprogs,	  /* jumps stay inside */
	vf_check_btf_info,	  /* names, prototypes, lines */
	vf_resolve,		  /* opcodes, maps, variables */
	vf_check_cfg,		  /* reachability, pruning points */
	vf_attach_target,	  /* what it will be attached to */
	vf_scc,			  /* loops */
	vf_liveness,		  /* registers worth comparing */
	vf_stack_live_init,	  /* tables for slots worth comparing */
	vf_walk_all,		  /* every path */
	vf_check_stack_depth,
};

static void log_stats(struct env *env, u64 usec)
{
	if (!env->log.level)
		return;
	if (env->log.level & SKEP_LOG_STATS) {
		vf_log(env, "verification time %lld usec\n", (long long)usec);
		vf_log(env, "stack depth ");
		for (u32 i = 0; i < env->nr_subs; i++)
			vf_log(env, "%s%u", i ? "+" : "", env->subs[i].stack_depth);
		vf_log(env, "\n");
	}
	vf_log(env,
	       "processed %u insns (limit %d) max_states_per_insn %u total_states %u peak_states "
	       "%u mark_read %u\n",
	       env->processed, VF_MAX_INSNS, env->max_states_per_insn, env->total_states,
	       env->peak_states, 0u);
}

/* Put the end of a rotated log where it begins. */
static void straighten(struct vlog *l)
{
	u32 n, first;
	char *tmp;

	if (!l->buf || !l->size)
		return;
	if (l->level & SKEP_LOG_FIXED) {
		l->buf[SKEP_MIN(l->end, (u64)l->size - 1)] = 0;
		return;
	}
	n = (u32)(l->end - l->start);
	first = (u32)(l->start % l->size);
	if (first) {
		tmp = skep_alloc(n ? n : 1);
		if (!tmp)
			return;
		for (u32 i = 0; i < n; i++)
			tmp[i] = l->buf[(first + i) % l->size];
		memcpy(l->buf, tmp, n);
		skep_free(tmp);
	}
	l->buf[n] = 0;
}

static u64 now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000 + (u64)ts.tv_nsec / 1000;
}

static void env_free(struct env *env)
{
	frames_drop_spare();
	vf_stack_live_fini(env);
	vf_free_objects(env);
	skep_free(env->insns);
	skep_free(env->aux);
	skep_free(env->known);
	skep_free(env->calls);
	skep_free(env->kfuncs);
	skep_free(env);
}

/* All passes over the program, in *@ret_env (NULL: no memory) whatever comes of it. */
static int run_passes(const struct skep_verify_req *req, bool presume, struct env **ret_env)
{
	struct env *env = skep_zalloc(sizeof(*env));
	int err = 0;

	*ret_env = env;
	if (!env)
		return -ENOMEM;
	env->req = req;
	env->host = req->host;
	env->no_presumption = !presume;
	env->sleepable = req->flags & SKEP_PROG_F_SLEEPABLE;
	env->prev_linfo = -1;
	vlog_init(&env->log, req->log_level, req->log_buf, req->log_size);
	env->len = req->nr_insns;
	env->insns = skep_memdup(req->insns, (size_t)env->len * sizeof(*env->insns));
	env->aux = skep_calloc(env->len + 1, sizeof(*env->aux));
	env->known = skep_calloc(vf_nr_known(env), sizeof(*env->known));
	if (!env->insns || !env->aux || !env->known)
		err = -ENOMEM;
	for (u32 i = 0; !err && i < env->len; i++)
		env->aux[i].map = -1;
	for (u32 i = 0; !err && i < ARRAY_SIZE(passes); i++)
		err = passes[i](env);
	return err;
}

int skep_verify(const struct skep_verify_req *req, struct skep_vprog *ret_prog,
		struct skep_verify_res *ret_res)
{
	struct env *env;
	u64 t0 = now_usec();
	int err;

	memset(ret_prog, 0, sizeof(*ret_prog));
	memset(ret_res, 0, sizeof(*ret_res));
	err = run_passes(req, true, &env);
	if (env && env->presumed_wrong) {
		env_free(env);
		if (req->watch && req->watch->again)
			req->watch->again(req->watch->priv);
		err = run_passes(req, false, &env);
	}
	if (!env)
		return err;
	ret_res->stats =
		(struct skep_verify_stats){env->processed, env->total_states, env->peak_states,
					   env->max_states_per_insn, now_usec() - t0};
	log_stats(env, ret_res->stats.usec);
	if (!err)
		err = vf_emit(env, ret_prog);
	straighten(&env->log);
	ret_res->log_true_size = (u32)env->log.len_max;
	ret_res->log_truncated = env->log.buf && env->log.len_max > env->log.size;
	ret_res->log_len =
		env->log.buf && env->log.size
			? (u32)SKEP_MIN(env->log.end - env->log.start, (u64)env->log.size - 1)
			: 0;
	if (ret_res->log_truncated)
		err = -ENOSPC;
	snprintf(ret_res->reason, sizeof(ret_res->reason), "%s", err ? env->log.line : "");
	ret_res->attach_name = env->attach_name;
	ret_res->attach_nr_args = env->attach_nr_args;
	ret_res->enforce_attach_type = env->enforce_attach_type;
	if (err)
		skep_vprog_fini(ret_prog);
	env_free(env);
	return err;
}

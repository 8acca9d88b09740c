/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attach target of typed programs, and the program type's own conditions.
 */
#include "verifier/env.h"

#include <string.h>

static bool may_sleep(const struct env *env)
{
	u32 at = env->req->attach_type;

	switch (env->req->prog_type) {
	case BPF_PROG_TYPE_TRACING:
		return at == BPF_TRACE_FENTRY || at == BPF_TRACE_FEXIT || at == BPF_MODIFY_RETURN ||
		       at == BPF_TRACE_ITER;
	case BPF_PROG_TYPE_LSM:
		return at != 43;   /* cgroup LSM */
	case BPF_PROG_TYPE_KPROBE: /* for uprobes */
	case BPF_PROG_TYPE_STRUCT_OPS:
		return true;
	}
	return false;
}

static int tracing_target(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	const struct skep_btf *btf = req->attach_btf;
	const struct btf_type *t;
	const char *name, prefix[] = "btf_trace_";
	int err;

	if (!req->attach_btf_id) {
		vf_say(env, "Tracing programs must provide btf_id\n");
		return -EINVAL;
	}
	if (!btf) {
		vf_say(env, "FENTRY/FEXIT program can only be attached to another program "
			    "annotated with BTF\n");
		return -EINVAL;
	}
	t = skep_btf_type(btf, req->attach_btf_id);
	if (!t) {
		vf_say(env, "attach_btf_id %u is invalid\n", req->attach_btf_id);
		return -EINVAL;
	}
	name = skep_btf_name(btf, t);
	if (!*name) {
		vf_say(env, "attach_btf_id %u doesn't have a name\n", req->attach_btf_id);
		return -EINVAL;
	}
	switch (req->attach_type) {
	case BPF_TRACE_RAW_TP:
		if (skep_btf_kind(t) != BTF_KIND_TYPEDEF) {
			vf_say(env, "attach_btf_id %u is not a typedef\n", req->attach_btf_id);
			return -EINVAL;
		}
		if (strncmp(name, prefix, sizeof(prefix) - 1)) {
			vf_say(env, "attach_btf_id %u points to wrong type name %s\n",
			       req->attach_btf_id, name);
			return -EINVAL;
		}
		name += sizeof(prefix) - 1;
		t = skep_btf_type(btf, t->type);
		if (!t || skep_btf_kind(t) != BTF_KIND_PTR)
			return -EINVAL;
		t = skep_btf_type(btf, t->type);
		if (!t || skep_btf_kind(t) != BTF_KIND_FUNC_PROTO)
			return -EINVAL;
		env->attach_tp = true;
		env->attach_nr_args = skep_btf_vlen(t) - 1;
		break;
	case BPF_TRACE_FENTRY:
	case BPF_TRACE_FEXIT:
		if (skep_btf_kind(t) != BTF_KIND_FUNC) {
			vf_say(env, "attach_btf_id %u is not a function\n", req->attach_btf_id);
			return -EINVAL;
		}
		t = skep_btf_type(btf, t->type);
		if (!t || skep_btf_kind(t) != BTF_KIND_FUNC_PROTO)
			return -EINVAL;
		env->attach_fexit = req->attach_type == BPF_TRACE_FEXIT;
		env->attach_nr_args = skep_btf_vlen(t);
		if (env->attach_nr_args > 12) {
			vf_say(env,
			       "skep: targets with more than 12 arguments are not supported\n");
			return -EINVAL;
		}
		for (u32 i = 0; i < env->attach_nr_args; i++) {
			const struct btf_param *p = skep_btf_params(t);
			const struct btf_type *pt =
				p[i].type ? skep_btf_skip_mods(btf, p[i].type, NULL) : NULL;

			if (!pt || (skep_btf_is_struct(pt) && pt->size > 8)) {
				vf_say(env, "The function %s has struct or variadic arguments.\n",
				       name);
				return -EINVAL;
			}
		}
		break;
	default:
		vf_say(env, "skep: this tracing attach type is not supported yet\n");
		return -EINVAL;
	}
	env->attach_proto = t;
	env->attach_name = name;
	if (env->host->attach_target_ok) {
		err = env->host->attach_target_ok(env->host->priv, req->prog_type, req->attach_type,
						  name);
		if (err) {
			vf_say(env, "The address of function %s cannot be found\n", name);
			return err;
		}
	}
	return 0;
}

int vf_attach_target(struct env *env)
{
	const struct skep_verify_req *req = env->req;

	if (req->prog_type == BPF_PROG_TYPE_SYSCALL) {
		if (!env->sleepable) {
			vf_say(env, "Syscall programs can only be sleepable\n");
			return -EINVAL;
		}
		return 0;
	}
	if (env->sleepable && !may_sleep(env)) {
		vf_say(env, "Only fentry/fexit/fmod_ret, lsm, iter, uprobe, and struct_ops "
			    "programs can be sleepable\n");
		return -EINVAL;
	}
	if (req->prog_type == BPF_PROG_TYPE_TRACING)
		return tracing_target(env);
	return 0;
}

/* --- what R0 may hold at the end --- */

/* The range for programs of this type, for this attach type: false: any value. */
static bool return_range(const struct env *env, s32 *lo, s32 *hi, int *ret_err)
{
	u32 at = env->req->attach_type;

	*lo = env->ptype->ret_min;
	*hi = env->ptype->ret_max;
	switch (env->req->prog_type) {
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
		switch (at) {
		case BPF_CGROUP_UDP4_RECVMSG:
		case BPF_CGROUP_UDP6_RECVMSG:
		case SKEP_CGROUP_UNIX_RECVMSG:
		case BPF_CGROUP_INET4_GETPEERNAME:
		case BPF_CGROUP_INET6_GETPEERNAME:
		case SKEP_CGROUP_UNIX_GETPEERNAME:
		case BPF_CGROUP_INET4_GETSOCKNAME:
		case BPF_CGROUP_INET6_GETSOCKNAME:
		case SKEP_CGROUP_UNIX_GETSOCKNAME:
			*lo = *hi = 1;
			break;
		case BPF_CGROUP_INET4_BIND:
		case BPF_CGROUP_INET6_BIND:
			*hi = 3;
			break;
		}
		return true;
	case BPF_PROG_TYPE_CGROUP_SKB:
		if (at == BPF_CGROUP_INET_EGRESS)
			*hi = 3;
		return true;
	case BPF_PROG_TYPE_KPROBE:
		*lo = 0;
		*hi = 1;
		return at == SKEP_TRACE_KPROBE_SESSION || at == SKEP_TRACE_UPROBE_SESSION;
	case BPF_PROG_TYPE_TRACING:
		switch (at) {
		case BPF_TRACE_FENTRY:
		case BPF_TRACE_FEXIT:
			*lo = *hi = 0;
			return true;
		case BPF_TRACE_RAW_TP:
		case BPF_MODIFY_RETURN:
			return false;
		case BPF_TRACE_ITER:
			*lo = 0;
			*hi = 1;
			return true;
		default:
			*ret_err = -SKEP_ENOTSUPP;
			return false;
		}
	default:
		return env->ptype->ret_checked;
	}
}

int vf_check_return(struct env *env, u32 regno)
{
	struct frame *f = vf_frame(env);
	struct reg *r = &f->regs[regno];
	bool checked;
	s32 lo, hi;
	char name[64];
	int err = vf_check_reg(env, regno, USE_SRC);

	if (err)
		return err;
	if (f->subprog) {
		if (r->kind != RK_SCALAR) {
			vf_say(env,
			       "At subprogram exit the register R%u is not a scalar value (%s)\n",
			       regno, vf_reg_name(r, name));
			return -EINVAL;
		}
		return 0;
	}
	checked = return_range(env, &lo, &hi, &err);
	if (err)
		return err;
	if (!checked)
		return 0;
	if (r->kind != RK_SCALAR) {
		vf_say(env, "At program exit the register R%u is not a known value (%s)\n", regno,
		       vf_reg_name(r, name));
		return -EINVAL;
	}
	err = vf_mark_precise(env, regno);
	if (err)
		return err;
	if (r->v.smin < lo || r->v.smax > hi) {
		vf_say_bad_scalar(env, r, lo, hi, "At program exit", "R0");
		return -EINVAL;
	}
	/* Only an egress hook understands 2 and 3: the program must not move elsewhere. */
	if (env->req->prog_type == BPF_PROG_TYPE_CGROUP_SKB && hi == 3 &&
	    (r->v.smin > 1 || r->v.smax > 1))
		env->enforce_attach_type = true;
	return 0;
}

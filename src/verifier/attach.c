/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attach target of typed programs, and the program type's own conditions.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>

static bool may_sleep(const struct env *env)
{
	u32 at = env->req->attach_type;

	switch (env->req->prog_type) {
	case BPF_PROG_TYPE_TRACING:
		return at == BPF_TRACE_FENTRY || at == BPF_TRACE_FEXIT || at == BPF_MODIFY_RETURN ||
		       at == BPF_TRACE_ITER;
	case BPF_PROG_TYPE_LSM:
		return at != SKEP_LSM_CGROUP;
	case BPF_PROG_TYPE_KPROBE: /* for uprobes */
	case BPF_PROG_TYPE_STRUCT_OPS:
		return true;
	}
	return false;
}

/*
 * Which functions a program may make fail, or sleep in, is a list that a kernel keeps to itself:
 * its types do not tell. What is known of every kernel: system calls are on it, and the test
 * functions for just this.
 */
static bool is_listed(const char *name)
{
	return !strncmp(name, "__x64_sys_", 10) || !strncmp(name, "bpf_fentry_test", 15) ||
	       !strncmp(name, "bpf_modify_return_test", 22);
}

static int check_listed(struct env *env, const char *name)
{
	bool fmod_ret = env->req->prog_type == BPF_PROG_TYPE_TRACING &&
			env->req->attach_type == BPF_MODIFY_RETURN;

	if (fmod_ret && !env->host->verdict_only) {
		vf_say(env, "skep: programs of type fmod_ret are not implemented yet\n");
		return -EINVAL;
	}
	if (fmod_ret && strncmp(name, "security_", 9) && !is_listed(name)) {
		vf_say(env, "skep: it is not known whether %s() may be modified\n", name);
		return -EINVAL;
	}
	if (env->sleepable && !vf_is_iter_prog(env) && !is_listed(name) && !vf_hook_sleeps(env)) {
		vf_say(env, "skep: it is not known whether %s may sleep\n", name);
		return -EINVAL;
	}
	return 0;
}

bool vf_hook_sleeps(const struct env *env)
{
	return env->req->prog_type == BPF_PROG_TYPE_LSM && env->attach_name &&
	       !strcmp(env->attach_name, "bpf_lsm_file_open");
}

/* The function @t, whose arguments the program gets. */
static int function_target(struct env *env, const struct skep_btf *btf, const struct btf_type *t,
			   const char *name)
{
	const struct btf_param *p;

	if (skep_btf_kind(t) != BTF_KIND_FUNC) {
		vf_say(env, "attach_btf_id %u is not a function\n", env->req->attach_btf_id);
		return -EINVAL;
	}
	t = skep_btf_type(btf, t->type);
	if (!t || skep_btf_kind(t) != BTF_KIND_FUNC_PROTO)
		return -EINVAL;
	env->attach_nr_args = skep_btf_vlen(t);
	if (env->attach_nr_args > 12) {
		vf_say(env, "skep: targets with more than 12 arguments are not supported\n");
		return -EINVAL;
	}
	p = skep_btf_params(t);
	for (u32 i = 0; i < env->attach_nr_args; i++) {
		const struct btf_type *pt =
			p[i].type ? skep_btf_skip_mods(btf, p[i].type, NULL) : NULL;

		if (!pt || (skep_btf_is_struct(pt) && pt->size > 8)) {
			vf_say(env, "The function %s has struct or variadic arguments.\n", name);
			return -EINVAL;
		}
	}
	env->attach_proto = t;
	return 0;
}

static int tracepoint_target(struct env *env, const struct skep_btf *btf, const struct btf_type *t,
			     const char **name)
{
	static const char prefix[] = "btf_trace_";

	if (skep_btf_kind(t) != BTF_KIND_TYPEDEF) {
		vf_say(env, "attach_btf_id %u is not a typedef\n", env->req->attach_btf_id);
		return -EINVAL;
	}
	if (strncmp(*name, prefix, sizeof(prefix) - 1)) {
		vf_say(env, "attach_btf_id %u points to wrong type name %s\n",
		       env->req->attach_btf_id, *name);
		return -EINVAL;
	}
	*name += sizeof(prefix) - 1;
	t = skep_btf_type(btf, t->type);
	if (!t || skep_btf_kind(t) != BTF_KIND_PTR)
		return -EINVAL;
	t = skep_btf_type(btf, t->type);
	if (!t || skep_btf_kind(t) != BTF_KIND_FUNC_PROTO)
		return -EINVAL;
	env->attach_tp = true;
	env->attach_nr_args = skep_btf_vlen(t) - 1;
	env->attach_proto = t;
	return 0;
}

/* Targets of iterators: each has a function of this name, which nobody calls. */
static int iter_target(struct env *env, const char *name)
{
	static const char *const targets[] = {
		"bpf_link", "bpf_map", "bpf_map_elem", "bpf_prog",   "bpf_sk_storage_map",
		"cgroup",   "dmabuf",  "ipv6_route",   "kmem_cache", "ksym",
		"netlink",  "sockmap", "task",	       "task_file",  "task_vma",
		"tcp",	    "udp",     "unix",
	};

	(void)env;
	if (strncmp(name, "bpf_iter_", 9))
		return -EINVAL;
	for (u32 i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(name + 9, targets[i]))
			return 0;
	return -EINVAL;
}

static int lsm_target(struct env *env, const char *name)
{
	/* Hooks whose results a program could not be trusted with. */
	static const char *const off[] = {
		"vm_enough_memory",   "inode_need_killpriv", "inode_getsecurity",
		"inode_listsecurity", "inode_copy_up_xattr", "getselfattr",
		"getprocattr",	      "setprocattr",	     "ismaclabel",
		"key_getsecurity",    "audit_rule_match",    "secid_to_secctx",
		"lsmprop_to_secctx",  "secctx_to_secid",
	};

	if (!env->req->gpl) {
		vf_say(env, "LSM programs must have a GPL compatible license\n");
		return -EINVAL;
	}
	if (strncmp(name, "bpf_lsm_", 8) != 0) {
		vf_say(env, "attach_btf_id %u points to wrong type name %s\n",
		       env->req->attach_btf_id, name);
		return -EINVAL;
	}
	for (u32 i = 0; i < ARRAY_SIZE(off); i++)
		if (!strcmp(name + 8, off[i])) {
			vf_say(env, "skep: hook %s may be closed to programs\n", name + 8);
			return -EINVAL;
		}
	return 0;
}

int vf_target_type(struct env *env, const struct btf_type **ret_t, const char **ret_name)
{
	const struct skep_verify_req *req = env->req;

	if (!req->attach_btf_id) {
		vf_say(env, "Tracing programs must provide btf_id\n");
		return -EINVAL;
	}
	if (!req->attach_btf) {
		vf_say(env, "FENTRY/FEXIT program can only be attached to another program "
			    "annotated with BTF\n");
		return -EINVAL;
	}
	*ret_t = skep_btf_type(req->attach_btf, req->attach_btf_id);
	if (!*ret_t) {
		vf_say(env, "attach_btf_id %u is invalid\n", req->attach_btf_id);
		return -EINVAL;
	}
	*ret_name = skep_btf_name(req->attach_btf, *ret_t);
	if (!**ret_name) {
		vf_say(env, "attach_btf_id %u doesn't have a name\n", req->attach_btf_id);
		return -EINVAL;
	}
	return 0;
}

static int typed_target(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	bool lsm = req->prog_type == BPF_PROG_TYPE_LSM;
	const struct skep_btf *btf = req->attach_btf;
	const struct btf_type *t;
	const char *name;
	int err = vf_target_type(env, &t, &name);

	if (err)
		return err;
	if (req->target) {
		vf_say(env, "skep: tracing of programs is not supported yet\n");
		return -EINVAL;
	}
	switch (lsm ? BPF_LSM_MAC : req->attach_type) {
	case BPF_TRACE_RAW_TP:
		err = tracepoint_target(env, btf, t, &name);
		break;
	case BPF_TRACE_FENTRY:
	case BPF_TRACE_FEXIT:
	case BPF_MODIFY_RETURN:
		err = function_target(env, btf, t, name);
		env->attach_fexit = req->attach_type == BPF_TRACE_FEXIT ||
				    req->attach_type == BPF_MODIFY_RETURN;
		break;
	case BPF_LSM_MAC:
		err = function_target(env, btf, t, name);
		if (!err)
			err = lsm_target(env, name);
		break;
	case BPF_TRACE_ITER:
		err = function_target(env, btf, t, name);
		if (!err)
			err = iter_target(env, name);
		break;
	default:
		/* The walk goes on as for a tracepoint's function; its end refuses the type. */
		err = function_target(env, btf, t, name);
		break;
	}
	if (err)
		return err;
	env->attach_name = name;
	err = check_listed(env, name);
	if (err || !env->host->attach_target_ok)
		return err;
	err = env->host->attach_target_ok(env->host->priv, req->prog_type, req->attach_type, name);
	if (err)
		vf_say(env, "The address of function %s cannot be found\n", name);
	return err;
}

/* A member of a table of functions: expected_attach_type counts them. */
static int struct_ops_target(struct env *env)
{
	const struct skep_verify_req *req = env->req;
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
	const struct btf_type *t, *mt;
	const struct btf_member *m;
	char value[128];

	if (!req->gpl) {
		vf_say(env, "struct ops programs must have a GPL compatible license\n");
		return -EINVAL;
	}
	if (!req->attach_btf_id)
		return -SKEP_ENOTSUPP;
	t = btf ? skep_btf_type(btf, req->attach_btf_id) : NULL;
	if (t)
		snprintf(value, sizeof(value), "bpf_struct_ops_%s", skep_btf_name(btf, t));
	if (!t || skep_btf_kind(t) != BTF_KIND_STRUCT ||
	    !skep_btf_find(btf, value, BTF_KIND_STRUCT)) {
		vf_say(env, "attach_btf_id %u is not a supported struct\n", req->attach_btf_id);
		return -SKEP_ENOTSUPP;
	}
	if (req->attach_type >= skep_btf_vlen(t)) {
		vf_say(env, "attach to invalid member idx %u of struct %s\n", req->attach_type,
		       skep_btf_name(btf, t));
		return -EINVAL;
	}
	m = &skep_btf_members(t)[req->attach_type];
	mt = skep_btf_skip_mods(btf, m->type, NULL);
	if (skep_btf_kind(mt) == BTF_KIND_PTR)
		mt = skep_btf_skip_mods(btf, mt->type, NULL);
	if (skep_btf_kind(mt) != BTF_KIND_FUNC_PROTO) {
		vf_say(env, "attach to invalid member %s(@idx %u) of struct %s\n",
		       skep_btf_str(btf, m->name_off), req->attach_type, skep_btf_name(btf, t));
		return -EINVAL;
	}
	/* The one member that the kernel has no use for a program in. */
	if (!strcmp(skep_btf_name(btf, t), "tcp_congestion_ops") &&
	    !strcmp(skep_btf_str(btf, m->name_off), "get_info")) {
		vf_say(env, "attach to unsupported member get_info of struct tcp_congestion_ops\n");
		return -SKEP_ENOTSUPP;
	}
	env->attach_proto = mt;
	env->attach_nr_args = skep_btf_vlen(mt);
	env->attach_name = skep_btf_str(btf, m->name_off);
	env->attach_ops = skep_btf_name(btf, t);
	if (!strcmp(env->attach_name, "init") || !strcmp(env->attach_name, "release"))
		env->ctx_id = SKEP_CTX_STRUCT_OPS_TCP_CONGESTION_OPS_INIT;
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
	switch (req->prog_type) {
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_LSM:
		return typed_target(env);
	case BPF_PROG_TYPE_STRUCT_OPS:
		return struct_ops_target(env);
	case BPF_PROG_TYPE_EXT:
		return vf_ext_target(env);
	default:
		return 0;
	}
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
	case BPF_PROG_TYPE_LSM: {
		const struct btf_type *ret =
			skep_btf_skip_mods(env->req->attach_btf, env->attach_proto->type, NULL);

		if (at == SKEP_LSM_CGROUP) {
			/* A hook without a result still says whether to go on. */
			*lo = env->attach_proto->type ? 0 : 1;
			*hi = 1;
			return true;
		}
		if (!env->attach_proto->type)
			return false;
		*lo = skep_btf_size(env->req->attach_btf, env->attach_proto->type) == 1 ? 0 : -4095;
		*hi = *lo ? 0 : 1;
		return skep_btf_kind(ret) == BTF_KIND_INT;
	}
	default:
		return env->ptype->ret_checked;
	}
}

int vf_check_return(struct env *env, u32 regno)
{
	struct frame *f = vf_frame(env);
	struct reg *r = &f->regs[regno];
	const char *where = "At program exit";
	bool checked, half;
	s32 lo, hi;
	char name[64], reg[4];
	int err = vf_check_reg(env, regno, USE_SRC);

	if (err)
		return err;
	if (f->in_async_cb) {
		lo = f->cb_ret_min;
		hi = f->cb_ret_max;
		where = "At async callback return";
		goto check;
	}
	if (f->subprog && f->subprog != env->exception_cb) {
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
check:
	if (r->kind != RK_SCALAR) {
		vf_say(env, "%s the register R%u is not a known value (%s)\n", where, regno,
		       vf_reg_name(r, name));
		return -EINVAL;
	}
	err = vf_mark_precise(env, regno);
	if (err)
		return err;
	/* A hook's result is an int: its upper half is nobody's. */
	half = env->req->prog_type == BPF_PROG_TYPE_LSM && !f->in_async_cb;
	if (half ? r->v.s32min < lo || r->v.s32max > hi : r->v.smin < lo || r->v.smax > hi) {
		snprintf(reg, sizeof(reg), "R%u", regno);
		vf_say_bad_scalar(env, r, lo, hi, where, reg);
		return -EINVAL;
	}
	/* Only an egress hook understands 2 and 3: the program must not move elsewhere. */
	if (env->req->prog_type == BPF_PROG_TYPE_CGROUP_SKB && hi == 3 &&
	    (r->v.smin > 1 || r->v.smax > 1))
		env->enforce_attach_type = true;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PROG_LOAD as one column: read the request, find its target, verify, build, publish.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/raw.h"
#include "isa/uapi.h"
#include "jit/jit.h"
#include "kern/kernel_btf.h"
#include "kern/task.h"
#include "load/load.h"
#include "map/prog_array.h"
#include "obj/btf_obj.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "run/run.h"
#include "spec/prog_type.h"
#include "verifier/verifier.h"

#define MAX_INSNS 1000000u
#define MAX_REC_SIZE 252u /* of func_info and line_info records, the kernel's */

bool skep_verdict_only;

/* Records of func_info or line_info: how many could be read, and why no more. */
struct records {
	void *data;
	u32 read;
	int err;
};

struct load {
	const struct skep_caller *caller;
	const struct skep_attr_prog_load *attr;
	u64 uattr;
	struct skep_load_host *host;
	struct skep_btf *prog_btf;   /* reference */
	struct skep_btf *attach_btf; /* reference */
	struct skep_prog *target;    /* reference: the program to be extended, or NULL */
	struct bpf_insn *insns;
	int btf_err;
	struct records funcs, lines;
	int *fds; /* fd_array with a count: so many could be read, and why no more */
	u32 fds_read;
	int fds_err;
	char *log;
	bool gpl;
	char name[16];
	struct skep_vprog code;
	struct skep_verify_res res;
};

int skep_copy_name(char dst[16], const char src[16])
{
	u32 n = 0;

	memset(dst, 0, 16);
	for (; n < 16 && src[n]; n++) {
		char c = src[n];

		if (!(skep_is_letter((u8)c) || (c >= '0' && c <= '9') || c == '_' || c == '.'))
			return -EINVAL;
		dst[n] = c;
	}
	return n == 16 ? -EINVAL : 0;
}

int skep_no_token(int fd)
{
	return skep_raw(__NR_fcntl, fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
}

static bool license_is_gpl(const char *s)
{
	static const char *const compatible[] = {
		"GPL",		"GPL v2",	"GPL and additional rights",
		"Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL",
	};

	for (u32 i = 0; i < ARRAY_SIZE(compatible); i++)
		if (!strcmp(s, compatible[i]))
			return true;
	return false;
}

/* Which program types take an expected_attach_type, and which values. */
static bool attach_type_ok(u32 type, u32 at)
{
	switch (type) {
	case BPF_PROG_TYPE_CGROUP_SOCK:
		return at == BPF_CGROUP_INET_SOCK_CREATE || at == BPF_CGROUP_INET_SOCK_RELEASE ||
		       at == BPF_CGROUP_INET4_POST_BIND || at == BPF_CGROUP_INET6_POST_BIND;
	case BPF_PROG_TYPE_CGROUP_SKB:
		return at == BPF_CGROUP_INET_INGRESS || at == BPF_CGROUP_INET_EGRESS;
	case BPF_PROG_TYPE_CGROUP_SOCKOPT:
		return at == BPF_CGROUP_SETSOCKOPT || at == BPF_CGROUP_GETSOCKOPT;
	case BPF_PROG_TYPE_SK_LOOKUP:
		return at == BPF_SK_LOOKUP;
	case BPF_PROG_TYPE_SK_REUSEPORT:
		/* 0 is an old default: to select. */
		return !at || at == BPF_SK_REUSEPORT_SELECT ||
		       at == BPF_SK_REUSEPORT_SELECT_OR_MIGRATE;
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
		return (at >= BPF_CGROUP_INET4_BIND && at <= BPF_CGROUP_INET6_CONNECT) ||
		       at == BPF_CGROUP_UDP4_SENDMSG || at == BPF_CGROUP_UDP6_SENDMSG ||
		       at == BPF_CGROUP_UDP4_RECVMSG || at == BPF_CGROUP_UDP6_RECVMSG ||
		       (at >= BPF_CGROUP_INET4_GETPEERNAME && at <= BPF_CGROUP_INET6_GETSOCKNAME) ||
		       (at >= SKEP_CGROUP_UNIX_CONNECT && at <= SKEP_CGROUP_UNIX_GETSOCKNAME);
	case SKEP_PROG_TYPE_NETFILTER:
		return at == SKEP_NETFILTER;
	case BPF_PROG_TYPE_SYSCALL:
	case BPF_PROG_TYPE_EXT:
		return at == 0;
	default:
		return true;
	}
}

static int check_attach(const struct skep_attr_prog_load *a, const struct skep_btf *attach_btf,
			bool to_prog)
{
	bool typed = a->prog_type == BPF_PROG_TYPE_TRACING || a->prog_type == BPF_PROG_TYPE_LSM ||
		     a->prog_type == BPF_PROG_TYPE_STRUCT_OPS || a->prog_type == BPF_PROG_TYPE_EXT;

	if (a->attach_btf_id > BTF_MAX_TYPE)
		return -EINVAL;
	if ((a->attach_btf_id || attach_btf) && !typed)
		return -EINVAL;
	if (attach_btf && !a->attach_btf_id && !to_prog)
		return -EINVAL;
	if (to_prog && a->prog_type != BPF_PROG_TYPE_TRACING && a->prog_type != BPF_PROG_TYPE_EXT)
		return -EINVAL;
	/* An old default: cgroup_sock programs that do not say are for socket creation. */
	if (a->prog_type == BPF_PROG_TYPE_CGROUP_SOCK && !a->expected_attach_type)
		return 0;
	return attach_type_ok(a->prog_type, a->expected_attach_type) ? 0 : -EINVAL;
}

static int get_btf(int fd, struct skep_btf **ret)
{
	int err;
	struct skep_obj *o = skep_fd_get(fd, SKEP_OBJ_BTF, NULL, &err);

	if (!o)
		return err;
	*ret = skep_btf_get(skep_btf_obj_of(o)->btf);
	skep_obj_put(o);
	return 0;
}

/*
 * attach_prog_fd and that program's BTF, attach_btf_obj_fd, or the presented kernel's BTF for a
 * bare attach_btf_id.
 */
static int find_target(struct load *l)
{
	const struct skep_attr_prog_load *a = l->attr;

	if (a->attach_fd) {
		int err;
		struct skep_obj *o = skep_fd_get((int)a->attach_fd, SKEP_OBJ_PROG, NULL, &err);

		if (o) {
			l->target = skep_prog_of(o);
			l->attach_btf = l->target->btf ? skep_btf_get(l->target->btf) : NULL;
			return 0;
		}
		if (get_btf((int)a->attach_fd, &l->attach_btf))
			return -EINVAL;
		return skep_btf_is_kernel(l->attach_btf) ? 0 : -SKEP_ENOTSUPP;
	}
	if (a->attach_btf_id) {
		const struct skep_btf *k = skep_kernel_btf();

		if (!k)
			return -EINVAL;
		l->attach_btf = skep_btf_get((struct skep_btf *)k);
	}
	return 0;
}

/*
 * Copy @n records of @rec_size user bytes, of which the first @want matter and the rest are zero.
 * Where they are not, the size that is known is told at @size_at. -ENOMEM or 0.
 */
static int copy_records(struct load *l, u64 from, u32 n, u32 rec_size, u32 want, u64 size_at,
			struct records *ret)
{
	u8 *to;

	if (rec_size < want || rec_size > MAX_REC_SIZE || rec_size % 4) {
		ret->err = -EINVAL;
		return 0;
	}
	/* More than one an instruction cannot be good: the verifier stops before the end. */
	n = SKEP_MIN(n, l->attr->insn_cnt + 1);
	to = skep_calloc(n, want);
	if (!to)
		return -ENOMEM;
	ret->data = to;
	for (; ret->read < n; ret->read++) {
		u64 at = from + (u64)ret->read * rec_size;
		int err = 0;

		if (rec_size > want) {
			err = skep_user_is_nonzero(l->caller, at + want, rec_size - want);
			if (err > 0)
				err = skep_copy_to_user(l->caller, size_at, &want, sizeof(want))
					      ? -EFAULT
					      : -E2BIG;
		}
		if (!err)
			err = skep_copy_from_user(l->caller, to + (u64)ret->read * want, at, want);
		if (err) {
			ret->err = err;
			return 0;
		}
	}
	return 0;
}

/* -ENOMEM or 0: what else goes wrong is the verifier's to tell, in its order. */
static int read_infos(struct load *l)
{
	const struct skep_attr_prog_load *a = l->attr;
	int err = 0;

	if (!a->func_info_cnt && !a->line_info_cnt)
		return 0;
	if (a->line_info_cnt > INT32_MAX / 16)
		l->lines.err = -EINVAL;
	l->btf_err = get_btf((int)a->prog_btf_fd, &l->prog_btf);
	if (!l->btf_err && skep_btf_is_kernel(l->prog_btf))
		l->btf_err = -EACCES;
	if (l->btf_err)
		return 0;
	if (a->func_info_cnt)
		err = copy_records(l, a->func_info, a->func_info_cnt, a->func_info_rec_size,
				   sizeof(struct bpf_func_info),
				   l->uattr +
					   offsetof(struct skep_attr_prog_load, func_info_rec_size),
				   &l->funcs);
	if (!err && !l->funcs.err && !l->lines.err && a->line_info_cnt)
		err = copy_records(l, a->line_info, a->line_info_cnt, a->line_info_rec_size,
				   sizeof(struct bpf_line_info),
				   l->uattr +
					   offsetof(struct skep_attr_prog_load, line_info_rec_size),
				   &l->lines);
	return err;
}

/* A program for a network card: no card here takes one. */
static int check_device(const struct skep_attr_prog_load *a)
{
	if (!a->prog_ifindex)
		return 0;
	if ((a->prog_type != BPF_PROG_TYPE_SCHED_CLS && a->prog_type != BPF_PROG_TYPE_XDP) ||
	    a->prog_flags & ~(u32)SKEP_PROG_F_XDP_HAS_FRAGS)
		return -EINVAL;
	return skep_is_ifindex(a->prog_ifindex) ? -EOPNOTSUPP : -EINVAL;
}

/* The descriptors of fd_array, as far as they can be read. -ENOMEM or 0. */
static int read_fds(struct load *l)
{
	const struct skep_attr_prog_load *a = l->attr;
	u32 n = SKEP_MIN(a->fd_array_cnt, MAX_INSNS);

	if (!a->fd_array_cnt)
		return 0;
	if (a->fd_array_cnt >= UINT32_MAX / 4) {
		l->fds_err = -EINVAL;
		return 0;
	}
	l->fds = skep_calloc(n, sizeof(int));
	if (!l->fds)
		return -ENOMEM;
	if (!skep_copy_from_user(l->caller, l->fds, a->fd_array, n * sizeof(int))) {
		l->fds_read = n;
		l->fds_err = n < a->fd_array_cnt ? -E2BIG : 0;
		return 0;
	}
	while (!l->fds_err) {
		l->fds_err =
			skep_copy_from_user(l->caller, &l->fds[l->fds_read],
					    a->fd_array + l->fds_read * sizeof(int), sizeof(int));
		l->fds_read += !l->fds_err;
	}
	return 0;
}

static int read_log_request(struct load *l)
{
	const struct skep_attr_prog_load *a = l->attr;

	if (!!a->log_buf != !!a->log_size)
		return -EINVAL;
	if (a->log_buf && !a->log_level)
		return -EINVAL;
	if (a->log_level & ~15u || a->log_size > UINT32_MAX >> 2)
		return -EINVAL;
	if (!a->log_size)
		return 0;
	l->log = skep_pages_alloc(a->log_size);
	return l->log ? 0 : -ENOMEM;
}

/* The admission checks, in the kernel's order, and the copies of what the attr points to. */
static int read_request(struct load *l)
{
	const struct skep_attr_prog_load *a = l->attr;
	u32 known = SKEP_PROG_F_STRICT_ALIGNMENT | SKEP_PROG_F_ANY_ALIGNMENT |
		    SKEP_PROG_F_TEST_STATE_FREQ | SKEP_PROG_F_SLEEPABLE |
		    SKEP_PROG_F_TEST_RND_HI32 | SKEP_PROG_F_XDP_HAS_FRAGS |
		    SKEP_PROG_F_XDP_DEV_BOUND_ONLY | SKEP_PROG_F_TEST_REG_INVARIANTS |
		    SKEP_PROG_F_TOKEN_FD;
	char license[128] = "";
	long n;
	int err;

	if (a->prog_flags & ~known)
		return -EINVAL;
	if (a->prog_flags & SKEP_PROG_F_TOKEN_FD)
		return skep_no_token(a->prog_token_fd);
	if (!a->insn_cnt || a->insn_cnt > MAX_INSNS)
		return -E2BIG;
	err = find_target(l);
	if (!err)
		err = check_attach(a, l->attach_btf, l->target);
	if (err)
		return err;
	l->insns = skep_calloc(a->insn_cnt, sizeof(struct bpf_insn));
	if (!l->insns)
		return -ENOMEM;
	if (skep_copy_from_user(l->caller, l->insns, a->insns,
				a->insn_cnt * sizeof(struct bpf_insn)))
		return -EFAULT;
	n = skep_strncpy_from_user(l->caller, license, a->license, sizeof(license) - 1);
	if (n < 0)
		return (int)n;
	l->gpl = license_is_gpl(license);
	if (a->signature)
		return -EOPNOTSUPP;
	err = check_device(a);
	if (err)
		return err;
	err = skep_copy_name(l->name, a->prog_name);
	if (!err && !skep_prog_type(a->prog_type))
		err = -EINVAL;
	if (!err)
		err = read_log_request(l);
	if (!err)
		err = read_infos(l);
	return err ? err : read_fds(l);
}

static int verify(struct load *l)
{
	const struct skep_attr_prog_load *a = l->attr;
	struct skep_verify_target target = {0};
	struct skep_verify_req req = {
		.host = skep_load_host_window(l->host),
		.insns = l->insns,
		.nr_insns = a->insn_cnt,
		.prog_type = a->prog_type,
		.attach_type = a->expected_attach_type,
		.flags = a->prog_flags,
		.gpl = l->gpl,
		.name = l->name,
		.attach_btf = l->attach_btf,
		.attach_btf_id = a->attach_btf_id,
		.target = l->target ? &target : NULL,
		.prog_btf = l->prog_btf,
		.func_info = l->funcs.data,
		.nr_func_info = a->func_info_cnt,
		.line_info = l->lines.data,
		.nr_line_info = a->line_info_cnt,
		.prog_btf_err = l->btf_err,
		.func_info_err = l->funcs.err,
		.func_info_read = l->funcs.read,
		.func_info_rec_size = a->func_info_rec_size,
		.line_info_err = l->lines.err,
		.line_info_read = l->lines.read,
		.fd_array_fds = (const u32 *)l->fds,
		.fd_array_cnt = l->fds_read,
		.fd_array_err = l->fds_err,
		.core_relo_cnt = a->core_relo_cnt,
		.log_level = a->log_level,
		.log_buf = l->log,
		.log_size = a->log_size,
	};

	if (l->target)
		target = (struct skep_verify_target){
			.prog_type = l->target->type,
			.attach_type = l->target->attach_type,
			.subprogs = l->target->code.subprogs,
			.nr_subprogs = l->target->code.nr_subprogs,
		};
	return skep_verify(&req, &l->code, &l->res);
}

/* The log and its true size go to the user whatever the verdict. */
static int answer_log(struct load *l, int verdict, u64 uattr, u32 size)
{
	const u32 off = offsetof(struct skep_attr_prog_load, log_true_size);

	if (l->log && skep_copy_to_user(l->caller, l->attr->log_buf, l->log, l->res.log_len + 1))
		return -EFAULT;
	if (size >= off + sizeof(u32) &&
	    skep_copy_to_user(l->caller, uattr + off, &l->res.log_true_size, sizeof(u32)))
		return -EFAULT;
	return verdict;
}

static void prog_free_now(struct skep_prog *p)
{
	skep_jit_free(&p->image);
	skep_vprog_fini(&p->code);
	for (u32 i = 0; i < p->nr_maps; i++)
		skep_map_put(p->maps[i]);
	skep_free(p->loaded_insns);
	skep_free(p->maps);
	skep_btf_put(p->btf);
	skep_btf_put(p->attach_btf);
	skep_free(p->func_info);
	skep_free(p->line_info);
	skep_free(p);
}

static void free_after_grace(struct skep_rcu_head *head)
{
	prog_free_now(container_of(head, struct skep_prog, obj.rcu));
}

static void prog_release(struct skep_obj *o)
{
	skep_rcu_defer(&o->rcu, free_after_grace);
}

static const struct skep_obj_ops prog_ops = {.release = prog_release};

/* An unpublished object around the verified code; owns everything it names. */
static int make_prog(struct load *l, struct skep_prog **ret)
{
	const struct skep_attr_prog_load *a = l->attr;
	struct skep_prog *p = skep_zalloc(sizeof(*p));
	struct timespec ts;

	if (!p)
		return -ENOMEM;
	p->maps = skep_calloc(l->code.nr_maps + 1, sizeof(*p->maps));
	if (!p->maps || skep_prog_keep_insns(p, l->insns, a->insn_cnt)) {
		skep_free(p->maps);
		skep_free(p);
		return -ENOMEM;
	}
	skep_obj_init(&p->obj, SKEP_OBJ_PROG, &prog_ops);
	p->type = a->prog_type;
	p->attach_type = a->expected_attach_type;
	p->flags = a->prog_flags;
	p->gpl = l->gpl;
	p->sleepable = l->code.sleepable;
	p->enforce_attach_type = l->res.enforce_attach_type;
	memcpy(p->name, l->name, sizeof(p->name));
	clock_gettime(CLOCK_BOOTTIME, &ts);
	p->load_time_ns = (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
	p->uid = (u32)skep_raw(__NR_getuid);
	p->verified_insns = l->res.stats.processed;
	for (; p->nr_maps < l->code.nr_maps; p->nr_maps++) {
		p->maps[p->nr_maps] = skep_map_of_facts(l->code.maps[p->nr_maps]);
		skep_load_host_take(l->host, p->maps[p->nr_maps]);
	}
	if (l->res.attach_name)
		strncpy(p->attach_name, l->res.attach_name, sizeof(p->attach_name) - 1);
	p->attach_nr_args = l->res.attach_nr_args;
	p->attach_btf_id = a->attach_btf_id;
	p->attach_btf = l->attach_btf;
	l->attach_btf = NULL;
	p->btf = l->prog_btf;
	l->prog_btf = NULL;
	p->func_info = l->funcs.data;
	p->nr_func_info = a->func_info_cnt;
	l->funcs.data = NULL;
	p->line_info = l->lines.data;
	p->nr_line_info = a->line_info_cnt;
	l->lines.data = NULL;
	p->code = l->code;
	memset(&l->code, 0, sizeof(l->code));
	*ret = p;
	return 0;
}

/* Programs that share a program array must be of one kind. */
static int check_tail_calls(const struct skep_prog *p)
{
	for (u32 i = 0; i < p->nr_maps; i++)
		if (p->maps[i]->facts.type == BPF_MAP_TYPE_PROG_ARRAY &&
		    !skep_prog_array_compatible(p->maps[i], p))
			return -EINVAL;
	return 0;
}

/* --- what it took --- */

static struct skep_load_times times;

struct skep_load_times skep_load_times(void)
{
	return (struct skep_load_times){
		.programs = SKEP_READ(times.programs),
		.insns = SKEP_READ(times.insns),
		.verify_ns = SKEP_READ(times.verify_ns),
		.rewrite_ns = SKEP_READ(times.rewrite_ns),
		.compile_ns = SKEP_READ(times.compile_ns),
	};
}

static void count(u64 *sum, u64 n)
{
	__atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

static int make_runnable(struct skep_prog *p)
{
	u64 start = now_ns(), rewritten = start;
	int err = skep_engine_rewrite(p);

	if (!err) {
		rewritten = now_ns();
		err = skep_engine_build(p);
	}
	if (!err) {
		count(&times.rewrite_ns, rewritten - start);
		count(&times.compile_ns, now_ns() - rewritten);
	}
	return err ? err : check_tail_calls(p);
}

static void load_fini(struct load *l)
{
	skep_vprog_fini(&l->code);
	skep_load_host_free(l->host);
	skep_btf_put(l->prog_btf);
	skep_btf_put(l->attach_btf);
	if (l->target)
		skep_obj_put(&l->target->obj);
	skep_free(l->insns);
	skep_free(l->funcs.data);
	skep_free(l->lines.data);
	skep_free(l->fds);
	skep_pages_free(l->log, l->attr->log_size);
}

struct skep_prog *skep_prog_load(const struct skep_caller *c,
				 const struct skep_attr_prog_load *attr, u64 uattr, u32 size)
{
	struct load l = {.caller = c, .attr = attr, .uattr = uattr};
	struct skep_prog *p = NULL;
	u64 start = 0, verified = 0;
	int err = read_request(&l);

	if (!err) {
		l.host = skep_load_host_new(c, attr->fd_array, attr->prog_type);
		err = l.host ? 0 : -ENOMEM;
	}
	start = now_ns();
	if (!err)
		err = answer_log(&l, verify(&l), uattr, size);
	verified = now_ns();
	if (!err)
		err = make_prog(&l, &p);
	if (!err && !skep_verdict_only)
		err = make_runnable(p);
	if (!err)
		err = skep_obj_publish(&p->obj);
	if (!err) {
		count(&times.programs, 1);
		count(&times.insns, attr->insn_cnt);
		count(&times.verify_ns, verified - start);
	}
	load_fini(&l);
	if (err && p)
		prog_free_now(p);
	return err ? skep_err_ptr(err) : p;
}

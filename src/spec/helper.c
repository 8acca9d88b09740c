/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-up in the table of helpers (helpers.def).
 */
#include "spec/helper.h"

#define A(kind, size, btf) kind, size, btf
#define R(ret, btf) ret, btf
#define ROW_(id_, name_, fn_, ret_, rb_, a1, s1, b1, a2, s2, b2, a3, s3, b3, a4, s4, b4, a5, s5,   \
	     b5, flags_, ctx_)                                                                     \
	{.id = id_,                                                                                \
	 .name = name_,                                                                            \
	 .variant = fn_,                                                                           \
	 .arg = {a1, a2, a3, a4, a5},                                                              \
	 .arg_size = {s1, s2, s3, s4, s5},                                                         \
	 .arg_btf = {b1, b2, b3, b4, b5},                                                          \
	 .ret = ret_,                                                                              \
	 .ret_btf = rb_,                                                                           \
	 .flags = flags_,                                                                          \
	 .contexts = ctx_},
#define ROW(...) ROW_(__VA_ARGS__)
#define SKEP_HELPER(id, name, fn, ret, a1, a2, a3, a4, a5, flags, ctx)                             \
	ROW(id, name, fn, ret, a1, a2, a3, a4, a5, flags, ctx)

static const struct skep_helper_row rows[] = {
#include "spec/helpers.def"
};

/* rows are sorted by id: the first row of an id, or ARRAY_SIZE(rows). */
static u32 first_row(u32 id)
{
	u32 lo = 0, hi = ARRAY_SIZE(rows);

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (rows[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct skep_helper_row *skep_helper_row(u32 id, enum skep_ctx_id ctx)
{
	if (ctx >= SKEP_NR_CTX)
		return NULL;
	for (u32 i = first_row(id); i < ARRAY_SIZE(rows) && rows[i].id == id; i++)
		if (rows[i].contexts >> ctx & 1)
			return &rows[i];
	return NULL;
}

const char *skep_helper_name(u32 id)
{
	u32 i = first_row(id);

	return i < ARRAY_SIZE(rows) && rows[i].id == id ? rows[i].name : NULL;
}

const struct skep_helper_row *skep_helper_rows(u32 *ret_n)
{
	*ret_n = ARRAY_SIZE(rows);
	return rows;
}

static enum skep_ctx_id tracing_context(u32 attach_type, bool sleepable)
{
	switch (attach_type) {
	case BPF_TRACE_RAW_TP:
		return SKEP_CTX_TP_BTF_SYS_ENTER;
	case BPF_TRACE_FENTRY:
		return sleepable ? SKEP_CTX_FENTRY_S_BPF_FENTRY_TEST1
				 : SKEP_CTX_FENTRY_BPF_FENTRY_TEST1;
	case BPF_TRACE_FEXIT:
		return SKEP_CTX_FEXIT_BPF_FENTRY_TEST1;
	case BPF_MODIFY_RETURN:
		return SKEP_CTX_FMOD_RET_BPF_MODIFY_RETURN_TEST;
	case BPF_TRACE_ITER:
		return sleepable ? SKEP_CTX_ITER_S_TASK : SKEP_CTX_ITER_TASK;
	default:
		return SKEP_CTX_TP_BTF_SYS_ENTER;
	}
}

static enum skep_ctx_id sock_addr_context(u32 attach_type)
{
	switch (attach_type) {
	case BPF_CGROUP_INET4_BIND:
	case BPF_CGROUP_INET6_BIND:
		return SKEP_CTX_CGROUP_SOCK_ADDR_BIND4;
	case BPF_CGROUP_INET4_CONNECT:
	case BPF_CGROUP_INET6_CONNECT:
		return SKEP_CTX_CGROUP_SOCK_ADDR_CONNECT4;
	case BPF_CGROUP_UDP4_SENDMSG:
	case BPF_CGROUP_UDP6_SENDMSG:
		return SKEP_CTX_CGROUP_SOCK_ADDR_SENDMSG4;
	case BPF_CGROUP_UDP4_RECVMSG:
	case BPF_CGROUP_UDP6_RECVMSG:
	case SKEP_CGROUP_UNIX_RECVMSG:
		return SKEP_CTX_CGROUP_SOCK_ADDR_RECVMSG4;
	case BPF_CGROUP_INET4_GETPEERNAME:
	case BPF_CGROUP_INET6_GETPEERNAME:
	case BPF_CGROUP_INET4_GETSOCKNAME:
	case BPF_CGROUP_INET6_GETSOCKNAME:
	case SKEP_CGROUP_UNIX_GETPEERNAME:
	case SKEP_CGROUP_UNIX_GETSOCKNAME:
		return SKEP_CTX_CGROUP_SOCK_ADDR_GETPEERNAME4;
	default:
		return SKEP_CTX_CGROUP_SOCK_ADDR_CONNECT_UNIX;
	}
}

static enum skep_ctx_id kprobe_context(u32 attach_type, bool sleepable)
{
	switch (attach_type) {
	case BPF_TRACE_KPROBE_MULTI:
		return SKEP_CTX_KPROBE_MULTI;
	case SKEP_TRACE_KPROBE_SESSION:
		return SKEP_CTX_KPROBE_SESSION;
	case SKEP_TRACE_UPROBE_MULTI:
	case SKEP_TRACE_UPROBE_SESSION:
		return sleepable ? SKEP_CTX_UPROBE_MULTI_S : SKEP_CTX_UPROBE_MULTI;
	default:
		return sleepable ? SKEP_CTX_UPROBE_MULTI_S : SKEP_CTX_KPROBE;
	}
}

enum skep_ctx_id skep_context_of(u32 prog_type, u32 attach_type, bool sleepable)
{
	static const u8 plain[SKEP_NR_PROG_TYPES] = {
		[BPF_PROG_TYPE_SOCKET_FILTER] = SKEP_CTX_SOCKET_FILTER,
		[BPF_PROG_TYPE_SCHED_CLS] = SKEP_CTX_SCHED_CLS,
		[BPF_PROG_TYPE_SCHED_ACT] = SKEP_CTX_SCHED_ACT,
		[BPF_PROG_TYPE_TRACEPOINT] = SKEP_CTX_TRACEPOINT,
		[BPF_PROG_TYPE_XDP] = SKEP_CTX_XDP,
		[BPF_PROG_TYPE_PERF_EVENT] = SKEP_CTX_PERF_EVENT,
		[BPF_PROG_TYPE_LWT_IN] = SKEP_CTX_LWT_IN,
		[BPF_PROG_TYPE_LWT_OUT] = SKEP_CTX_LWT_OUT,
		[BPF_PROG_TYPE_LWT_XMIT] = SKEP_CTX_LWT_XMIT,
		[BPF_PROG_TYPE_LWT_SEG6LOCAL] = SKEP_CTX_LWT_SEG6LOCAL,
		[BPF_PROG_TYPE_SOCK_OPS] = SKEP_CTX_SOCK_OPS,
		[BPF_PROG_TYPE_SK_SKB] = SKEP_CTX_SK_SKB_VERDICT,
		[BPF_PROG_TYPE_CGROUP_DEVICE] = SKEP_CTX_CGROUP_DEVICE,
		[BPF_PROG_TYPE_SK_MSG] = SKEP_CTX_SK_MSG,
		[BPF_PROG_TYPE_RAW_TRACEPOINT] = SKEP_CTX_RAW_TRACEPOINT,
		[BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE] = SKEP_CTX_RAW_TRACEPOINT_WRITABLE,
		[BPF_PROG_TYPE_SK_REUSEPORT] = SKEP_CTX_SK_REUSEPORT,
		[BPF_PROG_TYPE_FLOW_DISSECTOR] = SKEP_CTX_FLOW_DISSECTOR,
		[BPF_PROG_TYPE_CGROUP_SYSCTL] = SKEP_CTX_CGROUP_SYSCTL,
		[BPF_PROG_TYPE_SK_LOOKUP] = SKEP_CTX_SK_LOOKUP,
		[BPF_PROG_TYPE_SYSCALL] = SKEP_CTX_SYSCALL,
		[BPF_PROG_TYPE_LIRC_MODE2] = SKEP_CTX_LIRC_MODE2,
		[SKEP_PROG_TYPE_NETFILTER] = SKEP_CTX_NETFILTER,
		[BPF_PROG_TYPE_STRUCT_OPS] = SKEP_CTX_STRUCT_OPS_TCP_CONGESTION_OPS_SSTHRESH,
	};

	switch (prog_type) {
	case BPF_PROG_TYPE_KPROBE:
		return kprobe_context(attach_type, sleepable);
	case BPF_PROG_TYPE_TRACING:
		return tracing_context(attach_type, sleepable);
	case BPF_PROG_TYPE_CGROUP_SKB:
		return attach_type == BPF_CGROUP_INET_EGRESS ? SKEP_CTX_CGROUP_SKB_EGRESS
							     : SKEP_CTX_CGROUP_SKB_INGRESS;
	case BPF_PROG_TYPE_CGROUP_SOCK:
		if (attach_type == BPF_CGROUP_INET_SOCK_RELEASE)
			return SKEP_CTX_CGROUP_SOCK_RELEASE;
		return attach_type == BPF_CGROUP_INET4_POST_BIND ||
				       attach_type == BPF_CGROUP_INET6_POST_BIND
			       ? SKEP_CTX_CGROUP_SOCK_POST_BIND4
			       : SKEP_CTX_CGROUP_SOCK_CREATE;
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
		return sock_addr_context(attach_type);
	case BPF_PROG_TYPE_CGROUP_SOCKOPT:
		return attach_type == BPF_CGROUP_SETSOCKOPT ? SKEP_CTX_CGROUP_SOCKOPT_SET
							    : SKEP_CTX_CGROUP_SOCKOPT_GET;
	case BPF_PROG_TYPE_LSM:
		if (attach_type == BPF_LSM_CGROUP)
			return SKEP_CTX_LSM_CGROUP_SOCKET_BIND;
		return sleepable ? SKEP_CTX_LSM_S_FILE_OPEN : SKEP_CTX_LSM_FILE_OPEN;
	case BPF_PROG_TYPE_SOCKET_FILTER:
		return SKEP_CTX_SOCKET_FILTER;
	default:
		/* SOCKET_FILTER's number is 0, the table's value for "none". */
		return prog_type < SKEP_NR_PROG_TYPES && plain[prog_type] ? plain[prog_type]
									  : SKEP_NR_CTX;
	}
}

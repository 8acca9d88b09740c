/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of context rules.
 */
#include "spec/ctx_rules.h"

#include "spec/prog_type.h"

#define AT(n) (1ull << (n))
#define ANY 15	 /* every size */
#define NARROW 7 /* a u32 and its parts */

/* Whole u32s. */
#define WORDS(lo, hi, w)                                                                           \
	{                                                                                          \
		lo, hi, 4, 4, w, SKEP_FV_SCALAR, 0, NULL                                           \
	}
/* Parts of u32s, wherever they lie. */
#define PARTS(lo, hi, w)                                                                           \
	{                                                                                          \
		lo, hi, 1, NARROW, w, SKEP_FV_SCALAR, 0, NULL                                      \
	}
/* The same behind some attach types. */
#define PARTS_AT(lo, hi, r, w, at)                                                                 \
	{                                                                                          \
		lo, hi, 1, r, w, SKEP_FV_SCALAR, at, NULL                                          \
	}
#define LONG(o)                                                                                    \
	{                                                                                          \
		o, (o) + 8, 0, 8, 0, SKEP_FV_SCALAR, 0, NULL                                       \
	}
#define PTR(o, size, v)                                                                            \
	{                                                                                          \
		o, (o) + (size), 0, size, 0, v, 0, NULL                                            \
	}

static const struct skep_ctx_rule perf_event[] = {
	{0, 168, 8, 8, 0, SKEP_FV_SCALAR, 0, NULL},
	{168, 184, 1, ANY, 0, SKEP_FV_SCALAR, 0, NULL},
};

#define CREATE (AT(0) | AT(BPF_CGROUP_INET_SOCK_CREATE) | AT(BPF_CGROUP_INET_SOCK_RELEASE))
#define POST4 AT(BPF_CGROUP_INET4_POST_BIND)
#define POST6 AT(BPF_CGROUP_INET6_POST_BIND)
static const struct skep_ctx_rule cgroup_sock[] = {
	{0, 4, 0, 4, 4, SKEP_FV_SCALAR, CREATE, NULL},		     /* bound_dev_if */
	{4, 8, 0, NARROW, 0, SKEP_FV_SCALAR, 0, NULL},		     /* family */
	{8, 12, 0, NARROW, 0, SKEP_FV_SCALAR, 0, NULL},		     /* type */
	{12, 16, 0, NARROW, 0, SKEP_FV_SCALAR, 0, NULL},	     /* protocol */
	{16, 24, 4, 4, 4, SKEP_FV_SCALAR, CREATE, NULL},	     /* mark, priority */
	{24, 28, 1, NARROW, 0, SKEP_FV_SCALAR, POST4, NULL},	     /* src_ip4 */
	{28, 44, 1, NARROW, 0, SKEP_FV_SCALAR, POST6, NULL},	     /* src_ip6 */
	{44, 48, 0, NARROW, 0, SKEP_FV_SCALAR, POST4 | POST6, NULL}, /* src_port */
	{48, 50, 1, 3, 0, SKEP_FV_SCALAR, 0, NULL},		     /* dst_port, two bytes ... */
	{48, 52, 0, 4, 0, SKEP_FV_SCALAR, 0, NULL},		     /* ... or with its padding */
	PARTS(52, 72, 0),					     /* dst_ip4, dst_ip6 */
	{72, 76, 0, NARROW, 0, SKEP_FV_SCALAR, 0, NULL},	     /* state */
	{76, 80, 0, NARROW, 0, SKEP_FV_SCALAR, 0, NULL},	     /* rx_queue_mapping */
};

static const struct skep_ctx_rule sock_ops[] = {
	WORDS(4, 8, 4),	    /* reply */
	WORDS(164, 168, 4), /* sk_txhash */
	WORDS(0, 168, 0),
	LONG(168),
	LONG(176),
	PTR(184, 8, SKEP_FV_SOCKET_OR_NULL),
	PTR(192, 8, SKEP_FV_PKT),
	PTR(200, 8, SKEP_FV_PKT_END),
	WORDS(208, 212, 0),
	{212, 216, 0, NARROW, 0, SKEP_FV_SCALAR, 0, NULL}, /* skb_tcp_flags */
	LONG(216),
};

static const struct skep_ctx_rule sk_skb[] = {
	{32, 36, 1, NARROW, 4, SKEP_FV_SCALAR, 0, NULL}, /* priority */
	{44, 48, 1, NARROW, 4, SKEP_FV_SCALAR, 0, NULL}, /* tc_index */
	PARTS(0, 8, 0),
	PARTS(12, 48, 0),
	{48, 68, 1, ANY, 0, SKEP_FV_SCALAR, 0, NULL}, /* cb */
	PARTS(68, 72, 0),
	PTR(76, 4, SKEP_FV_PKT),
	PTR(80, 4, SKEP_FV_PKT_END),
	PARTS(84, 92, 0),
	WORDS(92, 132, 0), /* addresses */
	PARTS(132, 140, 0),
	PARTS(164, 168, 0),
	PTR(168, 8, SKEP_FV_SOCK_COMMON_OR_NULL),
	PARTS(176, 180, 0),
};

static const struct skep_ctx_rule cgroup_device[] = {PARTS(0, 4, 0), WORDS(4, 12, 0)};

static const struct skep_ctx_rule sk_msg[] = {
	PTR(0, 8, SKEP_FV_PKT),
	PTR(8, 8, SKEP_FV_PKT_END),
	WORDS(16, 72, 0),
	PTR(72, 8, SKEP_FV_SOCKET),
};

/* The first argument is the tracepoint's own buffer. */
static const struct skep_ctx_rule raw_tp_writable[] = {
	PTR(0, 8, SKEP_FV_TP_BUFFER),
	{1, 96, 1, NARROW, 0, SKEP_FV_SCALAR, 0, NULL},
	{8, 96, 8, 8, 0, SKEP_FV_SCALAR, 0, NULL},
};

#define INET4                                                                                      \
	(AT(BPF_CGROUP_INET4_BIND) | AT(BPF_CGROUP_INET4_CONNECT) | AT(BPF_CGROUP_UDP4_SENDMSG) |  \
	 AT(BPF_CGROUP_UDP4_RECVMSG) | AT(BPF_CGROUP_INET4_GETPEERNAME) |                          \
	 AT(BPF_CGROUP_INET4_GETSOCKNAME))
#define INET6                                                                                      \
	(AT(BPF_CGROUP_INET6_BIND) | AT(BPF_CGROUP_INET6_CONNECT) | AT(BPF_CGROUP_UDP6_SENDMSG) |  \
	 AT(BPF_CGROUP_UDP6_RECVMSG) | AT(BPF_CGROUP_INET6_GETPEERNAME) |                          \
	 AT(BPF_CGROUP_INET6_GETSOCKNAME))
static const struct skep_ctx_rule sock_addr[] = {
	WORDS(0, 4, 0), /* user_family */
	PARTS_AT(4, 8, NARROW, 4, INET4),
	PARTS_AT(8, 24, ANY, 4 | 8, INET6),
	PARTS(24, 28, 4), /* user_port */
	WORDS(28, 40, 0), /* family, type, protocol */
	PARTS_AT(40, 44, NARROW, 4, AT(BPF_CGROUP_UDP4_SENDMSG)),
	PARTS_AT(44, 60, ANY, 4 | 8, AT(BPF_CGROUP_UDP6_SENDMSG)),
	PTR(64, 8, SKEP_FV_SOCKET),
};

static const struct skep_ctx_rule sk_reuseport[] = {
	PTR(0, 8, SKEP_FV_PKT),
	PTR(8, 8, SKEP_FV_PKT_END),
	PARTS(16, 20, 0),				/* len */
	{20, 24, 0, 2 | 4, 0, SKEP_FV_SCALAR, 0, NULL}, /* eth_protocol */
	{22, 24, 0, 2, 0, SKEP_FV_SCALAR, 0, NULL},
	PARTS(24, 32, 0), /* ip_protocol, bind_inany */
	WORDS(32, 36, 0), /* hash */
	PTR(40, 8, SKEP_FV_SOCKET),
	PTR(48, 8, SKEP_FV_SOCK_COMMON_OR_NULL),
};

static const struct skep_ctx_rule flow_dissector[] = {
	PTR(76, 4, SKEP_FV_PKT),
	PTR(80, 4, SKEP_FV_PKT_END),
	PTR(144, 8, SKEP_FV_FLOW_KEYS),
};

static const struct skep_ctx_rule cgroup_sysctl[] = {PARTS(0, 4, 0), PARTS(4, 8, 4)};

#define GET AT(BPF_CGROUP_GETSOCKOPT)
#define SET AT(BPF_CGROUP_SETSOCKOPT)
static const struct skep_ctx_rule sockopt[] = {
	PTR(0, 8, SKEP_FV_SOCKET),
	PTR(8, 8, SKEP_FV_PKT),
	PTR(16, 8, SKEP_FV_PKT_END),
	{24, 32, 4, 4, 4, SKEP_FV_SCALAR, SET, NULL}, /* level, optname */
	WORDS(24, 32, 0),
	WORDS(32, 36, 4),			      /* optlen */
	{36, 40, 0, 4, 4, SKEP_FV_SCALAR, GET, NULL}, /* retval */
};

static const struct skep_ctx_rule sk_lookup[] = {
	PTR(0, 8, SKEP_FV_SOCKET_OR_NULL),
	PARTS(8, 68, 0),
};

static const struct skep_ctx_rule netfilter[] = {
	{0, 8, 0, 8, 0, SKEP_FV_BTF, 0, "nf_hook_state"},
	{8, 16, 0, 8, 0, SKEP_FV_BTF, 0, "sk_buff"},
};

#define RULES(t)                                                                                   \
	{                                                                                          \
		t, ARRAY_SIZE(t)                                                                   \
	}
static const struct {
	const struct skep_ctx_rule *rules;
	u32 nr;
} of_type[SKEP_NR_PROG_TYPES] = {
	[BPF_PROG_TYPE_PERF_EVENT] = RULES(perf_event),
	[BPF_PROG_TYPE_CGROUP_SOCK] = RULES(cgroup_sock),
	[BPF_PROG_TYPE_SOCK_OPS] = RULES(sock_ops),
	[BPF_PROG_TYPE_SK_SKB] = RULES(sk_skb),
	[BPF_PROG_TYPE_CGROUP_DEVICE] = RULES(cgroup_device),
	[BPF_PROG_TYPE_SK_MSG] = RULES(sk_msg),
	[BPF_PROG_TYPE_CGROUP_SOCK_ADDR] = RULES(sock_addr),
	[BPF_PROG_TYPE_SK_REUSEPORT] = RULES(sk_reuseport),
	[BPF_PROG_TYPE_FLOW_DISSECTOR] = RULES(flow_dissector),
	[BPF_PROG_TYPE_CGROUP_SYSCTL] = RULES(cgroup_sysctl),
	[BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE] = RULES(raw_tp_writable),
	[BPF_PROG_TYPE_CGROUP_SOCKOPT] = RULES(sockopt),
	[BPF_PROG_TYPE_SK_LOOKUP] = RULES(sk_lookup),
	[SKEP_PROG_TYPE_NETFILTER] = RULES(netfilter),
};

const struct skep_ctx_rule *skep_ctx_rules(u32 prog_type, u32 *ret_nr)
{
	*ret_nr = prog_type < SKEP_NR_PROG_TYPES ? of_type[prog_type].nr : 0;
	return *ret_nr ? of_type[prog_type].rules : NULL;
}

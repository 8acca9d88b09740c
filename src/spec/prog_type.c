/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of program types and the field tables of their contexts.
 */
#include "spec/prog_type.h"

#include "spec/ctx.h"

/* clang-format off */
#define R SKEP_FIELD_R
#define W SKEP_FIELD_W
#define N SKEP_FIELD_NARROW

#define SKB_(f, o, s, v, fl, rt) { #f, o, s, v, fl, offsetof(struct skep_skb_ctx, rt), \
		sizeof(((struct skep_skb_ctx *)0)->rt) }
#define SKB(f, o, fl) SKB_(f, o, 4, SKEP_FV_SCALAR, fl, f)

/* Writable parts differ by program type. */
#define SKB_HEAD(mark_w, queue_w, prio_w, tci_w) \
	SKB(len, 0, R | N), SKB(pkt_type, 4, R | N), SKB(mark, 8, R | N | (mark_w)), \
	SKB(queue_mapping, 12, R | N | (queue_w)), SKB(protocol, 16, R | N), \
	SKB(vlan_present, 20, R | N), SKB(vlan_tci, 24, R | N), SKB(vlan_proto, 28, R | N), \
	SKB(priority, 32, R | N | (prio_w)), SKB(ingress_ifindex, 36, R | N), \
	SKB(ifindex, 40, R | N), SKB(tc_index, 44, R | N | (tci_w))
#define SKB_CB(fl) \
	SKB_(cb0, 48, 4, SKEP_FV_SCALAR, R | N | SKEP_FIELD_WIDE | (fl), cb[0]), \
	SKB_(cb1, 52, 4, SKEP_FV_SCALAR, R | N | SKEP_FIELD_WIDE | (fl), cb[1]), \
	SKB_(cb2, 56, 4, SKEP_FV_SCALAR, R | N | SKEP_FIELD_WIDE | (fl), cb[2]), \
	SKB_(cb3, 60, 4, SKEP_FV_SCALAR, R | N | SKEP_FIELD_WIDE | (fl), cb[3]), \
	SKB_(cb4, 64, 4, SKEP_FV_SCALAR, R | N | SKEP_FIELD_WIDE | (fl), cb[4])
#define SKB_PKT \
	SKB_(data, 76, 4, SKEP_FV_PKT, R, data), SKB_(data_end, 80, 4, SKEP_FV_PKT_END, R, data_end)
#define SKB_FAMILY \
	SKB(family, 88, R | N), SKB(remote_ip4, 92, R), SKB(local_ip4, 96, R), \
	SKB_(remote_ip6, 100, 4, SKEP_FV_SCALAR, R, remote_ip6[0]), \
	SKB_(remote_ip6, 104, 4, SKEP_FV_SCALAR, R, remote_ip6[1]), \
	SKB_(remote_ip6, 108, 4, SKEP_FV_SCALAR, R, remote_ip6[2]), \
	SKB_(remote_ip6, 112, 4, SKEP_FV_SCALAR, R, remote_ip6[3]), \
	SKB_(local_ip6, 116, 4, SKEP_FV_SCALAR, R, local_ip6[0]), \
	SKB_(local_ip6, 120, 4, SKEP_FV_SCALAR, R, local_ip6[1]), \
	SKB_(local_ip6, 124, 4, SKEP_FV_SCALAR, R, local_ip6[2]), \
	SKB_(local_ip6, 128, 4, SKEP_FV_SCALAR, R, local_ip6[3]), \
	SKB(remote_port, 132, R | N), SKB(local_port, 136, R | N)
#define SKB_GSO \
	SKB(gso_segs, 164, R | N), \
	SKB_(sk, 168, 8, SKEP_FV_SOCK_COMMON_OR_NULL, R, sk), SKB(gso_size, 176, R | N)

static const struct skep_ctx_field skb_socket_filter[] = {
	SKB_HEAD(0, 0, 0, 0), SKB_CB(W), SKB(hash, 68, R | N), SKB(napi_id, 84, R | N), SKB_GSO,
};

static const struct skep_ctx_field skb_cls[] = {
	SKB_HEAD(W, W, W, W), SKB_CB(W), SKB(hash, 68, R | N), SKB(tc_classid, 72, R | N | W),
	SKB_PKT, SKB(napi_id, 84, R | N),
	SKB_(data_meta, 140, 4, SKEP_FV_PKT_META, R, data_meta),
	SKB_(tstamp, 152, 8, SKEP_FV_SCALAR, R | W, tstamp), SKB(wire_len, 160, R | N), SKB_GSO,
	SKB_(tstamp_type, 180, 1, SKEP_FV_SCALAR, R, tstamp_type),
	SKB_(hwtstamp, 184, 8, SKEP_FV_SCALAR, R, hwtstamp),
};

static const struct skep_ctx_field skb_cgroup[] = {
	SKB_HEAD(W, 0, W, 0), SKB_CB(W), SKB(hash, 68, R | N), SKB_PKT, SKB(napi_id, 84, R | N),
	SKB_FAMILY, SKB_(tstamp, 152, 8, SKEP_FV_SCALAR, R | W, tstamp), SKB_GSO,
	SKB_(hwtstamp, 184, 8, SKEP_FV_SCALAR, R, hwtstamp),
};

static const struct skep_ctx_field skb_lwt[] = {
	SKB_HEAD(W, 0, W, 0), SKB_CB(W), SKB(hash, 68, R | N), SKB_PKT, SKB(napi_id, 84, R | N),
	SKB_GSO,
};

#define XDP(f, o, v, fl) { #f, o, 4, v, fl, offsetof(struct skep_xdp_ctx, f), \
		sizeof(((struct skep_xdp_ctx *)0)->f) }
static const struct skep_ctx_field xdp_fields[] = {
	XDP(data, 0, SKEP_FV_PKT, R),
	XDP(data_end, 4, SKEP_FV_PKT_END, R),
	XDP(data_meta, 8, SKEP_FV_PKT_META, R),
	XDP(ingress_ifindex, 12, SKEP_FV_SCALAR, R),
	XDP(rx_queue_index, 16, SKEP_FV_SCALAR, R),
	XDP(egress_ifindex, 20, SKEP_FV_SCALAR, R),
};

#define PR SKEP_PT_PKT_READ
#define PW (SKEP_PT_PKT_READ | SKEP_PT_PKT_WRITE)
#define RUN SKEP_PT_RUNNABLE
#define ABS SKEP_PT_LD_ABS
#define NEEDS SKEP_PT_NEEDS_ATTACH_TYPE
#define TABLE(t) .access = SKEP_CTX_TABLE, .fields = t, .nr_fields = ARRAY_SIZE(t)
#define SKB_CTX .ctx_name = "__sk_buff", .ctx_size = 192
#define RET(lo, hi) .ret_checked = true, .ret_min = lo, .ret_max = hi

static const struct skep_prog_type_row rows[SKEP_NR_PROG_TYPES] = {
	[BPF_PROG_TYPE_UNSPEC] = { .type = BPF_PROG_TYPE_UNSPEC, .name = "unspec" },
	[BPF_PROG_TYPE_SOCKET_FILTER] = { .type = BPF_PROG_TYPE_SOCKET_FILTER, .name = "socket_filter", SKB_CTX,
					  TABLE(skb_socket_filter), .flags = RUN | ABS },
	[BPF_PROG_TYPE_KPROBE] = { .type = BPF_PROG_TYPE_KPROBE, .name = "kprobe", .ctx_name = "bpf_user_pt_regs_t",
				   .ctx_size = 168, .access = SKEP_CTX_ARGS },
	[BPF_PROG_TYPE_SCHED_CLS] = { .type = BPF_PROG_TYPE_SCHED_CLS, .name = "sched_cls", SKB_CTX, TABLE(skb_cls),
				      .flags = RUN | ABS | PW },
	[BPF_PROG_TYPE_SCHED_ACT] = { .type = BPF_PROG_TYPE_SCHED_ACT, .name = "sched_act", SKB_CTX, TABLE(skb_cls),
				      .flags = RUN | ABS | PW },
	[BPF_PROG_TYPE_TRACEPOINT] = { .type = BPF_PROG_TYPE_TRACEPOINT, .name = "tracepoint", .ctx_size = 8192,
				       .access = SKEP_CTX_ARGS },
	[BPF_PROG_TYPE_XDP] = { .type = BPF_PROG_TYPE_XDP, .name = "xdp", .ctx_name = "xdp_md", .ctx_size = 24,
				TABLE(xdp_fields), .flags = RUN | PW },
	[BPF_PROG_TYPE_PERF_EVENT] = { .type = BPF_PROG_TYPE_PERF_EVENT, .name = "perf_event", .access = SKEP_CTX_RULES, .ctx_name = "bpf_perf_event_data" },
	[BPF_PROG_TYPE_CGROUP_SKB] = { .type = BPF_PROG_TYPE_CGROUP_SKB, .name = "cgroup_skb", SKB_CTX, TABLE(skb_cgroup),
				       .flags = PR | ABS | NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_CGROUP_SOCK] = { .type = BPF_PROG_TYPE_CGROUP_SOCK, .name = "cgroup_sock", .access = SKEP_CTX_RULES, .ctx_name = "bpf_sock",
					.flags = NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_LWT_IN] = { .type = BPF_PROG_TYPE_LWT_IN, .name = "lwt_in", SKB_CTX, TABLE(skb_lwt), .flags = PR },
	[BPF_PROG_TYPE_LWT_OUT] = { .type = BPF_PROG_TYPE_LWT_OUT, .name = "lwt_out", SKB_CTX, TABLE(skb_lwt), .flags = PR },
	[BPF_PROG_TYPE_LWT_XMIT] = { .type = BPF_PROG_TYPE_LWT_XMIT, .name = "lwt_xmit", SKB_CTX, TABLE(skb_lwt), .flags = PW },
	[BPF_PROG_TYPE_SOCK_OPS] = { .type = BPF_PROG_TYPE_SOCK_OPS, .name = "sock_ops", .access = SKEP_CTX_RULES, .ctx_name = "bpf_sock_ops", RET(0, 1) },
	[BPF_PROG_TYPE_SK_SKB] = { .type = BPF_PROG_TYPE_SK_SKB, .name = "sk_skb", .access = SKEP_CTX_RULES, .ctx_name = "__sk_buff", .ctx_size = 192,
				   .flags = PW },
	[BPF_PROG_TYPE_CGROUP_DEVICE] = { .type = BPF_PROG_TYPE_CGROUP_DEVICE, .name = "cgroup_device", .access = SKEP_CTX_RULES,
					  .ctx_name = "bpf_cgroup_dev_ctx", RET(0, 1) },
	[BPF_PROG_TYPE_SK_MSG] = { .type = BPF_PROG_TYPE_SK_MSG, .name = "sk_msg", .access = SKEP_CTX_RULES, .ctx_name = "sk_msg_md", .flags = PW },
	[BPF_PROG_TYPE_RAW_TRACEPOINT] = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .name = "raw_tracepoint",
					   .ctx_name = "bpf_raw_tracepoint_args", .ctx_size = 96,
					   .access = SKEP_CTX_ARGS, .flags = RUN },
	[BPF_PROG_TYPE_CGROUP_SOCK_ADDR] = { .type = BPF_PROG_TYPE_CGROUP_SOCK_ADDR, .name = "cgroup_sock_addr", .access = SKEP_CTX_RULES,
					     .ctx_name = "bpf_sock_addr", .flags = NEEDS,
					     RET(0, 1) },
	[BPF_PROG_TYPE_LWT_SEG6LOCAL] = { .type = BPF_PROG_TYPE_LWT_SEG6LOCAL, .name = "lwt_seg6local", SKB_CTX, TABLE(skb_lwt),
					  .flags = PR },
	[BPF_PROG_TYPE_LIRC_MODE2] = { .type = BPF_PROG_TYPE_LIRC_MODE2, .name = "lirc_mode2" },
	[BPF_PROG_TYPE_SK_REUSEPORT] = { .type = BPF_PROG_TYPE_SK_REUSEPORT, .name = "sk_reuseport", .access = SKEP_CTX_RULES, .ctx_name = "sk_reuseport_md",
					 .flags = PR },
	[BPF_PROG_TYPE_FLOW_DISSECTOR] = { .type = BPF_PROG_TYPE_FLOW_DISSECTOR, .name = "flow_dissector", .access = SKEP_CTX_RULES, .ctx_name = "__sk_buff",
					   .flags = PR },
	[BPF_PROG_TYPE_CGROUP_SYSCTL] = { .type = BPF_PROG_TYPE_CGROUP_SYSCTL, .name = "cgroup_sysctl", .access = SKEP_CTX_RULES, .ctx_name = "bpf_sysctl",
					  RET(0, 1) },
	[BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE] = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE, .name = "raw_tracepoint_writable", .access = SKEP_CTX_RULES,
						    .ctx_name = "bpf_raw_tracepoint_args" },
	[BPF_PROG_TYPE_CGROUP_SOCKOPT] = { .type = BPF_PROG_TYPE_CGROUP_SOCKOPT, .name = "cgroup_sockopt", .access = SKEP_CTX_RULES, .ctx_name = "bpf_sockopt",
					   .flags = PW | NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_TRACING] = { .type = BPF_PROG_TYPE_TRACING, .name = "tracing", .ctx_size = 96,
				    .access = SKEP_CTX_BTF_ARGS, .flags = RUN | NEEDS },
	[BPF_PROG_TYPE_STRUCT_OPS] = { .type = BPF_PROG_TYPE_STRUCT_OPS, .name = "struct_ops" },
	[BPF_PROG_TYPE_EXT] = { .type = BPF_PROG_TYPE_EXT, .name = "ext" },
	[BPF_PROG_TYPE_LSM] = { .type = BPF_PROG_TYPE_LSM, .name = "lsm", .flags = NEEDS },
	[BPF_PROG_TYPE_SK_LOOKUP] = { .type = BPF_PROG_TYPE_SK_LOOKUP, .name = "sk_lookup", .access = SKEP_CTX_RULES, .ctx_name = "bpf_sk_lookup",
				      .flags = NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_SYSCALL] = { .type = BPF_PROG_TYPE_SYSCALL, .name = "syscall", .ctx_size = 65536, .access = SKEP_CTX_FLAT,
				    .flags = RUN | SKEP_PT_NEEDS_SLEEPABLE },
	[SKEP_PROG_TYPE_NETFILTER] = { .type = SKEP_PROG_TYPE_NETFILTER, .name = "netfilter", .access = SKEP_CTX_RULES, .ctx_name = "bpf_nf_ctx", RET(0, 1) },
};
/* clang-format on */

const struct skep_prog_type_row *skep_prog_type(u32 type)
{
	return type < SKEP_NR_PROG_TYPES ? &rows[type] : NULL;
}

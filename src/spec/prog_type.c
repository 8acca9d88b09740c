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

/* Those that skb_cgroup has, but for mark, queue_mapping and the time stamps. */
static const struct skep_ctx_field skb_sk_skb[] = {
	SKB(len, 0, R | N), SKB(pkt_type, 4, R | N), SKB(queue_mapping, 12, R | N), SKB(protocol, 16, R | N),
	SKB(vlan_present, 20, R | N), SKB(vlan_tci, 24, R | N), SKB(vlan_proto, 28, R | N),
	SKB(priority, 32, R | N | W), SKB(ingress_ifindex, 36, R | N), SKB(ifindex, 40, R | N),
	SKB(tc_index, 44, R | N | W), SKB_CB(0), SKB(hash, 68, R | N), SKB_PKT, SKB(napi_id, 84, R | N),
	SKB_FAMILY, SKB_GSO,
};

#define XDP(f, o, v, fl) { #f, o, 4, v, fl, offsetof(struct skep_xdp_ctx, f), \
		sizeof(((struct skep_xdp_ctx *)0)->f) }
static const struct skep_ctx_field xdp_fields[] = {
	XDP(data, 0, SKEP_FV_PKT, R),
	XDP(data_end, 4, SKEP_FV_PKT_END, R),
	XDP(data_meta, 8, SKEP_FV_PKT_META, R),
	XDP(ingress_ifindex, 12, SKEP_FV_SCALAR, R),
	XDP(rx_queue_index, 16, SKEP_FV_SCALAR, R),
	/* Where the packet leaves is known only behind a device map. */
	{ "egress_ifindex", 20, 4, SKEP_FV_SCALAR, R, offsetof(struct skep_xdp_ctx, egress_ifindex), 4,
	  .attach = 1ull << BPF_XDP_DEVMAP },
};

/*
 * Contexts that nothing here runs yet: the struct's own offsets, no run-time ones.
 */
#define F(f, o, s, fl) { .name = #f, .off = o, .size = s, .value = SKEP_FV_SCALAR, .flags = fl }
#define FA(f, o, s, fl, at) { .name = #f, .off = o, .size = s, .value = SKEP_FV_SCALAR, .flags = fl, .attach = at }
#define FP(f, o, s, v) { .name = #f, .off = o, .size = s, .value = v, .flags = R }
#define FB(f, o, t) { .name = #f, .off = o, .size = 8, .value = SKEP_FV_BTF, .flags = R, .btf = t }
#define WORDS4(f, o, fl) F(f, o, 4, fl), F(f, (o) + 4, 4, fl), F(f, (o) + 8, 4, fl), F(f, (o) + 12, 4, fl)
#define AT(t) (1ull << (t))
#define START SKEP_FIELD_START
#define PAIR SKEP_FIELD_PAIR

#define REG8(n) F(regs, 8 * (n), 8, R)
static const struct skep_ctx_field perf_event[] = {
	REG8(0), REG8(1), REG8(2), REG8(3), REG8(4), REG8(5), REG8(6), REG8(7), REG8(8), REG8(9), REG8(10),
	REG8(11), REG8(12), REG8(13), REG8(14), REG8(15), REG8(16), REG8(17), REG8(18), REG8(19), REG8(20),
	F(sample_period, 168, 8, R | N), F(addr, 176, 8, R | N),
};

/* struct bpf_sock from dst_port on, the same for all who see it. */
#define SOCK_TAIL F(dst_port, 48, 2, R | N), F(dst_ip4, 52, 4, R | N), WORDS4(dst_ip6, 56, R | N), \
	F(state, 72, 4, R | START), F(rx_queue_mapping, 76, 4, R | START)
/* The port is two bytes in a word that may be loaded whole; the second half of it may not. */
#define DST_PORT_WORD F(dst_port, 48, 4, R)

#define CREATE (AT(BPF_CGROUP_INET_SOCK_CREATE) | AT(BPF_CGROUP_INET_SOCK_RELEASE))
#define POST4 AT(BPF_CGROUP_INET4_POST_BIND)
#define POST6 AT(BPF_CGROUP_INET6_POST_BIND)
static const struct skep_ctx_field cgroup_sock[] = {
	FA(bound_dev_if, 0, 4, R | W, CREATE), F(family, 4, 4, R | START), F(type, 8, 4, R | START),
	F(protocol, 12, 4, R | START), FA(mark, 16, 4, R | W, CREATE), FA(priority, 20, 4, R | W, CREATE),
	FA(src_ip4, 24, 4, R | N, POST4),
	FA(src_ip6, 28, 4, R | N, POST6), FA(src_ip6, 32, 4, R | N, POST6), FA(src_ip6, 36, 4, R | N, POST6),
	FA(src_ip6, 40, 4, R | N, POST6), FA(src_port, 44, 4, R | START, POST4 | POST6),
	SOCK_TAIL, DST_PORT_WORD,
};

static const struct skep_ctx_field sock_full[] = {
	F(bound_dev_if, 0, 4, R), F(family, 4, 4, R | START), F(type, 8, 4, R | START), F(protocol, 12, 4, R | START),
	F(mark, 16, 4, R), F(priority, 20, 4, R), F(src_ip4, 24, 4, R | N), WORDS4(src_ip6, 28, R | N),
	F(src_port, 44, 4, R | START), SOCK_TAIL, DST_PORT_WORD,
};

static const struct skep_ctx_field sock_common[] = {
	F(bound_dev_if, 0, 4, R), F(family, 4, 4, R | START), F(src_ip4, 24, 4, R | N), WORDS4(src_ip6, 28, R | N),
	F(src_port, 44, 4, R | START), SOCK_TAIL, DST_PORT_WORD,
};

#define TCP(f) F(f, offsetof(struct bpf_tcp_sock, f), sizeof(((struct bpf_tcp_sock *)0)->f), R)
static const struct skep_ctx_field sock_tcp[] = {
	TCP(snd_cwnd), TCP(srtt_us), TCP(rtt_min), TCP(snd_ssthresh), TCP(rcv_nxt), TCP(snd_nxt), TCP(snd_una),
	TCP(mss_cache), TCP(ecn_flags), TCP(rate_delivered), TCP(rate_interval_us), TCP(packets_out),
	TCP(retrans_out), TCP(total_retrans), TCP(segs_in), TCP(data_segs_in), TCP(segs_out), TCP(data_segs_out),
	TCP(lost_out), TCP(sacked_out), TCP(bytes_received), TCP(bytes_acked), TCP(dsack_dups), TCP(delivered),
	TCP(delivered_ce), TCP(icsk_retransmits),
};

static const struct skep_ctx_field sock_xdp[] = { F(queue_id, 0, 4, R) };

#define WORD(o) F(word, o, 4, R)
static const struct skep_ctx_field sock_ops[] = {
	F(op, 0, 4, R), F(reply, 4, 4, R | W), WORD(8), WORD(12), WORD(16), F(family, 20, 4, R), F(remote_ip4, 24, 4, R),
	F(local_ip4, 28, 4, R), WORDS4(remote_ip6, 32, R), WORDS4(local_ip6, 48, R), F(remote_port, 64, 4, R),
	F(local_port, 68, 4, R), F(is_fullsock, 72, 4, R), F(snd_cwnd, 76, 4, R), F(srtt_us, 80, 4, R),
	F(cb_flags, 84, 4, R), F(state, 88, 4, R), F(rtt_min, 92, 4, R), F(snd_ssthresh, 96, 4, R), F(rcv_nxt, 100, 4, R),
	F(snd_nxt, 104, 4, R), F(snd_una, 108, 4, R), F(mss_cache, 112, 4, R), F(ecn_flags, 116, 4, R),
	F(rate_delivered, 120, 4, R), F(rate_interval_us, 124, 4, R), F(packets_out, 128, 4, R), F(retrans_out, 132, 4, R),
	F(total_retrans, 136, 4, R), F(segs_in, 140, 4, R), F(data_segs_in, 144, 4, R), F(segs_out, 148, 4, R),
	F(data_segs_out, 152, 4, R), F(lost_out, 156, 4, R), F(sacked_out, 160, 4, R), F(sk_txhash, 164, 4, R | W),
	F(bytes_received, 168, 8, R), F(bytes_acked, 176, 8, R), FP(sk, 184, 8, SKEP_FV_SOCKET_OR_NULL),
	FP(skb_data, 192, 8, SKEP_FV_PKT), FP(skb_data_end, 200, 8, SKEP_FV_PKT_END), F(skb_len, 208, 4, R),
	F(skb_tcp_flags, 212, 4, R | START), F(skb_hwtstamp, 216, 8, R),
};

static const struct skep_ctx_field cgroup_device[] = {
	F(access_type, 0, 4, R | N), F(major, 4, 4, R), F(minor, 8, 4, R),
};

static const struct skep_ctx_field sk_msg[] = {
	FP(data, 0, 8, SKEP_FV_PKT), FP(data_end, 8, 8, SKEP_FV_PKT_END), F(family, 16, 4, R), F(remote_ip4, 20, 4, R),
	F(local_ip4, 24, 4, R), WORDS4(remote_ip6, 28, R), WORDS4(local_ip6, 44, R), F(remote_port, 60, 4, R),
	F(local_port, 64, 4, R), F(size, 68, 4, R), FP(sk, 72, 8, SKEP_FV_SOCKET),
};

#define V4 (AT(BPF_CGROUP_INET4_BIND) | AT(BPF_CGROUP_INET4_CONNECT) | AT(BPF_CGROUP_UDP4_SENDMSG) | \
	AT(BPF_CGROUP_UDP4_RECVMSG) | AT(BPF_CGROUP_INET4_GETPEERNAME) | AT(BPF_CGROUP_INET4_GETSOCKNAME))
#define V6 (AT(BPF_CGROUP_INET6_BIND) | AT(BPF_CGROUP_INET6_CONNECT) | AT(BPF_CGROUP_UDP6_SENDMSG) | \
	AT(BPF_CGROUP_UDP6_RECVMSG) | AT(BPF_CGROUP_INET6_GETPEERNAME) | AT(BPF_CGROUP_INET6_GETSOCKNAME))
#define SEND4 AT(BPF_CGROUP_UDP4_SENDMSG)
#define SEND6 AT(BPF_CGROUP_UDP6_SENDMSG)
static const struct skep_ctx_field sock_addr[] = {
	F(user_family, 0, 4, R), FA(user_ip4, 4, 4, R | W | N, V4),
	FA(user_ip6, 8, 4, R | W | N | PAIR, V6), FA(user_ip6, 12, 4, R | W | N, V6),
	FA(user_ip6, 16, 4, R | W | N | PAIR, V6), FA(user_ip6, 20, 4, R | W | N, V6),
	F(user_port, 24, 4, R | W | N), F(family, 28, 4, R), F(type, 32, 4, R), F(protocol, 36, 4, R),
	FA(msg_src_ip4, 40, 4, R | W | N, SEND4),
	FA(msg_src_ip6, 44, 4, R | W | N, SEND6), FA(msg_src_ip6, 48, 4, R | W | N | PAIR, SEND6),
	FA(msg_src_ip6, 52, 4, R | W | N, SEND6), FA(msg_src_ip6, 56, 4, R | W | N, SEND6),
	FP(sk, 64, 8, SKEP_FV_SOCKET),
};

static const struct skep_ctx_field sk_reuseport[] = {
	FP(data, 0, 8, SKEP_FV_PKT), FP(data_end, 8, 8, SKEP_FV_PKT_END), F(len, 16, 4, R | N),
	F(eth_protocol, 20, 4, R | SKEP_FIELD_HALF), F(ip_protocol, 24, 4, R | N), F(bind_inany, 28, 4, R | N),
	F(hash, 32, 4, R), FP(sk, 40, 8, SKEP_FV_SOCKET), FP(migrating_sk, 48, 8, SKEP_FV_SOCK_COMMON_OR_NULL),
};

static const struct skep_ctx_field flow_dissector[] = {
	FP(data, 76, 4, SKEP_FV_PKT), FP(data_end, 80, 4, SKEP_FV_PKT_END), FP(flow_keys, 144, 8, SKEP_FV_FLOW_KEYS),
};

static const struct skep_ctx_field cgroup_sysctl[] = { F(write, 0, 4, R | N), F(file_pos, 4, 4, R | W | N) };

#define GETOPT AT(BPF_CGROUP_GETSOCKOPT)
#define SETOPT AT(BPF_CGROUP_SETSOCKOPT)
static const struct skep_ctx_field cgroup_sockopt[] = {
	FP(sk, 0, 8, SKEP_FV_SOCKET), FP(optval, 8, 8, SKEP_FV_PKT), FP(optval_end, 16, 8, SKEP_FV_PKT_END),
	FA(level, 24, 4, R, GETOPT), FA(level, 24, 4, R | W, SETOPT), FA(optname, 28, 4, R, GETOPT),
	FA(optname, 28, 4, R | W, SETOPT), F(optlen, 32, 4, R | W), FA(retval, 36, 4, R | W, GETOPT),
};

static const struct skep_ctx_field sk_lookup[] = {
	FP(sk, 0, 8, SKEP_FV_SOCKET_OR_NULL), F(family, 8, 4, R | N), F(protocol, 12, 4, R | N), F(remote_ip4, 16, 4, R | N),
	WORDS4(remote_ip6, 20, R | N), F(remote_port, 36, 4, R | N), F(local_ip4, 40, 4, R | N),
	WORDS4(local_ip6, 44, R | N), F(local_port, 60, 4, R | N), F(ingress_ifindex, 64, 4, R | N),
};

/* A pulse or space as the receiver saw it, and how long. */
static const struct skep_ctx_field lirc_mode2[] = { F(sample, 0, 4, R) };

static const struct skep_ctx_field netfilter[] = { FB(state, 0, "nf_hook_state"), FB(skb, 8, "sk_buff") };

#define PR SKEP_PT_PKT_READ
#define PW (SKEP_PT_PKT_READ | SKEP_PT_PKT_WRITE)
#define RUN SKEP_PT_RUNNABLE
#define LOAD SKEP_PT_LOADABLE
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
				   .ctx_size = 168, .access = SKEP_CTX_ARGS, .flags = LOAD },
	[BPF_PROG_TYPE_SCHED_CLS] = { .type = BPF_PROG_TYPE_SCHED_CLS, .name = "sched_cls", SKB_CTX, TABLE(skb_cls),
				      .flags = RUN | ABS | PW },
	[BPF_PROG_TYPE_SCHED_ACT] = { .type = BPF_PROG_TYPE_SCHED_ACT, .name = "sched_act", SKB_CTX, TABLE(skb_cls),
				      .flags = RUN | ABS | PW },
	[BPF_PROG_TYPE_TRACEPOINT] = { .type = BPF_PROG_TYPE_TRACEPOINT, .name = "tracepoint", .ctx_size = 8192,
				       .access = SKEP_CTX_ARGS, .flags = LOAD },
	[BPF_PROG_TYPE_XDP] = { .type = BPF_PROG_TYPE_XDP, .name = "xdp", .ctx_name = "xdp_md", .ctx_size = 24,
				TABLE(xdp_fields), .flags = RUN | PW },
	[BPF_PROG_TYPE_PERF_EVENT] = { .type = BPF_PROG_TYPE_PERF_EVENT, .name = "perf_event", .ctx_name = "bpf_perf_event_data", .ctx_size = 184,
		TABLE(perf_event) },
	[BPF_PROG_TYPE_CGROUP_SKB] = { .type = BPF_PROG_TYPE_CGROUP_SKB, .name = "cgroup_skb", SKB_CTX, TABLE(skb_cgroup),
				       .flags = PR | NEEDS | LOAD, RET(0, 1) },
	[BPF_PROG_TYPE_CGROUP_SOCK] = { .type = BPF_PROG_TYPE_CGROUP_SOCK, .name = "cgroup_sock", .ctx_name = "bpf_sock", .ctx_size = 80,
		TABLE(cgroup_sock), .flags = NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_LWT_IN] = { .type = BPF_PROG_TYPE_LWT_IN, .name = "lwt_in", SKB_CTX, TABLE(skb_lwt), .flags = PR | LOAD },
	[BPF_PROG_TYPE_LWT_OUT] = { .type = BPF_PROG_TYPE_LWT_OUT, .name = "lwt_out", SKB_CTX, TABLE(skb_lwt), .flags = PR | LOAD },
	[BPF_PROG_TYPE_LWT_XMIT] = { .type = BPF_PROG_TYPE_LWT_XMIT, .name = "lwt_xmit", SKB_CTX, TABLE(skb_lwt), .flags = PW | LOAD },
	[BPF_PROG_TYPE_SOCK_OPS] = { .type = BPF_PROG_TYPE_SOCK_OPS, .name = "sock_ops", .ctx_name = "bpf_sock_ops", .ctx_size = 224,
		TABLE(sock_ops), .flags = PR, RET(0, 1) },
	[BPF_PROG_TYPE_SK_SKB] = { .type = BPF_PROG_TYPE_SK_SKB, .name = "sk_skb", .ctx_name = "__sk_buff", .ctx_size = 192,
		TABLE(skb_sk_skb), .flags = PW },
	[BPF_PROG_TYPE_CGROUP_DEVICE] = { .type = BPF_PROG_TYPE_CGROUP_DEVICE, .name = "cgroup_device", .ctx_name = "bpf_cgroup_dev_ctx", .ctx_size = 12,
		TABLE(cgroup_device), RET(0, 1) },
	[BPF_PROG_TYPE_SK_MSG] = { .type = BPF_PROG_TYPE_SK_MSG, .name = "sk_msg", .ctx_name = "sk_msg_md", .ctx_size = 80,
		TABLE(sk_msg), .flags = PW },
	[BPF_PROG_TYPE_RAW_TRACEPOINT] = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .name = "raw_tracepoint",
					   .ctx_name = "bpf_raw_tracepoint_args", .ctx_size = 96,
					   .access = SKEP_CTX_ARGS, .flags = RUN },
	[BPF_PROG_TYPE_CGROUP_SOCK_ADDR] = { .type = BPF_PROG_TYPE_CGROUP_SOCK_ADDR, .name = "cgroup_sock_addr", .ctx_name = "bpf_sock_addr", .ctx_size = 72,
		TABLE(sock_addr), .flags = NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_LWT_SEG6LOCAL] = { .type = BPF_PROG_TYPE_LWT_SEG6LOCAL, .name = "lwt_seg6local", SKB_CTX, TABLE(skb_lwt),
					  .flags = PR | LOAD },
	[BPF_PROG_TYPE_LIRC_MODE2] = { .type = BPF_PROG_TYPE_LIRC_MODE2, .name = "lirc_mode2", .ctx_size = 4,
		TABLE(lirc_mode2) },
	[BPF_PROG_TYPE_SK_REUSEPORT] = { .type = BPF_PROG_TYPE_SK_REUSEPORT, .name = "sk_reuseport", .ctx_name = "sk_reuseport_md", .ctx_size = 56,
		TABLE(sk_reuseport), .flags = PR },
	[BPF_PROG_TYPE_FLOW_DISSECTOR] = { .type = BPF_PROG_TYPE_FLOW_DISSECTOR, .name = "flow_dissector", .ctx_name = "__sk_buff", .ctx_size = 192,
		TABLE(flow_dissector), .flags = PR },
	[BPF_PROG_TYPE_CGROUP_SYSCTL] = { .type = BPF_PROG_TYPE_CGROUP_SYSCTL, .name = "cgroup_sysctl", .ctx_name = "bpf_sysctl", .ctx_size = 8,
		TABLE(cgroup_sysctl), RET(0, 1) },
	[BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE] = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE, .name = "raw_tracepoint_writable", .ctx_name = "bpf_raw_tracepoint_args", .ctx_size = 96,
		.access = SKEP_CTX_ARGS },
	[BPF_PROG_TYPE_CGROUP_SOCKOPT] = { .type = BPF_PROG_TYPE_CGROUP_SOCKOPT, .name = "cgroup_sockopt", .ctx_name = "bpf_sockopt", .ctx_size = 40,
		TABLE(cgroup_sockopt), .flags = PW | NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_TRACING] = { .type = BPF_PROG_TYPE_TRACING, .name = "tracing", .ctx_size = 96,
				    .access = SKEP_CTX_BTF_ARGS, .flags = RUN | NEEDS },
	[BPF_PROG_TYPE_STRUCT_OPS] = { .type = BPF_PROG_TYPE_STRUCT_OPS, .name = "struct_ops", .ctx_size = 96,
				       .access = SKEP_CTX_BTF_ARGS },
	[BPF_PROG_TYPE_EXT] = { .type = BPF_PROG_TYPE_EXT, .name = "ext" },
	[BPF_PROG_TYPE_LSM] = { .type = BPF_PROG_TYPE_LSM, .name = "lsm", .ctx_size = 96,
				.access = SKEP_CTX_BTF_ARGS, .flags = NEEDS },
	[BPF_PROG_TYPE_SK_LOOKUP] = { .type = BPF_PROG_TYPE_SK_LOOKUP, .name = "sk_lookup", .ctx_name = "bpf_sk_lookup", .ctx_size = 72,
		TABLE(sk_lookup), .flags = NEEDS, RET(0, 1) },
	[BPF_PROG_TYPE_SYSCALL] = { .type = BPF_PROG_TYPE_SYSCALL, .name = "syscall", .ctx_size = 65536, .access = SKEP_CTX_FLAT,
				    .flags = RUN | SKEP_PT_NEEDS_SLEEPABLE },
	[SKEP_PROG_TYPE_NETFILTER] = { .type = SKEP_PROG_TYPE_NETFILTER, .name = "netfilter", .ctx_name = "bpf_nf_ctx", .ctx_size = 16,
		TABLE(netfilter), RET(0, 1) },
};
/* clang-format on */

const struct skep_prog_type_row *skep_prog_type(u32 type)
{
	return type < SKEP_NR_PROG_TYPES ? &rows[type] : NULL;
}

const struct skep_ctx_field *skep_sock_fields(enum skep_sock_kind kind, u32 *ret_n)
{
	static const struct {
		const struct skep_ctx_field *fields;
		u32 n;
	} kinds[SKEP_NR_SOCKS] = {
		[SKEP_SOCK_FULL] = {sock_full, ARRAY_SIZE(sock_full)},
		[SKEP_SOCK_COMMON] = {sock_common, ARRAY_SIZE(sock_common)},
		[SKEP_SOCK_TCP] = {sock_tcp, ARRAY_SIZE(sock_tcp)},
		[SKEP_SOCK_XDP] = {sock_xdp, ARRAY_SIZE(sock_xdp)},
	};

	*ret_n = kinds[kind].n;
	return kinds[kind].fields;
}

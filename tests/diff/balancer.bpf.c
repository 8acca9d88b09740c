// SPDX-License-Identifier: BSD-2-Clause
/* A small load balancer: parse, look up a service, choose a backend, rewrite, count. */
#include "common.h"
#include <bpf/bpf_endian.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#define MAX_BACKENDS 16

struct flow {
	__be32 saddr, daddr;
	__be16 sport, dport;
	__u8 proto;
	__u8 pad[3];
};

struct service {
	__be32 addr;
	__be16 port;
	__u16 proto;
};

struct backends {
	__u32 nr;
	__be32 addr[MAX_BACKENDS];
};

struct stats {
	__u64 packets, bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct service);
	__type(value, struct backends);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct flow);
	__type(value, __be32);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, struct stats);
} verdicts SEC(".maps");

static __always_inline void count(__u32 what, __u64 bytes)
{
	struct stats *s = bpf_map_lookup_elem(&verdicts, &what);

	if (s) {
		s->packets++;
		s->bytes += bytes;
	}
}

static __noinline __u32 hash_flow(const struct flow *f)
{
	const __u32 *w = (const void *)f;
	__u32 h = 0x811c9dc5;

	for (int i = 0; i < 4; i++)
		h = (h ^ w[i]) * 16777619;
	return h ^ h >> 15;
}

static __always_inline __u16 fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static __always_inline void replace_daddr(struct iphdr *ip, __be32 to)
{
	__u32 sum = (__u16)~ip->check;

	sum += (__u16)~(ip->daddr & 0xffff);
	sum += (__u16)~(ip->daddr >> 16);
	sum += to & 0xffff;
	sum += to >> 16;
	ip->check = fold(sum);
	ip->daddr = to;
}

static __always_inline int parse(struct xdp_md *ctx, struct iphdr **ret_ip, struct flow *f)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = data + sizeof(*eth);
	__be16 *ports;
	int ihl;

	if ((void *)(ip + 1) > end)
		return -1;
	if (eth->h_proto != bpf_htons(ETH_P_IP))
		return 1;
	ihl = ip->ihl * 4;
	if (ihl < sizeof(*ip))
		return -1;
	ports = (void *)ip + ihl;
	if ((void *)(ports + 2) > end)
		return -1;
	f->saddr = ip->saddr;
	f->daddr = ip->daddr;
	f->proto = ip->protocol;
	f->sport = ports[0];
	f->dport = ports[1];
	*ret_ip = ip;
	return 0;
}

static __always_inline int choose(struct xdp_md *ctx)
{
	__u64 len = ctx->data_end - ctx->data;
	struct flow f = {};
	struct service svc = {};
	struct backends *b;
	struct iphdr *ip;
	__be32 *known, to;
	__u32 i;
	int r = parse(ctx, &ip, &f);

	if (r) {
		count(r < 0 ? 0 : 1, len);
		return r < 0 ? XDP_DROP : XDP_PASS;
	}
	known = bpf_map_lookup_elem(&flows, &f);
	if (known) {
		replace_daddr(ip, *known);
		count(2, len);
		return XDP_TX;
	}
	svc.addr = f.daddr;
	svc.port = f.dport;
	svc.proto = f.proto;
	b = bpf_map_lookup_elem(&services, &svc);
	if (!b || !b->nr) {
		count(3, len);
		return XDP_PASS;
	}
	i = hash_flow(&f) % b->nr;
	asm volatile("" : "+r"(i)); /* the bound below must not be moved */
	if (i >= MAX_BACKENDS)
		return XDP_ABORTED;
	to = b->addr[i];
	bpf_map_update_elem(&flows, &f, &to, BPF_ANY);
	replace_daddr(ip, to);
	count(4, len);
	return XDP_TX;
}

SEC("xdp")
int balance(struct xdp_md *ctx)
{
	return choose(ctx);
}

/* The test's own packet as a service, so that the second run is balanced. */
SEC("xdp")
int learn(struct xdp_md *ctx)
{
	struct backends b = { .nr = 3 };
	struct service svc = {};
	struct flow f = {};
	struct iphdr *ip;

	if (parse(ctx, &ip, &f))
		return XDP_PASS;
	svc.addr = f.daddr;
	svc.port = f.dport;
	svc.proto = f.proto;
	for (int i = 0; i < 3; i++)
		b.addr[i] = bpf_htonl(0x0a000001 + i);
	bpf_map_update_elem(&services, &svc, &b, BPF_ANY);
	return XDP_PASS;
}

SEC("xdp")
int balance_again(struct xdp_md *ctx)
{
	return choose(ctx);
}

SEC("xdp")
int bad_ihl(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = data + sizeof(struct ethhdr);
	struct udphdr *udp;

	if ((void *)(ip + 1) > end)
		return 0;
	udp = (void *)ip + ip->ihl * 4;
	return udp->dest;
}

// SPDX-License-Identifier: BSD-2-Clause
/* Packets: direct access, context fields, writes. */
#include "common.h"

SEC("socket")
int length(struct __sk_buff *skb)
{
	return skb->len;
}

SEC("socket")
int protocol(struct __sk_buff *skb)
{
	return skb->protocol + skb->mark + skb->pkt_type;
}

SEC("xdp")
int sum(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	unsigned int s = 0;

	for (int i = 0; i < 100; i++) {
		if (p + i + 1 > end)
			break;
		s += p[i];
	}
	return s;
}

SEC("xdp")
int swap_macs(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (p + 12 > end)
		return XDP_ABORTED;
	for (int i = 0; i < 6; i++) {
		unsigned char t = p[i];

		p[i] = p[i + 6];
		p[i + 6] = t;
	}
	return XDP_TX;
}

SEC("tc")
int classify(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
	unsigned short *proto = data + 12;

	if (data + 14 > end)
		return -1;
	skb->mark = *proto;
	skb->cb[0] = 7;
	skb->priority = 3;
	return skb->mark + skb->cb[0] + skb->priority;
}

SEC("tc")
int narrow(struct __sk_buff *skb)
{
	unsigned char *b = (unsigned char *)skb;
	volatile unsigned char low = *(volatile unsigned char *)&skb->len;
	volatile unsigned short half = *(volatile unsigned short *)&skb->len;

	return low * 1000 + half;
}

SEC("xdp")
int bad_beyond(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (p + 8 > end)
		return 0;
	return p[8];
}

SEC("socket")
int bad_store(struct __sk_buff *skb)
{
	*(volatile unsigned int *)&skb->len = 1;
	return 0;
}

SEC("xdp")
int bad_range(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (p + 1 > end)
		return 0;
	if (p + p[0] > end)
		return 0;
	return p[p[0]];
}

SEC("xdp")
int variable_offset(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	unsigned char *q;

	if (p + 1 > end)
		return 0;
	q = p + (p[0] & 15);
	if (q + 4 > end)
		return 1;
	return q[3];
}

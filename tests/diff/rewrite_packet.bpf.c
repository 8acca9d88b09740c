// SPDX-License-Identifier: BSD-2-Clause
/* Helpers that read, write, grow and shrink packets. */
#include "common.h"

__u64 seen[8];

SEC("tc")
int load_store(struct __sk_buff *skb)
{
	__u8 b[8] = {0};
	int r;

	r = bpf_skb_load_bytes(skb, 4, b, 8);
	seen[0] = b[0] | b[7] << 8;
	r = r * 100 + bpf_skb_load_bytes(skb, 60, b, 8);
	seen[1] = b[0];
	b[0] = 0xab;
	r = r * 100 + bpf_skb_store_bytes(skb, 2, b, 4, 0);
	r = r * 100 + bpf_skb_store_bytes(skb, 198, b, 4, 0);
	r = r * 100 + bpf_skb_store_bytes(skb, 2, b, 4, 8);
	return r;
}

SEC("tc")
int relative(struct __sk_buff *skb)
{
	__u8 b[4] = {0};
	int r;

	r = bpf_skb_load_bytes_relative(skb, 0, b, 4, BPF_HDR_START_NET);
	seen[2] = b[0] | b[3] << 8;
	r = r * 100 + bpf_skb_load_bytes_relative(skb, 1, b, 4, BPF_HDR_START_MAC);
	seen[3] = b[0] | b[3] << 8;
	return r * 100 + bpf_skb_load_bytes_relative(skb, 1, b, 4, 7);
}

SEC("tc")
int checksums(struct __sk_buff *skb)
{
	int r;

	r = bpf_l3_csum_replace(skb, 24, 0x1234, 0x4321, 2);
	r = r * 10 + bpf_l3_csum_replace(skb, 26, 0x12345678, 0x4321, 4);
	r = r * 10 + bpf_l3_csum_replace(skb, 28, 0, 0x11223344, 0);
	r = r * 10 + bpf_l3_csum_replace(skb, 28, 1, 0x11223344, 0);
	r = r * 10 + bpf_l3_csum_replace(skb, 27, 0, 0x1, 2);
	r = r * 10 + bpf_l3_csum_replace(skb, 28, 0, 0x1, 3);
	r = r * 10 + bpf_l4_csum_replace(skb, 30, 0x1234, 0x4321, 2 | BPF_F_PSEUDO_HDR);
	r = r * 10 + bpf_l4_csum_replace(skb, 32, 0x12345678, 0x4321, 4 | BPF_F_MARK_MANGLED_0);
	return r;
}

SEC("tc")
int pull(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0) * 100 + bpf_skb_pull_data(skb, 10) * 10 +
	       bpf_skb_pull_data(skb, 100);
}

SEC("tc")
int verdict(struct __sk_buff *skb)
{
	return bpf_redirect(1, 0) * 10 + bpf_redirect(1, 4);
}

SEC("socket")
int filter_load(struct __sk_buff *skb)
{
	__u8 b[4] = {0};
	int r = bpf_skb_load_bytes(skb, 0, b, 4);

	return r * 1000 + b[0] + b[3];
}

SEC("xdp")
int head(struct xdp_md *ctx)
{
	int r = bpf_xdp_adjust_head(ctx, -8);

	if (r)
		return r;
	r = bpf_xdp_adjust_head(ctx, -300);
	if (r != -22)
		return 1;
	return bpf_xdp_adjust_head(ctx, 4) ? 2 : 3;
}

SEC("xdp")
int shrink_head(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, 20) ? 7 : 8;
}

SEC("xdp")
int tail(struct xdp_md *ctx)
{
	int r = bpf_xdp_adjust_tail(ctx, 16);

	if (r)
		return r;
	return bpf_xdp_adjust_tail(ctx, -20) ? 5 : bpf_xdp_adjust_tail(ctx, 5000) == -22;
}

SEC("xdp")
int shrink_tail(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_tail(ctx, -30) ? 7 : 8;
}

SEC("xdp")
int meta(struct xdp_md *ctx)
{
	__u32 *m, *data;
	int r = bpf_xdp_adjust_meta(ctx, -4);

	if (r)
		return r;
	m = (void *)(long)ctx->data_meta;
	data = (void *)(long)ctx->data;
	if (m + 1 > data)
		return 1;
	*m = 0x55;
	return bpf_xdp_adjust_meta(ctx, -3) == -13 ? 2 : 3;
}

SEC("xdp")
int bytes(struct xdp_md *ctx)
{
	__u8 b[8] = {0};
	int r = bpf_xdp_load_bytes(ctx, 3, b, 8);

	b[1] = 0x77;
	r = r * 100 + bpf_xdp_store_bytes(ctx, 5, b, 8);
	r = r * 100 + bpf_xdp_load_bytes(ctx, 60, b, 8);
	return r + bpf_xdp_get_buff_len(ctx) + b[0];
}

SEC("xdp")
int redirect(struct xdp_md *ctx)
{
	return bpf_redirect(1, 0) * 10 + bpf_redirect(1, 1);
}

SEC("xdp")
int bad_stale_pointer(struct xdp_md *ctx)
{
	__u8 *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (p + 4 > end)
		return 0;
	bpf_xdp_adjust_head(ctx, 1);
	return p[0];
}

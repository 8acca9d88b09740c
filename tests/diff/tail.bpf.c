// SPDX-License-Identifier: BSD-2-Clause
/* Tail calls: taken, missing, out of range, counted, from a subprogram. */
#include "common.h"

int leaf(struct xdp_md *ctx);
int again(struct xdp_md *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__array(values, int(struct xdp_md *));
} progs SEC(".maps") = {.values = {[0] = &leaf, [1] = &again}};

__u64 entered, left;

SEC("xdp")
int leaf(struct xdp_md *ctx)
{
	entered++;
	return 100 + (ctx->data_end - ctx->data);
}

/* Calls itself until the limit; what follows the call runs once. */
SEC("xdp")
int again(struct xdp_md *ctx)
{
	entered++;
	bpf_tail_call(ctx, &progs, 1);
	left++;
	return entered * 10 + left;
}

SEC("xdp")
int taken(struct xdp_md *ctx)
{
	char buf[64] = {};

	buf[ctx->rx_queue_index & 63] = 1;
	bpf_tail_call(ctx, &progs, 0);
	return buf[3] + 1;
}

SEC("xdp")
int empty_slot(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &progs, 2);
	return 7;
}

SEC("xdp")
int out_of_range(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &progs, 1000);
	return 8;
}

static __noinline int in_subprog(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &progs, 0);
	return 9;
}

SEC("xdp")
int from_subprog(struct xdp_md *ctx)
{
	return in_subprog(ctx) + 1000;
}

SEC("xdp")
int bad_map(struct xdp_md *ctx)
{
	__u32 k = 0;

	return bpf_map_lookup_elem(&progs, &k) != 0;
}
